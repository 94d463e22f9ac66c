"""A report on ActPlan runs: its keys and measures, its tables and figures, and the paper's numbers
next to ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from env_service.domain.task import TaskSet
from env_service.suites.actplan.dataset.statistics import (
    CIRCUMSTANCES,
    INSTANCES,
    NOTE,
    SOURCE,
    STEPS,
    TaskCounts,
    task_statistics,
)
from env_service.suites.actplan.grounding.grounded_plan import Level
from env_service.suites.actplan.judges.agreement import MeasuredAgreement, measured
from env_service.suites.actplan.judges.judgement import ErrorClass
from env_service.suites.actplan.lcs.plan_pairs import (
    LENGTH,
    MEAN_NORMALISED,
    NORMALISED,
    SCORED_INSTANCES,
    SCORES,
    number,
)
from env_service.suites.actplan.lcs.scorer import PUBLISHED, Mode
from env_service.suites.actplan.plans.plan_reader import RepairKind
from env_service.suites.actplan.scoring import LISTED, error_name
from env_service.suites.actplan.task import Circumstance, Variant
from env_service.suites.actplan.task_sets import PUBLISHED_SETS, gold_steps
from env_service.suites.reporting import (
    COST,
    EPISODES,
    FAILED,
    GOAL_CONDITIONS,
    GOALS_GAINED,
    MEDIAN_REPEAT,
    SUCCESS_FLAG,
    Afterwards,
    Bars,
    Bins,
    Classes,
    FactRow,
    Field,
    Item,
    Label,
    Listing,
    Measure,
    Only,
    Paired,
    Profile,
    Reference,
    ReportDesign,
    Scatter,
    Stacked,
    Statistic,
    Table,
    TaskFacts,
    Unit,
    added,
    mean,
    metric,
    rate,
    ratio,
    task_number,
    total,
)
from env_service.worlds.activity.commonsense import ViolationKind

NORMAL, COUNTERFACTUAL, TOTAL = "normal", "counterfactual", "total"

CORRECT = rate(SUCCESS_FLAG, "correct (automatic)")
"""The judge ``correct``'s verdict; never called the paper's correctness, which people decided."""

CONDITION = Label("condition", "condition", condition=True)

VARIANTS = Classes(
    Label("variant"),
    "variant",
    (
        (NORMAL, (NORMAL,)),
        (COUNTERFACTUAL, (COUNTERFACTUAL,)),
        (TOTAL, (NORMAL, COUNTERFACTUAL)),
    ),
)
"""The columns of the paper's Table 3."""

MODALITY = Label("modality", "shown")
CIRCUMSTANCE = Classes(
    Label("circumstance"),
    "circumstance",
    tuple(
        (each.value.replace("_", " "), (each.value,))
        for each in (Circumstance.PROPERTY, Circumstance.FUNCTION, Circumstance.CAUSALITY)
    ),
)
"""Of counterfactuals (paper, Fig. 4)."""

LOST = Only(Field.RESULT, (FAILED,))
LOST_EPISODES = Measure(Statistic.EPISODES, "not correct")

ERRORS = Classes(
    Label("errors", separator=LISTED),
    "class of error",
    tuple((error_name(each), (error_name(each),)) for each in ErrorClass),
)

PLAN_STEPS = metric("plan_steps", "steps of the plan")
GOLD_STEPS = task_number("gold_steps", gold_steps, "mean steps of the published plans")
"""Looked up where the report is made: tasks and episodes know of no gold plan."""
BY_LENGTH = Bins(PLAN_STEPS, (10, 20, 30, 40, 50, 60))
BY_GOLD_LENGTH = Bins(GOLD_STEPS, (10, 20, 30, 40, 50, 60))


# --- The paper's numbers, for comparison (docs/actplan.md, Differences from the publication)

_PAPER = "ActPlan-1K"
_WORLD = "iGibson"
_RULES = "human judgement"

_CORRECT: Mapping[str, Mapping[str, tuple[float, int]]] = {
    "GPT-4V": {NORMAL: (0.291, 275), COUNTERFACTUAL: (0.094, 127), TOTAL: (0.223, 402)},
    "Gemini-Pro-1.5": {NORMAL: (0.320, 275), COUNTERFACTUAL: (0.228, 127), TOTAL: (0.291, 402)},
}
"""Table 3: shares of plans that people called correct, and of how many."""

CORRECTNESS_NOTE = (
    "Published: people's judgements of the plans of 402 instances. The automatic verdict is another"
    " measure; the table of judges shows how far the two agree. GPT-4V's published total does"
    " not follow from its two parts, which give 22.9 %."
)


def correct(table: str) -> tuple[Reference, ...]:
    """Table 3, in a table or in bars that have variants for columns."""
    return tuple(
        Reference(
            table=table,
            row="",
            column=column,
            value=value,
            n=count,
            source=f"{_PAPER}, Table 3, human judgement",
            world=_WORLD,
            rules=_RULES,
            agent=agent,
        )
        for agent, values in _CORRECT.items()
        for column, (value, count) in values.items()
    )


_WITHOUT_PICTURES: Mapping[str, float] = {"pictures": 0.367, "text": 0.267}
"""Tables 6 and 7: Gemini-Pro-1.5 on 60 activities, 40 of them normal."""


def modalities(table: str) -> tuple[Reference, ...]:
    """Tables 6 and 7, in a table that has for rows what was shown."""
    return tuple(
        Reference(
            table=table,
            row=shown,
            column=TOTAL,
            value=value,
            n=60,
            source=f"{_PAPER}, Tables 6 and 7, human judgement, 40 normal and 20 counterfactual",
            world=_WORLD,
            rules=_RULES,
            agent="Gemini-Pro-1.5",
        )
        for shown, value in _WITHOUT_PICTURES.items()
    )


@dataclass(frozen=True, slots=True)
class PublishedJudge:
    """How a learned judge of the paper agrees with people on one model's plans (Table 5).
    ``constant``: the accuracy of calling every plan wrong, by those labels (docs/actplan.md,
    Judges)."""

    judge: str
    plans: str
    split: str
    matthews: float | None
    constant: float
    accuracy: float


LEARNED: tuple[PublishedJudge, ...] = (
    PublishedJudge("BLEURT-large, fine-tuned", "GPT-4V", "val", 0.367, 0.778, 0.815),
    PublishedJudge("BLEURT-large, fine-tuned", "Gemini-Pro-1.5", "val", 0.321, 0.716, 0.753),
    PublishedJudge("BLEURT-large, fine-tuned", "GPT-4V", "test", None, 0.802, 0.802),
    PublishedJudge("BLEURT-large, fine-tuned", "Gemini-Pro-1.5", "test", None, 0.802, 0.765),
    PublishedJudge("BLEURT-base, fine-tuned", "GPT-4V", "test", None, 0.802, 0.654),
    PublishedJudge("BLEURT-base, fine-tuned", "Gemini-Pro-1.5", "test", None, 0.802, 0.704),
)
"""Table 5, as far as known."""

LEARNED_SOURCE = f"{_PAPER}, Table 5"


def _sizes(task_set: TaskSet) -> Sequence[FactRow]:
    counts = task_statistics(task_set, gold_steps(task_set.name)).counts
    ours = [_size(variant.value if variant else "total", each) for variant, each in counts.items()]
    nothing = (None, None, None)
    published = [
        FactRow((each.value, float(INSTANCES[each]), *nothing, STEPS[each], None), SOURCE)
        for each in Variant
    ]
    return [*ours, *published]


def _size(name: str, counts: TaskCounts) -> FactRow:
    means = (counts.objects.mean, counts.gold_steps.mean, counts.words.mean)
    numbers = (counts.tasks, counts.pictured, counts.activities)
    return FactRow((name, *map(float, numbers), *means))


def _shares(task_set: TaskSet) -> Sequence[FactRow]:
    found = task_statistics(task_set, {}).circumstances
    if not found:
        return []
    total = sum(found.values())
    named = [each for each in Circumstance if each is not Circumstance.NONE]
    ours = [FactRow((_name(each), found.get(each, 0) / total)) for each in named]
    return [*ours, *(FactRow((_name(each), CIRCUMSTANCES[each]), SOURCE) for each in named)]


def _name(circumstance: Circumstance) -> str:
    return circumstance.value.replace("_", " ")


SIZES = TaskFacts(
    id="tasks",
    title="Statistics of the tasks",
    columns=(
        ("variant", None),
        ("tasks", Unit.NUMBER),
        ("with pictures", Unit.NUMBER),
        ("activities", Unit.NUMBER),
        ("objects", Unit.NUMBER),
        ("steps of gold plans", Unit.NUMBER),
        ("words", Unit.NUMBER),
    ),
    rows=_sizes,
    note=f"Objects, steps and words are means. {NOTE}",
)
CIRCUMSTANCES_SHARED = TaskFacts(
    id="circumstances-shared",
    title="Circumstances of counterfactual problems",
    columns=(("circumstance", None), ("share", Unit.PERCENT)),
    rows=_shares,
)


# --- How far judges agree with people: the paper's Table 5, and ours

_MODELS = {"gpt-4v": "GPT-4V", "gemini": "Gemini-Pro-1.5"}
_SPLITS = ("val", "train")
"""Judges were tuned on train: val is what counts."""


def _rows(task_set: TaskSet) -> Sequence[FactRow]:
    """The same for every task set: it is the judges that were measured."""
    del task_set
    ours = [_row(each) for split in _SPLITS for each in measured() if each.split == split]
    published = [
        FactRow(
            (
                *(each.judge, each.plans, each.split, None, each.matthews, None),
                *(each.constant, each.accuracy),
            ),
            LEARNED_SOURCE,
        )
        for each in LEARNED
    ]
    return [*ours, *published]


def _row(row: MeasuredAgreement) -> FactRow:
    found = row.confusion
    plans = _MODELS.get(row.model, row.model)
    interval = f"{row.interval.low:.2f} to {row.interval.high:.2f}"
    shares = (found.baseline, found.accuracy)
    return FactRow((row.judge, plans, row.split, found.count, found.mcc, interval, *shares))


AGREEMENT = TaskFacts(
    id="agreement",
    title="Agreement of judges with people",
    columns=(
        ("judge", None),
        ("plans of", None),
        ("split", None),
        ("plans", Unit.NUMBER),
        ("Matthews correlation", Unit.NUMBER),
        ("95 %", None),
        ("constant answer", Unit.PERCENT),
        ("accuracy", Unit.PERCENT),
    ),
    rows=_rows,
    note=(
        "Measured on published plans that people judged, not on these runs. The judge correct was"
        " tuned on train. Intervals: resampled by activity. Constant answer: the accuracy of"
        " always giving the most common answer; compare each accuracy with it."
    ),
)


# --- What plans have in common with gold plans: the paper's Table 4, of scores made after a run

COMMON = "common-steps"
"""The table."""
COMMAND = "houseguest actplan lcs"


_INSTANCES = 402
_COMPARED = "instances"
_AS_PUBLISHED = ("LCS (compat)", "normalised (compat)")


def _mean(mode: Mode, name: str, heading: str, unit: Unit = Unit.NUMBER) -> Measure:
    """Over instances: a plan for a problem counts once for each scene, as in the paper."""
    return ratio(
        added(SCORES, number(mode, name), unit=unit),
        added(SCORES, number(mode, SCORED_INSTANCES)),
        heading=heading,
    )


PLANS_COMPARED = Table(
    id=COMMON,
    title="Steps in common with gold plans (LCS)",
    rows=VARIANTS,
    columns=(
        total(added(SCORES, number(Mode.COMPAT, SCORED_INSTANCES)), _COMPARED),
        _mean(Mode.COMPAT, LENGTH, _AS_PUBLISHED[0]),
        _mean(Mode.COMPAT, NORMALISED, _AS_PUBLISHED[1], Unit.PERCENT),
        _mean(Mode.CLEAN, LENGTH, "LCS (clean)"),
        _mean(Mode.CLEAN, NORMALISED, "normalised (clean)", Unit.PERCENT),
        _mean(Mode.CLEAN, MEAN_NORMALISED, "mean of golds (clean)", Unit.PERCENT),
    ),
    note=(
        "The longest common subsequence of steps, and its share of the longer plan; not a verdict."
        " Compat: as in the published script, against one gold plan. Clean: against the more"
        " similar of both. People edited the golds from the published models' answers."
    ),
    afterwards=Afterwards(SCORES, COMMAND, PUBLISHED_SETS),
)


def common_steps() -> tuple[Reference, ...]:
    """Table 4 as far as known: of all instances, as the published script scores them."""
    return tuple(
        Reference(
            table=COMMON,
            row=TOTAL,
            column=column,
            value=value,
            n=_INSTANCES,
            source="ActPlan-1K, Table 4",
            world="iGibson",
            rules="the published script's",
            agent=_MODELS[model],
        )
        for model, values in PUBLISHED.items()
        for column, value in ((_COMPARED, _INSTANCES), *zip(_AS_PUBLISHED, values, strict=True))
    )


# --- The report's design


CORRECTNESS, SCORES_DRAWN, SHOWN = "correctness", "correctness-drawn", "with-and-without-pictures"
"""The tables and the figure that published numbers stand in."""

_PERCENT = Unit.PERCENT
_FEW = 12
"""Rows of 100 activities that a terminal gets."""

_CORRECTNESS: tuple[Item, ...] = (
    Table(
        id=CORRECTNESS,
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
        note="Rows show what the agent received: a task without pictures counts as text.",
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
            "For plans that are not correct; a plan may have several. Only the model judge decides"
            " on image understanding."
        ),
    ),
    Stacked(
        id="errors-drawn",
        title="Classes of errors by variant",
        by=VARIANTS,
        parts=ERRORS,
        only=LOST,
        counted="errors found",
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
    Scatter(id="cost-success", title="Cost and correctness", x=mean(COST, "cost per episode")),
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
        *correct(CORRECTNESS),
        *correct(SCORES_DRAWN),
        *modalities(SHOWN),
        *common_steps(),
    ),
)
"""Of runs of actplan."""
