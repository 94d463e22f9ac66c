"""``houseguest refine``: its options, and the files that it names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

from env_service.suites.alfred.commands.refine import STAGES, alfred_command, refine_command
from env_service.suites.alfred.commands.refine_run import Files
from env_service.suites.alfred.refine.sources import Stage
from tests.support.command_line import ROOT


def options(*arguments: str) -> dict[str, object]:
    """What the command makes of its arguments."""
    return alfred_command.make_context("alfred", list(arguments)).params


def test_the_stages_are_those_that_there_are() -> None:
    assert tuple(stage.value for stage in Stage) == STAGES


def test_stages_are_read_in_any_case_and_all_by_default() -> None:
    assert options("--stages", "b,p1", "--stages", "Integrity")["stages"] == (
        "B",
        "P1",
        "integrity",
    )
    assert options()["stages"] == STAGES


def test_a_temperature_is_not_made_up() -> None:
    assert options()["temperature"] is None
    assert options("--temperature", "0")["temperature"] == 0.0


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--stages", "D"], "no such stage: 'D'"),
        (["--header", "x"], "NAME:VALUE"),
        (["--extra-body", "{"], "not valid JSON"),
        (["--extra-body", '{"model": "x"}'], "is reserved"),
        (["--batch", "0"], "not in the range"),
        (["--timeout", "0"], "not in the range"),
        (["--korean-of", "C"], "is not one of"),
    ],
    ids=range(7),
)
def test_an_option_that_cannot_be_is_refused(arguments: list[str], problem: str) -> None:
    with pytest.raises(click.UsageError, match=problem):
        options(*arguments)


def test_the_files_lie_beside_the_records() -> None:
    files = Files.beside(Path("made/refined.json"))
    assert [path.name for path in (files.review, files.state, files.manifest)] == [
        *("refined.review.csv", "refined.state.jsonl", "refined.manifest.json"),
    ]
    assert files.state.parent == Path("made")
    assert Files.beside(Path("mine")).state.name == "mine.state.jsonl"


def test_help_is_quick_to_come() -> None:
    """It imports neither the suite nor what asks models."""
    code = "import sys; import env_service.suites.alfred.commands.refine; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert not {"requests", "jinja2", "env_service.suites.alfred.task"} & loaded


def test_every_command_has_examples() -> None:
    assert list(refine_command.commands) == ["alfred"]
    assert list(alfred_command.commands) == ["check"]
    assert "Examples:" in (alfred_command.epilog or "")
