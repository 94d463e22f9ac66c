"""What the core asks of a world: what it is on this machine, and what hosting it takes.

A world that has nothing to tell need not be registered. Worlds that share more than this with the
suites in them define that beside themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

from env_service.contract import lacking
from env_service.plugins import Group, Plugin, PluginError, installed

WORKER_GPU = "HOUSEGUEST_WORKER_GPU"
WORKER_CPUS = "HOUSEGUEST_WORKER_CPUS"
"""Environment variables of a worker that an engine gave a place: the index of its GPU by
nvidia-smi, and the numbers of its CPUs with commas between them. Empty: none, any. A world whose
simulator runs in a process of its own starts it there."""


class WorldUnavailableError(Exception):
    """A world cannot be opened on this machine. The message says why, and how to mend it."""


class WorldLoadError(PluginError):
    """What an entry point of ``houseguest.worlds`` leads to is not a whole world. The message names
    what it lacks, and where that is described."""


@dataclass(frozen=True, slots=True)
class HostingLimits:
    """What hosting a world takes, where that is out of the ordinary.

    Seconds for opening an episode, one step of it and its scoring, and between the starts of two
    simulators. A world watches its own simulator, and knows best what broke: whoever hosts it
    waits longer than the world does, and steps in only when the world itself is stuck.

    ``environment``: variables for the processes that host the world, so that all of them run it
    in the same way.
    """

    begin: float
    step: float
    finish: float
    pause: float
    environment: Mapping[str, str] = field(default_factory=dict)


class World(Protocol):
    """What an entry point of ``houseguest.worlds`` leads to: an object, or a module."""

    def describe(self) -> Mapping[str, str]:
        """What the world is on this machine, for a run's manifest: its build, platform, driver,
        whatever could change a picture. Starts no simulator; may take seconds.

        Raises WorldUnavailableError where the world cannot be had on this machine.
        """
        ...

    def hosting_limits(
        self, facts: Mapping[str, str], environment: Mapping[str, str]
    ) -> HostingLimits | None:
        """What hosting takes under these environment variables; None: nothing out of the ordinary.

        ``facts`` are what ``describe`` said. Raises WorldUnavailableError, naming the environment
        variable that makes no sense.
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
