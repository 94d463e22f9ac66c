"""Simulators start one after the other on each GPU, and only where there is memory."""

from __future__ import annotations

import asyncio
import logging
from itertools import pairwise
from pathlib import Path

import pytest

from env_service.domain.failure import FaultClass, WorldFault
from env_service.engine.cold_starts import ColdStarts, Stagger
from tests.support.fake_nvidia import fake_nvidia, no_nvidia

AT_ONCE = Stagger(pause=0)


def always() -> bool:
    return True


def never() -> bool:
    return False


async def start(
    starts: ColdStarts, gpu: int | None, stagger: Stagger, log: list[tuple[float, float]]
) -> None:
    """A start that takes a moment."""
    loop = asyncio.get_running_loop()
    async with starts.turn(gpu, stagger, always):
        began = loop.time()
        await asyncio.sleep(0.05)
        log.append((began, loop.time()))


def overlaps(log: list[tuple[float, float]]) -> bool:
    ordered = sorted(log)
    return any(after[0] < before[1] for before, after in pairwise(ordered))


@pytest.mark.parametrize("gpu", [0, None])
def test_one_at_a_time_starts_on_a_gpu(
    gpu: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_nvidia(tmp_path, monkeypatch)
    log: list[tuple[float, float]] = []

    async def scenario() -> None:
        starts = ColdStarts()
        await asyncio.gather(*(start(starts, gpu, AT_ONCE, log) for _ in range(4)))

    asyncio.run(scenario())
    assert len(log) == 4
    assert not overlaps(log)


def test_gpus_do_not_wait_for_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    no_nvidia(tmp_path, monkeypatch)

    async def scenario() -> None:
        starts = ColdStarts()
        async with starts.turn(0, AT_ONCE, always), starts.turn(1, AT_ONCE, always):
            pass

    asyncio.run(asyncio.wait_for(scenario(), 30))


def test_there_is_a_pause_between_two_starts() -> None:
    log: list[tuple[float, float]] = []

    async def scenario() -> None:
        starts = ColdStarts()
        await asyncio.gather(*(start(starts, None, Stagger(pause=0.4), log) for _ in range(2)))

    asyncio.run(scenario())
    first, second = sorted(log)
    assert second[0] - first[0] >= 0.39


def test_who_no_longer_wants_to_start_does_not_wait() -> None:
    async def scenario() -> None:
        starts = ColdStarts()
        for wanted in (always, never):
            async with starts.turn(None, Stagger(pause=3600), wanted):
                pass

    asyncio.run(asyncio.wait_for(scenario(), 30))


def test_a_full_gpu_takes_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_nvidia(tmp_path, monkeypatch, free=("300", "70000"))

    async def scenario() -> None:
        starts = ColdStarts()
        async with starts.turn(1, AT_ONCE, always):
            pass
        with pytest.raises(WorldFault) as caught:
            async with starts.turn(0, Stagger(pause=0, patience=0.3), always):
                raise AssertionError("it was not to start")
        assert caught.value.fault is FaultClass.SERVICE_FAULT
        assert "GPU 0 has 300 MiB of free memory" in caught.value.detail
        assert "1024 MiB to start" in caught.value.detail

    asyncio.run(scenario())


def test_a_start_waits_for_memory_that_becomes_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = fake_nvidia(tmp_path, monkeypatch, free=("300",))
    log: list[tuple[float, float]] = []

    async def scenario() -> None:
        waiting = asyncio.ensure_future(start(ColdStarts(), 0, AT_ONCE, log))
        # Long enough for nvidia-smi to be asked, as a rule; on a slower machine the test is easier.
        await asyncio.sleep(0.5)
        assert not waiting.done()
        (machine / "free").write_text("0, 70000\n")
        await waiting

    asyncio.run(asyncio.wait_for(scenario(), 60))
    assert len(log) == 1


def test_memory_that_nobody_tells_of_is_taken_to_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    no_nvidia(tmp_path, monkeypatch)

    async def scenario() -> None:
        starts = ColdStarts()
        for _ in range(2):
            async with starts.turn(0, AT_ONCE, always):
                pass

    with caplog.at_level(logging.WARNING):
        asyncio.run(scenario())
    assert caplog.text.count("nvidia-smi does not report") == 1


@pytest.mark.parametrize("name", ["pause", "gpu_memory", "patience"])
def test_a_stagger_that_makes_no_sense_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} is -1"):
        Stagger(**{name: -1})
