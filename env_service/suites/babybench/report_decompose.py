"""What a report on Decompose shows."""

from __future__ import annotations

from env_service.suites.babybench.report_answers import price_items, prompt_items, reading_items
from env_service.suites.babybench.report_keys import (
    DIFFICULTY,
    GRID,
    HELP_ADDED_CLASS,
    HELP_CLASS,
    OBJECTS,
    SKILLS,
    SKILLS_NOTE,
    UNDERSTOOD,
    of_read,
)
from env_service.suites.reporting import (
    EPISODES,
    Bars,
    Curve,
    Field,
    Figure,
    Key,
    Label,
    Measure,
    Profile,
    Quantity,
    ReportDesign,
    Scatter,
    Stacked,
    Table,
    Unit,
    mean,
    metric,
    rate,
)

_CR_FLAG, _PR_FLAG = metric("cr", "CR", Unit.PERCENT), metric("pr", "PR", Unit.PERCENT)
_CR, _PR = rate(_CR_FLAG), rate(_PR_FLAG)
_ACI = mean(metric("aci", "ACI", Unit.PERCENT))
_ACI_ADDED = mean(metric("aci_added", "ACI, translation not counted", Unit.PERCENT))
_HELP = metric("help", "subgoals added")

_SCORES = (_CR, _PR, _ACI)
_NUMBERS = (EPISODES, *_SCORES, mean(_HELP, "help"), UNDERSTOOD)
_ALL_NUMBERS = (
    *_NUMBERS,
    mean(metric("subgoals", "subgoals said")),
    mean(metric("executed_steps", "steps")),
    rate(metric("stuck", "expert stuck")),
)
_MEANT = (
    "CR: the mission is fulfilled, with help or without. PR: without help. ACI: the area under the"
    " assistance curve up to the expert's own help."
)

_COUNTED = (
    "Classes and ACI count the translation of the mission among the expert's subgoals, as the"
    " released code does."
)
_NOT_COUNTED = (
    "Classes and ACI leave the translation of the mission out of the expert's subgoals, as the"
    " paper's words do."
)


def _table(id_: str, title: str, rows: Key, columns: tuple[Measure, ...], note: str) -> Table:
    return Table(id=id_, title=title, rows=rows, columns=columns, total=True, note=note)


def _by_help() -> tuple[Table | Figure, ...]:
    """CR, PR and ACI by the expert's subgoals, in both ways of counting them."""
    counted = (*_SCORES, mean(_HELP, "help"))
    not_counted = (_CR, _PR, _ACI_ADDED, mean(_HELP, "help"))
    ways = (
        ("help", "subgoals of the expert, translation counted", HELP_CLASS, counted, _COUNTED),
        (
            *("help-added", "subgoals that the expert adds, translation not counted"),
            *(HELP_ADDED_CLASS, not_counted, _NOT_COUNTED),
        ),
    )
    return (
        *(
            _table(id_, f"By {title}", key, (EPISODES, *columns), note)
            for id_, title, key, columns, note in ways
        ),
        *(
            Bars(
                id=f"{name}-{id_}",
                title=f"{name.upper()} by {title}",
                by=key,
                measure=measure,
                note=note,
            )
            for id_, title, key, columns, note in ways
            for name, measure in zip(("cr", "pr", "aci"), columns, strict=False)
        ),
    )


def _curve(id_: str, title: str, quantity: Quantity, note: str, *, counted: bool) -> Curve:
    return Curve(id=id_, title=title, quantity=quantity, note=note, counted=counted)


_CURVES: tuple[Table | Figure, ...] = (
    _curve(
        "assistance",
        "Missions fulfilled with at most so many subgoals added",
        _HELP,
        "At 0 it is PR, at its end CR. Answers that could not be read count as not fulfilled.",
        counted=True,
    ),
    _curve(
        "assistance-share",
        "Missions fulfilled with at most such a share of the expert's help",
        metric("help_share", "help over the expert's", Unit.PERCENT),
        "The area under it from 0 to 100 % is ACI.",
        counted=False,
    ),
)

DECOMPOSE = ReportDesign(
    group="level",
    rules="scoring",
    overview=_NUMBERS,
    items=(
        _table("difficulty", "By difficulty", DIFFICULTY, _NUMBERS, _MEANT),
        _table(
            "as-published",
            "Without answers that could not be read",
            DIFFICULTY,
            (EPISODES, UNDERSTOOD, *of_read(_CR_FLAG), *of_read(_PR_FLAG)[:2]),
            "A level mean gives each level the same weight, and has no interval. As published:"
            " under scoring=compat, what the released evaluator has a result for.",
        ),
        _table("skills", "By skill", SKILLS, _NUMBERS, SKILLS_NOTE),
        _table("levels", "By level", Field.GROUP, _ALL_NUMBERS, _MEANT),
        *_CURVES,
        *_by_help(),
        Bars(id="cr-difficulty", title="CR by difficulty", by=DIFFICULTY, measure=_CR),
        Bars(id="aci-difficulty", title="ACI by difficulty", by=DIFFICULTY, measure=_ACI),
        Bars(id="aci-skill", title="ACI by skill", by=SKILLS, measure=_ACI, note=SKILLS_NOTE),
        Bars(id="cr-grid", title="CR by size of the grid", by=GRID, measure=_CR),
        Bars(
            id="cr-obstacles",
            title="CR by keys, balls and boxes in the grid",
            by=OBJECTS,
            measure=_CR,
        ),
        Profile(id="scores", title="CR, PR and ACI", measures=_SCORES, axis="score", note=_MEANT),
        Stacked(
            id="stuck",
            title="Why the expert could not go on with a plan",
            by=Field.AGENT,
            parts=Label("stuck", "why"),
        ),
        Scatter(
            id="help-cr", title="Help and CR", x=mean(_HELP, "subgoals added an episode"), y=_CR
        ),
        *reading_items(),
        *prompt_items(_CR, _PR, _ACI),
        *price_items(_CR),
    ),
)
"""Success is CR: the mission fulfilled, with help or without."""
