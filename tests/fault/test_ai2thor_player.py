"""Every way for a player to break: what is said of it, when, and that nothing of it is left."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from env_service.domain.failure import FaultClass, WorldFault
from env_service.worlds.ai2thor_unity import faults
from env_service.worlds.ai2thor_unity.settings import Deadlines
from tests.support.ai2thor_adapter import (
    PATIENT,
    STAND_IN,
    calm_down,
    gone,
    misbehave,
    own_place,
    player_of,
    started,
    traces,
)
from tests.support.command_line import until

pytest.importorskip("ai2thor", reason="needs houseguest[ai2thor]")

CRASH, HANG = FaultClass.SIMULATOR_CRASH, FaultClass.SIMULATOR_HANG
LATE = 30.0
"""Seconds after a deadline, or after a death, by which it has to be noticed: one, and others for
a machine that is busy. Deadlines that are not met take longer."""
SHORT = replace(PATIENT, step=2.0)


@pytest.fixture(scope="module", autouse=True)
def _calm() -> None:
    calm_down()


@pytest.fixture
def patch(tmp_path: Path) -> Iterator[pytest.MonkeyPatch]:
    """A place that has to be, in the end, as it was before."""
    with own_place(tmp_path) as patch:
        before = traces()
        yield patch
        assert traces() == before


def assert_gone(fault: WorldFault) -> None:
    assert "\n" not in fault.detail
    assert gone(player_of(fault)), "a process outlived its player"


@pytest.mark.parametrize(
    ("start", "fault", "text"),
    [
        ("exit", CRASH, "ended with exit status 3 before its first message"),
        ("exit after open", CRASH, "ended with exit status 3 before its first message"),
        ("hang", HANG, "sent no first message within 1.5 s, the deadline of a start"),
        ("hang after open", HANG, "sent no first message within 1.5 s"),
    ],
)
def test_a_start_that_goes_wrong(
    patch: pytest.MonkeyPatch, start: str, fault: FaultClass, text: str
) -> None:
    misbehave(patch, start=start)
    began = time.monotonic()
    with pytest.raises(WorldFault, match=text) as raised:
        started(deadlines=replace(PATIENT, start=1.5) if fault is HANG else PATIENT)
    assert time.monotonic() - began < 1.5 + LATE
    assert raised.value.fault is fault
    assert_gone(raised.value)


@pytest.mark.parametrize(
    ("deed", "fault", "text"),
    [
        ({"do": "exit", "number": 0}, CRASH, "ended with exit status 0"),
        ({"do": "signal", "number": 6}, CRASH, "was killed by SIGABRT"),
        ({"do": "signal", "number": 9}, CRASH, "was killed by SIGKILL.*memory"),
        ({"do": "signal", "number": 11}, CRASH, "was killed by SIGSEGV"),
        ({"do": "signal", "number": 15}, CRASH, "was killed by SIGTERM"),
        ({"do": "half"}, CRASH, "ended with exit status 1 .* [(]in the middle of an answer[)]"),
        ({"do": "garbage"}, CRASH, "with a field of the unknown type 77"),
        ({"do": "wrong sequence"}, CRASH, "with an answer to another action: number 100., not "),
        ({"do": "close"}, CRASH, "closed its pipes, but lives"),
        ({"do": "no frame"}, CRASH, "with an answer without a picture"),
        ({"do": "hang"}, HANG, "did not answer .* within 2 s, the deadline of a step"),
        ({"do": "slow", "seconds": 50}, HANG, "did not answer .* within 2 s"),
    ],
    ids=lambda value: "-".join(map(str, value.values())) if isinstance(value, dict) else "",
)
def test_a_step_that_goes_wrong(
    patch: pytest.MonkeyPatch, deed: dict[str, Any], fault: FaultClass, text: str
) -> None:
    misbehave(patch, on=[{"action": "PickupObject", **deed}])
    controller = started(deadlines=SHORT if fault is HANG else PATIENT)
    assert controller.alive
    assert controller.step("Pass")
    began = time.monotonic()
    with pytest.raises(WorldFault, match=text) as raised:
        controller.step("PickupObject", objectId="Mug|1")
    assert time.monotonic() - began < LATE + (SHORT.step if fault is HANG else 0.0)
    assert raised.value.fault is fault
    assert "PickupObject" in raised.value.detail
    assert_gone(raised.value)
    assert not controller.alive
    for call in (lambda: controller.step("Pass"), controller.reset):
        with pytest.raises(WorldFault, match=re.escape(raised.value.detail)):
            call()
    assert controller.resident_bytes() == 0
    controller.stop()


def test_a_player_that_died_after_its_answer_is_found_dead(patch: pytest.MonkeyPatch) -> None:
    misbehave(patch, on=[{"action": "Pass", "do": "die after", "number": 4}])
    controller = started()
    assert controller.step("Pass").frame is not None
    with pytest.raises(WorldFault, match="ended with exit status 4") as raised:
        controller.step("Crouch")
    assert raised.value.fault is CRASH
    controller.stop()


def test_an_idle_player_that_dies_is_not_alive(patch: pytest.MonkeyPatch) -> None:
    controller = started()
    os.kill(controller.pid, signal.SIGKILL)
    until(lambda: not controller.alive)
    with pytest.raises(WorldFault, match="SIGKILL"):
        controller.reset()
    controller.stop()


def test_the_messages_of_a_reset_share_one_deadline(patch: pytest.MonkeyPatch) -> None:
    """Each of them alone would be in time."""
    slow = [{"action": each, "do": "slow", "seconds": 0.8} for each in ("Reset", "Initialize")]
    misbehave(patch, on=slow)
    deadlines = Deadlines(start=60.0, reset=1.2, step=60.0, stop=10.0)
    with pytest.raises(WorldFault, match="the deadline of a reset") as raised:
        started(deadlines=deadlines)
    assert raised.value.fault is HANG
    assert_gone(raised.value)


def test_a_slow_answer_in_time_is_right(patch: pytest.MonkeyPatch) -> None:
    misbehave(patch, on=[{"action": "Pass", "do": "slow", "seconds": 0.3}])
    controller = started()
    assert controller.step("Pass")
    assert controller.step("Crouch").metadata["lastAction"] == "Crouch"
    controller.stop()


def test_a_command_that_cannot_be_run_is_named(patch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "player"
    program.write_text("no program\n")
    program.chmod(0o755)
    with pytest.raises(WorldFault, match=r"could not be run.*Exec format error") as raised:
        started(command=str(program))
    assert raised.value.fault is CRASH


def test_what_a_player_printed_last_is_told(patch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "player"
    program.write_text("#!/bin/sh\necho no Vulkan device\necho giving up >&2\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(WorldFault, match=r"printed last: no Vulkan device \| giving up"):
        started(command=str(program))


def test_ctrl_c_in_the_middle_of_a_step_leaves_nothing_behind(patch: pytest.MonkeyPatch) -> None:
    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    misbehave(patch, on=[{"action": "Pass", "do": "hang"}])
    controller = started()
    player = controller.pid
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.5)
            controller.step("Pass")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert gone(player)
    with pytest.raises(WorldFault, match="interrupted by KeyboardInterrupt"):
        controller.step("Pass")
    controller.stop()


def test_ctrl_c_while_a_fault_is_told_leaves_nothing_behind(patch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    misbehave(patch, on=[{"action": "Pass", "do": "close"}])
    controller = started()
    player = controller.pid
    patch.setattr(faults, "fault_of", interrupt)
    with pytest.raises(KeyboardInterrupt):
        controller.step("Pass")
    assert gone(player)
    with pytest.raises(WorldFault, match="interrupted"):
        controller.step("Pass")
    controller.stop()


def test_what_a_player_started_dies_with_it(patch: pytest.MonkeyPatch) -> None:
    patch.setenv("TINY_PLAYER_CHILD", "1")
    controller = started()
    leader = controller.pid
    controller.stop()
    controller.stop()
    assert gone(leader)
    with pytest.raises(RuntimeError, match="was stopped"):
        controller.step("Pass")


def test_a_player_that_is_forgotten_is_stopped(patch: pytest.MonkeyPatch) -> None:
    controller = started()
    leader = controller.pid
    del controller
    assert gone(leader)


def test_starts_and_stops_leave_nothing_behind(patch: pytest.MonkeyPatch) -> None:
    for _ in range(5):
        with started() as controller:
            assert controller.step("Pass")
            leader = controller.pid
        assert gone(leader)


@pytest.mark.parametrize(
    ("deed", "fault"),
    [
        ({"do": "signal", "number": 11}, CRASH),
        ({"do": "half"}, CRASH),
        ({"do": "hang"}, HANG),
    ],
    ids=["signal", "half", "hang"],
)
def test_the_household_player_breaks_likewise(
    patch: pytest.MonkeyPatch, deed: dict[str, Any], fault: FaultClass
) -> None:
    misbehave(patch, on=[{"action": "Crouch", **deed}])
    deadlines = SHORT if fault is HANG else PATIENT
    controller = started("household-bathroom-1", STAND_IN, deadlines)
    with pytest.raises(WorldFault) as raised:
        controller.step("Crouch")
    assert raised.value.fault is fault
    assert_gone(raised.value)
    controller.stop()
