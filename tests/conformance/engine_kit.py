"""What the tests of an engine share: laboratory episodes, and a look at the processes."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from env_service.domain.action import SkillCall
from env_service.domain.failure import WorldFault
from env_service.domain.observation import (
    Channel,
    ImageEncoding,
    ImageRequest,
    ObservationRequest,
)
from env_service.engine.base import Engine
from env_service.suites.base import EpisodeOrder
from tests.support import preloaded
from tests.support.lab import LabSuite, default_condition

NOOP, WIN = SkillCall("noop"), SkillCall("win")
HANG, CRASH = SkillCall("hang"), SkillCall("crash")
TEXT_ONLY = ObservationRequest((), text=True)


@dataclass(frozen=True, slots=True)
class EngineSetup:
    """The engine that a test wants. Deadlines in seconds."""

    folder: Path
    world: str = "light"
    workers: int = 1
    begin_deadline: float = 30.0
    step_deadline: float = 30.0
    finish_deadline: float = 30.0


Scenario = Callable[[Engine], Awaitable[None]]


def order(
    task: int = 0,
    *,
    seed: int = 1,
    task_set: str = "lab",
    request: ObservationRequest = TEXT_ONLY,
    **condition: str,
) -> EpisodeOrder:
    """An order for a laboratory episode."""
    tasks = LabSuite().task_sets()[task_set].tasks
    return EpisodeOrder(tasks[task], "light", default_condition(**condition), request, seed)


def pictures(
    encoding: ImageEncoding = ImageEncoding.RAW, *, previous: bool = False
) -> ObservationRequest:
    """A request for text and colour pictures."""
    return ObservationRequest((ImageRequest(Channel.RGB, (encoding,), previous),), text=True)


def slow(seconds: float) -> SkillCall:
    """A step that takes its time."""
    return SkillCall("slow", (("seconds", str(seconds)),))


def is_alive(pid: int) -> bool:
    """Whether a process runs; a dead one that nobody reaped does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def dies(pid: int, seconds: float = 30.0) -> bool:
    """Whether a process is gone, or goes soon: a killed one takes a moment to end."""
    deadline = time.monotonic() + seconds
    while is_alive(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def living_children() -> set[int]:
    """The processes that this one started and that still run, but for the fork server."""
    children = {pid for pid, parent in _processes() if parent == os.getpid() and is_alive(pid)}
    return children - {preloaded.server_process()}


def _processes() -> Iterator[tuple[int, int]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                stat = (folder / "stat").read_text()
            except OSError:
                continue
            yield int(folder.name), int(stat.rpartition(")")[2].split()[1])


async def raised(call: Awaitable[object]) -> WorldFault:
    """The fault that a call ends in."""
    with pytest.raises(WorldFault) as caught:
        await call
    return caught.value


class EngineTests:
    """Tests that make their own engine."""

    def make_engine(self, setup: EngineSetup) -> Engine:
        """An engine for the laboratory suite, not started."""
        raise NotImplementedError

    def play(self, setup: EngineSetup, scenario: Scenario) -> None:
        """Runs a scenario on a started engine, closes it, and looks for leftovers."""
        before = living_children()

        async def main() -> None:
            engine = self.make_engine(setup)
            await engine.start()
            try:
                await asyncio.wait_for(scenario(engine), 180)
            finally:
                await engine.close()

        asyncio.run(main())
        assert living_children() <= before
