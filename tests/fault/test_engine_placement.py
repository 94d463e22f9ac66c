"""Workers have their places, start their simulators in turn, and keep to their memory."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from env_service.domain.action import SkillCall
from env_service.domain.episode import FinishReason
from env_service.domain.failure import FaultClass
from env_service.engine.cold_starts import ColdStarts, Stagger
from env_service.engine.config import Deadlines, LocalEngineConfig
from env_service.engine.local import LocalEngine, LocalEpisode
from env_service.engine.memory import MemoryBounds
from env_service.engine.placement import Place
from tests.conformance.engine_kit import (
    NOOP,
    dies,
    is_alive,
    living_children,
    order,
    raised,
    slow,
)
from tests.support.fake_nvidia import fake_nvidia, no_nvidia
from tests.support.lab import LabEpisode, LabSuite
from tests.support.placed_lab import FACTS, PLACED_LAB, START, told

LOADED = "HOUSEGUEST_TEST_LOADED"
MIB = 2**20
HUGE = 2**50
HOG = "held = bytearray(b'x') * (300 << 20); import time; time.sleep(600)"


class SlowlyLoadedSuite(LabSuite):
    """A worker takes half a second to load it, and notes when."""

    def __init__(self) -> None:
        if LOADED in os.environ and in_worker():
            began = time.monotonic()
            time.sleep(0.5)
            with Path(os.environ[LOADED]).open("a") as file:
                file.write(f"{began} {time.monotonic()}\n")


class HogSuite(LabSuite):
    """Opening an episode starts a process, in a session of its own, that holds 300 MiB."""

    def open_episode(self, order: Any) -> LabEpisode:
        """Makes the episode; the process outlives it, as a warm simulator does."""
        if order.task.id == "lab/0":
            child = subprocess.Popen([sys.executable, "-c", HOG], start_new_session=True)
            print("the hog is", child.pid, flush=True)
        return super().open_episode(order)


def in_worker() -> bool:
    """Whether this process is a worker of an engine."""
    spec = sys.modules["__main__"].__spec__
    return spec is not None and spec.name == "env_service.engine.worker"


def engine(folder: Path, suite: str = PLACED_LAB, **settings: Any) -> LocalEngine:
    """An engine of one heavy worker, unless told otherwise."""
    config: dict[str, Any] = {"suite": suite, "world": "heavy", "log_folder": folder / "log"}
    return LocalEngine(LocalEngineConfig(**config | settings))


def play(engine: LocalEngine, scenario: Callable[[LocalEngine], Awaitable[None]]) -> None:
    """Runs a scenario, closes the engine, and looks for leftovers."""
    before = living_children()

    async def main() -> None:
        try:
            await asyncio.wait_for(scenario(engine), 240)
        finally:
            await engine.close()

    asyncio.run(main())
    assert living_children() <= before


async def opened(engine: LocalEngine, task: int = 0) -> tuple[LocalEpisode, dict[str, Any]]:
    """An episode, and what its first text tells."""
    handle, opening = await engine.begin(order(task), None)
    return handle, told(opening.observation.text)


async def until(condition: Callable[[], object]) -> None:
    """Waits for something to become true."""
    for _ in range(2000):
        if condition():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it never happened")


def test_each_worker_runs_in_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5")
    cores = sorted(os.sched_getaffinity(0))[:1]
    places = (Place(3, tuple(cores)), Place(1))

    async def scenario(engine: LocalEngine) -> None:
        await engine.start()
        (_, one), (_, two) = [await opened(engine) for _ in places]
        first, second = sorted((one, two), key=lambda where: -int(where["HOUSEGUEST_WORKER_GPU"]))
        assert (first["HOUSEGUEST_WORKER_GPU"], second["HOUSEGUEST_WORKER_GPU"]) == ("3", "1")
        assert first["cores"] == cores
        assert first["HOUSEGUEST_WORKER_CPUS"] == str(cores[0])
        assert first["OMP_NUM_THREADS"] == "1"
        assert second["cores"] == sorted(os.sched_getaffinity(0))
        assert second["HOUSEGUEST_WORKER_CPUS"] == ""
        assert first["CUDA_VISIBLE_DEVICES"] is second["CUDA_VISIBLE_DEVICES"] is None
        assert second[FACTS] == "{}"

    made = engine(tmp_path, workers=2, places=places, environment={FACTS: "{}"})
    play(made, scenario)
    assert f"GPU 3, CPU {cores[0]} ---" in (tmp_path / "log" / "worker-0.log").read_text()


def test_simulators_start_one_after_the_other_and_deadlines_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(START, "1.5")
    no_nvidia(tmp_path, monkeypatch)

    async def scenario(engine: LocalEngine) -> None:
        await engine.start()
        begun = await asyncio.gather(*(opened(engine, task) for task in range(4)))
        whens = sorted((where["began"], where["ended"]) for _, where in begun)
        assert all(one[1] <= other[0] for one, other in pairwise(whens))
        # The last one waited for three others, longer than it may take to open.
        assert whens[3][0] - whens[0][0] >= 4.5
        for handle, _ in begun:
            await handle.finish(FinishReason.AGENT_DONE)
        again = await asyncio.gather(*(opened(engine, task) for task in range(4)))
        warm = [(where["began"], where["ended"]) for _, where in again]
        assert max(began for began, _ in warm) < min(ended for _, ended in warm)

    deadlines = Deadlines(begin=4.4)
    stagger = Stagger(pause=0.0)
    play(engine(tmp_path, workers=4, stagger=stagger, deadlines=deadlines), scenario)


def test_workers_start_no_more_at_once_than_they_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LOADED, str(tmp_path / "loaded"))

    async def scenario(engine: LocalEngine) -> None:
        await engine.start()
        lines = (tmp_path / "loaded").read_text().splitlines()
        times = sorted(tuple(map(float, line.split())) for line in lines)
        assert len(times) == 3
        assert all(one[1] <= other[0] for one, other in pairwise(times))

    suite = f"{__name__}:SlowlyLoadedSuite"
    play(engine(tmp_path, suite, workers=3, starts_at_once=1), scenario)


def test_engines_of_one_machine_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(START, "0.5")
    no_nvidia(tmp_path, monkeypatch)

    async def scenario() -> None:
        starts = ColdStarts()
        engines = [
            LocalEngine(
                LocalEngineConfig(
                    suite=PLACED_LAB,
                    world="heavy",
                    log_folder=tmp_path / name,
                    places=(Place(0),),
                    stagger=Stagger(pause=0.0),
                ),
                starts,
            )
            for name in ("a", "b")
        ]
        try:
            (_, one), (_, two) = await asyncio.gather(*(opened(each) for each in engines))
            assert one["ended"] <= two["began"] or two["ended"] <= one["began"]
        finally:
            await asyncio.gather(*(each.close() for each in engines))

    asyncio.run(asyncio.wait_for(scenario(), 120))


def test_a_simulator_that_died_starts_in_turn_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = fake_nvidia(tmp_path / "nvidia", monkeypatch, free=("70000",))

    def asked() -> int:
        path = machine / "asked"
        return path.read_text().count("memory.free") if path.exists() else 0

    async def scenario(engine: LocalEngine) -> None:
        handle, _ = await opened(engine)
        await handle.finish(FinishReason.AGENT_DONE)
        await (await opened(engine))[0].finish(FinishReason.AGENT_DONE)
        assert asked() == 1
        handle, _ = await opened(engine)
        await raised(handle.act(SkillCall("crash")))
        # What nvidia-smi said holds for a second.
        await asyncio.sleep(1.1)
        await opened(engine)
        assert asked() == 2

    play(engine(tmp_path, places=(Place(0),), stagger=Stagger(pause=0.0)), scenario)


def test_a_full_gpu_is_a_fault_of_the_house(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = fake_nvidia(tmp_path / "nvidia", monkeypatch, free=("100",))

    async def scenario(engine: LocalEngine) -> None:
        fault = await raised(opened(engine))
        assert fault.fault is FaultClass.SERVICE_FAULT
        assert not fault.collateral
        assert "GPU 0 has 100 MiB of free memory" in fault.detail
        (machine / "free").write_text("0, 70000\n")
        await asyncio.sleep(1.1)
        await opened(engine)

    stagger = Stagger(pause=0.0, patience=0.2)
    play(engine(tmp_path, places=(Place(0),), stagger=stagger), scenario)


def test_closing_does_not_wait_for_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    no_nvidia(tmp_path, monkeypatch)

    async def scenario(engine: LocalEngine) -> None:
        await opened(engine)
        waiting = asyncio.ensure_future(opened(engine))
        await asyncio.sleep(0.2)
        await engine.close()
        fault = await raised(waiting)
        assert fault.collateral

    play(engine(tmp_path, workers=2, stagger=Stagger(pause=3600.0)), scenario)


def test_a_worker_that_holds_too_much_is_replaced_after_its_episode(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(engine: LocalEngine) -> None:
        handle, one = await opened(engine)
        while "it is replaced after its episodes" not in caplog.text:
            await handle.act(slow(0.05))
        await handle.act(NOOP)
        await handle.finish(FinishReason.AGENT_DONE)
        _, two = await opened(engine)
        assert one["pid"] != two["pid"]

    with caplog.at_level(logging.WARNING):
        play(engine(tmp_path, memory=MemoryBounds(1, HUGE, period=0.2)), scenario)


def test_an_idle_worker_that_holds_too_much_is_replaced_at_once(tmp_path: Path) -> None:
    others = living_children()

    async def scenario(engine: LocalEngine) -> None:
        await engine.start()
        first = living_children() - others
        await until(lambda: not first & living_children())
        await opened(engine)

    play(engine(tmp_path, memory=MemoryBounds(1, HUGE, period=1.0)), scenario)


@pytest.mark.parametrize("busy", [True, False])
def test_a_worker_whose_simulator_takes_the_machine_is_killed(tmp_path: Path, busy: bool) -> None:
    log = tmp_path / "log" / "worker-0.log"

    async def scenario(engine: LocalEngine) -> None:
        handle, _ = await engine.begin(order(0), None)
        await until(lambda: log.read_text().count("the hog is"))
        hog = int(log.read_text().rpartition("the hog is ")[2].split()[0])
        if not busy:
            await until(lambda: not is_alive(hog))
        fault = await raised(handle.act(slow(60)))
        assert fault.fault is FaultClass.SIMULATOR_CRASH
        assert not fault.collateral
        assert "GiB of memory, above the bound of 0.20 GiB, and was killed" in fault.detail
        assert dies(hog)
        handle, _ = await engine.begin(order(1), None)
        await handle.act(NOOP)

    bounds = MemoryBounds(200 * MIB, 200 * MIB, period=0.3)
    play(engine(tmp_path, f"{__name__}:HogSuite", memory=bounds), scenario)


def test_a_scene_goes_to_the_worker_that_showed_it_last(tmp_path: Path) -> None:
    # Tasks 0 and 10 share a scene, as do 1 and 11.
    async def play_one(engine: LocalEngine, task: int) -> int:
        handle, where = await opened(engine, task)
        await handle.finish(FinishReason.AGENT_DONE)
        return int(where["pid"])

    async def scenario(engine: LocalEngine) -> None:
        await engine.start()
        (one, zero), (two, other) = [await opened(engine, task) for task in (0, 1)]
        for handle in (one, two):
            await handle.finish(FinishReason.AGENT_DONE)
        assert [await play_one(engine, task) for task in (11, 10, 1, 11, 0)] == [
            *(other["pid"], zero["pid"], other["pid"], other["pid"], zero["pid"])
        ]
        # Where that one is taken, another does as well.
        await opened(engine, 0)
        _, where = await opened(engine, 10)
        assert where["pid"] == other["pid"]

    play(engine(tmp_path, workers=2), scenario)


def test_episodes_are_spread_evenly_whatever_their_scene(tmp_path: Path) -> None:
    async def scenario(engine: LocalEngine) -> None:
        await engine.start()
        places = [(await opened(engine, 0))[1]["pid"] for _ in range(4)]
        assert sorted(map(places.count, set(places))) == [2, 2]

    play(engine(tmp_path, workers=2, world="light"), scenario)
