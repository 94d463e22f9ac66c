"""Workers that die, hang and babble: what the operator is told, and what survives."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from env_service.domain.action import SkillCall
from env_service.domain.episode import EpisodeStatus, FinishReason
from env_service.domain.failure import FaultClass
from env_service.engine import supervisor
from env_service.engine.base import Engine
from env_service.engine.config import Deadlines, LocalEngineConfig
from env_service.engine.local import LocalEngine
from tests.conformance.engine_kit import (
    HANG,
    NOOP,
    WIN,
    EngineSetup,
    EngineTests,
    dies,
    is_alive,
    living_children,
    order,
    raised,
    slow,
)
from tests.support.guests import until

LOG_BYTES = 2**20


async def only_worker(before: set[int]) -> int:
    """The one process that was started since."""
    (pid,) = living_children() - before
    return pid


class TestDeaths(EngineTests):
    def make_engine(self, setup: EngineSetup) -> Engine:
        return LocalEngine(
            LocalEngineConfig(
                suite="tests.support.lab:LabSuite",
                world=setup.world,
                log_folder=setup.folder / "log",
                deadlines=Deadlines(step=setup.step_deadline),
                log_bytes=LOG_BYTES,
            )
        )

    def test_kill_in_a_step_is_a_crash_and_names_the_signal(self, tmp_path: Path) -> None:
        before = living_children()

        async def scenario(engine: Engine) -> None:
            handle, _ = await engine.begin(order(), None)
            pid = await only_worker(before)
            running = asyncio.create_task(raised(handle.act(HANG)))
            await asyncio.sleep(0.1)
            os.kill(pid, signal.SIGKILL)
            fault = await running
            assert (fault.fault, fault.collateral) == (FaultClass.SIMULATOR_CRASH, False)
            assert "was killed by SIGKILL" in fault.detail
            assert "during ACT" in fault.detail

        self.play(EngineSetup(tmp_path), scenario)

    def test_kill_while_idle_is_nobodys_fault_and_the_worker_is_replaced(
        self, tmp_path: Path
    ) -> None:
        before = living_children()

        async def scenario(engine: Engine) -> None:
            handle, _ = await engine.begin(order(), None)
            pid = await only_worker(before)
            os.kill(pid, signal.SIGKILL)
            await until(lambda: not Path(f"/proc/{pid}").exists())
            await asyncio.sleep(0.3)
            fault = await raised(handle.act(NOOP))
            assert (fault.fault, fault.collateral) == (FaultClass.SIMULATOR_CRASH, True)
            assert "while idle" in fault.detail
            handle, _ = await engine.begin(order(), None)
            assert await only_worker(before) != pid
            assert (await handle.act(WIN)).status is EpisodeStatus.TERMINATED

        self.play(EngineSetup(tmp_path), scenario)

    def test_exit_status_is_told(self, tmp_path: Path) -> None:
        async def scenario(engine: Engine) -> None:
            handle, _ = await engine.begin(order(), None)
            fault = await raised(handle.act(SkillCall("exit")))
            assert "exited with status 3 during ACT" in fault.detail

        self.play(EngineSetup(tmp_path), scenario)

    @pytest.mark.parametrize("skill", ["hang", "freeze"])
    def test_a_hang_tells_where(self, tmp_path: Path, skill: str) -> None:
        async def scenario(engine: Engine) -> None:
            handle, _ = await engine.begin(order(), None)
            began = time.monotonic()
            fault = await raised(handle.act(SkillCall(skill)))
            assert 0.5 <= time.monotonic() - began < 30
            assert "did not answer ACT within 0.5 s" in fault.detail
            assert "lab.py" in fault.detail

        self.play(EngineSetup(tmp_path, step_deadline=0.5), scenario)

    def test_a_hung_worker_that_gets_no_time_is_waited_for(self, tmp_path: Path) -> None:
        """Here it is stopped; on a machine that is busy others are at work in its place."""
        before = living_children()

        async def scenario(engine: Engine) -> None:
            handle, _ = await engine.begin(order(), None)
            pid = await only_worker(before)
            hanging = asyncio.create_task(raised(handle.act(HANG)))
            await asyncio.sleep(0.4)
            os.kill(pid, signal.SIGSTOP)
            await asyncio.sleep(0.7)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
            assert "lab.py" in (await hanging).detail

        self.play(EngineSetup(tmp_path, step_deadline=0.5), scenario)

    def test_waiting_behind_others_is_no_hang(self, tmp_path: Path) -> None:
        async def scenario(engine: Engine) -> None:
            handles = [(await engine.begin(order(n), None))[0] for n in range(4)]
            steps = await asyncio.gather(*(handle.act(slow(0.8)) for handle in handles))
            assert all(step.status is EpisodeStatus.RUNNING for step in steps)

        self.play(EngineSetup(tmp_path, step_deadline=2.5), scenario)

    def test_an_exception_shows_its_traceback(self, tmp_path: Path) -> None:
        async def scenario(engine: Engine) -> None:
            handle, _ = await engine.begin(order(), None)
            fault = await raised(handle.act(SkillCall("raise")))
            assert "Traceback" in fault.detail
            assert "LookupError: raised on purpose" in fault.detail

        self.play(EngineSetup(tmp_path), scenario)

    def test_a_babbling_worker_goes_on_and_its_log_is_bounded(self, tmp_path: Path) -> None:
        async def scenario(engine: Engine) -> None:
            handle, _ = await engine.begin(order(), None)
            for _ in range(2):
                assert (await handle.act(SkillCall("spew"))).status is EpisodeStatus.RUNNING
            assert (await handle.finish(FinishReason.AGENT_DONE)).steps == 2

        self.play(EngineSetup(tmp_path), scenario)
        logs = list((tmp_path / "log").iterdir())
        assert sorted(log.name for log in logs) == ["worker-0.log", "worker-0.log.1"]
        assert LOG_BYTES / 4 < sum(log.stat().st_size for log in logs) <= LOG_BYTES

    def test_the_log_keeps_what_the_worker_printed(self, tmp_path: Path) -> None:
        async def scenario(engine: Engine) -> None:
            handle, _ = await engine.begin(order(fault="close_raise"), None)
            await handle.abandon()

        self.play(EngineSetup(tmp_path), scenario)
        log = (tmp_path / "log" / "worker-0.log").read_text()
        assert "LookupError: raised on purpose" in log

    def test_what_a_dead_worker_started_dies_with_it(self, tmp_path: Path) -> None:
        async def scenario(engine: Engine) -> None:
            handle, _ = await engine.begin(order(), None)
            text = (await handle.act(SkillCall("spawn"))).observation.text
            child = int(text.rpartition(" ")[2])
            assert is_alive(child)
            await raised(handle.act(SkillCall("crash")))
            assert dies(child)

        self.play(EngineSetup(tmp_path), scenario)

    def test_ctrl_c_is_not_for_the_worker(self, tmp_path: Path) -> None:
        before = living_children()

        async def scenario(engine: Engine) -> None:
            handle, _ = await engine.begin(order(), None)
            os.kill(await only_worker(before), signal.SIGINT)
            assert (await handle.act(WIN)).status is EpisodeStatus.TERMINATED

        self.play(EngineSetup(tmp_path), scenario)

    def test_close_during_a_step_takes_seconds_not_an_hour(self, tmp_path: Path) -> None:
        async def scenario(engine: Engine) -> None:
            handle, _ = await engine.begin(order(), None)
            running = asyncio.create_task(raised(handle.act(SkillCall("freeze"))))
            await asyncio.sleep(0.1)
            began = time.monotonic()
            await engine.close()
            assert time.monotonic() - began < 30
            fault = await running
            assert (fault.fault, fault.collateral) == (FaultClass.SERVICE_FAULT, True)

        self.play(EngineSetup(tmp_path), scenario)

    def test_close_waits_for_a_short_step_and_not_longer(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(supervisor, "_BYE", 60.0)

        async def scenario(engine: Engine) -> None:
            handle, _ = await engine.begin(order(), None)
            began = time.monotonic()
            running = asyncio.create_task(raised(handle.act(slow(0.6))))
            await asyncio.sleep(0.1)
            await engine.close()
            assert 0.6 <= time.monotonic() - began < 30
            await running

        self.play(EngineSetup(tmp_path), scenario)
