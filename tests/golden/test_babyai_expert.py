"""Every evaluation task can be solved: the expert does it, and its solutions are known."""

from __future__ import annotations

from env_service.domain.observation import ObservationRequest
from env_service.suites.babyai.suite import BabyAiSuite
from env_service.suites.base import EpisodeOrder
from tests.support.whole import everything, sample

TOTAL_ACTIONS = 6_348
"""What the expert needs for all 320 tasks together. Pins levels and expert at once."""

FOURTH_ACTIONS = 1_596
"""What it needs for every fourth of them."""


def test_the_expert_solves_all_evaluation_tasks():
    suite = BabyAiSuite()
    condition = {setting.name: setting.default for setting in suite.settings}
    total = 0
    tasks = suite.task_sets()["evaluation"].tasks
    for task in sample(tasks, tasks[::4]):
        order = EpisodeOrder(task, "babyai", condition, ObservationRequest(), seed=0)
        run = suite.expert(order)
        assert run.success, task.id
        total += len(run.actions)
    assert total == (TOTAL_ACTIONS if everything() else FOURTH_ACTIONS)
