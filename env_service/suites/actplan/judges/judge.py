"""All judges that need no model: they carry a plan out and say whether its steps make sense,
whether it is correct, and what is wrong with it by the classes of the paper's Figure 6.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import starmap

from env_service.suites.actplan.activity import Activity, Assertion, AssertionKind, Pattern
from env_service.suites.actplan.grounding.grounded_plan import GroundedPlan, GroundedStep, Level
from env_service.suites.actplan.grounding.grounder import ground
from env_service.suites.actplan.judges.judgement import (
    CheckedCondition,
    ErrorClass,
    GoalVerdict,
    Judgement,
    TracedStep,
)
from env_service.suites.actplan.overlay.understand import understand
from env_service.suites.actplan.plans.plan_reader import (
    PlanProblem,
    ReadPlan,
    RepairKind,
    read_plan,
)
from env_service.suites.actplan.task import ActPlanTask
from env_service.suites.process_pool import process_pool
from env_service.worlds.activity.actions import ActivityAction
from env_service.worlds.activity.bddl.expressions import (
    And,
    Atom,
    Expression,
    ForAll,
    evaluate,
    instances,
    opposite,
    renamed,
)
from env_service.worlds.activity.bddl.parser import read_expression
from env_service.worlds.activity.bddl.wording import in_words
from env_service.worlds.activity.commonsense import CommonsenseProfile, Violation, ViolationKind
from env_service.worlds.activity.state import Reading
from env_service.worlds.activity.world import ActivityWorld


@dataclass(frozen=True, slots=True)
class PerformedAction:
    """One action as it was done. ``held``: what was in hand just before."""

    step: int
    action: ActivityAction
    held: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Execution:
    """A plan, carried out to its end.

    Attributes:
        level: how freely it was read.
        world: as the plan leaves it.
        objects: the declared instances with their categories, of which conditions speak.
        categories: of every instance there is, phantoms too.
        done: its actions, in order.
        trace: its steps, in order.
        plan: what was carried out.
    """

    level: Level
    world: ActivityWorld
    objects: Mapping[str, str]
    categories: Mapping[str, str]
    done: tuple[PerformedAction, ...]
    trace: tuple[TracedStep, ...]
    plan: GroundedPlan

    @property
    def violations(self) -> tuple[tuple[int, Violation], ...]:
        """With the number of the step, from 1."""
        return tuple(
            (each.grounded.step.number, violation)
            for each in self.trace
            for violation in each.violations
        )


def execute_plan(
    activity: Activity, plan: GroundedPlan, level: Level, profile: CommonsenseProfile
) -> Execution:
    """Does all actions, whatever is violated (docs/actplan.md, Judges).

    An unresolved name is a violation, and so is a step with a known verb that could not be read
    otherwise.
    """
    world = ActivityWorld(activity.problem, profile, plan.phantoms)
    done: list[PerformedAction] = []
    trace = tuple(_execute_step(world, each, done) for each in plan.steps)
    objects = activity.problem.objects
    categories = {**objects, **{name: category for name, category, _ in plan.phantoms}}
    return Execution(level, world, objects, categories, tuple(done), trace, plan)


def _execute_step(
    world: ActivityWorld, grounded: GroundedStep, done: list[PerformedAction]
) -> TracedStep:
    violations, changes = list(_unread_violations(grounded)), list[str]()
    for action in grounded.actions:
        done.append(PerformedAction(grounded.step.number, action, tuple(world.held)))
        effect = world.do(action)
        violations += effect.violations
        changes += effect.changes
    return TracedStep(grounded, tuple(violations), tuple(changes))


def _unread_violations(grounded: GroundedStep) -> tuple[Violation, ...]:
    unknown = tuple(Violation(ViolationKind.NO_SUCH_THING, each) for each in grounded.refusals())
    if unknown or grounded.actions or grounded.step.verb is None:
        return unknown
    return (Violation(ViolationKind.INCOMPLETE, f"{grounded.step.spelling}: it lacks an object"),)


# --- The judge ``goal``: whether a plan reaches the goal, and what of it is left undone

AT_END = "at the end "
"""How what a plan left undone begins."""

_CONDITIONS_LISTED = 4


def goal_verdict(activity: Activity, execution: Execution) -> GoalVerdict:
    """How each conjunct of the goal fares at the plan's end. A goal with defects cannot be decided
    and has no conditions."""
    if activity.defects:
        return GoalVerdict(execution.level, ())
    return GoalVerdict(execution.level, conditions_at_end(activity.problem.conjuncts, execution))


def conditions_at_end(
    expressions: Iterable[Expression], execution: Execution
) -> tuple[CheckedCondition, ...]:
    """How conditions fare at the plan's end."""
    return tuple(condition_of(each, execution) for each in expressions)


def condition_of(expression: Expression, execution: Execution, text: str = "") -> CheckedCondition:
    """How one condition fares at the plan's end; ``text``: what it is called, else its words. What
    holds as stated holds at every level: "exactly two are next to it" would not, where people call
    more things next to it."""
    called = text or in_words(expression)
    pieces = _undone(expression, execution)
    parts = [in_words(opposite(each)) for each in pieces[:_CONDITIONS_LISTED]]
    if len(pieces) > _CONDITIONS_LISTED:
        parts.append(f"{len(pieces) - _CONDITIONS_LISTED} more")
    undone = f"{AT_END}{'; '.join(parts)}" if parts else ""
    return CheckedCondition(called, not pieces, undone)


def _undone(expression: Expression, execution: Execution) -> list[Expression]:
    objects, world = execution.objects, execution.world
    if evaluate(expression, objects, world.reader(Reading.STRICT)):
        return []
    relaxed = execution.level >= Level.RELAXED
    holds = world.reader(Reading.RELAXED if relaxed else Reading.STRICT)
    return list(unmet_parts(expression, objects, holds))


# --- Which pieces of a condition are not so, by the names of the things

Holds = Callable[[Atom], bool]


def unmet_parts(
    expression: Expression, objects: Mapping[str, str], holds: Holds
) -> Iterator[Expression]:
    """The parts of a condition that does not hold and whose holding would make it hold: of a
    conjunction those that do not hold, of "every" the instances of which it is not so; else the
    condition itself. Nothing of one that holds."""
    if evaluate(expression, objects, holds):
        return
    match expression:
        case And(parts):
            for part in parts:
                yield from unmet_parts(part, objects, holds)
        case ForAll(bound, body):
            for name in instances(objects, bound):
                part = renamed(body, {bound.variable: name})
                yield from unmet_parts(part, objects, holds)
        case _:
            yield expression


# --- Decides the constraints that a description states and its goal does not carry, and the goal
# as a description asks for it

_ANYTHING = Pattern()


def check_assertions(activity: Activity, execution: Execution) -> tuple[CheckedCondition, ...]:
    """How each assertion fares, in their order."""
    return tuple(_check(each, execution) for each in activity.assertions)


def _check(assertion: Assertion, execution: Execution) -> CheckedCondition:
    if assertion.kind is AssertionKind.GOAL:
        if assertion.goal is None:
            raise ValueError(f"assertion {assertion.text!r} lacks its goal")
        return condition_of(assertion.goal, execution, assertion.text)
    first = _places(assertion.first, execution)
    if assertion.kind is AssertionKind.DOES:
        return _condition(assertion, met=bool(first), why="no step does so")
    if assertion.kind is AssertionKind.NEVER:
        return _condition(assertion, met=not first, why=_steps(execution, first))
    second = _places(assertion.second, execution)
    met = not second or (bool(first) and first[0] < second[0])
    return _condition(assertion, met=met, why=f"{_steps(execution, second[:1])} comes too early")


def _places(pattern: Pattern | None, execution: Execution) -> list[int]:
    """Where in ``done`` actions of this kind stand."""
    return [
        place
        for place, each in enumerate(execution.done)
        if (pattern or _ANYTHING).matches(each.action, each.held, execution.categories)
    ]


def _steps(execution: Execution, places: list[int]) -> str:
    numbers = list(dict.fromkeys(str(execution.done[place].step) for place in places))
    return f"step {', '.join(numbers)}"


def _condition(assertion: Assertion, *, met: bool, why: str) -> CheckedCondition:
    return CheckedCondition(assertion.text, met, "" if met else f"not so: {assertion.text}: {why}")


# --- The goal as a description asks for it

TABLE = "asked.toml"


@dataclass(frozen=True, slots=True)
class DescribedGoal:
    """What one description does not ask for, and what it asks for instead."""

    reason: str
    remove: tuple[Expression, ...]
    add: tuple[Expression, ...]


def described_goal(activity: Activity) -> tuple[Expression, ...]:
    """The conditions that a plan is to bring about, by the description. Without a difference that
    is known, or where the definition is not the published one, the goal's own."""
    conjuncts = activity.problem.conjuncts
    entry = described_goals().get((activity.name, activity.variant.number))
    if entry is None or not all(each in conjuncts for each in entry.remove):
        return conjuncts
    return (*(each for each in conjuncts if each not in entry.remove), *entry.add)


@cache
def described_goals() -> Mapping[tuple[str, int], DescribedGoal]:
    """By activity and the number of its problem: 0 is normal, 1 counterfactual."""
    text = (files(__package__) / TABLE).read_text(encoding="utf-8")
    return {
        (entry["activity"], entry["problem"]): DescribedGoal(
            entry["reason"],
            tuple(read_expression(each, TABLE) for each in entry["remove"]),
            tuple(read_expression(each, TABLE) for each in entry.get("add", ())),
        )
        for entry in tomllib.loads(text)["asked"]
    }


def judge(activity: Activity, plan: ReadPlan, profile: CommonsenseProfile) -> Judgement:
    """Judges a plan for an activity. Never raises for what a plan says.

    ``profile`` is that of the judge ``commonsense`` alone; ``correct`` always uses PROFILE.
    """
    runs = {level: _run(activity, plan, level, PROFILE) for level in Level}
    run = runs[CRITERIA.level]
    conditions = conditions_of(activity, plan, run)
    correct = all(each.met for each in conditions)
    return Judgement(
        goals=tuple(goal_verdict(activity, each) for each in runs.values()),
        profile=profile.name,
        violations=execute_plan(activity, run.plan, run.level, profile).violations,
        assertions=check_assertions(activity, run),
        correct=correct,
        conditions=conditions,
        errors=() if correct else errors_of(activity, plan, run),
        trace=run.trace,
        repairs=(*plan.repairs, *run.plan.repairs),
    )


def _run(
    activity: Activity, plan: ReadPlan, level: Level, profile: CommonsenseProfile
) -> Execution:
    return execute_plan(activity, ground(activity, plan, level), level, profile)


# --- The judge ``correct``: the automatic correctness verdict

PROFILE = CommonsenseProfile("correct")
"""By which preconditions count, whatever profile the judge ``commonsense`` is asked for: the
agreement with people was measured under this one."""


@dataclass(frozen=True, slots=True)
class ViolationBound:
    """So many steps may violate preconditions of these classes."""

    kinds: frozenset[ViolationKind]
    limit: int
    text: str


@dataclass(frozen=True, slots=True)
class Criteria:
    """What makes a plan correct, in addition to the goal.

    Attributes:
        level: how freely names and conditions are read.
        bounds: on violated preconditions.
        assertions: whether the overlay's constraints count.
        asked: whether the goal is what the description asks for, else the definition's own.
        forms: what no correct plan has.
    """

    level: Level
    bounds: tuple[ViolationBound, ...]
    assertions: bool
    as_described: bool
    forms: frozenset[PlanProblem]


REACHING = ViolationBound(
    frozenset({ViolationKind.NOT_NEAR}), 1, "the agent walks to what it handles, but for one lapse"
)
"""Of all preconditions the one that people mind most, in plans that reach the goal: one step that
is taken from afar they mostly overlook, two they do not."""

POSSIBLE = ViolationBound(
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
    as_described=True,
    forms=frozenset(PlanProblem) - {PlanProblem.UNKNOWN_VERB},
)
"""Chosen on the train activities of the published split, among few others, by leaving activities
out: see ``benchmarks/actplan_judge.py``. One word for all things of a kind does as well there; that
people do not take it from models shows in their labels (docs/actplan.md, Judges). So does the
definition's own goal; but no plan that follows a description would then be correct where the goal
asks for more."""


def conditions_of(
    activity: Activity, plan: ReadPlan, execution: Execution, criteria: Criteria = CRITERIA
) -> tuple[CheckedCondition, ...]:
    """What a correct plan meets, all of it: the goal, the overlay's assertions, sense and form.

    ``execution`` is of the plan at the criteria's level, under `PROFILE`.
    """
    wanted = described_goal(activity) if criteria.as_described else activity.problem.conjuncts
    constraints = check_assertions(activity, execution) if criteria.assertions else ()
    return (
        *_goal_conditions(activity, wanted, execution),
        *constraints,
        *(
            violations_bounded(each.kinds, execution.violations, each.limit, each.text)
            for each in criteria.bounds
        ),
        _form(plan, criteria.forms),
    )


def _goal_conditions(
    activity: Activity, wanted: Sequence[Expression], execution: Execution
) -> tuple[CheckedCondition, ...]:
    defects = activity.defects or (() if wanted else ("it has no conditions",))
    if defects:
        return tuple(
            CheckedCondition("the goal can be decided", met=False, undone=each) for each in defects
        )
    return conditions_at_end(wanted, execution)


def _form(plan: ReadPlan, forms: frozenset[PlanProblem]) -> CheckedCondition:
    found = [each for each in plan.diagnoses if each.problem in forms]
    problems = "; ".join(f"after step {each.step}: {each.text}" for each in found)
    return CheckedCondition("the plan is made of steps alone", not found, problems, general=True)


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

_PROBLEMS_LISTED = 3


def violations_bounded(
    kinds: Collection[ViolationKind], violated: Violated, limit: int, text: str
) -> CheckedCondition:
    """The general condition, called ``text``, that these classes are violated in at most so many
    steps. A step that means several things at once is one."""
    found = [(step, each) for step, each in violated if each.kind in kinds]
    if len({step for step, _ in found}) <= limit:
        return CheckedCondition(text, met=True, general=True)
    problems = [f"step {step}: {each.text}" for step, each in found[:_PROBLEMS_LISTED]]
    if len(found) > _PROBLEMS_LISTED:
        problems.append(f"and {len(found) - _PROBLEMS_LISTED} more")
    return CheckedCondition(text, met=False, undone="; ".join(problems), general=True)


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
"""The class of error of each violation: a step left out, a missing thing, a thing mistaken for
another, or a state of the home that the plan ignores."""

_MALFORMED = frozenset(PlanProblem)
_FORM_REPAIRS = frozenset(
    {RepairKind.ARGUMENT_MISSING, RepairKind.WRAPPER_OPENED, RepairKind.LOOP_UNROLLED}
)


def errors_of(activity: Activity, plan: ReadPlan, execution: Execution) -> tuple[ErrorClass, ...]:
    """The classes of a plan that is not correct, in `ErrorClass`'s order; empty if no rule
    decides."""
    found = {OF_VIOLATION[each.kind] for _, each in execution.violations}
    if not activity.defects and not all(
        each.met for each in conditions_at_end(described_goal(activity), execution)
    ):
        found.add(ErrorClass.MISSING_ACTIONS)
    if _malformed(plan):
        found.add(ErrorClass.INCORRECT_FORM)
    constraints = zip(activity.assertions, check_assertions(activity, execution), strict=True)
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
class PlanToJudge:
    """One plan to judge: a text, and the task that it is for."""

    task: ActPlanTask
    text: str


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """How to judge: the commonsense profile, and whether published definitions are mended."""

    profile: CommonsenseProfile
    corrections: bool = True


def judge_text(plan: PlanToJudge, options: JudgeOptions) -> Judgement:
    """Reads a plan and judges it. Never raises for what a plan says."""
    activity = understand(plan.task, corrections=options.corrections)
    return judge(activity, read_plan(plan.text), options.profile)


def judge_all(
    plans: Sequence[PlanToJudge], options: JudgeOptions, jobs: int = 1
) -> Iterator[Judgement]:
    """A judgement for each plan, in their order, as they are ready. ``jobs``: processes."""
    pairs = [(each, options) for each in plans]
    if jobs <= 1 or len(plans) < WORTH_A_POOL:
        yield from starmap(judge_text, pairs)
        return
    with process_pool(jobs) as pool:
        yield from pool.map(judge_text, *zip(*pairs, strict=True), chunksize=_CHUNK)
