"""``houseguest alfred stats``: the table, its files, and what it says of wrong words."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import click
import pytest

from env_service.cli.errors import translated
from env_service.suites.alfred.commands.stats import stats_command
from tests.unit.suites.alfred.dataset.packs import alfred_files, refined_files, use_packs


@pytest.fixture(autouse=True)
def _packs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use_packs(monkeypatch, tmp_path, {"alfred": alfred_files(), "alfred-refined": refined_files()})


def stats(*arguments: object) -> int:
    try:
        with translated():
            status = stats_command.main(list(map(str, arguments)), standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    return int(status or 0)


def test_the_published_numbers_stand_beside_ours(capsys: pytest.CaptureFixture[str]) -> None:
    assert stats() == 0
    told = capsys.readouterr().out
    lines = told.splitlines()
    assert lines[0].split()[:3] == ["wording", "commands", "words"]
    assert "published unique" in lines[0]
    assert lines[1].split()[:5] == ["B", "12", "84", "6", "0.071"]
    assert "129" in lines[1]
    assert "original" in lines[6]
    assert "Table 2" in lines[7]


def test_a_subset_has_no_published_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert stats("alfred/valid_unseen/lota") == 0
    assert "published" not in capsys.readouterr().out


def test_the_recipe_is_heeded_in_json_and_in_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.csv"
    assert stats("valid_unseen", "--recipe", "B", "--json", "--csv", path) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["task_set"], told["recipe"]) == ("valid_unseen", "B")
    first = told["wordings"][0]
    assert (first["wording"], first["unique"], first["published_unique"]) == ("B", 6, 97)
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["wording"] for row in rows] == ["B", "P1", "P2", "C", "K", "original"]
    assert float(rows[0]["entropy"]) == first["entropy"]
    assert rows[5]["published_unique"] == ""


def test_an_unknown_task_set_and_a_file_that_cannot_be_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert stats("valid_sen") == 2
    assert "Did you mean 'valid_seen'?" in capsys.readouterr().err
    assert stats("valid_seen", "--csv", tmp_path / "no" / "table.csv") == 2
    assert "name a file that can be written" in capsys.readouterr().err
