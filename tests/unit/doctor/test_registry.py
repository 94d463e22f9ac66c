"""The doctor survives whatever its checks do."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from env_service.doctor.finding import Finding, State, Subject, worst
from env_service.doctor.registry import Check, examine

SUBJECT = Subject(Path("runs"))


def well(subject: Subject) -> Iterator[Finding]:
    yield Finding("well", State.OK, str(subject.runs))


def broken(subject: Subject) -> Iterator[Finding]:
    yield Finding("before", State.NOTE, "seen", "Look again.")
    raise RuntimeError("out of luck")


def hanging(subject: Subject) -> Iterator[Finding]:
    yield Finding("before", State.OK, "seen")
    time.sleep(60)


def check(name: str, seconds: float = 20.0) -> Check:
    return Check(name, f"{__name__}:{name}", seconds)


def test_findings_come_in_order_and_are_announced() -> None:
    started: list[str] = []
    found = list(examine(SUBJECT, [check("well"), check("well")], started.append))

    assert [(each.name, each.found) for each in found] == [("well", "runs")] * 2
    assert started == ["well", "well"]


def test_a_check_that_breaks_is_reported_and_the_rest_go_on() -> None:
    before, fault, after = examine(SUBJECT, [check("broken"), check("well")])

    assert (before.name, after.name) == ("before", "well")
    assert (fault.name, fault.state) == ("broken", State.PROBLEM)
    assert "RuntimeError: out of luck" in fault.found
    assert fault.mend


def test_a_check_that_cannot_be_imported_is_reported() -> None:
    missing = Check("gpu", "env_service.no_such_module:gpu")
    fault, after = examine(SUBJECT, [missing, check("well")])

    assert (fault.name, fault.state) == ("gpu", State.PROBLEM)
    assert "no_such_module" in fault.found
    assert after.state is State.OK


def test_a_check_that_hangs_is_left_behind() -> None:
    before, fault, after = examine(SUBJECT, [check("hanging", 1.0), check("well")])

    assert (before.name, after.name) == ("before", "well")
    assert (fault.name, fault.state) == ("hanging", State.PROBLEM)
    assert "1 s" in fault.found


def test_the_worst_state_counts() -> None:
    states = [State.NOTE, State.PROBLEM, State.OK, State.WARNING]
    for most in range(len(states)):
        mildest = sorted(states, key=list(State).index)[:most]
        found = [Finding("one", state, "seen", "Look again.") for state in mildest]
        assert worst(found) is (found[-1].state if found else State.OK)
