"""Files of lease tokens, and what the agents of a run tell while they play."""

from __future__ import annotations

from pathlib import Path

from env_service.cli.run_evaluation import token_file, write_token_files
from env_service.evaluation.run_evaluation import MOST_KINDS, SAY_AGAIN, AgentNotices


def test_each_seat_has_a_file_with_its_newest_token(tmp_path: Path) -> None:
    folder = tmp_path / "seats"
    write_token_files(folder, {0: "first", 1: "second"})
    write_token_files(folder, {1: "third"})
    assert token_file(folder, 0).read_text() == "first\n"
    assert token_file(folder, 1).read_text() == "third\n"
    assert {path.name for path in folder.iterdir()} == {"seat-0", "seat-1"}


# --- What the operator hears from agents that wait


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_agents_that_say_the_same_are_heard_once_in_a_while() -> None:
    said: list[str] = []
    clock = Clock()
    notices = AgentNotices(said.append, clock)
    notices((0,), "no reply, waiting until 10:00:01")
    notices((1,), "no reply, waiting until 10:00:02")
    assert said == [
        "session 0: no reply, waiting until 10:00:01"
        " (Ctrl-C stops the run; the same command resumes it.)"
    ]
    clock.now = SAY_AGAIN
    notices((1, 2), "no reply, waiting until 10:00:03")
    assert said[1:] == ["sessions 1, 2: no reply, waiting until 10:00:03"]


def test_an_agent_that_never_stops_is_heard_a_bounded_number_of_times() -> None:
    said: list[str] = []
    notices = AgentNotices(said.append, Clock())
    for letter in range(100):
        notices((0,), chr(1000 + letter))
    assert len(said) == MOST_KINDS
