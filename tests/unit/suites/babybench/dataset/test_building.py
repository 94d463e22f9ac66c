"""A data set is begun, interrupted, gone on with, and comes to the same bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from env_service.suites.babybench.dataset import builder
from env_service.suites.babybench.dataset.builder import (
    DataSetBuilder,
    DataSetFolderError,
    make_piece,
)
from env_service.suites.babybench.dataset.formats import QUESTIONS, Format, Row
from env_service.suites.babybench.dataset.manifest import read_manifest
from env_service.suites.babybench.dataset.rows import Recipe
from env_service.suites.babybench.task_sets import Seeds
from tests.unit.suites.babybench.dataset.recipes import build, files, recipe


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "_SEEDS_PER_PIECE", 2)


def make_some(folder: Path, wanted: Recipe, pieces: int) -> None:
    """Makes a part of a data set, and leaves it."""
    with DataSetBuilder(folder, wanted) as begun:
        for piece, _ in zip(begun.pieces(), range(pieces), strict=False):
            begun.add(make_piece(wanted, piece))


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_finished_folder_holds_the_files_and_a_manifest(tmp_path: Path, question: str) -> None:
    wanted = recipe(question)
    manifest = build(tmp_path / "set", wanted)
    made = files(tmp_path / "set")
    assert set(made) == {f"{question}.csv", f"{question}.jsonl", "manifest.json"}
    assert manifest.content.rows == dict.fromkeys(wanted.levels, 6)
    assert Recipe.read(manifest.recipe) == wanted
    lines = made[f"{question}.jsonl"].splitlines()
    order = [(row["level"], row["seed"]) for row in map(json.loads, lines)]
    assert order == [(level, seed) for level in wanted.levels for seed in range(1, 7)]


def test_made_again_or_in_two_goes_it_has_the_same_bytes(tmp_path: Path) -> None:
    wanted = recipe()
    build(tmp_path / "one", wanted)
    make_some(tmp_path / "two", wanted, pieces=4)
    assert set(files(tmp_path / "two")) == {
        "unfinished/lock",
        "unfinished/recipe.json",
        "unfinished/GoToObj.jsonl",
        "unfinished/GoToLocal.jsonl",
    }
    build(tmp_path / "two", wanted)
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_what_is_there_is_not_made_again(tmp_path: Path) -> None:
    make_some(tmp_path, recipe(), pieces=4)
    with DataSetBuilder(tmp_path, recipe()) as begun:
        assert begun.made == 8
        left = [(piece.level, piece.seeds) for piece in begun.pieces()]
    assert left == [("GoToLocal", (3, 4)), ("GoToLocal", (5, 6))]


def test_a_torn_line_is_cut_off_and_its_row_made_again(tmp_path: Path) -> None:
    make_some(tmp_path / "torn", recipe(), pieces=2)
    shard = tmp_path / "torn" / "unfinished" / "GoToObj.jsonl"
    shard.write_bytes(shard.read_bytes()[:-20])
    with DataSetBuilder(tmp_path / "torn", recipe()) as begun:
        assert begun.made == 3
    build(tmp_path / "torn", recipe())
    build(tmp_path / "whole", recipe())
    assert files(tmp_path / "torn") == files(tmp_path / "whole")


def test_a_finished_set_is_left_as_it_is(tmp_path: Path) -> None:
    build(tmp_path, recipe())
    before = files(tmp_path)
    with DataSetBuilder(tmp_path, recipe()) as again:
        assert again.finished is not None
    assert files(tmp_path) == before


@pytest.mark.parametrize("finished", [True, False])
@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"seeds": Seeds.read("1-7")}, "seeds: 1-6 there, 1-7 asked for"),
        ({"levels": ("GoToObj",)}, "levels: GoToObj, GoToLocal there, GoToObj asked for"),
        ({"formatter": "json"}, "formatter: structured there, json asked for"),
        ({"expert": "compat"}, "expert mode: fixed there, compat asked for"),
        ({"formats": (Format.CSV,)}, "formats: csv, jsonl there, csv asked for"),
    ],
)
def test_another_recipe_is_refused_and_nothing_is_touched(
    tmp_path: Path, changed: dict[str, object], words: str, *, finished: bool
) -> None:
    if finished:
        build(tmp_path, recipe())
    else:
        make_some(tmp_path, recipe(), pieces=1)
    before = files(tmp_path)
    with pytest.raises(DataSetFolderError, match=words):
        DataSetBuilder(tmp_path, recipe(**changed))
    assert files(tmp_path) == before


def test_other_versions_are_refused_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_some(tmp_path, recipe(), pieces=1)
    told = json.loads((tmp_path / "unfinished" / "recipe.json").read_text(encoding="utf-8"))
    told["made_with"]["minigrid"] = "2.5.0"
    (tmp_path / "unfinished" / "recipe.json").write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(DataSetFolderError, match=r"minigrid 2\.5\.0"):
        DataSetBuilder(tmp_path, recipe())


def test_a_folder_with_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear", encoding="utf-8")
    with pytest.raises(DataSetFolderError, match="not empty"):
        DataSetBuilder(tmp_path, recipe())
    assert set(files(tmp_path)) == {"letter.txt"}


def test_two_do_not_make_it_at_once(tmp_path: Path) -> None:
    with (
        DataSetBuilder(tmp_path, recipe()),
        pytest.raises(DataSetFolderError, match="another process"),
    ):
        DataSetBuilder(tmp_path, recipe())


def test_a_shard_that_was_changed_is_named(tmp_path: Path) -> None:
    make_some(tmp_path, recipe(), pieces=1)
    (tmp_path / "unfinished" / "GoToObj.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(DataSetFolderError, match=r"GoToObj\.jsonl, line 1"):
        DataSetBuilder(tmp_path, recipe())


def test_a_row_that_cannot_be_made_is_listed_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_row = builder.make_row

    def break_down(wanted: Recipe, level: str, seed: int) -> Row:
        if (level, seed) == ("GoToObj", 3):
            raise LookupError("no such thing")
        return make_row(wanted, level, seed)

    monkeypatch.setattr(builder, "make_row", break_down)
    manifest = build(tmp_path, recipe())
    assert manifest.content.failed == [("GoToObj", 3, "LookupError: no such thing")]
    assert manifest.content.rows == {"GoToObj": 5, "GoToLocal": 6}
    assert read_manifest(tmp_path) == manifest


def test_the_content_has_one_digest_in_whatever_files(tmp_path: Path) -> None:
    one = build(tmp_path / "csv", recipe(formats=(Format.CSV,)))
    other = build(tmp_path / "jsonl", recipe(formats=(Format.JSONL,)))
    assert one.content.digest == other.content.digest
    assert one.content.digest != build(tmp_path / "json", recipe(formatter="json")).content.digest


def test_a_finished_set_that_lost_a_file_is_not_called_finished(tmp_path: Path) -> None:
    build(tmp_path / "set", recipe())
    (tmp_path / "set" / "predict.csv").unlink()
    with pytest.raises(DataSetFolderError, match=r"predict\.csv is missing"):
        DataSetBuilder(tmp_path / "set", recipe())
