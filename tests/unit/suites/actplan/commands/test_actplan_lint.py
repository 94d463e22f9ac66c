"""``houseguest actplan lint``: what it tells of definitions."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click
import pytest

from env_service.cli.errors import translated
from env_service.suites.actplan.commands.lint import lint_command
from tests.unit.worlds.activity.bddl.texts import definition


def lint(*arguments: object) -> int:
    try:
        with translated():
            status = lint_command.main(list(map(str, arguments)), standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    return int(status or 0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "tidying"
    home.mkdir()
    (home / "problem0.bddl").write_text(definition(), encoding="utf-8")
    return home


def test_a_sound_file_is_no_problem(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint(folder / "problem0.bddl") == 0
    assert capsys.readouterr().out == "1 file: 0 errors, 0 warnings, 0 notes\n"


def test_findings_have_a_place_that_editors_know(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = folder / "problem1.bddl"
    file.write_text(definition("(dusty ?cup.n.01_9)"), encoding="utf-8")
    assert lint(folder) == 1
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith(f"{file}:11:19: error unknown-name: ")


def test_notes_are_told_when_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = folder / "problem0.bddl"
    file.write_text(definition(name="other"), encoding="utf-8")
    assert lint(file) == 0
    assert "other-name" not in capsys.readouterr().out
    assert lint(file, "--notes") == 0
    assert "note other-name" in capsys.readouterr().out


def test_one_check_alone_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = folder / "problem0.bddl"
    file.write_text(definition("(dusty cup.n.01_1) (open cup.n.01_1)", name="x"), encoding="utf-8")
    assert lint(file, "--only", "missing-mark", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert [each["check"] for each in document["findings"]] == ["missing-mark"] * 2
    assert document["counts"] == {"dropped-goal": 1, "missing-mark": 2, "other-name": 1}


def test_a_counterfactual_is_held_to_the_normal_task(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "problem1.bddl").write_text(definition(name="tidying_1"), encoding="utf-8")
    for number in (0, 1):
        (folder / f"task_description_{number}.txt").write_text("Tidy up.", encoding="utf-8")
    assert lint(folder) == 1
    told = capsys.readouterr().out
    assert "warning same-definition" in told
    assert "warning same-description" in told


def test_bytes_that_are_no_text_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "problem0.bddl").write_bytes(b"(define \xff)")
    assert lint(folder) == 1
    assert "error unreadable: byte 8 is not UTF-8 text" in capsys.readouterr().out


def test_wrong_words_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint(tmp_path, "--only", "dropped") == 2
    assert "dropped-goal" in capsys.readouterr().err
    assert lint(tmp_path) == 2
    assert "No *.bddl file" in capsys.readouterr().err


def test_comments_that_are_meant_as_assertions_and_are_none_are_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = folder / "problem0.bddl"
    stated = '; assertion: {"kind": "never", "text": "no tap", "first": {"verbs": ["switch_on"]}}'
    broken = (stated.replace("; a", ";a"), stated.replace("never", "nevr"))
    file.write_text("\n".join((definition(), stated, *broken)), encoding="utf-8")
    assert lint(file) == 1
    told = capsys.readouterr().out.splitlines()
    assert [line.partition(": this")[0] for line in told[:-1]] == [
        f"{file}:14:1: error unreadable-assertion",
        f"{file}:15:1: error unreadable-assertion",
    ]


def test_a_folder_of_good_and_broken_files_is_told_of_whole(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a.bddl").write_bytes(b"")
    (folder / "b.bddl").symlink_to("nowhere")
    (folder / "c.bddl").write_bytes(b" " * 4_000_001)
    (folder / "d.bddl").mkdir()
    os.mkfifo(folder / "e.bddl")
    (folder / "f.bddl").write_bytes(b"\0" * 20)
    assert lint(folder) == 1
    told = capsys.readouterr().out
    assert told.count("error unreadable") == 4
    assert told.endswith("5 files: 4 errors, 0 warnings, 0 notes\n")
    for what in ("nothing in it", "cannot be read: No such file", "4000000 bytes", "U+0000"):
        assert what in told
