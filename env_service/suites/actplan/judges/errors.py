"""What is wrong with a plan, by the classes of the paper's Figure 6, as far as rules can tell.

The paper's classes were told apart by people; these rules are ours. Whether an agent misread a
picture no rule can tell: that class is left to the judge ``model``.
"""

from __future__ import annotations

from collections.abc import Mapping

from env_service.suites.actplan.activity import Activity, AssertionKind
from env_service.suites.actplan.judges.asked import asked_of
from env_service.suites.actplan.judges.assertions import checked
from env_service.suites.actplan.judges.execution import Execution
from env_service.suites.actplan.judges.goal import fare
from env_service.suites.actplan.judges.judgement import ErrorClass
from env_service.suites.actplan.plans.step import PlanProblem, ReadPlan, RepairKind
from env_service.worlds.activity.violation import ViolationKind

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
