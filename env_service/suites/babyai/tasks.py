"""The task sets. Needs no simulator."""

from collections.abc import Iterable, Mapping

from env_service.domain.task import Task, TaskSet
from env_service.worlds.babyai.levels import LEVELS, Level, find_level

EVALUATION_SEEDS = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71)
"""The seeds on which LLM-BabyBench evaluates models: the first twenty primes."""

DATASET = "dataset"
"""The task set that is for training, but for the tasks that have an evaluation seed."""

DATASET_SEEDS = range(1, 501)
"""The seeds of LLM-BabyBench's published data sets."""


def make_task_sets() -> Mapping[str, TaskSet]:
    """The suite's task sets by name; the first is the default."""
    evaluation = TaskSet(
        "evaluation",
        f"{len(LEVELS)} levels, each from twenty seeds: what LLM-BabyBench evaluates models on.",
        _tasks(EVALUATION_SEEDS),
    )
    dataset = TaskSet(
        DATASET,
        f"{len(LEVELS)} levels, each from seeds 1 to 500: LLM-BabyBench's data sets.",
        _tasks(DATASET_SEEDS),
    )
    return {"evaluation": evaluation, DATASET: dataset}


def read_task(task: Task) -> tuple[Level, int]:
    """The level and the seed that a task names. Raises UnknownNameError for an unknown level."""
    return find_level(task.data["level"]), int(task.data["seed"])


def _tasks(seeds: Iterable[int]) -> tuple[Task, ...]:
    listed = tuple(seeds)
    return tuple(_task(level, seed) for level in LEVELS.values() for seed in listed)


def _task(level: Level, seed: int) -> Task:
    # For equal seeds, levels of one scenery often differ only in the mission, or not at all, so
    # that statistics treat them as one environment.
    return Task(
        id=f"{level.name}/{seed}",
        group=level.name,
        cluster=f"{level.scenery}/{seed}",
        data={"level": level.name, "seed": seed},
    )
