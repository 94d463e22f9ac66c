"""What a report on asgard shows: the paper's tables and figures, and its numbers beside ours."""

from __future__ import annotations

from env_service.suites.asgard.limits import Ending
from env_service.suites.asgard.tally import CATEGORIES, TURN_SHARES, category_metric
from env_service.suites.reporting import (
    EPISODES,
    GOAL_CONDITIONS,
    MEDIAN_REPEAT,
    STEPS,
    SUCCEEDED,
    SUCCESS,
    Bars,
    Chosen,
    Field,
    Histogram,
    Label,
    Measure,
    Only,
    Reference,
    ReportDesign,
    Stacked,
    Table,
    Unit,
    common_design,
    mean,
    metric,
    rate,
    share,
)

SCORES = "conditions"
"""The table that the published scores stand in."""

_CONDITION = Label("condition", "condition")
_ENDING = Label("ending", "ending")
_VARIATION = Label("variation", "variation")
_WON = Only(Field.RESULT, (SUCCEEDED,))
_GAINED = metric("goals_gained", "goals gained", Unit.PERCENT)
_RATIO = metric("step_ratio", "steps over published")
_EXTENDED = metric("extended", "limit extended", Unit.PERCENT)

_PUBLISHED = (
    ("Claude Opus 4.5", 0.765, 0.361),
    ("Gemini 3 Pro", 0.725, 0.352),
    ("GPT-5.2", 0.713, 0.250),
    ("Kimi-K2.5", 0.688, 0.219),
    ("Qwen3-VL-235B", 0.324, 0.139),
    ("GLM-4.6V", 0.306, 0.083),
    ("GPT-4o", 0.234, 0.042),
    ("Mistral-Large-3", 0.074, 0.079),
    ("Llama-4 Maverick", 0.058, 0.067),
)
"""Median success of baseline and of text only with simple feedback (spec section 5.9)."""

_ONE_RUN = "GPT-5.2"
"""Of this agent the paper has one run; the others' numbers are medians."""


def _references() -> tuple[Reference, ...]:
    columns = ("baseline", "text-only-simple")
    return tuple(
        Reference(
            table=SCORES,
            row="",
            column=column,
            value=value,
            n=None,
            source=f"arXiv 2603.15888, Table 6 ({'one run' if agent == _ONE_RUN else 'median'})",
            world="ai2thor",
            agent=agent,
        )
        for agent, *values in _PUBLISHED
        for column, value in zip(columns, values, strict=True)
    )


def _turns() -> tuple[Measure, ...]:
    names = dict.fromkeys(TURN_SHARES.values())
    return tuple(
        mean(metric(name, name.removesuffix("_turns").replace("_", " "), Unit.PERCENT))
        for name in names
    )


def _undoable() -> tuple[Measure, ...]:
    return tuple(mean(metric(category_metric(each), each)) for each in CATEGORIES)


def _endings() -> tuple[Measure, ...]:
    failures = [each.value for each in Ending if each is not Ending.SUCCESS]
    return tuple(share(_ENDING, each, heading=each) for each in failures)


_COMMON = common_design("task type")

DESIGN = ReportDesign(
    group="task type",
    references=_references(),
    items=(
        Table(
            id=SCORES,
            title="Success by condition",
            rows=Field.AGENT,
            across=_CONDITION,
            columns=(MEDIAN_REPEAT, SUCCESS),
            note=(
                "Conditions by the paper's names. The paper's scores are medians over runs, played"
                " by the released code's rules; see the setting rules for those of a run here."
            ),
        ),
        *_COMMON.items,
        Table(
            id="variations",
            title="By variation of the task",
            rows=_VARIATION,
            columns=(EPISODES, SUCCESS, mean(_GAINED)),
            note="(d) marks what is dirty at the start.",
        ),
        Bars(
            id="pictures",
            title="With pictures, and text only",
            by=Chosen("text_only"),
            series=Field.AGENT,
        ),
        Bars(
            id="feedback",
            title="Success by feedback",
            by=Chosen("feedback"),
            series=Chosen("text_only"),
            note="Side by side: text only off and on.",
        ),
        Table(
            id="progress",
            title="How far episodes come",
            rows=Field.AGENT,
            columns=(
                SUCCESS,
                GOAL_CONDITIONS,
                mean(_GAINED),
                mean(STEPS),
                mean(_RATIO, "steps over published, of a success", only=_WON),
                rate(_EXTENDED),
                rate(_EXTENDED, "of a success", only=_WON),
            ),
            note=(
                "Goal conditions count those that hold from the start, as in the paper; goals"
                " gained leaves them out."
            ),
        ),
        Table(
            id="terminations",
            title="What ended episodes that did not succeed",
            rows=Field.AGENT,
            columns=(EPISODES, SUCCESS, *_endings()),
        ),
        Stacked(
            id="terminations-by-condition",
            title="How episodes ended, by condition",
            by=_CONDITION,
            parts=_ENDING,
        ),
        Table(
            id="turns",
            title="What turns came to",
            rows=Field.AGENT,
            columns=_turns(),
            note="Means over episodes of each episode's share; each turn counts once.",
        ),
        Table(
            id="turns-by-task-type",
            title="What turns came to, by task type",
            rows=Field.GROUP,
            columns=_turns(),
            total=True,
        ),
        Table(
            id="undoable",
            title="Why turns could not be done",
            rows=Field.AGENT,
            columns=_undoable(),
            note="Turns an episode.",
        ),
        Histogram(
            id="step-ratios",
            title="Steps over those of the published solution",
            quantity=metric("step_ratio", "steps over published"),
            only=_WON,
        ),
    ),
)
