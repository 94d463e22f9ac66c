"""What a report on alfred shows: the paper's tables, why episodes failed, and a plan as its
steps were said.
"""

from __future__ import annotations

from dataclasses import replace

from env_service.domain.action import Action
from env_service.suites.alfred.report_commands import ERRORS_FOUND, VARIETY
from env_service.suites.alfred.report_keys import (
    BY_POOLED_WORDING,
    BY_WORDING,
    CODES,
    CONDITION,
    FIRST_CODE,
    LOST,
    LOST_EPISODES,
    PLAIN,
    TYPES,
    WORDINGS,
    type_shares,
)
from env_service.suites.alfred.report_published import NOTE, failures, success
from env_service.suites.alfred.skills.plan_reader import read_plan
from env_service.suites.reporting import (
    COST,
    EPISODES,
    GOALS_GAINED,
    MEDIAN_REPEAT,
    SUCCESS,
    ActionTree,
    Bars,
    Bins,
    Curve,
    Field,
    GoalsMet,
    Item,
    Label,
    Listing,
    Only,
    Paired,
    ReportDesign,
    Scatter,
    Stacked,
    Table,
    Unit,
    mean,
    metric,
    rate,
    share,
)

# --- Why episodes failed: the paper's types (its Table 4), and more closely

FAILURES = "failure-types"
"""The table that the published shares stand in."""

_LABELS = (
    "Shares of all types assigned to failed episodes. An episode may have several types; rows sum"
    " to 100 %, except for rounding. A replay of the plan in which nothing fails for geometry, and"
    " a comparison of command, plan and goal, decide the type."
)


def failure_items() -> tuple[Item, ...]:
    """Tables and figures, and the reason of each failure."""
    return (*_types(), *_codes(), _REASONS)


def _types() -> tuple[Item, ...]:
    return (
        Table(
            id=FAILURES,
            title="Types of failures by wording",
            rows=BY_POOLED_WORDING,
            columns=(LOST_EPISODES, *type_shares()),
            only=LOST,
            note=_LABELS,
        ),
        Stacked(
            id="failure-types-drawn",
            title="Shares of the types of failures, by wording",
            by=BY_POOLED_WORDING,
            parts=TYPES,
            only=LOST,
            counted="types",
        ),
        Stacked(
            id="failure-types-by-task-type",
            title="Shares of the types of failures, by task type",
            by=Field.GROUP,
            parts=TYPES,
            only=LOST,
            counted="types",
        ),
    )


def _codes() -> tuple[Item, ...]:
    return (
        Table(
            id="failure-codes",
            title="Failures by wording",
            rows=CODES,
            across=BY_WORDING,
            columns=(LOST_EPISODES,),
            only=LOST,
            note="Failed episodes; one may have several reasons.",
        ),
        Stacked(
            id="failure-codes-by-wording",
            title="First failure by wording",
            by=BY_WORDING,
            parts=FIRST_CODE,
            only=LOST,
            counted="failed episodes",
        ),
        Stacked(
            id="failure-codes-by-task-type",
            title="First failure by task type",
            by=Field.GROUP,
            parts=FIRST_CODE,
            only=LOST,
            counted="failed episodes",
        ),
    )


_REASONS = Listing(
    id="reasons",
    title="Why each episode failed",
    columns=(
        Label("condition", "wording"),
        Label("command"),
        Label("failure_types", "types"),
        Label("failure_codes", "what failed"),
        Label("explanation"),
    ),
    only=LOST,
    note=(
        "Types: 1 misleading command, 2 action failure, 3 plan failure. The actions of each"
        " episode are in its run's transcripts."
    ),
)


# --- A plan as a report shows it: the steps that were said, whether they are skills or not


def plan_as_read(action: Action) -> tuple[str, ...]:
    """Each step to the first "done"; or the problem with an answer that is not a plan."""
    reading = read_plan(action)
    if reading.problem is not None:
        return (f"({reading.problem.value.replace('_', ' ')})",)
    return tuple(said for said, _ in reading.steps)


SCORES, SCORES_DRAWN = "wordings", "success-by-wording"
"""The table and the figure that the published scores stand in."""

GOALS = GoalsMet("goal-condition success", "ALFRED")
"""Of ALFRED's evaluator (docs/alfred.md, "Scores")."""

_WEIGHTED = mean(metric("path_weighted_success", "path-weighted success", Unit.PERCENT))
_PLAN_STEPS = metric("plan_steps", "steps of the plan")
_REFERENCE = metric("reference_steps", "steps of the reference plan")
_PROBLEMS = metric("not_reproduced", "things not as in the task")
_INEXACT = share(Bins(_PROBLEMS, (1,)), "1 and more", heading="set-ups not exact")

_BY_WORDING: tuple[Item, ...] = (
    Table(
        id=SCORES,
        title="Success by wording",
        rows=Field.AGENT,
        across=BY_WORDING,
        columns=(SUCCESS,),
        note=f"Runs with other settings changed stand apart. {NOTE}",
    ),
    Bars(
        id=SCORES_DRAWN,
        title="Success by agent and wording",
        by=Field.AGENT,
        series=PLAIN,
        only=Only(CONDITION, WORDINGS),
        note="Of runs with all other settings as they are by default.",
    ),
    Paired(
        id="paired",
        title="Differences between wordings on the same tasks",
        by=CONDITION,
        settings=("wording", "ask"),
        baseline=(("wording", "B"), ("ask", "off")),
    ),
)

_BY_TYPE: tuple[Item, ...] = (
    Table(
        id="types",
        title="Success by task type and wording",
        rows=Field.GROUP,
        across=BY_WORDING,
        columns=(SUCCESS,),
        total=True,
    ),
    Bars(id="success", title="Success by task type", by=Field.GROUP),
    Bars(
        id="by-length",
        title="Success by length of the reference plan",
        by=Bins(_REFERENCE, (6, 9, 12, 15, 18, 21)),
        note="ALFRED's own plan, converted to skills.",
    ),
)

_PLANS: tuple[Item, ...] = (
    Table(
        id="plans",
        title="Progress of plans",
        rows=BY_WORDING,
        columns=(
            EPISODES,
            GOALS_GAINED,
            GOALS.measure,
            _WEIGHTED,
            mean(metric("path_weighted_goals", f"path-weighted {GOALS.name}", Unit.PERCENT)),
        ),
        note=("Path-weighted: times the steps of the reference plan over those taken, at most 1."),
    ),
    Table(
        id="steps",
        title="Steps of plans",
        rows=BY_WORDING,
        columns=(
            mean(_PLAN_STEPS),
            mean(_REFERENCE),
            mean(metric("failed_steps", "steps that failed", Unit.PERCENT)),
            mean(metric("unknown_steps", "steps that name no skill", Unit.PERCENT)),
            rate(metric("asked", "asked a question", Unit.PERCENT)),
        ),
        note="Steps that failed, and that name no skill: means of the episodes' shares.",
    ),
    Curve(
        id="within-steps",
        title="Success within a number of plan steps",
        quantity=_PLAN_STEPS,
        counted=True,
    ),
    Stacked(id="endings", title="Results of episodes", by=BY_WORDING, parts=Field.FAILURE),
)

_REST: tuple[Item, ...] = (
    Table(
        id="set-ups",
        title="Accuracy of the set-ups",
        rows=Field.RUN,
        columns=(
            EPISODES,
            _INEXACT,
            mean(_PROBLEMS, "things an episode"),
            mean(metric("astray", "agent astray, m")),
        ),
        note=(
            "Trajectories were recorded in an earlier version of the simulator. Not exact: a thing"
            " lies elsewhere, is missing or could not be switched."
        ),
    ),
    Table(
        id="repeats",
        title="By repeat",
        rows=Field.REPEAT,
        columns=(EPISODES, SUCCESS, GOALS_GAINED, GOALS.measure),
    ),
    Scatter(id="cost-success", title="Cost and success", x=mean(COST, "cost an episode")),
    ActionTree(id="tree", title="Action tree for one command", words=plan_as_read),
)

_DRAWN = ReportDesign(
    group="task type",
    goals=GOALS,
    rules="rules",
    overview=(
        EPISODES,
        SUCCESS,
        MEDIAN_REPEAT,
        GOALS_GAINED,
        GOALS.measure,
        _WEIGHTED,
        mean(_PLAN_STEPS),
        mean(COST, "cost an episode"),
    ),
    paired_by=Label("trial", "task"),
    items=(*_BY_WORDING, *_BY_TYPE, *failure_items(), *_PLANS, *_REST),
)
"""For built-in tasks, which have no published results."""

_RECORDED = _DRAWN.plus(VARIETY, ERRORS_FOUND)

DESIGN = replace(
    _RECORDED,
    references=(*success(SCORES), *success(SCORES_DRAWN), *failures(FAILURES)),
    by_task_set={
        "builtin*": _DRAWN,
        "valid_unseen*": replace(_RECORDED, references=failures(FAILURES)),
    },
)
"""Table 3 is of valid_seen alone; of Table 4 that is not said."""
