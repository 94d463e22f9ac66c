"""Tables and progress, on a terminal and elsewhere."""

from __future__ import annotations

import sys

import pytest

from env_service.cli import output
from env_service.cli.output import print_table, progress

ROWS = [("GoTo", "20"), ("[bold]Open[/bold]", "5")]


def test_elsewhere_a_table_is_aligned_lines(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("group", "#tasks"), ROWS)
    assert capsys.readouterr().out.splitlines() == [
        "group              tasks",
        "GoTo                  20",
        "[bold]Open[/bold]      5",
    ]


def test_on_a_terminal_cells_are_not_read_as_markup(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    print_table(("group", "#tasks"), ROWS)
    assert "[bold]Open[/bold]" in capsys.readouterr().out


def test_elsewhere_progress_is_a_line_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("solving", 3) as advance:
        for _ in range(3):
            advance()
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "solving: 3 of 3\n"


def test_elsewhere_slow_progress_is_told_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "PLAIN_SECONDS", 0.0)
    with progress("solving", 3) as advance:
        advance()
        advance()
    assert capsys.readouterr().err.splitlines() == ["solving: 1 of 3", "solving: 2 of 3"]


def test_on_a_terminal_progress_leaves_stdout_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress("solving", 2) as advance:
        advance()
        advance()
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "2/2" in printed.err
