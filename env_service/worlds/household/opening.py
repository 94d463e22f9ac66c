"""The household world's way in: an `Opening` (see worlds.thor.opening).

Scenes are the built-in rooms and, where the environment variable HOUSEGUEST_ITHOR_SCENES names
their folder, the iTHOR floor plans. The variable reaches workers, and the stand-in player, which
reads it too. Scenes stay loaded from one episode to the next.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from env_service import __version__
from env_service.worlds.ai2thor_api.controller import ThorStart
from env_service.worlds.base import WorldUnavailableError
from env_service.worlds.household.controller import HouseholdController
from env_service.worlds.household.freed import give_back
from env_service.worlds.household.render.gl.context import NoDisplayError
from env_service.worlds.household.render.select import CHOICES, VARIABLE, choose
from env_service.worlds.household.scene.library import SceneLibrary
from env_service.worlds.household.scene.standard import FLOOR_PLANS, standard_library

COMPILED = "+numba"
"""Part of a renderer's name that changes no byte of a picture."""


def open_scene(scene: str, start: ThorStart) -> HouseholdController:
    """See `worlds.thor.opening.open_world`. What the episode before has left is given back."""
    give_back()
    renderer = _renderer()
    library = _library(os.environ.get(FLOOR_PLANS, ""))
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


def describe() -> Mapping[str, str]:
    """See `worlds.base.World.describe`: the world's version, and what draws."""
    try:
        pictures = choose(_renderer())
    except NoDisplayError as error:
        raise WorldUnavailableError(str(error)) from error
    name = pictures.name.removesuffix(COMPILED)
    pictures.close()
    return {"version": __version__, "renderer": name}


def hosting_limits(facts: Mapping[str, str], environment: Mapping[str, str]) -> None:
    """See `worlds.base.World.hosting_limits`: nothing out of the ordinary."""
    del facts, environment


def _renderer() -> str:
    """The name of the renderer to use, checked here so that an operator's slip is told as such."""
    name = os.environ.get(VARIABLE, "") or "auto"
    if name not in CHOICES:
        raise WorldUnavailableError(
            f"{VARIABLE} is {name!r}; it has to be one of {', '.join(CHOICES)}, or unset"
        )
    return name


@lru_cache(maxsize=2)
def _library(floor_plans: str) -> SceneLibrary:
    """The scenes there are, loaded once per process and folder."""
    try:
        return standard_library(Path(floor_plans) if floor_plans else None)
    except ValueError as error:
        raise WorldUnavailableError(f"{error}; {FLOOR_PLANS} names it") from error
