"""One attempt at one activity."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from env_service.domain.action import Action
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
from env_service.domain.observation import ObservationRequest
from env_service.domain.outcome import Outcome, OutcomeCode
from env_service.suites.actplan.activity import Activity
from env_service.suites.actplan.conditions import (
    PLAN,
    check_condition,
    feedback_of,
    profile_of,
)
from env_service.suites.actplan.finishing import is_done, is_done_amid_words, step_space
from env_service.suites.actplan.judges.judge import judge
from env_service.suites.actplan.judges.judgement import Judgement
from env_service.suites.actplan.observing import Observer
from env_service.suites.actplan.overlay.understand import understand
from env_service.suites.actplan.plans.actions import action_space, read_action
from env_service.suites.actplan.plans.step import PlanProblem, PlanStep, ReadPlan
from env_service.suites.actplan.scoring import (
    goal_metrics,
    plan_metrics,
    task_labels,
    verdict_labels,
    violation_metrics,
)
from env_service.suites.actplan.stepping import House, Tried, no_step, outcome_of
from env_service.suites.actplan.task import ActPlanTask, read_task
from env_service.suites.actplan.telling import (
    NOTHING_DONE,
    PLAN_REFUSED,
    PLAN_TAKEN,
    SAID_DONE,
    answer_rules,
    opening_told,
    step_told,
)
from env_service.suites.base import EpisodeOrder

MOST_TURNS = 200
"""Of an episode that is played step by step: twice what the longest gold plan takes (spec section
1.3), rounded up."""

_NO_PLAN = (PlanProblem.EMPTY, PlanProblem.NO_STEPS, PlanProblem.TOO_LONG)
_OPENING = ReadPlan(())


class Ended(Enum):
    """Why no more steps came."""

    PLAN_OVER = "plan_over"
    UNREADABLE = "unreadable"
    DONE = "done"
    STEP_LIMIT = "step_limit"


@dataclass(slots=True)
class _Play:
    """What there is from the opening on. ``plan``: what is judged, of single steps those that were
    done; ``refused``: turns in which nothing was."""

    activity: Activity
    house: House | None
    plan: ReadPlan = _OPENING
    turns: int = 0
    refused: int = 0
    ended: Ended | None = None
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
        self._observer = Observer(order, self._task)
        self._play: _Play | None = None
        self._verdict: Judgement | None = None

    def start(self) -> FirstObservation:
        """Shows the pictures and tells the description.

        Raises WorldFault where a picture cannot be read or drawn.
        """
        corrections = self._order.condition["corrections"] == "on"
        activity = understand(self._task, corrections=corrections)
        house = None if self._whole else House(activity, profile_of(self._order.condition))
        self._play = _Play(activity, house)
        return FirstObservation(
            mode=Mode.PLAN if self._whole else Mode.STEPWISE,
            instruction=self._task.description,
            action_space=action_space() if self._whole else step_space(),
            observation=self._observer.observe(self._opening(house)),
            max_steps=1 if self._whole else MOST_TURNS,
            context={"answer_rules": answer_rules(self._order.condition["play"])},
        )

    def _opening(self, house: House | None) -> str:
        if house is None:
            return NOTHING_DONE
        return opening_told(feedback_of(self._order.condition), house.told())

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
        own = FailureClass.MAX_STEPS if play.ended is Ended.STEP_LIMIT else None
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
            play.ended = Ended.UNREADABLE
            return self._report([Outcome(OutcomeCode.UNPARSABLE, problem.text)], PLAN_REFUSED)
        play.ended = Ended.PLAN_OVER
        traced = self._judge().trace
        return self._report([outcome_of(each) for each in traced], PLAN_TAKEN)

    def _take_step(self, action: Action) -> StepReport:
        play, house = self._started(), self._house()
        read = read_action(action)
        if is_done(action) or is_done_amid_words(read):
            play.ended = Ended.DONE
            return self._report([Outcome(OutcomeCode.SUCCEEDED)], SAID_DONE)
        if len(read.steps) == 1:
            tried = house.attempt(replace(read.steps[0], number=len(play.accepted) + 1))
        else:
            tried = no_step(read)
        self._remember(tried, read)
        if play.turns >= MOST_TURNS:
            play.ended = Ended.STEP_LIMIT
        text = step_told(
            play.turns, tried.problems, feedback_of(self._order.condition), house.told()
        )
        return self._report([Outcome(tried.code, "; ".join(tried.problems))], text)

    def _remember(self, tried: Tried, read: ReadPlan) -> None:
        play = self._started()
        if tried.step is None:
            play.refused += 1
            return
        play.accepted.append(tried.step)
        repairs = (replace(each, step=tried.step.number) for each in read.repairs)
        play.plan = ReadPlan(tuple(play.accepted), repairs=(*play.plan.repairs, *repairs))

    def _judge(self) -> Judgement:
        play = self._started()
        if self._verdict is None or play.ended is None:
            self._verdict = judge(play.activity, play.plan, profile_of(self._order.condition))
        return self._verdict

    def _judge_nothing(self) -> Judgement:
        """How the goal stands at the start: the verdict on a plan without steps."""
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

    def _house(self) -> House:
        house = self._started().house
        if house is None:
            raise RuntimeError("a plan is carried out at once, not step by step")
        return house

    def _started(self) -> _Play:
        if self._play is None:
            raise RuntimeError("the episode has not started")
        return self._play


def _conditions(verdict: Judgement) -> tuple[GoalCondition, ...]:
    return tuple(GoalCondition(each.text, each.met) for each in verdict.counted)


def _status(ended: Ended | None) -> EpisodeStatus:
    if ended is None:
        return EpisodeStatus.RUNNING
    return EpisodeStatus.TRUNCATED if ended is Ended.STEP_LIMIT else EpisodeStatus.TERMINATED


def plan_of(order: EpisodeOrder, actions: Sequence[Action]) -> ReadPlan:
    """What is judged where an agent has done these actions."""
    episode = ActPlanEpisode(replace(order, request=ObservationRequest(text=True)))
    episode.start()
    for action in actions:
        episode.act(action)
    return episode.plan
