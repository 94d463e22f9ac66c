"""Every action that works on a state, by name."""

from __future__ import annotations

from collections.abc import Mapping

from env_service.worlds.household.simulation.action import Action, Register
from env_service.worlds.household.simulation.actions import (
    agent_movement,
    breakage,
    cameras,
    configuration,
    cooking_and_cleaning,
    existence,
    hand,
    interactable_poses,
    object_poses,
    openings_and_switches,
    pickup_and_put,
    push_and_throw,
    randomization,
    reachable_positions,
    slicing,
    targeting,
)

REGISTERS: tuple[Register, ...] = (
    configuration.ACTIONS,
    agent_movement.ACTIONS,
    reachable_positions.ACTIONS,
    interactable_poses.ACTIONS,
    targeting.ACTIONS,
    cameras.ACTIONS,
    pickup_and_put.ACTIONS,
    hand.ACTIONS,
    push_and_throw.ACTIONS,
    openings_and_switches.ACTIONS,
    slicing.ACTIONS,
    breakage.ACTIONS,
    cooking_and_cleaning.ACTIONS,
    object_poses.ACTIONS,
    randomization.ACTIONS,
    existence.ACTIONS,
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
