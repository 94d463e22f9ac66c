"""The gallery as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image

from env_service.worlds.ai2thor_api.object_types import object_types
from env_service.worlds.household.gallery import objects, pages
from env_service.worlds.household.gallery.pages import (
    GalleryPlan,
    count_panels,
    gallery_scenes,
    write_gallery,
)
from env_service.worlds.household.scene.library import SceneLibrary
from env_service.worlds.household.scene.spec import SceneSpec
from tests.support.canvas_renderer import CanvasRenderer
from tests.support.household_scenes import kitchen

SOME = ("Apple", "Mug", "Pen")


class Kitchens:
    """Scenes that are all the same."""

    def __init__(self, *names: str) -> None:
        self._names = names

    def names(self) -> Sequence[str]:
        return self._names

    def load(self, name: str) -> SceneSpec | None:
        return kitchen() if name in self._names else None


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {name: object_types()[name] for name in SOME}
    for module in (objects, pages):
        monkeypatch.setattr(module, "object_types", lambda: found)


def plan(*parts: str, scenes: tuple[str, ...] = ("one", "two")) -> GalleryPlan:
    return GalleryPlan(parts, 16, 24, scenes)


def write(folder: Path, wanted: GalleryPlan) -> tuple[tuple[Path, ...], int]:
    told: list[int] = []
    library = SceneLibrary([Kitchens("one", "two")])
    paths = write_gallery(folder, wanted, CanvasRenderer(), library, lambda: told.append(1))
    return paths, len(told)


def test_sheets_and_a_page_are_written(tmp_path: Path) -> None:
    wanted = plan("objects", "states", "scenes")
    paths, told = write(tmp_path / "new" / "folder", wanted)
    assert [path.name for path in paths] == ["objects-01.png", "states-01.png", "scenes-01.png"]
    assert told == count_panels(wanted)
    page = (tmp_path / "new" / "folder" / "index.html").read_text(encoding="utf-8")
    for path in paths:
        with Image.open(path) as picture:
            assert picture.width > 24
        assert f'src="{path.name}"' in page


def test_many_panels_take_several_sheets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(pages.COLUMNS, "states", 2)
    monkeypatch.setitem(pages.ROWS, "states", 2)
    wanted = plan("states")
    paths, _ = write(tmp_path, wanted)
    assert len(paths) == -(-count_panels(wanted) // 4)


def test_a_part_alone_is_drawn(tmp_path: Path) -> None:
    paths, told = write(tmp_path, plan("scenes", scenes=("two",)))
    assert [path.name for path in paths] == ["scenes-01.png"]
    assert told == 3


def test_an_unknown_scene_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unknown scene 'three'"):
        write(tmp_path, plan("scenes", scenes=("three",)))


def test_a_gallery_has_every_floor_plan_and_some_built_in_rooms() -> None:
    rooms = [f"household-kitchen-{number}" for number in range(1, 30)]
    chosen = gallery_scenes(SceneLibrary([Kitchens(*rooms, "FloorPlan1", "FloorPlan2")]))
    assert chosen[:2] == ("FloorPlan1", "FloorPlan2")
    assert chosen[2:] == tuple(rooms[: pages.ROOMS_SHOWN])
