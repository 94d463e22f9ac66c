"""An engine can be left and closed at any moment."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from env_service.domain.action import SkillCall
from env_service.domain.episode import FinishReason
from env_service.engine.base import Engine, EngineError
from tests.conformance.engine_kit import (
    CRASH,
    HANG,
    NOOP,
    EngineSetup,
    EngineTests,
    dies,
    is_alive,
    living_children,
    order,
    raised,
    slow,
)


class EndingConformance(EngineTests):
    """Cancelling, abandoning and closing leave nothing behind."""

    def test_abandon_never_raises(self, tmp_path: Path) -> None:
        async def scenario(engine: Engine) -> None:
            handle, _ = await engine.begin(order(), None)
            await handle.finish(FinishReason.AGENT_DONE)
            await handle.abandon()
            await handle.abandon()
            handle, _ = await engine.begin(order(), None)
            await raised(handle.act(CRASH))
            await handle.abandon()
            handle, _ = await engine.begin(order(fault="close_raise"), None)
            await handle.abandon()
            handle, _ = await engine.begin(order(), None)
            await engine.close()
            await handle.abandon()

        self.play(EngineSetup(tmp_path), scenario)

    def test_a_cancelled_step_leaves_the_worker_in_step(self, tmp_path: Path) -> None:
        async def scenario(engine: Engine) -> None:
            leaver, _ = await engine.begin(order(0), None)
            stayer, _ = await engine.begin(order(1), None)
            call = asyncio.create_task(leaver.act(slow(0.4)))
            await asyncio.sleep(0.1)
            call.cancel()
            for steps in range(1, 4):
                text = (await stayer.act(NOOP)).observation.text
                assert text == f"lab/1 seed 1 step {steps}"
            await leaver.abandon()

        self.play(EngineSetup(tmp_path), scenario)

    def test_a_cancelled_step_and_abandon_free_the_place(self, tmp_path: Path) -> None:
        async def scenario(engine: Engine) -> None:
            handle, _ = await engine.begin(order(), None)
            call = asyncio.create_task(handle.act(slow(0.3)))
            await asyncio.sleep(0.1)
            call.cancel()
            await handle.abandon()
            await engine.begin(order(), None)

        self.play(EngineSetup(tmp_path, world="heavy"), scenario)

    def test_a_cancelled_begin_frees_its_place(self, tmp_path: Path) -> None:
        async def scenario(engine: Engine) -> None:
            for pause in (0.0, 0.002, 0.01):
                call = asyncio.create_task(engine.begin(order(frame="512"), None))
                await asyncio.sleep(pause)
                call.cancel()
                await asyncio.gather(call, return_exceptions=True)
                if not call.cancelled():
                    await call.result()[0].abandon()
            await engine.begin(order(), None)

        self.play(EngineSetup(tmp_path, world="heavy"), scenario)

    def test_close_fails_what_is_open_as_collateral(self, tmp_path: Path) -> None:
        async def scenario(engine: Engine) -> None:
            handle, _ = await engine.begin(order(), None)
            running = asyncio.create_task(raised(handle.act(HANG)))
            waiting = asyncio.create_task(raised(engine.begin(order(), None)))
            await asyncio.sleep(0.1)
            await engine.close()
            assert (await running).collateral
            assert (await waiting).collateral
            assert living_children() <= before
            await engine.close()
            with pytest.raises(EngineError, match="closed"):
                await engine.begin(order(), None)

        before = living_children()
        self.play(EngineSetup(tmp_path, world="heavy"), scenario)

    def test_close_takes_what_the_simulator_started(self, tmp_path: Path) -> None:
        children: list[int] = []

        async def scenario(engine: Engine) -> None:
            handle, _ = await engine.begin(order(), None)
            text = (await handle.act(SkillCall("spawn"))).observation.text
            children.append(int(text.rpartition(" ")[2]))
            assert is_alive(children[0])
            asyncio.get_running_loop().create_task(raised(handle.act(HANG)))
            await asyncio.sleep(0.1)

        self.play(EngineSetup(tmp_path), scenario)
        assert dies(children[0])

    def test_close_without_start(self, tmp_path: Path) -> None:
        async def main() -> None:
            engine = self.make_engine(EngineSetup(tmp_path))
            await engine.close()
            await engine.close()

        asyncio.run(main())

    @pytest.mark.new_processes  # a clone has started by then
    def test_close_while_starting(self, tmp_path: Path) -> None:
        before = living_children()

        async def main() -> None:
            engine = self.make_engine(EngineSetup(tmp_path, workers=2))
            starting = asyncio.create_task(engine.start())
            await asyncio.sleep(0.05)
            await engine.close()
            with pytest.raises(EngineError):
                await starting

        asyncio.run(main())
        assert living_children() <= before
