"""Steps one by one, and how each of them went."""

from __future__ import annotations

from dataclasses import dataclass

from env_service.domain.outcome import Outcome, OutcomeCode
from env_service.suites.actplan.activity import Activity
from env_service.suites.actplan.grounding.grounded import GroundedStep
from env_service.suites.actplan.grounding.online import OnlineGrounder
from env_service.suites.actplan.judges.judgement import TracedStep
from env_service.suites.actplan.plans.step import PlanProblem, PlanStep, ReadPlan
from env_service.worlds.activity.profile import Profile
from env_service.worlds.activity.world import ActivityWorld

_ONE_STEP = (
    "a turn is one step, an action with its objects in parentheses, such as grab(cup), and done()"
    " at the end"
)
_OF_PLANS = (PlanProblem.NO_STEPS, PlanProblem.PROSE)
"""What is wrong with a plan, and tells nobody how to write a step."""


@dataclass(frozen=True, slots=True)
class Tried:
    """One turn. ``step``: what was done; None where nothing was. ``problems``: why not, for
    people."""

    step: PlanStep | None
    code: OutcomeCode = OutcomeCode.SUCCEEDED
    problems: tuple[str, ...] = ()


class House:
    """The world as an agent changes it step by step. What cannot be done changes nothing."""

    def __init__(self, activity: Activity, profile: Profile) -> None:
        self._world = ActivityWorld(activity.problem, profile)
        self._grounder = OnlineGrounder(activity)

    def attempt(self, step: PlanStep) -> Tried:
        """Does the step if all of it makes sense where the house stands."""
        grounded = self._grounder.ground_step(step, self._world)
        outcome = _not_understood(grounded)
        if outcome is not None:
            return Tried(None, outcome.code, (outcome.feedback,))
        after = self._world.fork()
        for deed in grounded.deeds:
            violations = after.check(deed)
            if violations:
                texts = tuple(each.text for each in violations)
                return Tried(None, OutcomeCode.PRECONDITION_FAILED, texts)
            after.do(deed)
        self._world = after
        return Tried(step)

    def told(self) -> str:
        """What the agent knows of the house."""
        return self._world.told()


def no_step(plan: ReadPlan) -> Tried:
    """What comes of a turn that is not exactly one step."""
    found = f"{len(plan.steps)} steps were found" if plan.steps else "no step was found"
    others = (each.text for each in plan.diagnoses if each.problem not in _OF_PLANS)
    return Tried(None, OutcomeCode.UNPARSABLE, (f"{found}: {_ONE_STEP}", *others))


def outcome_of(traced: TracedStep) -> Outcome:
    """How one step of a whole plan went."""
    unclear = _not_understood(traced.grounded)
    if unclear is not None:
        return unclear
    if traced.violations:
        texts = "; ".join(each.text for each in traced.violations)
        return Outcome(OutcomeCode.PRECONDITION_FAILED, texts)
    return Outcome(OutcomeCode.SUCCEEDED)


def _not_understood(grounded: GroundedStep) -> Outcome | None:
    step = grounded.step
    if step.verb is None:
        return Outcome(OutcomeCode.UNKNOWN_SKILL, f"{step.word} is no action that is known here")
    if grounded.unresolved:
        return Outcome(OutcomeCode.UNKNOWN_OBJECT, "; ".join(grounded.refusals()))
    return None
