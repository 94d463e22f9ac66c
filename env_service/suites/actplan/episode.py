"""One attempt at one activity, a plan at once or step by step: what the agent is shown, and how
its steps go.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property

from env_service.domain.action import Action, ActionSpace, Plan, Skill, SkillCall, Text
from env_service.domain.episode import (
    EpisodeResult,
    EpisodeStatus,
    FinishReason,
    FirstObservation,
    GoalCondition,
    Mode,
    StepReport,
    failure_class,
    since_start,
)
from env_service.domain.failure import FailureClass
from env_service.domain.moment import Moment, Note
from env_service.domain.observation import Frame, Observation, ObservationRequest
from env_service.domain.outcome import FeedbackMode, Outcome, OutcomeCode
from env_service.suites.actplan.activity import Activity
from env_service.suites.actplan.conditions import PLAN, check_condition, feedback_of, profile_of
from env_service.suites.actplan.dataset.pictures import load_pictures
from env_service.suites.actplan.grounding.grounded_plan import GroundedStep
from env_service.suites.actplan.grounding.grounder import OnlineGrounder
from env_service.suites.actplan.judges.judge import judge
from env_service.suites.actplan.judges.judgement import Judgement, TracedStep
from env_service.suites.actplan.overlay.understand import understand
from env_service.suites.actplan.plans.plan_reader import (
    PlanProblem,
    PlanStep,
    ReadPlan,
    action_space,
    read_action,
)
from env_service.suites.actplan.scoring import (
    goal_metrics,
    plan_metrics,
    task_labels,
    verdict_labels,
    violation_metrics,
)
from env_service.suites.actplan.task import ActPlanTask, read_task
from env_service.suites.base import EpisodeOrder
from env_service.worlds.activity.commonsense import CommonsenseProfile
from env_service.worlds.activity.world import ActivityWorld

MOST_TURNS = 200
"""Of an episode that is played step by step: twice what the longest gold plan takes
(docs/actplan-parsing.md), rounded up."""

_NO_PLAN = (PlanProblem.EMPTY, PlanProblem.NO_STEPS, PlanProblem.TOO_LONG)
_OPENING = ReadPlan(())


class EpisodeEnd(Enum):
    """Why no more steps came."""

    PLAN_OVER = "plan_over"
    UNREADABLE = "unreadable"
    DONE = "done"
    STEP_LIMIT = "step_limit"


@dataclass(slots=True)
class _EpisodeState:
    """What there is from the opening on. ``plan``: what is judged, of single steps those that were
    done; ``refused``: turns in which nothing was."""

    activity: Activity
    stepwise_world: StepwiseWorld | None
    plan: ReadPlan = _OPENING
    turns: int = 0
    refused: int = 0
    ended: EpisodeEnd | None = None
    accepted: list[PlanStep] = field(default_factory=list)


class ActPlanEpisode:
    """An Episode (see domain.episode) of the symbolic world.

    Played in one of two ways. A plan: one turn, and the plan is carried out to its end (the paper's
    way). Steps: one a turn, where a step that cannot be done changes nothing; what was done is
    judged as a plan is.
    """

    def __init__(self, order: EpisodeOrder) -> None:
        """Raises ConditionError for settings that do not go together."""
        check_condition(order.condition)
        self._order = order
        self._task: ActPlanTask = read_task(order.task)
        self._whole = order.condition["play"] == PLAN
        self._observer = ActPlanObserver(order, self._task)
        self._play: _EpisodeState | None = None
        self._verdict: Judgement | None = None
        self._note: Note | None = None

    def watch(self, note: Note) -> None:
        """See `WatchedEpisode`: a moment for each step of a plan, and the verdict."""
        self._note = note

    def start(self) -> FirstObservation:
        """Shows the pictures and the description.

        Raises WorldFault where a picture cannot be read or drawn.
        """
        corrections = self._order.condition["corrections"] == "on"
        activity = understand(self._task, corrections=corrections)
        stepwise_world = (
            None if self._whole else StepwiseWorld(activity, profile_of(self._order.condition))
        )
        self._play = _EpisodeState(activity, stepwise_world)
        if self._note is not None:
            self._note(Moment(goals=_conditions(self._judge_nothing())))
        return FirstObservation(
            mode=Mode.PLAN if self._whole else Mode.STEPWISE,
            instruction=self._task.description,
            action_space=action_space() if self._whole else step_space(),
            observation=self._observer.observe(self._opening(stepwise_world)),
            max_steps=1 if self._whole else MOST_TURNS,
            context={"answer_rules": answer_rules(self._order.condition["play"])},
        )

    def _opening(self, stepwise_world: StepwiseWorld | None) -> str:
        if stepwise_world is None:
            return NOTHING_DONE
        return opening_text(feedback_of(self._order.condition), stepwise_world.scene_text())

    @property
    def plan(self) -> ReadPlan:
        """What is judged: the plan as it was read, or the steps that were done."""
        return self._started().plan

    def act(self, action: Action) -> StepReport:
        """Takes the plan, or one step."""
        play = self._started()
        if play.ended is not None:
            raise RuntimeError("the episode is over: act() may not be called any more")
        play.turns += 1
        return self._take_plan(action) if self._whole else self._take_step(action)

    def finish(self, reason: FinishReason) -> EpisodeResult:
        """Has the plan judged; success is the judge ``correct``'s, goal conditions are
        `Judgement.counted`. See `scoring` for metrics and labels."""
        play = self._started()
        verdict = self._judge()
        own = FailureClass.MAX_STEPS if play.ended is EpisodeEnd.STEP_LIMIT else None
        return EpisodeResult(
            success=verdict.correct,
            goal_conditions=since_start(_conditions(verdict), _conditions(self._judge_nothing())),
            failure=failure_class(success=verdict.correct, reason=reason, own=own),
            steps=play.turns,
            metrics={
                **goal_metrics(verdict),
                **violation_metrics(verdict),
                **plan_metrics(play.plan, verdict),
                "refused_steps": float(play.refused),
            },
            labels={
                **task_labels(self._task, self._order.condition, self._observer.modality),
                **verdict_labels(
                    play.activity,
                    play.plan,
                    verdict,
                    ending=reason.value if play.ended is None else play.ended.value,
                ),
            },
        )

    def state_digest(self) -> str:
        """SHA-256 (hex) of the activity and of all that was done in it so far."""
        play = self._started()
        steps = [(each.verb, each.word, each.arguments) for each in play.plan.steps]
        state = (self._task.problem, sorted(self._order.condition.items()), steps)
        return hashlib.sha256(repr(state).encode()).hexdigest()

    def close(self) -> None:
        """Nothing to free: the house is plain memory."""

    def _take_plan(self, action: Action) -> StepReport:
        play = self._started()
        play.plan = read_action(action)
        problem = next((each for each in play.plan.diagnoses if each.problem in _NO_PLAN), None)
        if problem is not None:
            play.ended = EpisodeEnd.UNREADABLE
            return self._report([Outcome(OutcomeCode.UNPARSABLE, problem.text)], PLAN_REFUSED)
        play.ended = EpisodeEnd.PLAN_OVER
        traced = self._judge().trace
        self._tell_plan()
        return self._report([outcome_of(each) for each in traced], PLAN_TAKEN)

    def _take_step(self, action: Action) -> StepReport:
        play, stepwise_world = self._started(), self._stepwise_world()
        read = read_action(action)
        if is_done(action) or is_done_amid_words(read):
            play.ended = EpisodeEnd.DONE
            return self._report([Outcome(OutcomeCode.SUCCEEDED)], SAID_DONE)
        if len(read.steps) == 1:
            tried = stepwise_world.attempt(replace(read.steps[0], number=len(play.accepted) + 1))
        else:
            tried = no_step(read)
        self._remember(tried, read)
        self._tell_step(tried)
        if play.turns >= MOST_TURNS:
            play.ended = EpisodeEnd.STEP_LIMIT
        text = step_feedback(
            play.turns,
            tried.problems,
            feedback_of(self._order.condition),
            stepwise_world.scene_text(),
        )
        return self._report([Outcome(tried.code, "; ".join(tried.problems))], text)

    def _remember(self, tried: TriedStep, read: ReadPlan) -> None:
        play = self._started()
        if tried.step is None:
            play.refused += 1
            return
        play.accepted.append(tried.step)
        repairs = (replace(each, step=tried.step.number) for each in read.repairs)
        play.plan = ReadPlan(tuple(play.accepted), repairs=(*play.plan.repairs, *repairs))

    def _tell_plan(self) -> None:
        if self._note is None:
            return
        from env_service.suites.actplan.judges.judgement_text import (  # noqa: PLC0415 - a run needs no words
            step_rows,
            verdict_notes,
        )

        play, verdict = self._started(), self._judge()
        for row in step_rows(verdict):
            notes = (*(f"read as {each}" for each in row.done), *row.changes, *row.repairs)
            self._note(Moment(caption=row.said, problem="; ".join(row.problems), notes=notes))
        lines = verdict_notes(play.activity, play.plan, verdict)
        self._note(Moment(goals=_conditions(verdict), notes=tuple(lines)))

    def _tell_step(self, tried: TriedStep) -> None:
        if self._note is None:
            return
        verdict = self._judge()
        changes = verdict.trace[-1].changes if tried.step is not None and verdict.trace else ()
        problem = "; ".join(tried.problems)
        self._note(Moment(goals=_conditions(verdict), problem=problem, notes=changes))

    def _judge(self) -> Judgement:
        play = self._started()
        if self._verdict is None or play.ended is None:
            self._verdict = judge(play.activity, play.plan, profile_of(self._order.condition))
        return self._verdict

    def _judge_nothing(self) -> Judgement:
        """The verdict on a plan without steps: which goal conditions hold at the start."""
        profile = profile_of(self._order.condition)
        return judge(self._started().activity, _OPENING, profile)

    def _report(self, outcomes: Sequence[Outcome], text: str) -> StepReport:
        play = self._started()
        left = 0 if play.ended is not None else MOST_TURNS - play.turns
        return StepReport(
            outcomes=tuple(outcomes),
            observation=self._observer.observe(text),
            status=_status(play.ended),
            steps_left=left,
        )

    def _stepwise_world(self) -> StepwiseWorld:
        stepwise_world = self._started().stepwise_world
        if stepwise_world is None:
            raise RuntimeError("a plan is carried out at once, not step by step")
        return stepwise_world

    def _started(self) -> _EpisodeState:
        if self._play is None:
            raise RuntimeError("the episode has not started")
        return self._play


def _conditions(verdict: Judgement) -> tuple[GoalCondition, ...]:
    return tuple(GoalCondition(each.text, each.met) for each in verdict.counted)


def _status(ended: EpisodeEnd | None) -> EpisodeStatus:
    if ended is None:
        return EpisodeStatus.RUNNING
    return EpisodeStatus.TRUNCATED if ended is EpisodeEnd.STEP_LIMIT else EpisodeStatus.TERMINATED


def plan_of(order: EpisodeOrder, actions: Sequence[Action]) -> ReadPlan:
    """What is judged where an agent has done these actions."""
    episode = ActPlanEpisode(replace(order, request=ObservationRequest(text=True)))
    episode.start()
    for action in actions:
        episode.act(action)
    return episode.plan


# --- Steps one by one, and how each of them went

_ONE_STEP = (
    "a turn is one step, an action with its objects in parentheses, such as grab(cup), and done()"
    " at the end"
)
_OF_PLANS = (PlanProblem.NO_STEPS, PlanProblem.PROSE)
"""Problems of a whole plan: they say nothing on how to write a step."""


@dataclass(frozen=True, slots=True)
class TriedStep:
    """One turn. ``step``: what was done; None where nothing was. ``problems``: why not, for
    people."""

    step: PlanStep | None
    code: OutcomeCode = OutcomeCode.SUCCEEDED
    problems: tuple[str, ...] = ()


class StepwiseWorld:
    """The world as an agent changes it step by step. What cannot be done changes nothing."""

    def __init__(self, activity: Activity, profile: CommonsenseProfile) -> None:
        self._world = ActivityWorld(activity.problem, profile)
        self._grounder = OnlineGrounder(activity)

    def attempt(self, step: PlanStep) -> TriedStep:
        """Does the step if all of it makes sense in the present state."""
        grounded = self._grounder.ground_step(step, self._world)
        outcome = _not_understood(grounded)
        if outcome is not None:
            return TriedStep(None, outcome.code, (outcome.feedback,))
        after = self._world.fork()
        for action in grounded.actions:
            violations = after.check(action)
            if violations:
                texts = tuple(each.text for each in violations)
                return TriedStep(None, OutcomeCode.PRECONDITION_FAILED, texts)
            after.do(action)
        self._world = after
        return TriedStep(step)

    def scene_text(self) -> str:
        """What the agent can see, in words."""
        return self._world.scene_text()


def no_step(plan: ReadPlan) -> TriedStep:
    """What comes of a turn that is not exactly one step."""
    found = f"{len(plan.steps)} steps were found" if plan.steps else "no step was found"
    others = (each.text for each in plan.diagnoses if each.problem not in _OF_PLANS)
    return TriedStep(None, OutcomeCode.UNPARSABLE, (f"{found}: {_ONE_STEP}", *others))


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


# --- Shows an activity to the agent: what its grant names, and nothing else


class ActPlanObserver:
    """Makes one episode's observations. Pictures are of the opening, whatever was done since: no
    picture shows what a symbolic step has changed."""

    def __init__(self, order: EpisodeOrder, task: ActPlanTask) -> None:
        self._granted = order.request
        self._task = task

    def observe(self, text: str) -> Observation:
        """The pictures, as far as they were granted and the task has any, and the text.

        Raises WorldFault where a picture cannot be read or drawn, which is at the first time.
        """
        return Observation(text if self._granted.text else "", self._pictures)

    @property
    def modality(self) -> str:
        """``pictures`` or ``text``: what the agent really had to go by."""
        return "pictures" if self._granted.images and self._task.pictures else "text"

    @cached_property
    def _pictures(self) -> tuple[Frame, ...]:
        return load_pictures(self._task) if self._granted.images else ()


# --- What agents read


NOTHING_DONE = "Nothing has been done yet."
PLAN_TAKEN = "The plan has been carried out to its end."
PLAN_REFUSED = "Nothing was carried out."
SAID_DONE = "You have said that you are done."

_FORM = (
    "A step is an action with its objects in parentheses: action(object), or action(target,"
    " object) where something is put somewhere or used on something."
)
_PLAN_RULES = (
    f"{_FORM} Answer with the whole plan, one step a line and nothing else. It is carried out to"
    " its end, whatever came of a step."
)
_STEP_RULES = (
    f"{_FORM} Answer with one step, and with done() once the task is fulfilled. A step that"
    " cannot be done changes nothing."
)


def answer_rules(play: str) -> str:
    """How an agent's own words are read; ``play`` is the setting's value."""
    return _PLAN_RULES if play == PLAN else _STEP_RULES


def opening_text(feedback: FeedbackMode, scene: str) -> str:
    """The text before the first step; ``scene`` as in `step_feedback`."""
    return f"{NOTHING_DONE}\n{scene}" if feedback is FeedbackMode.DETAILED else NOTHING_DONE


def step_feedback(number: int, problems: Sequence[str], feedback: FeedbackMode, scene: str) -> str:
    """Feedback on a step, counted from 1, as detailed as the mode allows. ``problems``: why it was
    not done; ``scene``: what the agent can see after it."""
    match feedback:
        case FeedbackMode.NONE:
            return f"Step {number} has been tried."
        case FeedbackMode.SIMPLE:
            return f"Step {number} {'failed' if problems else 'worked'}."
        case FeedbackMode.DETAILED:
            said = f"failed: {'; '.join(problems)}." if problems else "worked."
            return f"Step {number} {said}\n{scene}"


# --- How an agent that plays step by step says that it is done

DONE = "done"

_SAID = re.compile(rf"\s*{DONE}\s*(\(\s*\))?[.!]?\s*", re.IGNORECASE)


def step_space() -> ActionSpace:
    """All actions of plans, and the one that ends the episode."""
    done = Skill(DONE, "Say that the task is fulfilled.")
    return ActionSpace((*action_space().skills, done))


def is_done(action: Action) -> bool:
    """Whether an action says so, and nothing else."""
    match action:
        case SkillCall(name) | Plan((SkillCall(name),)) | Text(name):
            return _SAID.fullmatch(name) is not None
        case _:
            return False


def is_done_amid_words(read: ReadPlan) -> bool:
    """Whether the one step in a text of any kind is "done()", as where a model thinks aloud."""
    step = read.steps[0] if len(read.steps) == 1 else None
    return step is not None and not step.arguments and step.word.lower() == DONE
