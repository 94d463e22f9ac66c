"""Worlds behind AI2-THOR's controller API, by name.

A suite calls `open_world` and knows no simulator. What is opened may have been used before:
`stop` gives it back to its world.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Any, Protocol

from env_service.worlds.thor.controller import ThorController
from env_service.worlds.thor.start import ThorStart

WORLDS = {
    "household": "env_service.worlds.household.opening",
    "ai2thor": "env_service.worlds.ai2thor.opening",
}
"""Each world's module, which is an ``Opening``; imported when it is used."""


class Opening(Protocol):
    """A world's way in: a module with these two functions."""

    def open_scene(self, scene: str, start: ThorStart) -> ThorController:
        """See `open_world`."""
        ...

    def describe(self) -> Mapping[str, str]:
        """See `describe_world`."""
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


def describe_world(world: str) -> Mapping[str, str]:
    """What a world is on this machine, for a run's manifest: its build, platform, driver, whatever
    could change a picture. Starts no simulator.

    Raises:
        ValueError: there is no such world.
        WorldUnavailableError: the world cannot be had on this machine.
    """
    return _opening(world).describe()


def _opening(world: str) -> Opening:
    if world not in WORLDS:
        raise ValueError(f"there is no world {world!r}; there are {', '.join(WORLDS)}")
    module: Any = import_module(WORLDS[world])
    opening: Opening = module
    return opening
