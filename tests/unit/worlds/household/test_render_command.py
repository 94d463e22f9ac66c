"""``houseguest render``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from env_service.cli.main import run
from env_service.worlds.ai2thor_api.object_types import object_types
from env_service.worlds.household.commands import PARTS, VIEWS
from env_service.worlds.household.gallery import objects, pages
from env_service.worlds.household.gallery import scenes as gallery_scenes
from env_service.worlds.household.render.selection import VARIABLE
from env_service.worlds.household.scene import library
from env_service.worlds.household.scene.library import SceneLibrary
from env_service.worlds.household.scene.spec import SceneSpec
from tests.support import thor_objects
from tests.support.household_scenes import kitchen


class OneKitchen:
    """A source with a single scene."""

    def names(self) -> tuple[str, ...]:
        return ("household-kitchen-1",)

    def load(self, name: str) -> SceneSpec | None:
        return kitchen() if name in self.names() else None


@pytest.fixture(autouse=True)
def small_world(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "soft")
    monkeypatch.setattr(
        library, "household_scenes", lambda look: SceneLibrary([OneKitchen()], look=look)
    )
    few = {name: object_types()[name] for name in ("Apple", "Mug", "Pen")}
    for module in (pages, objects):
        monkeypatch.setattr(module, "object_types", lambda: few)


def size_of(path: Path) -> tuple[int, int]:
    with Image.open(path) as picture:
        assert picture.mode == "RGB"
        return picture.size


def test_the_options_are_the_gallerys() -> None:
    assert gallery_scenes.VIEWS == VIEWS
    assert set(pages.COLUMNS) == set(PARTS)


def test_an_object_becomes_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "mug.png"
    command = ["render", "object", "Mug", "--state", "dirty", "--variant", "3", "--size", "24"]
    assert run([*command, "--out", str(out)]) == 0
    assert size_of(out) == (24, 24)
    assert capsys.readouterr().out.strip() == str(out)


def test_states_make_different_pictures(tmp_path: Path) -> None:
    drawn = []
    for state in ("as it is", "dirty"):
        out = tmp_path / f"{state}.png"
        assert run(["render", "object", "Mug", "--state", state, "--size", "24",
                    "--out", str(out)]) == 0  # fmt: skip
        drawn.append(out.read_bytes())
    assert drawn[0] != drawn[1]


def test_a_scene_becomes_a_picture(tmp_path: Path) -> None:
    out = tmp_path / "plan.png"
    command = ["render", "scene", "household-kitchen-1", "--view", "above", "--size", "32"]
    assert run([*command, "--out", str(out)]) == 0
    assert size_of(out) == (32, 32)


def test_a_gallery_becomes_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "gallery"
    assert run(["render", "gallery", "--out", str(out), "--side", "32"]) == 0
    assert {path.name for path in out.iterdir()} == {
        "index.html", "objects-01.png", "states-01.png", "scenes-01.png",
    }  # fmt: skip
    printed = capsys.readouterr()
    assert "3 sheets" in printed.out
    assert "houseguest data fetch ithor" in printed.err


def test_a_scene_alone_leaves_the_objects_out(tmp_path: Path) -> None:
    command = ["render", "gallery", "--scene", "household-kitchen-1", "--side", "32"]
    assert run([*command, "--out", str(tmp_path)]) == 0
    assert {path.stem for path in tmp_path.iterdir()} == {"index", "scenes-01"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["object", "Mugg"], "Mug"),
        (["object", "Mug", "--state", "dirtyy"], "dirty"),
        (["scene", "household-kitchen-9"], "household-kitchen-1"),
        (["scene", "household-kitchen-1", "--view", "below"], "'corner'"),
    ],
)
def test_a_wrong_name_gets_the_nearest(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["render", *words, "--out", str(tmp_path / "x.png")]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_renderer_without_pictures_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(VARIABLE, "none")
    out = tmp_path / "x.png"
    assert run(["render", "scene", "household-kitchen-1", "--size", "16", "--out", str(out)]) == 2
    assert "pictures are switched off" in capsys.readouterr().err


def test_a_captured_scene_becomes_a_picture(tmp_path: Path) -> None:
    folder, out = tmp_path / "captured", tmp_path / "kitchen.png"
    folder.mkdir()
    (folder / "Kitchen.json").write_text(json.dumps(thor_objects.kitchen()), encoding="utf-8")
    command = ["render", "scene", "Kitchen", "--size", "32", "--floor-plans", str(folder)]
    assert run([*command, "--out", str(out)]) == 0
    assert size_of(out) == (32, 32)
