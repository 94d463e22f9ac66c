"""Exports to tables, read back with the packages that people read them with."""

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from env_service.domain.data_node import FormatError
from env_service.exports.conversation import UnreadableEpisodeError
from env_service.exports.job import Chosen, Selection
from env_service.exports.tables import EPISODES, STEPS, USAGE
from env_service.results.report.episode_table import EPISODE_COLUMNS, USAGE_COLUMNS
from env_service.results.report.step_table import OPENING_COLUMNS, STEP_COLUMNS
from env_service.results.run_folder import RunFolder
from env_service.results.run_reader import RunContents, read_run
from env_service.storage.signing_key import SigningKey
from tests.support.exported import Spending, export
from tests.support.extras import extra_module
from tests.support.made_run import USED
from tests.support.played_run import LOSING, WINNING, lab_manifest
from tests.support.viewed import HOSTILE

DOCS = Path(__file__).resolve().parents[3] / "docs"
TASKS = ("lab/0", "lab/1", "lab/2")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunContents:
    """Two tasks won, one lost, and an attempt that was voided."""
    root = tmp_path_factory.mktemp("tables")
    key = SigningKey.load_or_create(root / "key.pem")
    folder = RunFolder.open(root / "runs", lab_manifest(tasks=3), key)
    folder.declare({"agent_name": "mallory", "model": "small"})
    player = Spending(folder)
    player.trace = {"thought": HOSTILE, "raw_model_output": "=1+1"}
    player.void(TASKS[0])
    for task, actions in zip(TASKS, (WINNING, LOSING, WINNING), strict=True):
        player.play(task, 0, actions)
    folder.close()
    read = read_run(folder.path)
    # The laboratory's player reports no usage of a whole episode.
    return replace(read, episodes=tuple(replace(each, usage=USED) for each in read.episodes))


@pytest.fixture(scope="module")
def parquet(run: RunContents, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run as Parquet files."""
    return export(run, tmp_path_factory.mktemp("parquet") / "out", "parquet")


def rows(out: Path, table: str) -> list[dict[str, Any]]:
    """The rows of a Parquet file."""
    found: list[dict[str, Any]] = pq.read_table(out / f"{table}.parquet").to_pylist()
    return found


def test_episodes_are_those_of_the_run_with_their_openings(run: RunContents, parquet: Path) -> None:
    episodes = rows(parquet, EPISODES)
    assert [each["task_id"] for each in episodes] == list(TASKS)
    rate = sum(each["success"] for each in episodes) / len(episodes)
    assert rate == run.summary.overall.rate
    assert {each["instruction"] for each in episodes} != {None}
    assert {each["opening_pictures"] for each in episodes} == {1}
    assert {each["usage cost_usd"] for each in episodes} == {USED.cost_usd}
    assert {each["setting feedback"] for each in episodes} == {"simple"}


def test_steps_have_actions_outcomes_and_words(run: RunContents, parquet: Path) -> None:
    steps = rows(parquet, STEPS)
    assert len(steps) == sum(each.steps for each in run.episodes)
    first = steps[:3]
    assert [each["step"] for each in first] == [0, 1, 2]
    assert [each["action"] for each in first] == ["noop", "refuse(PHYSICALLY_BLOCKED)", "“win”"]
    assert json.loads(first[1]["action_json"])["skill"] == "refuse"
    assert [each["outcome"] for each in first] == ["SUCCEEDED", "PHYSICALLY_BLOCKED", "SUCCEEDED"]
    assert {each["thought"] for each in steps} == {HOSTILE}
    assert {each["input_tokens"] for each in steps} == {USED.input_tokens}
    assert {each["episode_id"] for each in steps} == {each.episode_id for each in run.episodes}


def test_usage_adds_up_to_what_the_run_used(run: RunContents, parquet: Path) -> None:
    usage = rows(parquet, USAGE)
    assert [each["attempt"] for each in usage] == ["scored"] * 3 + ["voided"]
    used = run.summary.usage + run.summary.uncounted_usage
    assert sum(each["cost_usd"] for each in usage) == pytest.approx(used.cost_usd)
    assert sum(each["input_tokens"] for each in usage) == used.input_tokens


def test_columns_are_those_of_the_schema(parquet: Path) -> None:
    for table, columns in (
        (EPISODES, (*EPISODE_COLUMNS, *OPENING_COLUMNS)),
        (STEPS, STEP_COLUMNS),
        (USAGE, USAGE_COLUMNS),
    ):
        schema = pq.read_schema(parquet / f"{table}.parquet")
        assert schema.names[: len(columns)] == [each.name for each in columns]
        assert json.loads(schema.metadata[b"houseguest_schema"]) == 2
        described = [field.metadata[b"description"].decode() for field in schema]
        assert described[: len(columns)] == [each.meaning for each in columns]


def test_the_page_about_the_schema_is_current() -> None:
    name = "generate_export_schema"
    spec = spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    generator = module_from_spec(spec)
    spec.loader.exec_module(generator)
    text = (DOCS / "export-schema.md").read_text(encoding="utf-8")
    assert generator.page(text) == text, f"run `python docs/{name}.py`"


def test_duckdb_reads_the_tables_with_equal_numbers(run: RunContents, parquet: Path) -> None:
    duckdb = extra_module("duckdb", "houseguest[test-exports]", "REQUIRE_EXPORTS")
    query = f"""
        SELECT avg(e.success::INT), count(DISTINCT e.episode_id), count(*), sum(s.cost_usd)
        FROM '{parquet}/episodes.parquet' e JOIN '{parquet}/steps.parquet' s USING (episode_id)
        WHERE e.task_id = 'lab/0'
    """
    assert duckdb.sql(query).fetchall() == [(1.0, 1, 3, pytest.approx(3 * USED.cost_usd))]


def test_datasets_reads_the_tables_with_equal_numbers(run: RunContents, parquet: Path) -> None:
    datasets = extra_module("datasets", "houseguest[test-exports]", "REQUIRE_EXPORTS")
    loaded = datasets.load_dataset(
        "parquet",
        data_files={EPISODES: f"{parquet}/episodes.parquet"},
        cache_dir=str(parquet.parent / "cache"),
    )[EPISODES]
    assert loaded["episode_id"][:] == [each.episode_id for each in run.episodes]
    assert loaded["success"][:] == [each.success for each in run.episodes]


def test_csv_files_have_the_same_values(run: RunContents, tmp_path: Path, parquet: Path) -> None:
    out = export(run, tmp_path / "csv", "csv")
    for table in (EPISODES, STEPS, USAGE):
        with (out / f"{table}.csv").open(newline="", encoding="utf-8") as file:
            read = list(csv.DictReader(file))
        wanted = rows(parquet, table)
        assert [each["episode_id"] for each in read] == [each["episode_id"] for each in wanted]
        assert list(read[0]) == list(wanted[0])
    with (out / "steps.csv").open(newline="", encoding="utf-8") as file:
        steps = list(csv.DictReader(file))
    assert {each["reply"] for each in steps} == {"'=1+1"}, "never a formula"
    assert [each["text"] for each in steps] == [each["text"] for each in rows(parquet, STEPS)]


def test_only_selected_episodes_are_in_the_tables(run: RunContents, tmp_path: Path) -> None:
    lost = Selection(Chosen.FAILURE)
    out = export(run, tmp_path / "lost", "parquet", selection=lost)
    assert [each["task_id"] for each in rows(out, EPISODES)] == [TASKS[1]]
    assert {each["task_id"] for each in rows(out, STEPS)} == {TASKS[1]}
    assert [each["attempt"] for each in rows(out, USAGE)] == ["scored"]
    short = export(run, tmp_path / "short", "parquet", selection=Selection(max_steps=2))
    assert rows(short, EPISODES) == []
    good = export(run, tmp_path / "good", "parquet", selection=Selection(min_score=1.0))
    assert [each["task_id"] for each in rows(good, EPISODES)] == [TASKS[0], TASKS[2]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: [*lines[:3], b"{broken\n", *lines[4:]], "line 4: not JSON"),
        (lambda lines: lines[:-2], "should have 6 lines"),
        (lambda lines: [lines[0], b'{"kind": "begin"}\n', *lines[2:]], "opening .* KeyError"),
    ],
    ids=["json", "short", "begin"],
)
def test_a_damaged_transcript_is_named(
    run: RunContents, tmp_path: Path, change: Any, message: str
) -> None:
    damaged, path = copied(run, tmp_path / "damaged")
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))
    with pytest.raises(UnreadableEpisodeError, match=f"task lab/0.*{message}"):
        export(damaged, tmp_path / "out", "parquet")
    assert [each.name for each in tmp_path.iterdir()] == ["damaged"]


def test_a_value_of_another_type_is_named(run: RunContents, tmp_path: Path) -> None:
    damaged, path = copied(run, tmp_path / "damaged")
    path.write_bytes(path.read_bytes().replace(b'"=1+1"', b"[1,2]"))
    with pytest.raises(FormatError, match=r"column 'reply'.*houseguest verify"):
        export(damaged, tmp_path / "out", "parquet")


def copied(run: RunContents, to: Path) -> tuple[RunContents, Path]:
    """A copy of the run, and the transcript of its first episode."""
    shutil.copytree(run.path, to)
    name = run.episodes[0].episode_id
    return read_run(to), to / "transcripts" / f"{name}.jsonl"
