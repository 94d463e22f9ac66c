"""Solves a task with the goal known."""

from __future__ import annotations

from dataclasses import replace

from env_service.domain.action import Action, Text
from env_service.domain.episode import FinishReason
from env_service.suites.actplan.conditions import PLAN, profile_of
from env_service.suites.actplan.episode import ActPlanEpisode
from env_service.suites.actplan.judges.judge import PROFILE
from env_service.suites.actplan.overlay.understand import understand
from env_service.suites.actplan.planner.planner import plan_for
from env_service.suites.actplan.task import read_task
from env_service.suites.base import EpisodeOrder, ExpertRun


def solve(order: EpisodeOrder) -> ExpertRun:
    """Plans with the condition's number of hands, plays the plan, and has it judged. Without a plan
    nothing is played, and the run fails.

    Raises ConditionError for settings that do not go together.
    """
    condition = order.condition
    activity = understand(read_task(order.task), corrections=condition["corrections"] == "on")
    # the judge ``correct`` has a separate profile, stricter than that of some conditions
    profile = replace(PROFILE, hands=profile_of(condition).hands)
    plan = plan_for(activity, profile) or ()
    actions = tuple(_actions(plan, whole=condition["play"] == PLAN))
    episode = ActPlanEpisode(order)
    try:
        episode.start()
        for action in actions:
            episode.act(action)
        return ExpertRun(actions, episode.finish(FinishReason.OVER).success)
    finally:
        episode.close()


def _actions(plan: tuple[str, ...], *, whole: bool) -> tuple[Action, ...]:
    """A plan as one answer, or a step each."""
    if not plan:
        return ()
    return (Text("\n".join(plan)),) if whole else tuple(map(Text, plan))
