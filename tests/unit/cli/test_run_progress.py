"""How a run's progress reads: rates, clocks, a bar in a terminal, lines elsewhere."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from env_service.domain.usage import Usage
from env_service.evaluation.run_progress import (
    Bar,
    Lines,
    Pace,
    Silent,
    clock_text,
    rate_text,
    reporter,
)
from env_service.gateway.run_state import Counts, RunEvent, RunState

CLOSED = RunEvent("closed", 0.0, "ep-1", "GoTo/2", success=True, steps=14)
FAILED = RunEvent("closed", 0.0, "ep-2", "Open/3", failure="max_steps", steps=64)
WITHDRAWN = RunEvent("withdrawn", 0.0, "ep-4", "Open/7", failure="withdrawn", steps=1)
LEFT = RunEvent("left", 0.0, failure="model_refused", session=2, message="no key for [x]")
VOIDED = RunEvent("voided", 0.0, "ep-3", "Open/5", failure="simulator_crash", steps=2)


def console(*, terminal: bool = False) -> Console:
    return Console(file=io.StringIO(), width=160, force_terminal=terminal)


def printed(shown: Console) -> str:
    file = shown.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


@pytest.mark.parametrize(
    ("done", "succeeded", "text"),
    [
        (0, 0, "no episode yet"),
        (12, 5, "41.7 % (19.3 to 68.0)"),
        (1, 0, "0.0 % (0.0 to 79.3)"),
        (1, 1, "100.0 % (20.7 to 100.0)"),
    ],
)
def test_a_rate_comes_with_its_interval(done: int, succeeded: int, text: str) -> None:
    assert rate_text(Counts(done=done, succeeded=succeeded, total=20)) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "–"),
        (0.0, "0:00"),
        (9.4, "0:09"),
        (59.6, "1:00"),
        (123.0, "2:03"),
        (3599.7, "1:00:00"),
        (3723.0, "1:02:03"),
    ],
)
def test_a_clock(seconds: float | None, text: str) -> None:
    assert clock_text(seconds) == text


class TestPace:
    def test_it_counts_what_this_process_has_seen(self) -> None:
        pace = Pace(done=10, now=100.0)
        counts = Counts(done=13, total=20, unscored=1)
        assert pace.per_minute(counts, 190.0) == pytest.approx(2.0)
        assert pace.seconds_left(counts, 190.0) == pytest.approx(180.0)

    def test_before_the_first_episode_nothing_is_promised(self) -> None:
        pace = Pace(done=10, now=100.0)
        counts = Counts(done=10, total=20)
        assert pace.per_minute(counts, 100.0) == 0
        assert pace.seconds_left(counts, 160.0) is None

    def test_at_the_end_nothing_is_left(self) -> None:
        assert Pace(0, 0.0).seconds_left(Counts(done=3, total=4, unscored=1), 60.0) == 0


class TestLines:
    def lines(self, counts: Counts, *events: RunEvent) -> list[str]:
        shown = console()
        with Lines(shown, Counts(total=counts.total)) as report:
            report.update(counts, list(events))
        return printed(shown).splitlines()

    def test_an_episode_that_ended_is_a_line(self) -> None:
        good, bad = self.lines(Counts(done=2, succeeded=1, total=3), CLOSED, FAILED)
        assert good.startswith("[2/3] GoTo/2 success, 14 steps | success 50.0 % (")
        assert bad.startswith("[2/3] Open/3 max_steps, 64 steps | ")
        assert good.endswith(" left")

    def test_a_voided_one_says_why(self) -> None:
        (line,) = self.lines(Counts(total=3, voided=1), VOIDED)
        assert "[0/3] Open/5 voided: simulator_crash, 2 steps" in line
        assert "no episode yet" in line
        assert line.endswith("– left")

    def test_one_that_its_agent_left_and_what_was_spent(self) -> None:
        usage = Usage(calls=2, input_tokens=900, output_tokens=100, cost_usd=0.5)
        (line,) = self.lines(Counts(total=3, withdrawn=1, usage=usage), WITHDRAWN)
        assert "[0/3] Open/7 withdrawn, 1 step |" in line
        assert line.endswith("– left | $0.50, 1.0 k tokens")

    def test_a_guest_that_leaves_says_why_at_once(self) -> None:
        assert self.lines(Counts(total=3), LEFT) == ["session 2 withdrew: no key for [x]"]
        unsaid = RunEvent("left", 0.0, failure="budget_spent", session=0)
        assert self.lines(Counts(total=3), unsaid) == ["session 0 withdrew: budget_spent"]

    def test_nothing_else_is_told(self) -> None:
        opened = RunEvent("opened", 0.0, "ep-1", "GoTo/2")
        state = RunEvent("state", 0.0, state=RunState.RUNNING)
        assert self.lines(Counts(total=3), opened, state) == []

    def test_a_name_is_printed_as_it_is_and_on_one_line(self) -> None:
        name = "[bold]a " + "very " * 40 + "long task"
        (line,) = self.lines(Counts(done=1, total=3), RunEvent("closed", 0.0, "ep", name))
        assert name in line


class TestBar:
    def test_it_shows_how_the_run_stands(self) -> None:
        shown = console(terminal=True)
        with Bar(shown, Counts(total=12)) as report:
            report.update(Counts(done=5, succeeded=2, total=12, voided=1, unscored=1), [CLOSED])
        text = printed(shown)
        assert "6/12" in text
        assert "success 40.0 % (" in text
        assert "1 voided" in text
        assert "$" not in text

    def test_it_shows_what_is_spent(self) -> None:
        shown = console(terminal=True)
        usage = Usage(calls=2, input_tokens=900, output_tokens=100, cost_usd=0.5)
        with Bar(shown, Counts(total=12)) as report:
            report.update(Counts(total=12, withdrawn=2, usage=usage), [])
        text = printed(shown)
        assert "$0.50, 1.0 k tokens" in text
        assert "2 withdrawn" in text

    def test_a_guest_that_leaves_says_why_at_once(self) -> None:
        shown = console(terminal=True)
        with Bar(shown, Counts(total=12)) as report:
            report.update(Counts(total=12), [LEFT])
        assert "session 2 withdrew: no key for [x]" in printed(shown)

    def test_a_resumed_run_starts_where_it_was(self) -> None:
        shown = console(terminal=True)
        with Bar(shown, Counts(done=4, succeeded=4, total=12, withdrawn=3)):
            pass
        assert "4/12" in printed(shown)
        assert "3 withdrawn" in printed(shown)


def test_the_reporter_fits_the_console() -> None:
    counts = Counts(total=1)
    assert isinstance(reporter(console(terminal=True), counts, quiet=False), Bar)
    assert isinstance(reporter(console(), counts, quiet=False), Lines)
    for terminal in (True, False):
        silent = reporter(console(terminal=terminal), counts, quiet=True)
        assert isinstance(silent, Silent)


def test_silence(capsys: pytest.CaptureFixture[str]) -> None:
    with Silent() as report:
        report.update(Counts(done=1, total=1), [CLOSED])
    assert capsys.readouterr() == ("", "")
