"""``houseguest report`` and ``houseguest compare`` as an operator meets them."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from env_service.cli.main import run
from env_service.results.verification import verify
from env_service.storage.signing_key import SigningKey
from tests.support.made_run import USED, made_text, with_condition, write_run
from tests.support.played_run import LAB, play_run

KEY = SigningKey.generate()


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Three runs of the laboratory, made up; C is of another world."""
    root = tmp_path / "runs"
    base = made_text("a-run", usage=USED)
    write_run(root, base)
    none = with_condition(base.manifest, feedback="none")
    write_run(root, made_text("b-run", condition=none, wins=lambda task, _: task < 15))
    write_run(root, made_text("c-run", world="heavy"))
    return root


def call(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str]:
    status = run([str(word) for word in words])
    shown = capsys.readouterr()
    return status, shown.out + shown.err


def document(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, Any]:
    status, text = call(capsys, *words, "--json")
    return status, json.loads(text)


def test_the_tree_of_an_instructions_actions_can_be_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, _ = play_run(tmp_path, KEY)
    command = ("report", path, "--suite", LAB, "--format", "csv", "--out", tmp_path / "out")
    status, told = document(capsys, *command, "--tree", "win")
    assert status == 0
    tables = {table["id"]: table["rows"] for table in told["sections"][0]["tables"]}
    assert [row["action"] for row in tables["actions"]][:2] == ["noop", "refuse PHYSICALLY_BLOCKED"]
    with (tmp_path / "out" / "actions.csv").open(newline="") as file:
        assert [row["episodes"] for row in csv.DictReader(file)] == ["4", "2", "2", "2", "2"]
    assert told["sections"][0]["not_shown"]["Cost and success"]
    status, text = call(capsys, *command, "--tree", "tidy")
    assert status == 2
    assert "No instruction named 'tidy'" in text
    assert "Win." in text


def test_a_played_run_has_its_report_in_its_folder_and_still_verifies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, _ = play_run(tmp_path, KEY)
    status, text = call(capsys, "report", path, "--suite", LAB)
    assert status == 0
    assert "50.0 %  15.0 – 85.0" in text
    assert f"{path / 'report' / 'index.html'} and" in text
    assert {".html", ".csv", ".svg", ".png", ".json"} == {
        file.suffix for file in (path / "report").iterdir() if file.is_file()
    }
    assert (path / "report" / "episodes" / "index.html").is_file()
    assert verify(path, suite=LAB).good
    page = (path / "report" / "index.html").read_text(encoding="utf-8")
    assert "its agent withdrew from 1 episode." in page
    assert "simulator_crash 1" in page


def test_a_suite_of_somebody_elses_is_loaded_only_when_named(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, plain = document(capsys, "report", runs / "a-run")
    _, named = document(capsys, "report", runs / "a-run", "--suite", LAB)

    def ids(found: Any) -> set[str]:
        return {table["id"] for table in found["sections"][0]["tables"]}

    assert "details" not in ids(plain)
    assert {"details", "groups"} <= ids(named)
    assert call(capsys, "report", runs / "a-run", "--suite", "no.such:Suite")[0] == 2


def test_a_folder_of_runs_has_a_section_for_each_world(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, found = document(capsys, "report", runs, "--format", "csv")
    assert status == 0
    assert [section["id"] for section in found["sections"]] == ["labsuite-light", "labsuite-heavy"]
    assert (runs / "report" / "labsuite-heavy-groups.csv").is_file()
    with (runs / "report" / "labsuite-light-overview.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["run"] for row in rows] == ["A feedback simple", "B feedback none"]
    assert float(rows[1]["success"]) == 0.75


def test_formats_can_be_chosen(
    runs: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    status, text = call(
        capsys, "report", runs / "a-run", "--format", "html", "--out", tmp_path / "out"
    )
    out = tmp_path / "out"
    assert (status, text.strip()) == (0, f"{out / 'index.html'} and 1 more file in {out}")
    written = {"index.html", "episodes", "episodes.csv", "report.json"}
    assert {path.name for path in out.iterdir()} == written
    status, text = call(capsys, "report", runs / "a-run", "--format", "text")
    assert status == 0
    assert "By group" in text
    assert not (runs / "a-run" / "report").exists()
    status, text = call(capsys, "report", runs / "a-run", "--format", "htlm")
    assert status == 2
    assert "Did you mean 'html'?" in text


def test_a_run_that_is_being_played_is_reported_and_marked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = made_text("half")
    path = write_run(tmp_path, text, text.episodes[:7])
    lines = path / "episodes.jsonl"
    lines.write_bytes(lines.read_bytes() + b'{"kind":"epi')
    status, shown = call(capsys, "report", path, "--format", "text")
    assert status == 0
    assert "not complete. 7 of 20 planned episodes are scored" in shown


def test_two_runs_are_compared(
    runs: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    status, text = call(capsys, "compare", runs / "a-run", runs / "b-run", "--out", out)
    assert status == 0
    for words in (
        "Differences between the runs",
        "Compared on 20 tasks",
        "Tasks with different results",
    ):
        assert words in text
    assert {"index.html", "pairs.csv", "differences.svg", "flipped.csv"} <= {
        file.name for file in out.iterdir()
    }
    _, found = document(capsys, "compare", runs / "a-run", runs / "b-run", "--out", out)
    (pair,) = found["pairs"]
    assert pair["other_rate"] == 0.75
    assert found["comparable"]


def test_a_comparison_writes_files_only_where_a_folder_is_named(
    runs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(runs)
    before = set(runs.rglob("*"))
    for options in ((), ("--format", "text")):
        status, text = call(capsys, "compare", "a-run", "b-run", *options)
        assert status == 0
        assert "Differences between the runs" in text
    _, found = document(capsys, "compare", "a-run", "b-run")
    assert found["files"] == []
    status, text = call(capsys, "compare", "a-run", "b-run", "--format", "html")
    assert status == 2
    assert "pass their folder with --out DIR" in text
    assert set(runs.rglob("*")) == before


def test_what_cannot_be_compared_is_refused_and_forced(
    runs: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("compare", runs / "a-run", runs / "c-run", "--out", tmp_path / "out")
    status, found = document(capsys, *words)
    assert status == 2
    assert "differ in world (light; heavy)" in found["error"]["message"]
    assert not (tmp_path / "out").exists()

    status, text = call(capsys, *words, "--force")
    assert status == 0
    assert "Not comparable: the runs differ in world (light; heavy)" in text
    for file in (tmp_path / "out").iterdir():
        if file.suffix in (".csv", ".svg", ".json"):
            content = file.read_text(encoding="utf-8")
            assert "not comparable: the runs differ in world" in content, file.name
        if file.suffix == ".html":
            assert "Not comparable: the runs differ in world" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["report", "compare"])
def test_wrong_usage_is_named(
    runs: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str
) -> None:
    empty, busy = tmp_path / "empty", tmp_path / "busy"
    empty.mkdir()
    busy.mkdir()
    (busy / "notes.txt").write_text("mine")
    status, text = call(capsys, command, empty)
    assert status == 2
    assert "is not a run folder and contains none" in text
    assert call(capsys, command, tmp_path / "absent")[0] == 2
    assert call(capsys, command)[0] == 2
    two = (runs / "a-run", runs / "b-run")
    status, text = call(capsys, command, *two, "--out", busy)
    assert status == 2
    assert "holds no report: name another folder with --out" in text
    assert "needs two runs" in call(capsys, "compare", two[0])[1]


def test_a_damaged_run_is_named(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = runs / "a-run" / "episodes.jsonl"
    lines.write_bytes(lines.read_bytes().replace(b'"steps":', b'"stops":', 1))
    status, text = call(capsys, "report", runs / "a-run")
    assert status == 1
    assert "episodes.jsonl, line 1" in text


def test_an_episode_that_is_written_twice_is_named(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = runs / "a-run" / "episodes.jsonl"
    lines.write_bytes(lines.read_bytes() * 2)
    for command in (("report", runs / "a-run"), ("compare", runs / "a-run", runs / "b-run")):
        status, text = call(capsys, *command)
        assert status == 1
        assert "episodes.jsonl, line 21: repeat 0 of task 'lab/0' was scored before" in text


def test_a_run_is_not_compared_with_itself(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, text = call(capsys, "compare", runs / "a-run", runs / "a-run")
    assert status == 2
    assert "one was given, more than once" in text


def test_a_folder_that_takes_no_files_is_named(
    runs: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine")
    status, text = call(capsys, "report", runs / "a-run", "--out", tmp_path / "file" / "out")
    assert status == 2
    assert "cannot be written: Not a directory. Name another folder with --out" in text


def test_modified_data_is_told_with_the_name_of_its_pack(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ({"pack": "ithor", "commit": "c", "modified": ["a.json"]},)
    path = write_run(runs, made_text("d-run", data=data))
    _, text = call(capsys, "report", path, "--format", "text")
    assert "data pack 'ithor' differ from upstream's (a.json)." in " ".join(text.split())


def test_a_terminal_of_another_encoding_gets_what_it_can_show(runs: Path) -> None:
    def said(*words: str) -> str:
        command = [sys.executable, "-m", "env_service", *words]
        environment = os.environ | {"PYTHONIOENCODING": "ascii"}
        return subprocess.run(
            command, cwd=runs, env=environment, capture_output=True, text=True, check=True
        ).stdout

    assert "? task set lab (" in said("report", "a-run", "--format", "text")
    assert "95 % interval" in said("show", "a-run")
    found = json.loads(said("compare", "a-run", "b-run", "--format", "text", "--json"))
    assert "B − A" in str(found["sections"])
