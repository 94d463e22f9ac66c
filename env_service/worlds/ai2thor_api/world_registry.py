"""Worlds behind AI2-THOR's controller API, by name.

A suite calls `open_world` and knows no simulator. What is opened may have been used before:
`stop` gives it back to its world.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from env_service.plugins import Group, find_plugin, installed
from env_service.worlds.ai2thor_api.controller import ThorController, ThorStart
from env_service.worlds.base import World

DEFAULT = "household"
"""The world that is first in every list: it needs no graphics card, and no download."""


def thor_worlds() -> tuple[str, ...]:
    """The names of the worlds that are installed, the default first. Imports none of them."""
    others = (name for name in installed(Group.WORLDS) if name != DEFAULT)
    return (DEFAULT, *others)


class Opening(World, Protocol):
    """What an entry point of ``houseguest.worlds`` leads to: an object, or a module, with this
    function and those of `worlds.base.World`."""

    def open_scene(self, scene: str, start: ThorStart) -> ThorController:
        """See `open_world`."""
        ...


Wrap = Callable[[str, ThorController], ThorController]
"""What becomes of a world that is opened, by its name: the controller itself, or one around it."""

_wrap: ContextVar[Wrap | None] = ContextVar("_wrap", default=None)


def open_world(world: str, scene: str, start: ThorStart) -> ThorController:
    """A controller, freshly reset to a scene and initialised as the start says.

    Raises:
        ValueError: there is no such world or scene, or a parameter makes no sense.
        WorldUnavailableError: the world cannot be had on this machine.
        WorldFault: the simulator did not start, broke, or did not answer in time. So do all
            methods of the controller; after that, only `stop` may be called.
    """
    controller = _opening(world).open_scene(scene, start)
    wrap = _wrap.get()
    return controller if wrap is None else wrap(world, controller)


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


def _opening(world: str) -> Opening:
    opening: Opening = find_plugin(Group.WORLDS, world).load()
    return opening
