"""Decompose: whether subgoals fulfil the mission, and with how much help (spec section 6.3)."""

from __future__ import annotations

from env_service.domain.episode import GoalCondition
from env_service.suites.babybench.answers.reading import SubgoalList
from env_service.suites.babybench.knowledge import Expert
from env_service.suites.babybench.scoring.score import HANG, Score, error_class
from env_service.worlds.babyai.omnibot.records import Assistance


def score_subgoals(said: SubgoalList | None, played: Assistance | None, expert: Expert) -> Score:
    """Success is CR: the mission was fulfilled, with help or without.

    ``played`` is how the plan fared; both are None where the answer could not be read.

    Metrics: ``cr``, ``pr`` (fulfilled without help) and ``aci`` as published, ``aci`` with the
    expert's own help, translation included, as the limit, and ``aci_added`` with the translation
    left out. Of every plan that could be read: ``help``, ``help_share`` of the expert's,
    ``subgoals``, ``skipped_lines``, ``executed_steps``, and ``stuck``, 1 where the expert could not
    go on; why, is the label ``stuck``.
    """
    done = played is not None and played.terminated
    used = played.help_added if played is not None else 0
    metrics = {
        "cr": float(done),
        "pr": float(done and used == 0),
        "aci": curve_area(used, expert.help_count, success=done),
        "aci_added": curve_area(used, expert.help_added, success=done),
    }
    conditions = (GoalCondition("mission fulfilled", done),)
    if said is None or played is None:
        return Score(conditions, metrics)
    metrics |= {
        "help": float(used),
        "help_share": used / expert.help_count,
        "subgoals": float(len(said.subgoals)),
        "skipped_lines": float(len(said.skipped)),
        "executed_steps": float(played.steps),
        "stuck": float(played.problem is not None),
    }
    if played.problem is None:
        return Score(conditions, metrics)
    return Score(conditions, metrics, {"stuck": played.problem.kind.value})


def published_failure(played: Assistance) -> str:
    """How LLM-BabyBench's evaluator fails on the plan, as a label; see ``error_class``."""
    if played.problem is None:
        return error_class("")
    error = played.problem.published_error
    return error_class(error) if error else HANG


def assistance_curve(used: int, limit: int, *, success: bool) -> tuple[bool, ...]:
    """Whether a plan succeeds with at most 0, 1, …, ``limit`` subgoals of help allowed.

    ``used`` is the help that it took.
    """
    return tuple(success and used <= allowed for allowed in range(limit + 1))


def curve_area(used: int, limit: int, *, success: bool) -> float:
    """The area under the assistance curve from 0 to ``limit``, as a share: in 0 … 1.

    The curve is a step function, whose value at k holds until k + 1. With the limit 0 it is 1
    where the plan succeeds without help.
    """
    curve = assistance_curve(used, limit, success=success)
    return sum(curve[:-1]) / limit if limit else float(curve[0])
