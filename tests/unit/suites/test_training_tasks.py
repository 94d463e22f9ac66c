"""Which tasks agents may be trained on: never one that agents are evaluated on."""

from __future__ import annotations

import pytest

from env_service.suites.registry import load_suite


def for_training(suite: str, task_set: str) -> set[str]:
    """Ids of the tasks of a set that are for training."""
    loaded = load_suite(suite)
    tasks = loaded.task_sets()[task_set].tasks
    return {each.id for each in tasks if loaded.for_training(task_set, each.id)}


@pytest.mark.parametrize(
    ("suite", "training", "evaluation"),
    [
        ("babyai", "dataset", "evaluation"),
        ("babybench", "plan-dataset", "plan"),
        ("babybench", "predict:all:1-30", "predict"),
    ],
)
def test_training_tasks_have_other_seeds_than_evaluation_tasks(
    suite: str, training: str, evaluation: str
) -> None:
    task_sets = load_suite(suite).task_sets()
    trained = for_training(suite, training)
    evaluated = {each.id for each in task_sets[evaluation].tasks}
    assert trained == {each.id for each in task_sets[training].tasks} - evaluated
    assert trained
    assert not for_training(suite, evaluation)


@pytest.mark.parametrize("suite", ["actplan", "alfred", "asgard"])
def test_only_other_seeds_of_built_in_tasks_are_for_training(suite: str) -> None:
    loaded = load_suite(suite)
    assert loaded.for_training("builtin-9-1", "any")
    for name in ("builtin", "builtin-9", "builtin-9-0", "builtin-9-x", *loaded.task_sets()):
        assert not loaded.for_training(name, "any")
