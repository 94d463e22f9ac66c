"""What a step costs through the adapter, and through the bare package on the same player."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.ai2thor_player import KITCHEN, Table, adapter, bare, stop
from benchmarks.peers.cpu import cpu_seconds

SIDES = (300, 1024)
ROUNDS, STEPS = 15, 40
QUICK_ROUNDS, QUICK_STEPS = 3, 10
WARM_UP = 8
HEADS = ("pixels", "what", "CPU ms, here", "least", "with the player", "least", "by the clock")


@dataclass(frozen=True)
class Round:
    """Milliseconds of one step: CPU of this process, CPU with the player's, and by the clock."""

    own: float
    both: float
    clock: float


def table(quick: bool) -> Table:
    """A row for each size and each of both; medians over rounds, and the least round."""
    rounds, steps = (QUICK_ROUNDS, QUICK_STEPS) if quick else (ROUNDS, STEPS)
    rows = []
    for side in SIDES:
        measured = _interleaved(side, rounds, steps)
        rows += [_row(side, what, found) for what, found in measured.items()]
    title = (
        f"One step (Pass) with a picture and instance masks, {rounds} rounds of {steps} steps in "
        "turns; picture and one mask read, user and system time together"
    )
    return Table(title, HEADS, rows)


def _interleaved(side: int, rounds: int, steps: int) -> dict[str, list[Round]]:
    ours = adapter(KITCHEN, side)
    try:
        theirs = bare(KITCHEN, side)
        try:
            pair = {
                "adapter": (ours, ours.pid),
                "bare package": (theirs, theirs.server.unity_proc.pid),
            }
            for controller, pid in pair.values():
                _round(controller, pid, WARM_UP)
            found: dict[str, list[Round]] = {what: [] for what in pair}
            turns = list(pair)
            for _ in range(rounds):
                for what in turns:
                    found[what].append(_round(*pair[what], steps))
                turns.reverse()
            return found
        finally:
            stop(theirs)
    finally:
        stop(ours)


def _round(controller: Any, pid: int, steps: int) -> Round:
    thing = next(name for name in controller.last_event.instance_masks if "|" in name)
    before = (time.process_time(), cpu_seconds(pid), time.perf_counter())
    for _ in range(steps):
        _read(controller.step("Pass"), thing)
    after = (time.process_time(), cpu_seconds(pid), time.perf_counter())
    own, player, clock = (1000 * (b - a) / steps for a, b in zip(before, after, strict=True))
    return Round(own, own + player, clock)


def _read(event: Any, thing: str) -> None:
    """Uses an event as a suite does: a picture that can be hashed, and the mask of an object."""
    frame = np.ascontiguousarray(event.frame)
    mask = event.instance_masks[thing]
    if not event or frame.shape[:2] != mask.shape:
        raise RuntimeError(f"a step failed: {event.metadata['errorMessage']}")


def _row(side: int, what: str, rounds: Sequence[Round]) -> tuple[str, ...]:
    own, both = [each.own for each in rounds], [each.both for each in rounds]
    clock = [each.clock for each in rounds]
    numbers = (
        *(statistics.median(own), min(own), statistics.median(both), min(both)),
        statistics.median(clock),
    )
    return (f"{side} x {side}", what, *(f"{number:.2f}" for number in numbers))
