"""An engine tells whose fault it was, and loses nothing else."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from env_service.domain.action import SkillCall
from env_service.domain.episode import EpisodeStatus, FinishReason
from env_service.domain.failure import FaultClass
from env_service.engine.base import Engine
from tests.conformance.engine_kit import (
    CRASH,
    HANG,
    NOOP,
    WIN,
    EngineSetup,
    EngineTests,
    order,
    pictures,
    raised,
)

SHORT, PATIENT = 2.0, 60.0
"""Seconds that a call may take which hangs, and one which does not."""


class FaultConformance(EngineTests):
    """Every fault has its class, and hurts nobody but the episode that caused it."""

    @pytest.mark.parametrize(
        ("skill", "fault"),
        [
            ("crash", FaultClass.SIMULATOR_CRASH),
            ("exit", FaultClass.SIMULATOR_CRASH),
            ("hang", FaultClass.SIMULATOR_HANG),
            ("freeze", FaultClass.SIMULATOR_HANG),
            ("raise", FaultClass.SERVICE_FAULT),
        ],
    )
    def test_a_fault_in_a_step_is_classified(
        self, tmp_path: Path, skill: str, fault: FaultClass
    ) -> None:
        async def scenario(engine: Engine) -> None:
            handle, _ = await engine.begin(order(), None)
            caught = await raised(handle.act(SkillCall(skill)))
            assert (caught.fault, caught.collateral) == (fault, False)
            await handle.abandon()
            again, _ = await engine.begin(order(), None)
            assert (await again.act(WIN)).status is EpisodeStatus.TERMINATED

        deadline = SHORT if fault is FaultClass.SIMULATOR_HANG else PATIENT
        self.play(EngineSetup(tmp_path, step_deadline=deadline), scenario)

    @pytest.mark.parametrize(
        ("kind", "fault"),
        [
            ("start_crash", FaultClass.SIMULATOR_CRASH),
            ("start_hang", FaultClass.SIMULATOR_HANG),
            ("start_raise", FaultClass.SERVICE_FAULT),
            ("start_data", FaultClass.DATA_FAULT),
        ],
    )
    def test_a_fault_at_the_opening_is_classified_and_frees_the_place(
        self, tmp_path: Path, kind: str, fault: FaultClass
    ) -> None:
        async def scenario(engine: Engine) -> None:
            caught = await raised(engine.begin(order(fault=kind), None))
            assert (caught.fault, caught.collateral) == (fault, False)
            handle, _ = await engine.begin(order(), None)
            assert (await handle.act(WIN)).status is EpisodeStatus.TERMINATED

        deadline = SHORT if fault is FaultClass.SIMULATOR_HANG else PATIENT
        self.play(EngineSetup(tmp_path, world="heavy", begin_deadline=deadline), scenario)

    @pytest.mark.parametrize(
        ("kind", "fault"),
        [
            ("finish_crash", FaultClass.SIMULATOR_CRASH),
            ("finish_hang", FaultClass.SIMULATOR_HANG),
            ("finish_raise", FaultClass.SERVICE_FAULT),
        ],
    )
    def test_a_fault_at_the_end_is_classified_and_frees_the_place(
        self, tmp_path: Path, kind: str, fault: FaultClass
    ) -> None:
        async def scenario(engine: Engine) -> None:
            handle, _ = await engine.begin(order(fault=kind), None)
            caught = await raised(handle.finish(FinishReason.AGENT_DONE))
            assert (caught.fault, caught.collateral) == (fault, False)
            await engine.begin(order(), None)

        deadline = SHORT if fault is FaultClass.SIMULATOR_HANG else PATIENT
        self.play(EngineSetup(tmp_path, world="heavy", finish_deadline=deadline), scenario)

    def test_a_score_stands_though_the_episode_cannot_be_closed(self, tmp_path: Path) -> None:
        async def scenario(engine: Engine) -> None:
            handle, _ = await engine.begin(order(fault="close_raise"), None)
            await handle.act(WIN)
            assert (await handle.finish(FinishReason.OVER)).success
            await engine.begin(order(), None)

        self.play(EngineSetup(tmp_path, world="heavy"), scenario)

    def test_a_picture_that_cannot_be_stored_is_a_fault_of_the_house(self, tmp_path: Path) -> None:
        blocked = tmp_path / "file"
        blocked.touch()

        async def scenario(engine: Engine) -> None:
            async def play() -> None:
                handle, _ = await engine.begin(order(frame="64", request=pictures()), blocked)
                await handle.finish(FinishReason.AGENT_DONE)

            caught = await raised(play())
            assert (caught.fault, caught.collateral) == (FaultClass.SERVICE_FAULT, False)

        self.play(EngineSetup(tmp_path), scenario)

    @pytest.mark.parametrize("skill", [CRASH, HANG])
    def test_neighbours_of_a_dead_worker_are_collateral(
        self, tmp_path: Path, skill: SkillCall
    ) -> None:
        async def scenario(engine: Engine) -> None:
            culprit, _ = await engine.begin(order(0), None)
            idle, _ = await engine.begin(order(1), None)
            waiting, _ = await engine.begin(order(2), None)
            guilty = asyncio.create_task(raised(culprit.act(skill)))
            queued = asyncio.create_task(raised(waiting.act(NOOP)))
            assert not (await guilty).collateral
            for innocent in (await queued, await raised(idle.act(NOOP))):
                assert innocent.collateral
                assert innocent.fault is (await guilty).fault
            await idle.abandon()

        deadline = SHORT if skill is HANG else PATIENT
        self.play(EngineSetup(tmp_path, step_deadline=deadline), scenario)

    def test_an_exception_hurts_no_neighbour(self, tmp_path: Path) -> None:
        async def scenario(engine: Engine) -> None:
            culprit, _ = await engine.begin(order(0), None)
            neighbour, _ = await engine.begin(order(1), None)
            await raised(culprit.act(SkillCall("raise")))
            assert (await neighbour.act(WIN)).status is EpisodeStatus.TERMINATED

        self.play(EngineSetup(tmp_path), scenario)

    def test_another_worker_is_not_touched(self, tmp_path: Path) -> None:
        async def scenario(engine: Engine) -> None:
            culprit, _ = await engine.begin(order(0), None)
            neighbour, _ = await engine.begin(order(1), None)
            await raised(culprit.act(CRASH))
            assert (await neighbour.act(WIN)).status is EpisodeStatus.TERMINATED

        self.play(EngineSetup(tmp_path, workers=2), scenario)
