"""The gallery as files: contact sheets, and a page that shows them all."""

import html
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from env_service.contact_sheets import Panel, sheet
from env_service.worlds.ai2thor_api.object_types import object_types
from env_service.worlds.household.gallery.objects import (
    shown_states,
    state_panels,
    variant_panels,
    variants_of,
)
from env_service.worlds.household.gallery.scenes import VIEWS, scene_panels
from env_service.worlds.household.render.interface import Renderer
from env_service.worlds.household.scene.library import SceneLibrary

COLUMNS = {"objects": 10, "states": 10, "scenes": 6}
ROWS = {"objects": 9, "states": 9, "scenes": 5}
"""Panels across and down a sheet."""
ROOMS_SHOWN = 10
"""Built-in rooms of each kind in a gallery."""


@dataclass(frozen=True)
class GalleryPlan:
    """What to show.

    Attributes:
        parts: of "objects", "states" and "scenes".
        object_side, scene_side: pixels of a panel.
        scenes: names, in the order of the sheets.
    """

    parts: tuple[str, ...]
    object_side: int
    scene_side: int
    scenes: tuple[str, ...]


def gallery_scenes(library: SceneLibrary) -> tuple[str, ...]:
    """All floor plans of a library, and the first built-in rooms of each kind."""
    names = library.names()
    built_in = [name for name in names if name.startswith("household-")]
    few = [name for name in built_in if int(name.rpartition("-")[2]) <= ROOMS_SHOWN]
    return (*(name for name in names if name not in built_in), *few)


def write_gallery(
    folder: Path,
    plan: GalleryPlan,
    renderer: Renderer,
    library: SceneLibrary,
    advance: Callable[[], None] = lambda: None,
) -> tuple[Path, ...]:
    """Draws the sheets of a plan into a folder, with an index.html that shows them.

    `advance` is called after each panel. Sheets that were finished stay if it is interrupted.

    Raises:
        ValueError: an unknown scene, or a renderer that makes no pictures.
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for part in plan.parts:
        panels = _told(_panels(part, plan, renderer, library), advance)
        most = COLUMNS[part] * ROWS[part]
        for number, group in enumerate(_grouped(panels, most), 1):
            path = folder / f"{part}-{number:02d}.png"
            title = f"{part}: {_short(group[0])} to {_short(group[-1])}"
            sheet(title, group, COLUMNS[part]).save(path)
            written.append(path)
    (folder / "index.html").write_text(_page(written), encoding="utf-8")
    return tuple(written)


def count_panels(plan: GalleryPlan) -> int:
    """How many panels a plan has."""
    counts = {
        "objects": lambda: sum(len(variants_of(name)) for name in object_types()),
        "states": lambda: sum(len(shown_states(name)) for name in object_types()),
        "scenes": lambda: len(plan.scenes) * len(VIEWS),
    }
    return sum(counts[part]() for part in plan.parts)


def _panels(
    part: str, plan: GalleryPlan, renderer: Renderer, library: SceneLibrary
) -> Iterator[Panel]:
    if part == "objects":
        return variant_panels(renderer, plan.object_side)
    if part == "states":
        return state_panels(renderer, plan.object_side)
    return scene_panels(renderer, plan.scenes, library.load, plan.scene_side)


def _told(panels: Iterable[Panel], advance: Callable[[], None]) -> Iterator[Panel]:
    for panel in panels:
        yield panel
        advance()


def _grouped(panels: Iterator[Panel], most: int) -> Iterator[list[Panel]]:
    while group := list(islice(panels, most)):
        yield group


def _short(panel: Panel) -> str:
    return re.split(r"[,:(]", panel.caption)[0].strip()


def _page(sheets: Iterable[Path]) -> str:
    pictures = "\n".join(
        f'<h2>{html.escape(path.stem)}</h2>\n<img src="{html.escape(path.name)}" loading="lazy">'
        for path in sheets
    )
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        "<title>The household world</title>\n"
        "<style>body{font:16px sans-serif;margin:2rem;background:#faf9f6}"
        "img{max-width:100%}</style>\n"
        f"<h1>The household world</h1>\n{pictures}\n</html>\n"
    )
