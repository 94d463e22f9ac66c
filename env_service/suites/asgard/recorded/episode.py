"""One recorded question: no world is opened, and one answer ends it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

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
)
from env_service.domain.failure import FaultClass, WorldFault
from env_service.domain.observation import Channel, Frame, ImageRole, Observation
from env_service.domain.outcome import Outcome, OutcomeCode
from env_service.suites.asgard.conditions import feedback_of, rules_of
from env_service.suites.asgard.history import step_line
from env_service.suites.asgard.node import PlanError
from env_service.suites.asgard.observing import NOTHING_DONE, grayscale
from env_service.suites.asgard.parsing import BadTurn, Parser
from env_service.suites.asgard.recorded.conditions import check_recorded, pixels_of
from env_service.suites.asgard.recorded.frames import frame_paths, read_frame
from env_service.suites.asgard.recorded.judging import judge
from env_service.suites.asgard.recorded.questions import Question, read_question
from env_service.suites.asgard.recorded.scoring import (
    Answered,
    agrees,
    answer_labels,
    answer_metrics,
)
from env_service.suites.asgard.recorded.verdict import Doable, Verdict
from env_service.suites.asgard.recorded.wording import (
    HISTORY,
    QUESTION,
    past_steps,
    question_text,
    told_history,
)
from env_service.suites.asgard.vocabulary import action_space
from env_service.suites.asgard.wording import answer_rules, world_rules
from env_service.suites.base import EpisodeOrder

GOAL = "the next action is that of the published solution: {}"


@dataclass(slots=True)
class _Play:
    question: Question
    shown: Observation
    answered: Answered | None = None


class RecordedEpisode:
    """An Episode (see domain.episode) of one step, whatever the answer is.

    ``success`` of such an episode is agreement with the published action, and no more than that.
    """

    def __init__(self, order: EpisodeOrder) -> None:
        """Raises ConditionError for settings that recorded pictures cannot follow."""
        check_recorded(order.condition)
        self._order = order
        self._rules = rules_of(order.condition)
        self._feedback = feedback_of(order.condition)
        self._play: _Play | None = None

    def start(self) -> FirstObservation:
        """Shows the question.

        Raises WorldFault DATA_FAULT where the task or its pictures cannot be read.
        """
        try:
            question = read_question(self._order.task)
        except PlanError as error:
            raise WorldFault(FaultClass.DATA_FAULT, str(error)) from error
        self._play = _Play(question, self._look(question))
        history = told_history(question, self._feedback)
        return FirstObservation(
            mode=Mode.STEPWISE,
            instruction=question.description,
            action_space=action_space(question.available),
            observation=self._play.shown,
            max_steps=1,
            context={
                "available_objects": ", ".join(question.available),
                "world_rules": world_rules(
                    common_sense=self._order.condition["common_sense"] == "on"
                ),
                "answer_rules": answer_rules(question.available),
                # By the condition, not by what was asked for: words are what a task is known by.
                QUESTION: question_text(
                    question, pictures=self._order.condition["text_only"] == "off"
                ),
                **({HISTORY: history} if history else {}),
            },
        )

    def act(self, action: Action) -> StepReport:
        """Takes the answer. What was shown stays: nobody carries the answer out."""
        play = self._started()
        if play.answered is not None:
            raise RuntimeError("the question is answered: act() may not be called any more")
        turn = Parser(play.question.available, self._rules).read(action)
        verdict = None if isinstance(turn, BadTurn) else judge(turn, play.question, self._rules)
        play.answered = Answered(turn, verdict)
        return StepReport(
            outcomes=(_outcome(turn if isinstance(turn, BadTurn) else verdict),),
            observation=play.shown,
            status=EpisodeStatus.TERMINATED,
            steps_left=0,
        )

    def finish(self, reason: FinishReason) -> EpisodeResult:
        """Scores the answer; see `scoring` for metrics and labels."""
        play = self._started()
        agreed = agrees(play.question, play.answered)
        return EpisodeResult(
            success=agreed,
            goal_conditions=(
                GoalCondition(GOAL.format(play.question.answer.text), agreed, held_at_start=False),
            ),
            failure=failure_class(success=agreed, reason=reason),
            steps=0 if play.answered is None else 1,
            metrics=answer_metrics(play.question, play.answered),
            labels=answer_labels(play.question, play.answered),
        )

    def state_digest(self) -> str:
        """SHA-256 (hex) of the question and the answer that was given."""
        play = self._started()
        said = None if play.answered is None else play.answered.turn.text
        state = json.dumps([play.question.id, play.question.frame, said])
        return hashlib.sha256(state.encode()).hexdigest()

    def close(self) -> None:
        """Nothing to free."""

    def _look(self, question: Question) -> Observation:
        text = self._describe(question) if self._order.request.text else ""
        return Observation(text, self._frames(question))

    def _describe(self, question: Question) -> str:
        if not question.history:
            return NOTHING_DONE
        return step_line(past_steps(question.history)[-1], self._feedback)

    def _frames(self, question: Question) -> tuple[Frame, ...]:
        if not self._order.request.images:
            return ()
        (request,) = self._order.request.images
        if not request.previous_frame or not question.frame_before:
            return (Frame(Channel.RGB, self._read(*frame_paths(question.frame))),)
        now, past = map(self._read, frame_paths(question.frame, question.frame_before))
        if self._order.condition["previous_image"] == "grayscale":
            past = grayscale(past)
        return Frame(Channel.RGB, now), Frame(Channel.RGB, past, ImageRole.PREVIOUS)

    def _read(self, path: Path) -> NDArray[np.uint8]:
        return read_frame(path, pixels_of(self._order.condition))

    def _started(self) -> _Play:
        if self._play is None:
            raise RuntimeError("the episode has not started")
        return self._play


def _outcome(came: BadTurn | Verdict | None) -> Outcome:
    """What is told of an answer: nothing of whether it agrees, as other questions are to come.

    What is undecided passes: nothing that is known speaks against it.
    """
    if isinstance(came, BadTurn):
        return Outcome(came.code, came.feedback)
    if came is not None and came.doable is Doable.NO:
        return Outcome(OutcomeCode.PRECONDITION_FAILED, came.words)
    return Outcome(OutcomeCode.SUCCEEDED)
