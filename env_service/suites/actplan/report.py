"""What a report on actplan shows: the paper's tables, and its numbers beside ours."""

from __future__ import annotations

from env_service.suites.actplan.grounding.grounded_plan import Level
from env_service.suites.actplan.plans.plan_reader import RepairKind
from env_service.suites.actplan.report_keys import (
    BY_GOLD_LENGTH,
    BY_LENGTH,
    CIRCUMSTANCE,
    CONDITION,
    CORRECT,
    ERRORS,
    LOST,
    LOST_EPISODES,
    MODALITY,
    PLAN_STEPS,
    VARIANTS,
)
from env_service.suites.actplan.report_tables import (
    AGREEMENT,
    CIRCUMSTANCES_SHARED,
    CORRECTNESS_NOTE,
    PLANS_COMPARED,
    SIZES,
    common_steps,
    correct,
    modalities,
)
from env_service.suites.reporting import (
    COST,
    EPISODES,
    GOAL_CONDITIONS,
    GOALS_GAINED,
    MEDIAN_REPEAT,
    Bars,
    Field,
    Item,
    Label,
    Listing,
    Paired,
    Profile,
    ReportDesign,
    Scatter,
    Stacked,
    Table,
    Unit,
    mean,
    metric,
    rate,
)
from env_service.worlds.activity.commonsense import ViolationKind

SCORES, SCORES_DRAWN, SHOWN = "correctness", "correctness-drawn", "with-and-without-pictures"
"""The tables and the figure that published numbers stand in."""

_PERCENT = Unit.PERCENT
_FEW = 12
"""Rows of 100 activities that a terminal gets."""

_CORRECTNESS: tuple[Item, ...] = (
    Table(
        id=SCORES,
        title="Correct plans (automatic verdict), normal and counterfactual",
        rows=Field.RUN,
        across=VARIANTS,
        columns=(CORRECT,),
        note=CORRECTNESS_NOTE,
    ),
    Bars(
        id=SCORES_DRAWN,
        title="Correct plans by run",
        by=Field.RUN,
        measure=CORRECT,
        series=VARIANTS,
    ),
    Table(
        id="judges",
        title="Verdicts of each judge",
        rows=VARIANTS,
        columns=(
            EPISODES,
            CORRECT,
            *(
                rate(metric(f"goal_{each.name.lower()}"), f"goal, {each.name.lower()}")
                for each in Level
            ),
            mean(metric("goal_share_relaxed", "goal conditions, relaxed", _PERCENT)),
            rate(metric("commonsense"), "no violation"),
        ),
        note=(
            "Goal: the BDDL goal is reached, with names and relations read strictly, names by"
            " meaning, relations as people read them, and one word for several things."
        ),
    ),
    AGREEMENT,
    PLANS_COMPARED,
    Table(
        id="circumstances",
        title="Counterfactual activities by circumstance",
        rows=CIRCUMSTANCE,
        columns=(EPISODES, CORRECT, GOALS_GAINED, GOAL_CONDITIONS),
    ),
)

_PICTURES: tuple[Item, ...] = (
    Table(
        id=SHOWN,
        title="With and without pictures",
        rows=MODALITY,
        across=VARIANTS,
        columns=(CORRECT,),
        note="By what the agent really had: a task without pictures is text under any condition.",
    ),
    Paired(
        id="paired",
        title="Differences on the same tasks",
        by=CONDITION,
        settings=("pictures", "play", "feedback"),
        baseline=(("pictures", "on"), ("play", "plan"), ("feedback", "none")),
    ),
)

_LENGTHS: tuple[Item, ...] = (
    Bars(
        id="by-gold-length",
        title="Correct plans by length of the published plans",
        by=BY_GOLD_LENGTH,
        measure=CORRECT,
    ),
    Bars(id="by-length", title="Correct plans by their length", by=BY_LENGTH, measure=CORRECT),
)

_ERRORS: tuple[Item, ...] = (
    Table(
        id="errors",
        title="Classes of errors",
        rows=ERRORS,
        across=VARIANTS,
        columns=(LOST_EPISODES,),
        only=LOST,
        note=(
            "Of plans that are not correct; one may have several. Image understanding is decided"
            " by the model judge alone."
        ),
    ),
    Stacked(
        id="errors-drawn",
        title="Classes of errors by variant",
        by=VARIANTS,
        parts=ERRORS,
        only=LOST,
        counted="errors told",
    ),
    Profile(
        id="violations",
        title="Violated preconditions",
        measures=tuple(
            mean(metric(f"violation_{each.value}", each.value.replace("_", " ")))
            for each in ViolationKind
        ),
        axis="a plan",
        note="By the commonsense profile of the run.",
    ),
    Profile(
        id="repairs",
        title="Repairs in parsing",
        measures=tuple(
            mean(metric(f"repair_{each.value}", each.value.replace("_", " ")))
            for each in RepairKind
        ),
        axis="a plan",
    ),
)

_REST: tuple[Item, ...] = (
    Table(
        id="plans",
        title="Plans",
        rows=VARIANTS,
        columns=(
            EPISODES,
            mean(PLAN_STEPS),
            mean(metric("unknown_steps", "steps of unknown verbs")),
            mean(metric("unresolved_names", "names of nothing")),
            mean(metric("violations", "violations")),
            mean(metric("repairs", "repairs")),
        ),
    ),
    Table(
        id="activities",
        title="By activity",
        rows=Field.CLUSTER,
        across=VARIANTS,
        columns=(CORRECT,),
        shown=_FEW,
    ),
    SIZES,
    CIRCUMSTANCES_SHARED,
    Table(id="repeats", title="By repeat", rows=Field.REPEAT, columns=(EPISODES, CORRECT)),
    Scatter(id="cost-success", title="Cost and correctness", x=mean(COST, "cost an episode")),
    Listing(
        id="reasons",
        title="Why each plan is not correct",
        columns=(
            Label("condition"),
            Label("variant"),
            Label("errors", "classes of errors"),
            Label("explanation"),
            Label("readings", "names not read literally"),
        ),
        only=LOST,
        note="houseguest actplan explain shows a plan step by step.",
    ),
)

DESIGN = ReportDesign(
    group="variant",
    overview=(
        CORRECT,
        GOALS_GAINED,
        GOAL_CONDITIONS,
        rate(metric("commonsense"), "no violation"),
        MEDIAN_REPEAT,
    ),
    items=(*_CORRECTNESS, *_PICTURES, *_LENGTHS, *_ERRORS, *_REST),
    references=(
        *correct(SCORES),
        *correct(SCORES_DRAWN),
        *modalities(SHOWN),
        *common_steps(),
    ),
)
"""Of runs of actplan."""
