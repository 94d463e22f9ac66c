"""What the operator hears from agents that wait."""

from __future__ import annotations

from env_service.cli.run_notices import MOST_KINDS, SAY_AGAIN, Notices


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_agents_that_say_the_same_are_heard_once_in_a_while() -> None:
    said: list[str] = []
    clock = Clock()
    notices = Notices(said.append, clock)
    notices((0,), "no reply, waiting until 10:00:01")
    notices((1,), "no reply, waiting until 10:00:02")
    assert said == [
        "session 0: no reply, waiting until 10:00:01"
        " (Ctrl-C stops the run; the same command goes on with it.)"
    ]
    clock.now = SAY_AGAIN
    notices((1, 2), "no reply, waiting until 10:00:03")
    assert said[1:] == ["sessions 1, 2: no reply, waiting until 10:00:03"]


def test_an_agent_that_never_stops_is_heard_a_bounded_number_of_times() -> None:
    said: list[str] = []
    notices = Notices(said.append, Clock())
    for letter in range(100):
        notices((0,), chr(1000 + letter))
    assert len(said) == MOST_KINDS
