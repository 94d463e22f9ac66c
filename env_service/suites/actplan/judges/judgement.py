"""What judges say of a plan."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from env_service.suites.actplan.grounding.grounded_plan import GroundedStep, Level
from env_service.suites.actplan.plans.plan_reader import Repair
from env_service.worlds.activity.commonsense import Violation, ViolationKind


@dataclass(frozen=True, slots=True)
class TracedStep:
    """One step, carried out with all its effects, whatever was violated (docs/actplan.md, Judges).
    ``changes``: what it changed, for people."""

    grounded: GroundedStep
    violations: tuple[Violation, ...]
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CheckedCondition:
    """One conjunct of a goal, one assertion, or one demand on every plan, and whether it is met.

    Attributes:
        undone: what of it the plan left undone, for people; empty where it is met.
        general: a demand on every plan, of sense and form; who does nothing meets it.
    """

    text: str
    met: bool
    undone: str = ""
    general: bool = False


@dataclass(frozen=True, slots=True)
class GoalVerdict:
    """The judge ``goal`` at one level. A goal that cannot be decided has no conditions and is not
    reached."""

    level: Level
    conditions: tuple[CheckedCondition, ...]

    @property
    def reached(self) -> bool:
        """Whether all conditions are met, and there are any."""
        return bool(self.conditions) and all(each.met for each in self.conditions)

    @property
    def fraction(self) -> float:
        """Of conditions that are met, 0 … 1."""
        met = sum(each.met for each in self.conditions)
        return met / len(self.conditions) if self.conditions else 0.0


class ErrorClass(Enum):
    """What is wrong with a plan, by the classes of the paper's Figure 6. The values go into results
    and reports. Image understanding is decided by the judge ``model`` alone."""

    MISSING_ACTIONS = "missing_actions"
    INCORRECT_FORM = "incorrect_form"
    EXTRA_TOOLS = "extra_tools"
    PROPERTY_OR_FUNCTION = "property_or_function"
    CAUSE_AND_EFFECT = "cause_and_effect"
    IMAGE_UNDERSTANDING = "image_understanding"


@dataclass(frozen=True, slots=True)
class Judgement:
    """All that the judges that need no model say of one plan.

    Attributes:
        goals: the judge ``goal``, at every level that was asked for.
        profile: the commonsense profile's name.
        violations: the judge ``commonsense``, with the number of the step (from 1).
        assertions: how the overlay's constraints fare.
        correct: the judge ``correct``.
        conditions: the parts of ``correct``, which holds exactly if all of these are met.
        errors: of a plan that is not correct, where they can be decided.
        trace: the plan as ``correct`` read it, step by step.
        repairs: what reading and grounding put right for that trace.
    """

    goals: tuple[GoalVerdict, ...]
    profile: str
    violations: tuple[tuple[int, Violation], ...]
    assertions: tuple[CheckedCondition, ...]
    correct: bool
    conditions: tuple[CheckedCondition, ...]
    errors: tuple[ErrorClass, ...]
    trace: tuple[TracedStep, ...]
    repairs: tuple[Repair, ...] = ()

    @property
    def unmet(self) -> tuple[CheckedCondition, ...]:
        """The conditions that keep the plan from being correct."""
        return tuple(each for each in self.conditions if not each.met)

    @property
    def counted(self) -> tuple[CheckedCondition, ...]:
        """The conditions whose share is a score: the task's own, and general ones that the plan
        breaks. Others would give a plan of nothing half of all points."""
        return tuple(each for each in self.conditions if not (each.general and each.met))

    @property
    def readings(self) -> tuple[Repair, ...]:
        """Names that were not read literally, those that fit worst first."""
        named = (each for each in self.repairs if each.score is not None)
        return tuple(sorted(named, key=lambda each: (each.score, each.step)))

    @property
    def sensible(self) -> bool:
        """Whether no precondition is violated."""
        return not self.violations

    def count(self, kind: ViolationKind) -> int:
        """How many violations are of a class."""
        return sum(each.kind is kind for _, each in self.violations)
