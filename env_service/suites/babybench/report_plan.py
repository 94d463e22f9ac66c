"""What a report on Plan shows."""

from __future__ import annotations

from env_service.suites.babybench.report_answers import price_items, prompt_items, reading_items
from env_service.suites.babybench.report_keys import (
    GRID,
    LENGTH,
    OBSTACLES,
    SIZE,
    UNDERSTOOD,
    of_read,
)
from env_service.suites.reporting import (
    EPISODES,
    SUCCESS,
    Bars,
    Field,
    Figure,
    Histogram,
    Key,
    Measure,
    ReportDesign,
    Scatter,
    Table,
    mean,
    metric,
)

_EFFICIENCY = mean(metric("efficiency", "efficiency"))
_OPTIMAL = metric("efficiency_optimal", "of the optimum")
_NUMBERS = (
    EPISODES,
    SUCCESS,
    _EFFICIENCY,
    mean(_OPTIMAL),
    mean(metric("efficiency_or_zero", "efficiency, failures 0")),
    UNDERSTOOD,
)
_MORE = (
    *_NUMBERS,
    mean(metric("ball_distance", "distance to the ball")),
    mean(metric("unknown_actions", "unknown actions")),
)
_EFFICIENCY_NOTE = (
    "Length of the expert's plan over the agent's, of plans that succeed. The expert counts cells,"
    " not turns, so that it may exceed 1; over the optimum's length it cannot."
)


def _table(id_: str, title: str, rows: Key, columns: tuple[Measure, ...] = _NUMBERS) -> Table:
    return Table(id=id_, title=title, rows=rows, columns=columns, total=True, note=_EFFICIENCY_NOTE)


def _pair(id_: str, title: str, by: Key) -> tuple[Figure, ...]:
    """Success and efficiency by the same key."""
    return (
        Bars(id=f"success-{id_}", title=f"Success by {title}", by=by),
        Bars(
            id=f"efficiency-{id_}",
            title=f"Efficiency by {title}",
            by=by,
            measure=_EFFICIENCY,
            note=_EFFICIENCY_NOTE,
        ),
    )


PLAN = ReportDesign(
    group="room",
    rules="scoring",
    overview=_MORE,
    items=(
        _table("sizes", "By size of the room", SIZE),
        _table("environments", "By size and obstacles", Field.GROUP, _MORE),
        _table("obstacles", "By number of obstacles", OBSTACLES),
        Table(
            id="as-published",
            title="Without answers that could not be read",
            rows=SIZE,
            columns=(EPISODES, UNDERSTOOD, SUCCESS, *of_read()),
            total=True,
            note=(
                "A level mean gives each kind of room the same weight, and has no interval. As"
                " published: under scoring=compat, where a plan without actions counts."
            ),
        ),
        *_pair("environment", "size and obstacles", Field.GROUP),
        *_pair("size", "size of the room", SIZE),
        *_pair("obstacles", "number of obstacles", OBSTACLES),
        Bars(id="success-grid", title="Success by size of the grid", by=GRID),
        Bars(id="success-length", title="Success by length of the expert's plan", by=LENGTH),
        Histogram(
            id="efficiencies", title="Length of the optimum over the plan's", quantity=_OPTIMAL
        ),
        Scatter(id="efficiency-success", title="Efficiency and success", x=_EFFICIENCY, y=SUCCESS),
        *reading_items(),
        *prompt_items(SUCCESS, _EFFICIENCY),
        *price_items(),
    ),
)
"""Success is to stand next to the red ball and face it."""
