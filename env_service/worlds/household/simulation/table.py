"""Every action that works on a state, by name."""

from __future__ import annotations

from collections.abc import Mapping

from env_service.worlds.household.simulation import (
    agent_motion,
    breaking,
    cameras,
    configuration,
    existence,
    held,
    interaction,
    openings,
    poses,
    posing,
    pushing,
    queries,
    reach,
    slicing,
    spawn,
    substances,
    switches,
    temperature,
    variation,
)
from env_service.worlds.household.simulation.action import Action, Register

REGISTERS: tuple[Register, ...] = (
    configuration.ACTIONS,
    agent_motion.ACTIONS,
    reach.ACTIONS,
    poses.ACTIONS,
    queries.ACTIONS,
    cameras.ACTIONS,
    interaction.ACTIONS,
    held.ACTIONS,
    pushing.ACTIONS,
    openings.ACTIONS,
    switches.ACTIONS,
    slicing.ACTIONS,
    breaking.ACTIONS,
    substances.ACTIONS,
    temperature.ACTIONS,
    posing.ACTIONS,
    spawn.ACTIONS,
    existence.ACTIONS,
    variation.ACTIONS,
)


def _joined(registers: tuple[Register, ...]) -> Mapping[str, Action]:
    """The actions of several registers; a name in two of them raises ValueError."""
    joined: dict[str, Action] = {}
    for register in registers:
        twice = joined.keys() & register.actions.keys()
        if twice:
            raise ValueError(f"registered twice: {', '.join(sorted(twice))}")
        joined.update(register.actions)
    return joined


ACTIONS: Mapping[str, Action] = _joined(REGISTERS)
