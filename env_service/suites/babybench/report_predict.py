"""What a report on Predict shows."""

from __future__ import annotations

from env_service.suites.babybench.report_answers import (
    FORMATTERS,
    price_items,
    prompt_items,
    reading_items,
)
from env_service.suites.babybench.report_keys import (
    DIFFICULTY,
    GRID,
    HELP_ADDED_CLASS,
    HELP_CLASS,
    LENGTH,
    OBJECTS,
    READ,
    SKILLS,
    SKILLS_NOTE,
    UNDERSTOOD,
    of_read,
)
from env_service.suites.babybench.report_published import (
    agents,
    difficulties,
    formatters,
    skills,
)
from env_service.suites.reporting import (
    EPISODES,
    SUCCESS,
    SUCCESS_FLAG,
    Bars,
    Bins,
    Field,
    Figure,
    Histogram,
    Key,
    Only,
    ReportDesign,
    Table,
    mean,
    metric,
    rate,
)

_DISTANCE = metric("distance", "distance")
_ELSEWHERE = Only(Bins(_DISTANCE, (1,)), ("1 and more",))
_WRONG = mean(metric("distance_when_wrong", "distance when wrong"))
_PLACE = rate(metric("position_correct", "place"))
_HEADING = rate(metric("heading_correct", "heading"))

_NUMBERS = (EPISODES, SUCCESS, _PLACE, _HEADING, _WRONG, UNDERSTOOD)
_DISTANCES = (
    mean(_DISTANCE, "of all answers read"),
    mean(metric("distance_when_wrong"), "of wrong states"),
    mean(_DISTANCE, "of wrong places", only=_ELSEWHERE),
    rate(SUCCESS_FLAG, "exact state", only=READ),
    rate(metric("position_correct"), "right place", only=READ),
)


def _bars(id_: str, title: str, by: Key, note: str = "") -> Bars:
    return Bars(id=id_, title=f"Success {title}", by=by, note=note)


_TABLES: tuple[Table | Figure, ...] = (
    Table(
        id="difficulty",
        title="By difficulty",
        rows=DIFFICULTY,
        columns=_NUMBERS,
        total=True,
        note="The paper's Table 3 calls Medium moderate.",
    ),
    Table(
        id="as-published",
        title="Without answers that could not be read, as the paper averages",
        rows=DIFFICULTY,
        columns=(EPISODES, UNDERSTOOD, SUCCESS, *of_read()),
        total=True,
        note=(
            "The published averages seem to be means over levels, from which answers are missing"
            " that end the evaluator. A level mean gives each level the same weight, and has no"
            " interval. As published: under scoring=compat, what the released evaluator has a"
            " result for."
        ),
    ),
    Table(
        id="skills",
        title="By skill",
        rows=SKILLS,
        columns=(EPISODES, SUCCESS, *of_read()[:1], UNDERSTOOD),
        total=True,
        note=SKILLS_NOTE,
    ),
    Table(id="levels", title="By level", rows=Field.GROUP, columns=_NUMBERS, total=True),
    Table(
        id="distances",
        title="Manhattan distance from the true place, in cells",
        rows=DIFFICULTY,
        columns=_DISTANCES,
        total=True,
        note=(
            "The released code takes it of every answer that could be read, the paper's tables of"
            " wrong ones. A right place with a wrong heading is a wrong state at distance 0."
        ),
    ),
)

_FIGURES: tuple[Table | Figure, ...] = (
    _bars("success-difficulty", "by difficulty", DIFFICULTY),
    _bars("success-skill", "by skill", SKILLS, SKILLS_NOTE),
    _bars("success-level", "by level", Field.GROUP),
    _bars("success-grid", "by size of the grid", GRID),
    _bars("success-obstacles", "by keys, balls and boxes in the grid", OBJECTS),
    _bars("success-length", "by length of the action sequence", LENGTH),
    _bars(
        "success-help",
        "by the subgoals that the expert needs",
        HELP_CLASS,
        "Translating the mission counts, as in the released code.",
    ),
    _bars(
        "success-help-added",
        "by the subgoals that the expert adds",
        HELP_ADDED_CLASS,
        "Translating the mission does not count, as in the paper's words.",
    ),
    Histogram(
        id="distances-when-wrong",
        title="Distance of places that are wrong",
        quantity=_DISTANCE,
        only=_ELSEWHERE,
    ),
)

PREDICT = ReportDesign(
    group="level",
    rules="scoring",
    overview=_NUMBERS,
    references=(
        *difficulties("difficulty", SUCCESS.heading, whole=True),
        *difficulties("as-published", of_read()[1].heading),
        *skills("skills", SUCCESS.heading),
        *formatters(FORMATTERS, SUCCESS.heading, _WRONG.heading),
    ),
    agents=agents(),
    items=(
        *_TABLES,
        *_FIGURES,
        *reading_items(),
        *prompt_items(SUCCESS, _PLACE, _WRONG),
        *price_items(),
    ),
)
"""Success is the exact state: place and heading."""
