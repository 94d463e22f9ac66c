"""The household world's entry point: an `Opening` (see worlds.ai2thor_api.world_registry).

The simulator is imported as a scene is opened, so that asking for `capabilities` costs nothing.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from env_service import __version__
from env_service.worlds.ai2thor_api.controller import ThorStart
from env_service.worlds.ai2thor_api.floor_plans import VARIABLE as FLOOR_PLANS
from env_service.worlds.ai2thor_api.world_registry import Capabilities
from env_service.worlds.base import WorldUnavailableError

if TYPE_CHECKING:
    from env_service.worlds.ai2thor_api.built_in_rooms import BuiltInRoom, RoomView
    from env_service.worlds.household.controller import HouseholdController
    from env_service.worlds.household.scene.library import SceneLibrary

capabilities = Capabilities(built_in_rooms=True, floor_plans_from_pack=True, deterministic=True)

RULES = "2"
"""The version of what the world answers to an action. It rises with every change of an answer;
runs are not continued, nor refuted, by another one. 2: starts, sight, the hand and forced puts
as in AI2-THOR's recorded sessions. Runs of 1 do not name it."""

COMPILED = "+numba"
"""Part of a renderer's name that changes no byte of a picture."""


def open_scene(scene: str, start: ThorStart) -> HouseholdController:
    """See `worlds.ai2thor_api.world_registry.open_world`. Memory that the previous episode freed
    returns to the operating system first."""
    from env_service.worlds.household.controller import HouseholdController
    from env_service.worlds.household.render.gl.context import NoDisplayError

    trim_memory()
    renderer = _renderer()
    library = _library(os.environ.get(FLOOR_PLANS, ""), _look())
    try:
        return HouseholdController(
            scene,
            library=library,
            renderer=renderer,
            width=start.width,
            height=start.height,
            quality=start.quality,
            **start.initialization,
        )
    except NoDisplayError as error:
        raise WorldUnavailableError(str(error)) from error


def built_in_room(name: str) -> BuiltInRoom | None:
    """See `worlds.ai2thor_api.built_in_rooms.built_in_room`."""
    from env_service.worlds.household.room_view import room_as_data

    return room_as_data(name)


def built_in_room_view(name: str) -> RoomView | None:
    """See `worlds.ai2thor_api.built_in_rooms.built_in_room_view`."""
    from env_service.worlds.household.room_view import room_view

    return room_view(name)


def describe() -> Mapping[str, str]:
    """See `worlds.base.World.describe`: the version, that of the rules, what draws, and the look.
    Runs without a look have the first one, `clear`; so that they equal earlier runs, `clear` is not
    named."""
    from env_service.worlds.household.render.gl.context import NoDisplayError
    from env_service.worlds.household.render.selection import choose
    from env_service.worlds.household.scene.looks import CLEAR

    try:
        pictures = choose(_renderer())
    except NoDisplayError as error:
        raise WorldUnavailableError(str(error)) from error
    name = pictures.name.removesuffix(COMPILED)
    pictures.close()
    facts = {"version": __version__, "rules": RULES, "renderer": name}
    look = _look()
    return facts if look == CLEAR else {**facts, "look": look}


def environment(facts: Mapping[str, str]) -> Mapping[str, str]:
    """See `worlds.base.World`."""
    from env_service.worlds.household.scene.looks import CLEAR, VARIABLE

    return {VARIABLE: facts.get("look", CLEAR)}


def hosting_limits(facts: Mapping[str, str], environment: Mapping[str, str]) -> None:
    """See `worlds.base.World.hosting_limits`: the defaults suit this world."""
    del facts, environment


def _renderer() -> str:
    """The name of the renderer to use. Checked here, so that the error names the environment
    variable."""
    from env_service.worlds.household.render.selection import CHOICES, VARIABLE

    name = os.environ.get(VARIABLE, "") or "auto"
    if name not in CHOICES:
        raise WorldUnavailableError(
            f"{VARIABLE} is {name!r}; it has to be one of {', '.join(CHOICES)}, or unset"
        )
    return name


def _look() -> str:
    """The look to draw in. Checked here for the same reason."""
    from env_service.worlds.household.scene.looks import VARIABLE, look_named

    try:
        return look_named(os.environ.get(VARIABLE, ""))
    except ValueError as error:
        raise WorldUnavailableError(f"{VARIABLE}: {error}") from error


@lru_cache(maxsize=2)
def _library(floor_plans: str, look: str) -> SceneLibrary:
    """The available scenes, loaded once per process and folder."""
    from env_service.worlds.household.scene.library import standard_library

    try:
        return standard_library(Path(floor_plans) if floor_plans else None, look)
    except ValueError as error:
        raise WorldUnavailableError(f"{error}; {FLOOR_PLANS} names it") from error


# --- Returns freed memory to the operating system


def trim_memory() -> None:
    """Returns unused memory of the C library to the operating system. Takes some milliseconds.

    Scenes and pictures are arrays of all sizes. Freed arrays between live ones leave holes, which
    the C library keeps: after some scenes as much as is in use. Works with glibc only; does nothing
    elsewhere.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    """glibc's malloc_trim, None with another C library."""
    try:
        return getattr(ctypes.CDLL(None), "malloc_trim", None)
    except (OSError, TypeError):  # a platform without such a library
        return None
