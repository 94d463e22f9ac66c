"""What counterfactual tasks are about (paper, Fig. 4), and which have the normal task's goal."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from env_service.suites.actplan.overlay.tables import TableError, read_table
from env_service.suites.actplan.task import Circumstance, Variant
from env_service.worlds.activity.bddl.problem import Problem

TABLE = "circumstances.toml"
FLAGS = "flags.toml"


def circumstance_of(activity: str, variant: Variant) -> Circumstance:
    """What a task is about, by our own reading: the paper's labels were never published. NONE of
    normal tasks, and of activities that are not in the table."""
    if variant is Variant.NORMAL:
        return Circumstance.NONE
    return circumstances().get(activity, Circumstance.NONE)


@cache
def circumstances() -> Mapping[str, Circumstance]:
    """By activity; all are of its counterfactual.

    Raises:
        TableError, ValueError: the table is wrong.
    """
    found: dict[str, Circumstance] = {}
    for name, activities in read_table(TABLE).items():
        for activity in activities:
            if activity in found:
                raise TableError(f"{TABLE}: {activity} stands in it twice")
            found[activity] = Circumstance(name)
    return found


def has_same_goal(activity: str) -> bool:
    """Whether an activity's counterfactual is published with the goal of its normal task: then a
    plan that overlooks the circumstance reaches the goal, too (spec: actplan.md section 1.4)."""
    return activity in read_table(FLAGS)["same_goal"]


def same_goal(normal: Problem, counterfactual: Problem) -> bool:
    """Whether two definitions ask for the same."""
    return normal.goal == counterfactual.goal
