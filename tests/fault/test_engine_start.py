"""Workers that do not start, start late, or have served their time."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest

from env_service.domain.action import SkillCall
from env_service.domain.episode import FinishReason
from env_service.domain.names import UnknownNameError
from env_service.engine.base import EngineError
from env_service.engine.config import Deadlines, LocalEngineConfig
from env_service.engine.local import LocalEngine
from tests.conformance.engine_kit import NOOP, living_children, order, raised
from tests.support.lab import LabSuite

LAB = "tests.support.lab:LabSuite"
MARKER = "HOUSEGUEST_TEST_MARKER"


def in_worker() -> bool:
    """Whether this process is a worker of the engine."""
    spec = sys.modules["__main__"].__spec__
    return spec is not None and spec.name == "env_service.engine.worker"


class BrokenSuite(LabSuite):
    """Cannot be loaded by a worker."""

    def __init__(self) -> None:
        if in_worker():
            raise RuntimeError("no display to draw on")


class OnceBrokenSuite(LabSuite):
    """Cannot be loaded by the first worker that tries."""

    def __init__(self) -> None:
        marker = Path(os.environ[MARKER])
        if in_worker() and not marker.exists():
            marker.touch()
            raise RuntimeError("the port is taken")


class LaterBrokenSuite(LabSuite):
    """Cannot be loaded by a worker once the marker exists."""

    def __init__(self) -> None:
        if in_worker() and Path(os.environ[MARKER]).exists():
            raise RuntimeError("the disk is gone")


class SleepySuite(LabSuite):
    """Takes an hour to load in a worker."""

    def __init__(self) -> None:
        if in_worker():
            time.sleep(3600)


def engine_for(suite: type[LabSuite] | str, folder: Path, **settings: object) -> LocalEngine:
    """A local engine for a suite of this file, or by name."""
    path = suite if isinstance(suite, str) else f"{__name__}:{suite.__name__}"
    config = {"suite": path, "world": "light", "log_folder": folder / "log"} | settings
    return LocalEngine(LocalEngineConfig(**config))  # type: ignore[arg-type]


def play(engine: LocalEngine, scenario: Callable[[LocalEngine], Awaitable[None]]) -> None:
    """Runs a scenario, closes the engine, and looks for leftovers."""
    before = living_children()

    async def main() -> None:
        try:
            await asyncio.wait_for(scenario(engine), 180)
        finally:
            await engine.close()

    asyncio.run(main())
    assert living_children() <= before


def descriptors() -> set[tuple[str, str]]:
    """The numbers of this process's open files, with what they are. Those that earlier tests
    have left may go at any time."""
    gc.collect()
    found = set()
    for each in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found.add((each.name, str(each.readlink())))
    return found


def test_a_worker_that_cannot_start_says_why(tmp_path: Path) -> None:
    async def scenario(engine: LocalEngine) -> None:
        with pytest.raises(EngineError, match="exited with status 1") as caught:
            await engine.start()
        assert "no display to draw on" in str(caught.value)
        assert living_children() <= before

    before = living_children()
    play(engine_for(BrokenSuite, tmp_path), scenario)


def test_a_worker_that_starts_too_slowly_is_killed(tmp_path: Path) -> None:
    async def scenario(engine: LocalEngine) -> None:
        with pytest.raises(EngineError, match=r"within 0\.6 s"):
            await engine.start()

    play(engine_for(SleepySuite, tmp_path, deadlines=Deadlines(start=0.6)), scenario)


def test_a_start_that_fails_once_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MARKER, str(tmp_path / "marker"))

    async def scenario(engine: LocalEngine) -> None:
        await engine.start()
        handle, _ = await engine.begin(order(), None)
        await handle.act(NOOP)

    play(engine_for(OnceBrokenSuite, tmp_path), scenario)
    assert "the port is taken" in (tmp_path / "log" / "worker-0.log").read_text()


def test_begin_fails_when_a_dead_worker_cannot_be_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MARKER, str(tmp_path / "marker"))

    async def scenario(engine: LocalEngine) -> None:
        await engine.start()
        handle, _ = await engine.begin(order(), None)
        (tmp_path / "marker").touch()
        await raised(handle.act(SkillCall("crash")))
        with pytest.raises(EngineError, match="the disk is gone"):
            await engine.begin(order(), None)
        (tmp_path / "marker").unlink()
        await engine.begin(order(), None)

    play(engine_for(LaterBrokenSuite, tmp_path), scenario)


def test_begin_starts_workers_where_nobody_did(tmp_path: Path) -> None:
    async def scenario(engine: LocalEngine) -> None:
        handle, _ = await engine.begin(order(), None)
        await handle.act(NOOP)

    play(engine_for(LAB, tmp_path), scenario)


@pytest.mark.parametrize("fault", ["none", "close_raise"])
def test_a_worn_worker_is_replaced_once_its_episodes_have_ended(tmp_path: Path, fault: str) -> None:
    async def scenario(engine: LocalEngine) -> None:
        await engine.start()
        first = living_children() - before
        one, _ = await engine.begin(order(0, fault=fault), None)
        two, _ = await engine.begin(order(1), None)
        await one.finish(FinishReason.AGENT_DONE)
        await two.act(NOOP)
        assert first <= living_children()
        await two.finish(FinishReason.AGENT_DONE)
        await engine.begin(order(2), None)
        assert not first & living_children()

    before = living_children()
    limit = 2 if fault == "none" else None
    play(engine_for(LAB, tmp_path, worker_episodes=limit), scenario)


def test_an_unknown_world_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'heavy'"):
        engine_for(LAB, tmp_path, world="heavi")


def test_a_program_not_found_is_an_engine_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))

    async def scenario(engine: LocalEngine) -> None:
        with pytest.raises(EngineError, match="cannot be started"):
            await engine.start()

    before = descriptors()
    play(engine_for(LAB, tmp_path), scenario)
    assert descriptors() <= before


def test_engines_come_and_go_without_leaking_descriptors(tmp_path: Path) -> None:
    async def scenario(engine: LocalEngine) -> None:
        await engine.start()
        handle, _ = await engine.begin(order(), None)
        await raised(handle.act(SkillCall("crash")))
        await engine.begin(order(), None)

    before = descriptors()
    play(engine_for(LAB, tmp_path), scenario)
    assert descriptors() <= before
