"""Worlds behind AI2-THOR's controller API, by name.

A suite calls `open_world` and depends on no simulator. The controller may have been in use before:
`stop` gives it back to its world.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

from env_service.domain.failure import FaultClass, WorldFault
from env_service.plugins import Group, PluginError, find_plugin, installed
from env_service.worlds import base
from env_service.worlds.ai2thor_api.controller import ThorController, ThorStart
from env_service.worlds.ai2thor_api.floor_plans import share_floor_plans
from env_service.worlds.base import World

DEFAULT = "household"
"""The world that is first in every list: it needs no graphics card, and no download."""


def thor_worlds() -> tuple[str, ...]:
    """The names of the worlds that are installed, the default first. Imports none of them."""
    others = (name for name in installed(Group.WORLDS) if name != DEFAULT)
    return (DEFAULT, *others)


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What suites need to know of a world before they open it.

    ``built_in_rooms``: it opens the rooms that come with Houseguest (``household-kitchen-1`` and so
    on), so that built-in task sets can be played in it. ``floor_plans_from_pack``: it builds the
    iTHOR floor plans (``FloorPlan1`` and so on) from the data pack ``ithor``, which has to be
    here to play in them. ``deterministic``: equal starts and steps give equal metadata and pixels,
    so that runs in it can be replayed.
    """

    built_in_rooms: bool = False
    floor_plans_from_pack: bool = False
    deterministic: bool = False


class Opening(World, Protocol):
    """What an entry point of ``houseguest.worlds`` leads to: an object, or a module, with this
    function and those of `worlds.base.World`.

    It may have ``capabilities``, a `Capabilities`; without, it has none of them.
    """

    def open_scene(self, scene: str, start: ThorStart) -> ThorController:
        """See `open_world`."""
        ...


Wrap = Callable[[str, ThorController], ThorController]
"""What becomes of a world that is opened, by its name: the controller itself, or one around it."""

_wrap: ContextVar[Wrap | None] = ContextVar("_wrap", default=None)


def open_world(world: str, scene: str, start: ThorStart) -> ThorController:
    """A controller, freshly reset to a scene and initialised as the start says.

    Raises:
        ValueError: no such world or scene exists, or a parameter makes no sense.
        PluginError: the world cannot be loaded, or lacks a part of the contract.
        WorldUnavailableError: this machine cannot run the world.
        WorldFault: the simulator did not start, broke, or did not answer in time. So do all
            methods of the controller; after that, only `stop` may be called.
    """
    controller = load_world(world).open_scene(scene, start)
    wrap = _wrap.get()
    return controller if wrap is None else wrap(world, controller)


def open_task_scene(task: str, world: str, scene: str, start: ThorStart) -> ThorController:
    """Opens the scene of a task, as `open_world` does, with the floor plans of the data pack
    available. ``task`` is the id that an error names.

    Raises:
        DataPackCorruptError: a floor plan is damaged.
        PluginError, WorldUnavailableError: as `open_world`.
        WorldFault: as `open_world`; as DATA_FAULT if no such world or scene exists.
    """
    share_floor_plans()
    try:
        return open_world(world, scene, start)
    except ValueError as error:
        detail = f"{task} cannot be opened in {world}: {error}"
        raise WorldFault(FaultClass.DATA_FAULT, detail) from error


@contextmanager
def observe_worlds(wrap: Wrap) -> Iterator[None]:
    """Within the block, `open_world` gives out what ``wrap`` makes of what it opens, for tools that
    look on as a suite plays. Of nested blocks the inner one wraps first. It holds for the thread,
    or task, that entered it."""
    outer = _wrap.get()
    token = _wrap.set(
        wrap if outer is None else lambda world, inner: outer(world, wrap(world, inner))
    )
    try:
        yield
    finally:
        _wrap.reset(token)


def capabilities(world: str) -> Capabilities:
    """The capabilities that a world declares; none if it is not installed. Imports the world.

    A world that cannot be loaded counts as having rooms. So it is not ruled out, and its use raises
    an error that says what is wrong with it.
    """
    if world not in installed(Group.WORLDS):
        return Capabilities()
    try:
        opening = load_world(world)
    except PluginError:
        return Capabilities(built_in_rooms=True)
    found: Capabilities = getattr(opening, "capabilities", Capabilities())
    return found


def load_world(world: str) -> Opening:
    """The world of that name.

    Raises UnknownNameError for an unknown name, PluginError for a world that cannot be loaded, and
    WorldLoadError for one that lacks something of the contract.
    """
    opening: Opening = base.load_world(find_plugin(Group.WORLDS, world), Opening)
    return opening
