"""A plan as a report shows it: the steps that were said, whether they are skills or not."""

from __future__ import annotations

from env_service.domain.action import Action
from env_service.suites.alfred.skills.plan_reading import read_plan


def words(action: Action) -> tuple[str, ...]:
    """Each step to the first "done"; what is wrong with an answer that is no plan."""
    reading = read_plan(action)
    if reading.problem is not None:
        return (f"({reading.problem.value.replace('_', ' ')})",)
    return tuple(said for said, _ in reading.steps)
