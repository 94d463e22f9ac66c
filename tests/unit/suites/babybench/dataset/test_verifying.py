"""A data set that was changed is found out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from env_service.suites.babybench.dataset import manifest
from env_service.suites.babybench.dataset.formats import Format, Row
from env_service.suites.babybench.dataset.manifest import (
    ManifestError,
    check_files,
    check_sample,
    read_manifest,
)
from env_service.suites.babybench.dataset.rows import Recipe
from tests.unit.suites.babybench.dataset.recipes import build, recipe


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    build(tmp_path, recipe())
    return tmp_path


def problems(folder: Path) -> list[str]:
    return [f"{each.place}: {each.problem}" for each in check_files(folder, read_manifest(folder))]


def test_a_set_as_it_was_written_has_no_findings(folder: Path) -> None:
    assert problems(folder) == []
    assert list(check_sample(folder, read_manifest(folder), 3)) == []
    assert list(check_sample(folder, read_manifest(folder), 1000)) == []


def test_all_formats_hold_the_same_rows(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    build(tmp_path, recipe("decompose", formats=tuple(Format)))
    assert problems(tmp_path) == []


def test_a_changed_value_is_found(folder: Path) -> None:
    path = folder / "predict.csv"
    path.write_bytes(path.read_bytes().replace(b"forward, left", b"forward, right", 1))
    assert problems(folder) == [
        "predict.csv: the file is not the one that was written",
        "predict.csv: the content's digest differs",
    ]


def test_a_missing_row_is_found(folder: Path) -> None:
    path = folder / "predict.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))
    assert "predict.jsonl: 5 rows of GoToObj, not 6" in problems(folder)


def test_a_missing_file_and_one_that_is_broken_are_told(folder: Path) -> None:
    (folder / "predict.csv").unlink()
    (folder / "predict.jsonl").write_text("no", encoding="utf-8")
    told = problems(folder)
    assert "predict.csv: the file is missing" in told
    assert any(each.startswith("predict.jsonl: line 1 is not JSON") for each in told)


def test_a_row_that_comes_out_otherwise_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_row = manifest.make_row

    def otherwise(wanted: Recipe, level: str, seed: int) -> Row:
        row = make_row(wanted, level, seed)
        return {**row, "mission": "sit down"} if seed == 1 else row

    monkeypatch.setattr(manifest, "make_row", otherwise)
    (one, other) = check_sample(folder, read_manifest(folder), 12)
    assert (one.place, other.place) == ("GoToObj/1", "GoToLocal/1")
    assert one.problem == "generated again, it differs in mission"


def test_without_a_manifest_there_is_nothing_to_check(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="no finished data set"):
        read_manifest(tmp_path)
    (tmp_path / "manifest.json").write_text(json.dumps({"rows": 3}), encoding="utf-8")
    with pytest.raises(ManifestError, match="is not a manifest of a data set"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("name", ["../predict.csv", "predict.txt"])
def test_a_manifest_that_names_other_files_is_none(folder: Path, name: str) -> None:
    path = folder / "manifest.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    told["files"][name] = told["files"].pop("predict.csv")
    path.write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(ManifestError, match=name):
        read_manifest(folder)
