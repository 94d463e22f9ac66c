"""What the adapter leaves behind after many starts and stops."""

from __future__ import annotations

import gc
import os
import tempfile
import time
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from benchmarks.ai2thor_player import BATHROOM, Table, adapter, stop

SIDE = 64
CYCLES, QUICK_CYCLES = 200, 4
WARM_UP = 3
"""Cycles before the first look: one-time imports and caches are not a leak."""


@dataclass(frozen=True)
class Holdings:
    """What this process holds."""

    descriptors: int
    threads: int
    children: int
    temporary_files: int
    resident_mib: float

    @staticmethod
    def now() -> Holdings:
        """A look at /proc and at the folder for temporary files, which nothing else may use."""
        gc.collect()
        here = Path("/proc/self")
        pages = int((here / "statm").read_text().split()[1])
        children = ((task / "children").read_text() for task in (here / "task").iterdir())
        return Holdings(
            descriptors=_count(here / "fd") - 1,  # the look's own
            threads=_count(here / "task"),
            children=sum(len(each.split()) for each in children),
            temporary_files=_count(Path(tempfile.gettempdir())),
            resident_mib=round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1),
        )


def _count(folder: Path) -> int:
    return sum(1 for _ in folder.iterdir())


def table(quick: bool) -> Table:
    """What was held before and after."""
    cycles = QUICK_CYCLES if quick else CYCLES
    _cycle(WARM_UP)
    before, clock = Holdings.now(), time.perf_counter()
    _cycle(cycles)
    after, took = Holdings.now(), time.perf_counter() - clock
    names = [field.name.replace("_", " ") for field in fields(Holdings)]
    rows = [
        (name, f"{first:g}", f"{last:g}")
        for name, first, last in zip(names, astuple(before), astuple(after), strict=True)
    ]
    title = f"{cycles} times start, one step, stop ({took / cycles:.2f} s each)"
    return Table(title, ("held", "before", "after"), rows)


def _cycle(count: int) -> None:
    for _ in range(count):
        controller = adapter(BATHROOM, SIDE)
        try:
            if controller.step("Pass").frame is None:
                raise RuntimeError("a step gave no picture")
        finally:
            stop(controller)
