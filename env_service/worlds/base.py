"""What the core asks of a world: what it is on this machine, and what hosting it takes.

A world with nothing to report need not be registered. A world whose suites need more than this
defines that contract in its package.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

from env_service.contract import lacking
from env_service.plugins import Group, Plugin, PluginError, installed

WORKER_GPU = "HOUSEGUEST_WORKER_GPU"
WORKER_CPUS = "HOUSEGUEST_WORKER_CPUS"
"""Environment variables that an engine sets to place a worker: the index of its GPU as nvidia-smi
counts, and the numbers of its CPUs, separated by commas. Empty means no GPU, and any CPU. A world
that runs its simulator in a separate process starts it there."""


class WorldUnavailableError(Exception):
    """A world cannot be opened on this machine. The message says why, and how to mend it."""


class WorldLoadError(PluginError):
    """An entry point of ``houseguest.worlds`` leads to an incomplete world. The message names what
    is missing, and where it is described."""


@dataclass(frozen=True, slots=True)
class HostingLimits:
    """What hosting a world takes, where the defaults do not suit it.

    Time limits in seconds for opening an episode, for one step and for scoring; and the pause
    between the starts of two simulators. A world watches its simulator and can best say what broke.
    The host therefore waits longer than the world does, and acts only when the world itself hangs.

    ``environment``: variables for the processes that host the world, so that all of them run it
    alike.
    """

    begin: float
    step: float
    finish: float
    pause: float
    environment: Mapping[str, str] = field(default_factory=dict)


class World(Protocol):
    """What an entry point of ``houseguest.worlds`` leads to: an object, or a module.

    It may have a function ``environment(facts)`` that returns the environment variables under which
    this machine opens the world as facts from ``describe`` say. Replays of a run use it.
    """

    def describe(self) -> Mapping[str, str]:
        """What the world is on this machine, for a run's manifest: its build, platform, driver,
        whatever could change a picture. Starts no simulator; may take seconds.

        Raises WorldUnavailableError if the world cannot run on this machine.
        """
        ...

    def hosting_limits(
        self, facts: Mapping[str, str], environment: Mapping[str, str]
    ) -> HostingLimits | None:
        """What hosting takes under these environment variables; None where the defaults suit.

        ``facts`` is the answer of ``describe``. Raises WorldUnavailableError, naming the
        environment variable with an invalid value.
        """
        ...


def describe_world(name: str) -> Mapping[str, str]:
    """See ``World.describe``; empty for a world that is not registered."""
    world = _world(name)
    return world.describe() if world is not None else {}


def hosting_limits(
    name: str, facts: Mapping[str, str], environment: Mapping[str, str]
) -> HostingLimits | None:
    """See ``World.hosting_limits``; None for a world that is not registered."""
    world = _world(name)
    return world.hosting_limits(facts, environment) if world is not None else None


@contextmanager
def as_described(name: str, facts: Mapping[str, str]) -> Iterator[None]:
    """Within the block, this process opens a world with the settings of a run, by the facts that
    the run's manifest has of it."""
    world = _world(name)
    environment = getattr(world, "environment", None)
    wanted: Mapping[str, str] = environment(facts) if environment is not None else {}
    before = {key: os.environ.get(key) for key in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for key, value in before.items():
            if value is None:
                del os.environ[key]
            else:
                os.environ[key] = value


def _world(name: str) -> World | None:
    plugin = installed(Group.WORLDS).get(name)
    if plugin is None:
        return None
    world: World = load_world(plugin, World)
    return world


@cache
def load_world(plugin: Plugin, contract: type) -> Any:
    """The world that a plug-in leads to.

    Raises PluginError where it cannot be loaded, WorldLoadError where it lacks something of the
    contract, a Protocol.
    """
    world = plugin.load()
    if problem := lacking(world, contract, f"world {plugin.name}"):
        raise WorldLoadError(problem)
    return world
