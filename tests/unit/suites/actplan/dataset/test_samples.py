"""Folders of samples, and their pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from env_service.datasets.errors import DataPackCorruptError
from env_service.datasets.pack import open_pack
from env_service.domain.failure import FaultClass, WorldFault
from env_service.domain.observation import Channel, ImageRole
from env_service.suites.actplan.dataset.pictures import load_pictures
from env_service.suites.actplan.dataset.published_files import (
    Sample,
    find_samples,
    read_plans,
)
from env_service.suites.actplan.task import ActPlanTask, Pictures, Variant
from tests.unit.suites.actplan.dataset.packs import (
    GOLD_1,
    PICTURE,
    PROBLEM,
    actplan_files,
    add_files,
    archive_files,
    picture,
    use_pack,
)

FOLDER = "annotation/Rs_int/storing_cups/0/sample_0"


@pytest.fixture
def pack(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    return use_pack(monkeypatch, tmp_path)


def samples() -> dict[str, Sample]:
    return dict(find_samples(open_pack("actplan")))


def shown(*files: str) -> ActPlanTask:
    pictures = Pictures(tuple(f"{FOLDER}/{file}" for file in files))
    return ActPlanTask("x", "storing_cups", Variant.NORMAL, PROBLEM, "Store.", pictures=pictures)


def test_a_folder_has_pictures_by_frame_and_plans_by_name(pack: Path) -> None:
    (found,) = samples().values()
    names = [Path(path).name for path in found.pictures]
    assert names == ["8.png", "00020.png", "00102.png"]
    assert list(found.plans) == ["gold_1", "gpt-4v"]


def test_plans_keep_every_line_end(pack: Path) -> None:
    (found,) = samples().values()
    plans = read_plans(open_pack("actplan"), found)
    assert plans == {"gold_1": GOLD_1.replace(") ", ")\n") + "\n", "gpt-4v": "grab(cup)"}


def test_a_plan_that_is_empty_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = f"{FOLDER}/plan_gold_1.txt"
    use_pack(monkeypatch, tmp_path, {**actplan_files(), path: b"\n"})
    (found,) = samples().values()
    with pytest.raises(DataPackCorruptError, match=f"{path}: is empty"):
        read_plans(open_pack("actplan"), found)


def test_copies_of_definitions_are_known(pack: Path, tmp_path: Path) -> None:
    add_files(tmp_path / "archive", archive_files())
    found = samples()["Rs_int/baking_pie/1/sample_2"]
    assert found.problem == "annotation/Rs_int/baking_pie/1/problem1.bddl"
    assert found.description == "annotation/Rs_int/baking_pie/1/task_description_1.txt"
    assert samples()["Rs_int/storing_cups/0/sample_0"].problem == ""


def test_pictures_are_views_in_their_order_and_size(pack: Path) -> None:
    frames = load_pictures(shown("8.png", "00020.png", "00102.png"))
    assert [frame.view for frame in frames] == ["view_1", "view_2", "view_3"]
    assert [int(frame.pixels[0, 0, 0]) for frame in frames] == [8, 20, 102]
    for frame in frames:
        assert (frame.channel, frame.role) == (Channel.RGB, ImageRole.VIEW)
        assert frame.pixels.shape == (PICTURE[1], PICTURE[0], 3)
        assert frame.pixels.dtype == np.uint8
        assert frame.pixels.flags.c_contiguous


def test_a_task_without_pictures_shows_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOUSEGUEST_DATA", "/nowhere")
    assert load_pictures(shown()) == ()


@pytest.mark.parametrize("mode", ["RGBA", "LA", "L"])
def test_other_kinds_of_png_are_shown_in_colour(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mode: str
) -> None:
    use_pack(monkeypatch, tmp_path, {**actplan_files(), f"{FOLDER}/8.png": picture(8, mode=mode)})
    (frame,) = load_pictures(shown("8.png"))
    assert frame.pixels.shape == (PICTURE[1], PICTURE[0], 3)
    assert int(frame.pixels[0, 0, 1]) == 8


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"no picture", "cannot identify"),
        (picture(8)[:60], "truncated|cannot"),
        (picture(0, (5000, 2)), "5000 x 2 pixels"),
    ],
)
def test_a_broken_picture_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, data: bytes, problem: str
) -> None:
    use_pack(monkeypatch, tmp_path, {**actplan_files(), f"{FOLDER}/8.png": data})
    with pytest.raises(WorldFault, match=rf"8\.png cannot be read: .*({problem})") as caught:
        load_pictures(shown("00020.png", "8.png"))
    assert caught.value.fault is FaultClass.DATA_FAULT


def test_a_missing_picture_is_named(pack: Path) -> None:
    (pack / FOLDER / "8.png").unlink()
    with pytest.raises(WorldFault, match=rf"lacks '{FOLDER}/8\.png'.*data fetch actplan"):
        load_pictures(shown("8.png"))
