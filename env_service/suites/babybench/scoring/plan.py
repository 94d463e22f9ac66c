"""Plan: whether actions lead to the red ball, and how economically (spec section 6.2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from env_service.domain.episode import GoalCondition
from env_service.suites.babybench.answers.reading import ActionList
from env_service.suites.babybench.facts import Facts
from env_service.suites.babybench.knowledge import Knowledge
from env_service.suites.babybench.scoring.predict import manhattan
from env_service.suites.babybench.scoring.score import Score
from env_service.suites.babybench.walk import Walk
from env_service.worlds.babyai.shortest import red_ball

_USED_UP = 0.9
"""Of the reward, with the whole step limit used: minigrid's factor."""


@dataclass(frozen=True, slots=True)
class Outing:
    """Where actions led. ``taken`` are those until the ball or the limit ended the episode.

    ``ball_distance`` is in cells, by the Manhattan metric, less one: 0 when next to the ball.
    """

    reached: bool
    taken: int
    ball_distance: float


def execute(facts: Facts, actions: Iterable[str]) -> Outing:
    """Takes actions, as minigrid does, until the agent faces the red ball next to it."""
    walk, ball, taken = Walk(facts.start), red_ball(facts.start), 0
    reached = False
    for action in actions:
        walk.step(action)
        taken += 1
        reached = walk.ahead == ball
        if reached or taken >= facts.max_steps:
            break
    return Outing(reached, taken, manhattan(walk.position, ball) - 1)


def score_plan(said: ActionList | None, known: Knowledge) -> Score:
    """Success is to stand next to the red ball and face it.

    Metrics, with the plan's length counted in full, also what comes after the ball is reached:
    ``efficiency`` is the expert's length over it, and ``efficiency_optimal`` the true optimum's,
    both only of plans that succeed (the paper's text); ``efficiency_or_zero`` is the first, with
    0 for a failure (the released code). The expert may be longer than the optimum, so that the
    first may exceed 1. ``ball_distance``, ``actions`` and ``unknown_actions`` are of every plan
    that could be read; ``reward`` is minigrid's, for the actions until the ball.
    """
    facts, optimum = known.facts, known.optimum or 0
    metrics = {"optimal_steps": float(optimum), "efficiency_or_zero": 0.0, "reward": 0.0}
    if said is None:
        return Score(_conditions(reached=False), metrics)
    outing = execute(facts, said.actions)
    metrics["ball_distance"] = outing.ball_distance
    metrics["actions"] = float(len(said.actions))
    metrics["unknown_actions"] = float(len(said.unknown))
    if outing.reached:
        length = len(said.actions)
        metrics["efficiency"] = metrics["efficiency_or_zero"] = len(known.expert.actions) / length
        metrics["efficiency_optimal"] = optimum / length
        metrics["reward"] = 1 - _USED_UP * outing.taken / facts.max_steps
        metrics["actions_to_ball"] = float(outing.taken)
    return Score(_conditions(reached=outing.reached), metrics)


def _conditions(*, reached: bool) -> tuple[GoalCondition, ...]:
    return (GoalCondition("red ball reached", reached),)
