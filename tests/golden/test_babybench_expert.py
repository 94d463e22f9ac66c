"""Our expert acts as LLM-BabyBench's does: a sample of what the benchmark compares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from env_service.worlds.babyai.levels import LEVELS
from env_service.worlds.babyai.omnibot.records import ExpertMode
from env_service.worlds.babyai.omnibot.solver import assist, solve
from env_service.worlds.babyai.world import BabyAiWorld
from tests.support.babybench_expert import (
    Differences,
    compact_rows,
    compare_case,
    compare_crash,
    compare_miss,
    compare_record,
    compare_row,
    reference,
    translate,
)
from tests.support.whole import sample


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    return reference()


@pytest.mark.parametrize(
    ("key", "compare", "every", "least"),
    [
        ("babyai", compare_record, 1, 70),
        ("plan", compare_record, 1, 30),
        ("paper_examples", compare_record, 1, 6),
        ("omnibot_failures_0_500", compare_miss, 3, 11),
        ("decompose_cases", compare_case, 2, 130),
        ("decompose_reference_crashes", compare_crash, 1, 9),
    ],
)
def test_the_expert_equals_the_reference(
    data: dict[str, Any],
    key: str,
    compare: Callable[[dict[str, Any]], Differences],
    every: int,
    least: int,
):
    cases = data[key][::every]
    assert len(cases) >= least
    for case in sample(cases, cases[:: 1 if least < 100 else 3]):
        assert compare(case) == {}, (case["level"], case["seed"])


def test_actions_steps_help_and_pose_equal_the_short_rows(data):
    compared = 0
    for (level, seed), row in compact_rows(data).items():
        if seed % 5 == 2:
            assert compare_row(level, seed, row) == {}, (level, seed)
            compared += 1
    assert compared >= 16 * 9


def test_the_mission_as_a_plan_is_done_with_help():
    for name in ("PutNextLocal", "SynthSeq", "BossLevel"):
        for seed in (0, 79):  # published: SynthSeq and BossLevel are missed with both
            start = BabyAiWorld(LEVELS[name], seed).snapshot()
            plan = translate(solve(LEVELS[name], seed), start)
            assert assist(LEVELS[name], seed, plan, mode=ExpertMode.FIXED).terminated
