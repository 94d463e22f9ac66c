"""All judges that need no model, on one plan or on many: whether its steps make sense, whether
it is correct, and what is wrong with it by the classes of the paper's Figure 6.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap

from env_service.suites.actplan.activity import Activity, AssertionKind
from env_service.suites.actplan.grounding.grounded_plan import Level
from env_service.suites.actplan.grounding.grounder import ground
from env_service.suites.actplan.judges.assertions import asked_of, checked
from env_service.suites.actplan.judges.execution import Execution, carry_out, fare, reached_by
from env_service.suites.actplan.judges.judgement import Condition, ErrorClass, Judgement
from env_service.suites.actplan.overlay.understand import understand
from env_service.suites.actplan.plans.plan_reader import (
    PlanProblem,
    ReadPlan,
    RepairKind,
    read_plan,
)
from env_service.suites.actplan.task import ActPlanTask
from env_service.suites.process_pool import process_pool
from env_service.worlds.activity.bddl.expressions import Expression
from env_service.worlds.activity.commonsense import CommonsenseProfile, Violation, ViolationKind


def judge(activity: Activity, plan: ReadPlan, profile: CommonsenseProfile) -> Judgement:
    """Judges a plan for an activity. Never raises for what a plan says.

    ``profile`` is that of the judge ``commonsense`` alone: `correct` has its own.
    """
    runs = {level: _run(activity, plan, level, PROFILE) for level in Level}
    run = runs[CRITERIA.level]
    conditions = conditions_of(activity, plan, run)
    correct = all(each.met for each in conditions)
    return Judgement(
        goals=tuple(reached_by(activity, each) for each in runs.values()),
        profile=profile.name,
        violations=carry_out(activity, run.plan, run.level, profile).violations,
        assertions=checked(activity, run),
        correct=correct,
        conditions=conditions,
        errors=() if correct else errors_of(activity, plan, run),
        trace=run.trace,
        repairs=(*plan.repairs, *run.plan.repairs),
    )


def _run(
    activity: Activity, plan: ReadPlan, level: Level, profile: CommonsenseProfile
) -> Execution:
    return carry_out(activity, ground(activity, plan, level), level, profile)


# --- The judge ``correct``: the automatic correctness verdict

PROFILE = CommonsenseProfile("correct")
"""By which preconditions count, whatever profile the judge ``commonsense`` is asked for: the
agreement with people was measured under this one."""


@dataclass(frozen=True, slots=True)
class Bound:
    """So many steps may violate preconditions of these classes."""

    kinds: frozenset[ViolationKind]
    most: int
    text: str


@dataclass(frozen=True, slots=True)
class Criteria:
    """What makes a plan correct, beside the goal.

    Attributes:
        level: how freely names and conditions are read.
        bounds: on violated preconditions.
        assertions: whether the overlay's constraints count.
        asked: whether the goal is what the description asks for, else the definition's own.
        forms: what no correct plan has.
    """

    level: Level
    bounds: tuple[Bound, ...]
    assertions: bool
    asked: bool
    forms: frozenset[PlanProblem]


REACHING = Bound(
    frozenset({ViolationKind.NOT_NEAR}), 1, "the agent walks to what it handles, but for one lapse"
)
"""Of all preconditions the one that people mind most, in plans that reach the goal: one step that
is taken from afar they mostly overlook, two they do not."""

POSSIBLE = Bound(
    frozenset(
        {
            ViolationKind.CLOSED,
            ViolationKind.NOT_MOVABLE,
            ViolationKind.NOT_OPENABLE,
            ViolationKind.NOT_SWITCHABLE,
            ViolationKind.INTO_ITSELF,
            ViolationKind.NO_TOOL,
            ViolationKind.NO_WATER,
            ViolationKind.NO_HEAT,
        }
    ),
    0,
    "no step asks of a thing what it cannot do",
)
"""What cannot be done at all, whoever reads the plan. Of slips of bookkeeping, such as putting down
what was not taken up, or opening what is open, people make nothing where the goal is reached."""

CRITERIA = Criteria(
    level=Level.RELAXED,
    bounds=(REACHING, POSSIBLE),
    assertions=True,
    asked=True,
    forms=frozenset(PlanProblem) - {PlanProblem.UNKNOWN_VERB},
)
"""Chosen on the train activities of the published split, among few others, by leaving activities
out: see ``benchmarks/actplan_judge.py``. One word for all things of a kind does as well there; that
people do not take it from models is what the spec found (section 3.4). So does the definition's own
goal; but no plan that follows a description would then be correct where the goal asks for more."""


def conditions_of(
    activity: Activity, plan: ReadPlan, execution: Execution, criteria: Criteria = CRITERIA
) -> tuple[Condition, ...]:
    """What a correct plan meets, all of it: the goal, the overlay's assertions, sense and form.

    ``execution`` is of the plan at the criteria's level, under `PROFILE`.
    """
    wanted = asked_of(activity) if criteria.asked else activity.problem.conjuncts
    constraints = checked(activity, execution) if criteria.assertions else ()
    return (
        *_goal_conditions(activity, wanted, execution),
        *constraints,
        *(
            violations_bounded(each.kinds, execution.violations, each.most, each.text)
            for each in criteria.bounds
        ),
        _form(plan, criteria.forms),
    )


def _goal_conditions(
    activity: Activity, wanted: Sequence[Expression], execution: Execution
) -> tuple[Condition, ...]:
    defects = activity.defects or (() if wanted else ("it has no conditions",))
    if defects:
        return tuple(
            Condition("the goal can be decided", met=False, undone=each) for each in defects
        )
    return fare(wanted, execution)


def _form(plan: ReadPlan, forms: frozenset[PlanProblem]) -> Condition:
    found = [each for each in plan.diagnoses if each.problem in forms]
    told = "; ".join(f"after step {each.step}: {each.text}" for each in found)
    return Condition("the plan is made of steps alone", not found, told, general=True)


def is_correct(activity: Activity, steps: Sequence[str]) -> bool:
    """Whether the judge ``correct`` takes a plan of these steps."""
    plan = read_plan("\n".join(steps))
    return all(
        each.met
        for each in conditions_of(activity, plan, _run(activity, plan, CRITERIA.level, PROFILE))
    )


# --- The judge ``commonsense``: precondition violations by class, under a stated profile

Violated = Sequence[tuple[int, Violation]]
"""Violations with the number of the step, from 1."""

_MOST_TOLD = 3


def violations_bounded(
    kinds: Collection[ViolationKind], violated: Violated, most: int, text: str
) -> Condition:
    """The general condition, called ``text``, that these classes are violated in at most so many
    steps. A step that means several things at once is one."""
    found = [(step, each) for step, each in violated if each.kind in kinds]
    if len({step for step, _ in found}) <= most:
        return Condition(text, met=True, general=True)
    told = [f"step {step}: {each.text}" for step, each in found[:_MOST_TOLD]]
    if len(found) > _MOST_TOLD:
        told.append(f"and {len(found) - _MOST_TOLD} more")
    return Condition(text, met=False, undone="; ".join(told), general=True)


# --- What is wrong with a plan, by the classes of the paper's Figure 6, as far as rules can tell

OF_VIOLATION: Mapping[ViolationKind, ErrorClass] = {
    ViolationKind.NOT_NEAR: ErrorClass.MISSING_ACTIONS,
    ViolationKind.NOT_HELD: ErrorClass.MISSING_ACTIONS,
    ViolationKind.CLOSED: ErrorClass.MISSING_ACTIONS,
    ViolationKind.INCOMPLETE: ErrorClass.INCORRECT_FORM,
    ViolationKind.NO_SUCH_THING: ErrorClass.EXTRA_TOOLS,
    ViolationKind.NOT_MOVABLE: ErrorClass.PROPERTY_OR_FUNCTION,
    ViolationKind.NOT_OPENABLE: ErrorClass.PROPERTY_OR_FUNCTION,
    ViolationKind.NOT_SWITCHABLE: ErrorClass.PROPERTY_OR_FUNCTION,
    ViolationKind.NO_CONTAINER: ErrorClass.PROPERTY_OR_FUNCTION,
    ViolationKind.INTO_ITSELF: ErrorClass.PROPERTY_OR_FUNCTION,
    ViolationKind.NO_TOOL: ErrorClass.PROPERTY_OR_FUNCTION,
    ViolationKind.DRY_TOOL: ErrorClass.CAUSE_AND_EFFECT,
    ViolationKind.NO_WATER: ErrorClass.CAUSE_AND_EFFECT,
    ViolationKind.NO_HEAT: ErrorClass.CAUSE_AND_EFFECT,
    ViolationKind.HANDS_FULL: ErrorClass.CAUSE_AND_EFFECT,
    ViolationKind.ALREADY_HELD: ErrorClass.CAUSE_AND_EFFECT,
    ViolationKind.ALREADY_OPEN: ErrorClass.CAUSE_AND_EFFECT,
    ViolationKind.ALREADY_CLOSED: ErrorClass.CAUSE_AND_EFFECT,
    ViolationKind.ALREADY_ON: ErrorClass.CAUSE_AND_EFFECT,
    ViolationKind.ALREADY_OFF: ErrorClass.CAUSE_AND_EFFECT,
}
"""What each class of violation comes to: a step left out, a thing that is not there, a thing taken
for what it is not, or a state of the house that was not thought of."""

_MALFORMED = frozenset(PlanProblem)
_FORM_REPAIRS = frozenset(
    {RepairKind.ARGUMENT_MISSING, RepairKind.WRAPPER_OPENED, RepairKind.LOOP_UNROLLED}
)


def errors_of(activity: Activity, plan: ReadPlan, execution: Execution) -> tuple[ErrorClass, ...]:
    """The classes of a plan that is not correct, in `ErrorClass`'s order; none where no rule
    tells."""
    found = {OF_VIOLATION[each.kind] for _, each in execution.violations}
    if not activity.defects and not all(each.met for each in fare(asked_of(activity), execution)):
        found.add(ErrorClass.MISSING_ACTIONS)
    if _malformed(plan):
        found.add(ErrorClass.INCORRECT_FORM)
    constraints = zip(activity.assertions, checked(activity, execution), strict=True)
    found |= {_of_assertion(each.kind) for each, held in constraints if not held.met}
    return tuple(each for each in ErrorClass if each in found)


def _malformed(plan: ReadPlan) -> bool:
    return any(each.problem in _MALFORMED for each in plan.diagnoses) or any(
        each.kind in _FORM_REPAIRS for each in plan.repairs
    )


def _of_assertion(kind: AssertionKind) -> ErrorClass:
    """Of a circumstance that was not heeded: what comes before what is cause and effect."""
    if kind is AssertionKind.BEFORE:
        return ErrorClass.CAUSE_AND_EFFECT
    return ErrorClass.PROPERTY_OR_FUNCTION


# --- Judges that need no model, each as a yes or a no

Verdict = Callable[[Judgement], bool]


def reaches(judgement: Judgement, level: Level) -> bool:
    """Whether the goal is reached at a level that was judged."""
    return any(each.reached for each in judgement.goals if each.level is level)


def _goal_verdict(level: Level) -> Verdict:
    return lambda judgement: reaches(judgement, level)


def _goal_and_sense(judgement: Judgement) -> bool:
    return judgement.sensible and reaches(judgement, Level.RELAXED)


VERDICTS: Mapping[str, Verdict] = {
    **{f"goal-{level.name.lower()}": _goal_verdict(level) for level in Level},
    "commonsense": lambda judgement: judgement.sensible,
    "goal-relaxed + commonsense": _goal_and_sense,
    "correct": lambda judgement: judgement.correct,
}
"""By name, which results and reports use. `correct` is the automatic correctness verdict."""


# --- Judges many plans at once, in several processes

WORTH_A_POOL = 400
"""Plans; fewer are judged sooner than processes start."""

_CHUNK = 8


@dataclass(frozen=True, slots=True)
class Order:
    """One plan to judge: a text, and the task that it is for."""

    task: ActPlanTask
    text: str


@dataclass(frozen=True, slots=True)
class Rules:
    """How to judge: the commonsense profile, and whether published definitions are mended."""

    profile: CommonsenseProfile
    corrections: bool = True


def judge_text(order: Order, rules: Rules) -> Judgement:
    """Reads a plan and judges it. Never raises for what a plan says."""
    activity = understand(order.task, corrections=rules.corrections)
    return judge(activity, read_plan(order.text), rules.profile)


def judge_all(orders: Sequence[Order], rules: Rules, jobs: int = 1) -> Iterator[Judgement]:
    """A judgement for each order, in their order, as they are ready. ``jobs``: processes."""
    pairs = [(each, rules) for each in orders]
    if jobs <= 1 or len(orders) < WORTH_A_POOL:
        yield from starmap(judge_text, pairs)
        return
    with process_pool(jobs) as pool:
        yield from pool.map(judge_text, *zip(*pairs, strict=True), chunksize=_CHUNK)
