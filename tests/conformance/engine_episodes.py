"""An engine plays the suite's own episodes, many at once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from env_service.domain.action import Action, Plan, SkillCall, Text, Unreadable
from env_service.domain.episode import EpisodeStatus, FinishReason, Mode
from env_service.domain.observation import (
    ImageEncoding,
    Observation,
)
from env_service.engine.base import Engine
from tests.conformance.engine_kit import (
    NOOP,
    WIN,
    EngineSetup,
    EngineTests,
    order,
    pictures,
)
from tests.support.lab import LabSuite


class EpisodeConformance(EngineTests):
    """What an engine hands out is what the suite says."""

    @pytest.mark.parametrize(
        "actions",
        [
            (NOOP, SkillCall("refuse", (("code", "UNPARSABLE"),)), WIN),
            (SkillCall("fly"), Text("win"), NOOP),
        ],
    )
    def test_an_episode_is_the_suites_own(
        self, tmp_path: Path, actions: tuple[Action, ...]
    ) -> None:
        wanted = LabSuite().open_episode(order())
        first = wanted.start()

        async def scenario(engine: Engine) -> None:
            handle, opening = await engine.begin(order(), None)
            assert opening.first.instruction == first.instruction
            assert opening.first.action_space == first.action_space
            assert (opening.first.mode, opening.first.max_steps) == (Mode.STEPWISE, 20)
            assert opening.first.context == first.context
            assert opening.observation.text == first.observation.text
            for action in actions:
                step, report = await handle.act(action), wanted.act(action)
                assert step.outcomes == report.outcomes
                assert step.observation.text == report.observation.text
                assert (step.status, step.steps_left) == (report.status, report.steps_left)
                assert step.state_digest == wanted.state_digest()
            assert await handle.finish(FinishReason.OVER) == wanted.finish(FinishReason.OVER)

        self.play(EngineSetup(tmp_path), scenario)

    def test_the_opening_carries_its_observation_once(self, tmp_path: Path) -> None:
        async def scenario(engine: Engine) -> None:
            _, opening = await engine.begin(order(frame="64", request=pictures()), None)
            assert opening.first.observation == Observation()
            assert len(opening.observation.images) == 1
            assert len(opening.state_digest) == 64

        self.play(EngineSetup(tmp_path), scenario)

    def test_every_kind_of_action_arrives(self, tmp_path: Path) -> None:
        plan = Plan((NOOP, SkillCall("refuse", (("code", "UNKNOWN_OBJECT"),)), WIN, NOOP))

        async def scenario(engine: Engine) -> None:
            handle, opening = await engine.begin(order(task_set="plans"), None)
            assert opening.first.mode is Mode.PLAN
            step = await handle.act(plan)
            assert [o.code.name for o in step.outcomes] == [
                "SUCCEEDED",
                "UNKNOWN_OBJECT",
                "SUCCEEDED",
            ]
            assert (await handle.finish(FinishReason.OVER)).success
            handle, opening = await engine.begin(order(3, task_set="answers"), None)
            assert (opening.first.mode, opening.first.instruction) == (
                Mode.ANSWER,
                "How much is 3 + 3?",
            )
            assert (await handle.act(Text("6"))).status is EpisodeStatus.TERMINATED
            assert (await handle.finish(FinishReason.OVER)).success
            handle, _ = await engine.begin(order(), None)
            step = await handle.act(Unreadable("no kind is set", "00" * 32))
            assert step.outcomes[0].feedback == "no kind is set"

        self.play(EngineSetup(tmp_path), scenario)

    def test_finish_scores_at_any_time(self, tmp_path: Path) -> None:
        async def scenario(engine: Engine) -> None:
            handle, _ = await engine.begin(order(), None)
            result = await handle.finish(FinishReason.AGENT_LOST)
            assert not result.success
            assert result.failure is not None
            assert (result.failure.value, result.steps) == ("agent_lost", 0)

        self.play(EngineSetup(tmp_path), scenario)

    def test_a_megabyte_of_text_arrives_whole(self, tmp_path: Path) -> None:
        async def scenario(engine: Engine) -> None:
            handle, _ = await engine.begin(order(), None)
            text = (await handle.act(SkillCall("big"))).observation.text
            assert text.count("large ") == 2**20 // 6

        self.play(EngineSetup(tmp_path), scenario)

    def test_episodes_side_by_side_do_not_mix(self, tmp_path: Path) -> None:
        async def one(engine: Engine, number: int) -> None:
            handle, opening = await engine.begin(
                order(number, seed=number, frame="64", request=pictures()), None
            )
            wanted = LabSuite().open_episode(
                order(number, seed=number, frame="64", request=pictures())
            )
            assert opening.observation.text == wanted.start().observation.text
            for _ in range(5):
                step, report = await handle.act(NOOP), wanted.act(NOOP)
                assert step.observation.text == report.observation.text
                assert (
                    step.observation.images[0].data == report.observation.frames[0].pixels.tobytes()
                )
                assert step.state_digest == wanted.state_digest()
            assert (await handle.finish(FinishReason.AGENT_DONE)).steps == 5

        async def scenario(engine: Engine) -> None:
            await asyncio.gather(*(one(engine, number) for number in range(12)))

        self.play(EngineSetup(tmp_path, workers=2), scenario)

    def test_equal_orders_give_equal_episodes(self, tmp_path: Path) -> None:
        async def scenario(engine: Engine) -> None:
            same = order(7, seed=5, frame="64", request=pictures(ImageEncoding.PNG))
            one, two = await engine.begin(same, None), await engine.begin(same, None)
            assert one[1] == two[1]
            for action in (NOOP, WIN):
                assert await one[0].act(action) == await two[0].act(action)
            other = await engine.begin(order(7, seed=6, request=same.request, frame="64"), None)
            assert other[1].observation != one[1].observation

        self.play(EngineSetup(tmp_path, workers=2), scenario)

    def test_begin_waits_its_turn_for_a_free_place(self, tmp_path: Path) -> None:
        async def scenario(engine: Engine) -> None:
            begun: list[int] = []

            async def wait(number: int) -> None:
                handle, _ = await engine.begin(order(number), None)
                begun.append(number)
                await handle.finish(FinishReason.AGENT_DONE)

            first, _ = await engine.begin(order(), None)
            waiting = [asyncio.create_task(wait(number)) for number in (3, 1, 2)]
            await asyncio.sleep(0.2)
            assert begun == []
            await first.abandon()
            await asyncio.gather(*waiting)
            assert begun == [3, 1, 2]

        self.play(EngineSetup(tmp_path, world="heavy"), scenario)

    def test_one_who_stops_waiting_takes_no_place(self, tmp_path: Path) -> None:
        async def scenario(engine: Engine) -> None:
            first, _ = await engine.begin(order(), None)
            waiting = asyncio.create_task(engine.begin(order(), None))
            await asyncio.sleep(0.05)
            waiting.cancel()
            await first.abandon()
            last, _ = await engine.begin(order(), None)
            assert (await last.act(WIN)).status is EpisodeStatus.TERMINATED

        self.play(EngineSetup(tmp_path, world="heavy"), scenario)
