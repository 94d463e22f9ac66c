"""A task of actplan that needs no data: two candles and a basket, in a kitchen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from env_service.domain.action import Text
from env_service.domain.episode import EpisodeResult, FinishReason
from env_service.domain.observation import ObservationRequest
from env_service.suites.actplan.episode import ActPlanEpisode
from env_service.suites.actplan.suite import ActPlanSuite
from env_service.suites.actplan.task import ActPlanTask, Variant, make_task
from env_service.suites.base import EpisodeOrder
from env_service.suites.selection import settle_condition

PROBLEM = """
(define (problem lighting_0) (:domain igibson)
  (:objects candle.n.01_1 candle.n.01_2 - candle.n.01 basket.n.01_1 - basket.n.01
    table.n.02_1 - table.n.02 cabinet.n.01_1 - cabinet.n.01 floor.n.01_1 - floor.n.01
    agent.n.01_1 - agent.n.01)
  (:init (ontop candle.n.01_1 table.n.02_1) (inside candle.n.01_2 cabinet.n.01_1)
    (onfloor basket.n.01_1 floor.n.01_1) (inroom table.n.02_1 kitchen)
    (inroom cabinet.n.01_1 kitchen) (inroom floor.n.01_1 kitchen)
    (onfloor agent.n.01_1 floor.n.01_1))
  (:goal (forall (?candle.n.01 - candle.n.01) (inside ?candle.n.01 ?basket.n.01_1))))
"""

STEPS = (
    "walk_to(table)",
    "grab(candle_1)",
    "walk_to(basket)",
    "place_inside(basket, candle_1)",
    "walk_to(cabinet)",
    "open(cabinet)",
    "grab(candle_2)",
    "walk_to(basket)",
    "place_inside(basket, candle_2)",
)
"""A plan that is right."""


def candles(**changes: Any) -> ActPlanTask:
    """The task."""
    facts: dict[str, Any] = {
        "id": "lighting/0",
        "activity": "lighting",
        "variant": Variant.NORMAL,
        "problem": PROBLEM,
        "description": "Put both candles into the basket.",
        **changes,
    }
    return ActPlanTask(**facts)


def order(condition: Mapping[str, str] | None = None, **changes: Any) -> EpisodeOrder:
    """An order to play it, without pictures."""
    settled = settle_condition(ActPlanSuite(), condition or {})
    request = ObservationRequest(text=True)
    return EpisodeOrder(make_task(candles(**changes)), "activity", settled, request, 0)


def played(plan: str, condition: Mapping[str, str] | None = None, **changes: Any) -> EpisodeResult:
    """What a whole plan came to."""
    episode = ActPlanEpisode(order(condition, **changes))
    episode.start()
    episode.act(Text(plan))
    return episode.finish(FinishReason.OVER)
