"""How late the adapter notices that its player hangs or died."""

from __future__ import annotations

import os
import signal
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.ai2thor_player import BATHROOM, Table, adapter, misbehave, stop
from env_service.domain.failure import WorldFault

SIDE = 64
TIMES, QUICK_TIMES = 5, 1
START, STEP = 6.0, 2.0
"""Deadlines, seconds: short, so that the waiting is."""
HEADS = ("what the player does", "noticed after, s", "deadline, s", "CPU s meanwhile", "fault")

Noticed = tuple[float, float, str]
"""Seconds by the clock until the fault came, CPU seconds of this process, and the fault."""

ON_LOOK: dict[str, tuple[Mapping[str, Any], float]] = {
    "hangs in a step": ({"do": "hang"}, STEP),
    "is killed in a step": ({"do": "signal", "number": 9}, 0.0),
    "crashes in a step": ({"do": "signal", "number": 11}, 0.0),
    "exits in a step": ({"do": "exit", "number": 0}, 0.0),
    "stops within an answer": ({"do": "half"}, 0.0),
    "closes its pipes and lives": ({"do": "close"}, 0.0),
}
AT_START: dict[str, float] = {
    "exit": 0.0,
    "hang": START,
    "exit after open": 0.0,
    "hang after open": START,
}


def table(quick: bool) -> Table:
    """A row for each failure: medians."""
    times = QUICK_TIMES if quick else TIMES
    rows = []
    for what, (deed, deadline) in ON_LOOK.items():
        misbehave({"on": [{"action": "LookDown", **deed}]})
        rows.append(_row(what, deadline, [_in_a_step() for _ in range(times)]))
    misbehave(None)
    rows.append(_row("was killed before a step", 0.0, [_before_a_step() for _ in range(times)]))
    for start, deadline in AT_START.items():
        misbehave({"start": start})
        found = [_noticed(lambda: adapter(BATHROOM, SIDE, start=START)) for _ in range(times)]
        rows.append(_row(f"at its start: {start}", deadline, found))
    misbehave(None)
    return Table(f"Failures of the player, medians of {times}", HEADS, rows)


def _in_a_step() -> Noticed:
    controller = adapter(BATHROOM, SIDE, step=STEP)
    try:
        return _noticed(lambda: controller.step("LookDown"))
    finally:
        stop(controller)


def _before_a_step() -> Noticed:
    controller = adapter(BATHROOM, SIDE, step=STEP)
    try:
        os.kill(controller.pid, signal.SIGKILL)
        time.sleep(0.5)
        return _noticed(lambda: controller.step("LookDown"))
    finally:
        stop(controller)


def _noticed(call: Callable[[], object]) -> Noticed:
    clock, cpu = time.perf_counter(), time.process_time()
    try:
        call()
    except WorldFault as fault:
        took = time.perf_counter() - clock
        return took, time.process_time() - cpu, fault.fault.value
    raise RuntimeError("the player did not fail")


def _row(what: str, deadline: float, found: Sequence[Noticed]) -> tuple[str, ...]:
    took = statistics.median(each[0] for each in found)
    cpu = statistics.median(each[1] for each in found)
    faults = ", ".join(sorted({each[2] for each in found}))
    return (what, f"{took:.3f}", f"{deadline:g}" if deadline else "", f"{cpu:.3f}", faults)
