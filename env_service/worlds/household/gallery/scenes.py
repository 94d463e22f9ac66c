"""Panels of scenes: two corners and from above."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from env_service.worlds.household.gallery.sheets import Panel
from env_service.worlds.household.gallery.views import above, corners
from env_service.worlds.household.presentation import Presentation
from env_service.worlds.household.render.interface import Camera, Channel, Renderer
from env_service.worlds.household.scene.spec import SceneSpec
from env_service.worlds.household.state import HouseState

LIDS = frozenset({"Ceiling"})
"""Structure that a view from above leaves out."""


def scene_panels(
    renderer: Renderer,
    names: Iterable[str],
    load: Callable[[str], SceneSpec],
    side: int,
) -> Iterator[Panel]:
    """Three panels for each scene."""
    for name in names:
        scene = load(name)
        for caption, camera, lidded in _views(scene, side):
            yield Panel(f"{name} {caption}", _picture(renderer, scene, camera, lidded=lidded))


def _views(scene: SceneSpec, side: int) -> tuple[tuple[str, Camera, bool], ...]:
    first, second = corners(scene, side, side)
    return (
        ("", first, True),
        ("from another corner", second, True),
        ("from above", above(scene, side, side), False),
    )


def _picture(renderer: Renderer, scene: SceneSpec, camera: Camera, *, lidded: bool) -> object:
    ...
