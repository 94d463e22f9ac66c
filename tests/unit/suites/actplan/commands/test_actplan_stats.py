"""``houseguest actplan stats``: its tables, and what it says of wrong words."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from env_service.cli.errors import translated
from env_service.suites.actplan.commands.stats import stats_command
from tests.unit.suites.actplan.dataset.packs import use_pack


@pytest.fixture(autouse=True)
def _pack(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use_pack(monkeypatch, tmp_path)


def stats(*arguments: object) -> int:
    try:
        with translated():
            status = stats_command.main(list(map(str, arguments)), standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    return int(status or 0)


def test_all_parts_are_shown_with_published_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert stats() == 0
    told = capsys.readouterr().out
    assert told.startswith("labelled: ")
    (normal,) = [line.split() for line in told.splitlines() if line.startswith("normal ")]
    assert normal[:3] == ["normal", "3", "825"]
    assert "23.95" in told
    assert "Tasks by scene: 2" in told
    assert "Verbs of gold plans: 3 spellings" in told
    assert "Table 2 and Figure 4" in told


def test_one_part_is_shown_alone_and_long_ones_are_cut(capsys: pytest.CaptureFixture[str]) -> None:
    assert stats("actplan/labelled", "--part", "verbs", "--rows", 2) == 0
    told = capsys.readouterr().out
    assert "and 1 more row:" in told
    assert "Tasks" not in told
    assert "published" not in told


def test_json_has_every_row(capsys: pytest.CaptureFixture[str]) -> None:
    assert stats("problems", "--json", "--rows", 1) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["task_set"] == "problems"
    assert [row["tasks"] for row in document["counts"]] == [3, 2, 5]
    assert {row["plans"] for row in document["lengths"]} == {"gold_1", "gold_2", "gpt-4v", "gemini"}
    assert document["scenes"] == []


def test_plans_are_those_of_the_task_set(capsys: pytest.CaptureFixture[str]) -> None:
    assert stats("labelled/val", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert [row["plans"] for row in document["labels"]] == [1, 1, 1, 1]


def test_an_unknown_task_set_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert stats("labeled") == 2
    assert "Did you mean 'labelled'?" in capsys.readouterr().err


def test_missing_data_are_named_with_the_command_that_gets_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOUSEGUEST_DATA", str(tmp_path / "none"))
    assert stats() == 1
    assert "houseguest data fetch actplan" in capsys.readouterr().err
