"""Exports to data sets, read back with Hugging Face datasets."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from PIL import Image

from env_service.exports import hugging_face
from env_service.exports.conversation import Conversation
from env_service.results.run_reader import RunContents, read_run
from tests.support.exported import export
from tests.support.extras import extra_module
from tests.support.played_run import LOSING, WINNING
from tests.support.viewed import played


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunContents:
    """The first task won, the second lost, with pictures."""
    root = tmp_path_factory.mktemp("hf")
    return read_run(played(root / "runs", "ali|ce<b>", {"lab/0": WINNING, "lab/1": LOSING}))


@pytest.fixture(scope="module")
def folder(run: RunContents, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run as a data set."""
    return export(run, tmp_path_factory.mktemp("set") / "out", "hf", license="cc-by-4.0")


def header(folder: Path) -> dict[str, Any]:
    """The YAML header of the card."""
    _, text, _ = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    found: dict[str, Any] = yaml.safe_load(text)
    return found


def test_datasets_loads_the_folder_with_pictures(
    run: RunContents, folder: Path, tmp_path: Path
) -> None:
    datasets = extra_module("datasets", "houseguest[test-exports]", "REQUIRE_EXPORTS")
    loaded = {
        name: datasets.load_dataset(str(folder), name, split="test", cache_dir=str(tmp_path))
        for name in ("episodes", "steps", "usage")
    }
    assert loaded["episodes"]["success"][:] == [each.success for each in run.episodes]
    assert len(loaded["steps"]) == sum(each.steps for each in run.episodes)
    shown = next(Conversation(run, run.episodes[0]).turns()).shots
    pictures = loaded["steps"][0]["images"]
    assert [each.size for each in pictures] == [(each.width, each.height) for each in shown]
    assert isinstance(loaded["episodes"][0]["opening_images"][0], Image.Image)


def test_pictures_are_those_of_the_run(run: RunContents, folder: Path) -> None:
    conversation = Conversation(run, run.episodes[0])
    (shot,) = conversation.shots
    (first, _) = pq.read_table(folder / "data" / "episodes-00000.parquet").to_pylist()
    (picture,) = first["opening_images"]
    assert picture["bytes"] == conversation.picture(shot).data
    assert Image.open(io.BytesIO(picture["bytes"])).size == (shot.width, shot.height)


def test_the_card_says_what_the_data_are(run: RunContents, folder: Path) -> None:
    fields = header(folder)
    assert fields["license"] == "cc-by-4.0"
    assert [each["config_name"] for each in fields["configs"]] == ["episodes", "steps", "usage"]
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "do not train on them" in card
    assert "ali\\|ce&lt;b>" in card
    assert run.manifest.run_id.replace("|", "\\|").replace("<", "&lt;") in card
    assert "50.0%" in card
    assert run.manifest.task_set_digest in card


def test_a_license_that_nobody_stated_is_unknown(run: RunContents, tmp_path: Path) -> None:
    out = export(run, tmp_path / "out", "hf", pictures=False)
    assert header(out)["license"] == "unknown"
    assert "images" not in pq.read_schema(out / "data" / "steps-00000.parquet").names


def test_many_rows_are_split_into_several_files(
    run: RunContents, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hugging_face, "SHARD", 100)
    monkeypatch.setattr("env_service.exports.tables.ROWS", 2)
    out = export(run, tmp_path / "out", "hf")
    files = sorted((out / "data").glob("steps-*.parquet"))
    assert [each.name for each in files] == [f"steps-{number:05}.parquet" for number in range(3)]
    rows = sum(pq.read_metadata(each).num_rows for each in files)
    assert rows == sum(each.steps for each in run.episodes)
