"""Predict: how far the said state is from the true one (spec section 6.1)."""

from __future__ import annotations

from env_service.domain.episode import GoalCondition
from env_service.suites.babybench.answers.reading import State
from env_service.suites.babybench.scoring.score import Score
from env_service.worlds.babyai.state import Position


def score_state(said: State | None, truth: State) -> Score:
    """Success is the exact state: place and heading.

    Metrics: ``position_correct`` and ``heading_correct``, 0 or 1; ``distance``, in cells by the
    Manhattan metric whatever the heading is, of every answer that could be read; and
    ``distance_when_wrong``, the same of those that are not exact.
    """
    if said is None:
        return Score(_conditions(position=False, heading=False), _metrics(0, 0))
    position, heading = said.position == truth.position, said.heading == truth.heading
    metrics = _metrics(position, heading)
    metrics["distance"] = manhattan(said.position, truth.position)
    if not (position and heading):
        metrics["distance_when_wrong"] = metrics["distance"]
    return Score(_conditions(position=position, heading=heading), metrics)


def manhattan(one: Position, other: Position) -> float:
    """The distance in cells, without diagonals."""
    return float(abs(one[0] - other[0]) + abs(one[1] - other[1]))


def _metrics(position: float, heading: float) -> dict[str, float]:
    return {"position_correct": float(position), "heading_correct": float(heading)}


def _conditions(*, position: bool, heading: bool) -> tuple[GoalCondition, ...]:
    return (GoalCondition("position", position), GoalCondition("heading", heading))
