"""The levels that a data set of each question is made from."""

from __future__ import annotations

from collections.abc import Iterable

from env_service.domain.names import UnknownNameError
from env_service.suites.babybench.tasks import Question, Subject, make_task
from env_service.worlds.babyai.plan_levels import AnyLevel, PlanLevel


def levels_of(question: str) -> dict[str, AnyLevel]:
    """The question's levels by name, in LLM-BabyBench's order. ``question``: see columns."""
    return dict(Question(question).levels)


def pick_levels(question: str, names: Iterable[str]) -> tuple[str, ...]:
    """The names of the levels that were asked for, in the benchmark's order; all for none.

    A name is a level's own or its id in minigrid. Raises UnknownNameError.
    """
    levels = levels_of(question)
    ids = {env_name_of(level): name for name, level in levels.items()}
    wanted = set()
    for name in names:
        found = ids.get(name, name)
        if found not in levels:
            raise UnknownNameError(f"level of the question {question!r}", name, levels)
        wanted.add(found)
    return tuple(name for name in levels if not wanted or name in wanted)


def env_name_of(level: AnyLevel) -> str:
    """The id of the level's environment in LLM-BabyBench's files."""
    return level.published_id if isinstance(level, PlanLevel) else level.environment_id


def task_id_of(question: str, level: AnyLevel, seed: int) -> str:
    """The id of the suite's task that asks the same, in any of its task sets of the question."""
    return make_task(Subject(Question(question), level, seed)).id
