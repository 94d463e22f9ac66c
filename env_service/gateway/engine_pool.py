"""Engines for the runs of a service, which share its machine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from env_service.engine.base import Engine
from env_service.engine.cold_starts import ColdStarts, Stagger
from env_service.engine.config import Deadlines, LocalEngineConfig
from env_service.engine.local import LocalEngine
from env_service.engine.memory import MemoryBounds, machine_memory
from env_service.engine.placement import Place, Placement, Places
from env_service.gateway.background import HelperProcesses
from env_service.gateway.limits import ServiceLimits
from env_service.plugins import Group, installed
from env_service.worlds.base import HostingLimits, describe_world, hosting_limits

FURTHER_SKILL = 10.0
"""Seconds that each skill after the first adds to the time limit of a step. A skill of a plan needs
about 80 actions of the simulator if it finds no space; a simulator plays ten or more a second.
"""


@dataclass(frozen=True, slots=True)
class WorldFacts:
    """What a world is on this machine, and what spec it takes; see ``worlds.base.World``."""

    facts: Mapping[str, str]
    allowed: HostingLimits | None


async def world_facts(world: str, apart: HelperProcesses) -> WorldFacts:
    """Asks a world; one that is not registered has no facts.

    ``apart`` does it: it reads entry points, imports the world, opens the graphics card, and may
    take seconds. Raises WorldUnavailableError where the world cannot be had, PluginError where
    it cannot be loaded.
    """
    return await apart.call(_look_at, world, dict(os.environ))


def _look_at(world: str, environment: Mapping[str, str]) -> WorldFacts:
    if world not in installed(Group.WORLDS):
        return WorldFacts({}, None)
    facts = describe_world(world)
    return WorldFacts(facts, hosting_limits(world, facts, environment))


def with_hosting_limits(
    limits: ServiceLimits, allowed: HostingLimits | None, skills: int = 1
) -> ServiceLimits:
    """The limits, with no less time for the environment than its world may rightly need, and than
    the ``skills`` of one step take together (see `Suite.skills_per_step`)."""
    begin, step = limits.environment_begin_deadline, limits.environment_step_deadline
    if allowed is not None:
        begin, step = max(begin, allowed.begin), max(step, allowed.step)
    step += (skills - 1) * FURTHER_SKILL
    return replace(limits, environment_begin_deadline=begin, environment_step_deadline=step)


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """What a run asks of its engine.

    ``workers`` is the most it can use, at least 1; ``exactly``: and the least that will do.
    """

    suite: str
    world: str
    workers: int
    exactly: bool
    log_folder: Path
    limits: ServiceLimits
    allowed: HostingLimits | None


class EnginePool:
    """Makes engines. For one event loop."""

    def __init__(self, placement: Placement | None) -> None:
        """``placement`` None: worlds run anywhere, and there may be any number of them."""
        self._placement = placement
        self._places = None if placement is None else Places(placement)
        self._starts = ColdStarts()
        # Read before anybody calls: runs are opened on the event loop.
        self._machine = machine_memory()

    def check(self, workers: int) -> None:
        """Raises ValueError where so many workers do not fit on this machine's GPUs."""
        if self._placement is not None:
            self._placement.check(workers)

    def engine(self, spec: EngineSpec) -> Engine:
        """An engine, not started; its places are free again once it is closed.

        Raises EngineError where other runs hold too many places.
        """
        places: tuple[Place, ...] = ()
        if self._places is not None:
            places = self._places.take(spec.workers, exactly=spec.exactly)
        try:
            config = _config(spec, places, self._machine)
            return LocalEngine(config, self._starts, lambda: self._give_back(places))
        except BaseException:
            self._give_back(places)
            raise

    def _give_back(self, places: tuple[Place, ...]) -> None:
        if self._places is not None:
            self._places.give_back(places)


def _config(spec: EngineSpec, places: tuple[Place, ...], machine: int) -> LocalEngineConfig:
    """``machine``: bytes of memory that it has."""
    limits, allowed = spec.limits, spec.allowed
    workers, held = len(places) or spec.workers, limits.world_memory_bytes
    plain = Deadlines()
    return LocalEngineConfig(
        suite=spec.suite,
        world=spec.world,
        workers=workers,
        deadlines=Deadlines(
            begin=limits.environment_begin_deadline,
            step=limits.environment_step_deadline,
            finish=max(plain.finish, allowed.finish) if allowed else plain.finish,
        ),
        log_folder=spec.log_folder,
        places=places,
        stagger=Stagger(pause=allowed.pause) if allowed else None,
        starts_at_once=(os.cpu_count() or 1) if allowed else None,
        environment=allowed.environment if allowed else {},
        memory=(MemoryBounds.above(held) if held else MemoryBounds.for_workers(workers, machine)),
    )
