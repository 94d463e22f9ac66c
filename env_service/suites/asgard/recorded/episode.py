"""One recorded question: no world opens, and one answer ends it. This module also renders what
the agent sees and reads, and declares the settings that recorded pictures can follow.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from env_service.datasets.errors import DataPackError
from env_service.datasets.pack import open_pack
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
from env_service.domain.names import UnknownNameError
from env_service.domain.observation import Channel, Frame, ImageRole, Observation
from env_service.domain.outcome import FeedbackMode, Outcome, OutcomeCode
from env_service.suites.asgard.action_language import BadTurn, Command, Parser, action_space
from env_service.suites.asgard.ai2thor_start import PICTURE
from env_service.suites.asgard.conditions import SETTINGS, check_condition, feedback_of, rules_of
from env_service.suites.asgard.observation import NOTHING_DONE, grayscale
from env_service.suites.asgard.plan_reader import PlanError
from env_service.suites.asgard.recorded.feasibility import Doable, FeasibilityVerdict, judge
from env_service.suites.asgard.recorded.scoring import (
    Answered,
    agrees,
    answer_labels,
    answer_metrics,
)
from env_service.suites.asgard.recorded.task_set import (
    RECORDED_PACK,
    RecordedQuestion,
    read_question,
)
from env_service.suites.asgard.wording import (
    PastStep,
    answer_rules,
    history_text,
    step_line,
    world_rules,
)
from env_service.suites.base import Condition, ConditionError, EpisodeOrder

GOAL = "the next action is that of the published solution: {}"


@dataclass(slots=True)
class _QuestionState:
    question: RecordedQuestion
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
        self._play: _QuestionState | None = None

    def start(self) -> FirstObservation:
        """Shows the question.

        Raises WorldFault DATA_FAULT where the task or its pictures cannot be read.
        """
        try:
            question = read_question(self._order.task)
        except PlanError as error:
            raise WorldFault(FaultClass.DATA_FAULT, str(error)) from error
        self._play = _QuestionState(question, self._look(question))
        history = disclosed_history(question, self._feedback)
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
        """Takes the answer. The observation stays the same, as the answer is not carried out."""
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

    def _look(self, question: RecordedQuestion) -> Observation:
        text = self._describe(question) if self._order.request.text else ""
        return Observation(text, self._frames(question))

    def _describe(self, question: RecordedQuestion) -> str:
        if not question.history:
            return NOTHING_DONE
        return step_line(past_steps(question.history)[-1], self._feedback)

    def _frames(self, question: RecordedQuestion) -> tuple[Frame, ...]:
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

    def _started(self) -> _QuestionState:
        if self._play is None:
            raise RuntimeError("the episode has not started")
        return self._play


def _outcome(came: BadTurn | FeasibilityVerdict | None) -> Outcome:
    """The result that the agent gets for an answer. It does not say whether the answer agrees, as
    other questions follow.

    An undecided answer passes, as nothing known contradicts it.
    """
    if isinstance(came, BadTurn):
        return Outcome(came.code, came.feedback)
    if came is not None and came.doable is Doable.NO:
        return Outcome(OutcomeCode.PRECONDITION_FAILED, came.words)
    return Outcome(OutcomeCode.SUCCEEDED)


# --- The recorded pictures, as an agent is shown them

MOST_PIXELS = 4096
"""Of a side: no published picture comes near it (they are 512 x 512)."""


def frame_paths(*names: str) -> tuple[Path, ...]:
    """Where pictures of the pack lie, by their paths in it.

    Raises WorldFault DATA_FAULT where one of them is not there, or not sound.
    """
    try:
        pack = open_pack(RECORDED_PACK)
        return tuple(pack.path(name) for name in names)
    except (DataPackError, UnknownNameError) as error:
        raise WorldFault(FaultClass.DATA_FAULT, str(error)) from error


def read_frame(path: Path, pixels: int) -> NDArray[np.uint8]:
    """A picture as uint8 [H, W, 3], RGB, C-contiguous; reduced to ``pixels`` at its longer side
    if it is larger, never enlarged.

    Raises WorldFault DATA_FAULT if the file is not a picture.
    """
    try:
        with Image.open(path) as image:
            if max(image.size) > MOST_PIXELS:
                raise OSError(
                    f"is {image.width} x {image.height} pixels, and a recorded picture is smaller"
                )
            shown = image.convert("RGB")
        if max(shown.size) > pixels:
            shown.thumbnail((pixels, pixels), Image.Resampling.LANCZOS, reducing_gap=None)
        return np.ascontiguousarray(np.asarray(shown, dtype=np.uint8))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        detail = f"the picture {path} cannot be read: {error}; fetch the data pack again"
        raise WorldFault(FaultClass.DATA_FAULT, detail) from error


# --- What an agent reads of a recorded question in addition to its task

QUESTION = "question"
HISTORY = "history"
"""Names of texts of the opening. A question has no history at the first step."""

_UNDER_WAY = "You are in the midst of this task: your actions so far are listed"
_BEGINS = "You are about to begin this task"
_RULES = (
    "Answer with the one action that comes next, as if you went on until the task is done: this"
    " question is over after your answer."
)
_PICTURES = " Pictures are recordings, in which no hand is drawn over what is held."


def past_steps(history: Iterable[Command]) -> tuple[PastStep, ...]:
    """Recorded steps in the form of the history: all of them worked."""
    return tuple(PastStep(command.text, succeeded=True) for command in history)


def question_text(question: RecordedQuestion, *, pictures: bool) -> str:
    """What is asked, and what the pictures are where there are some."""
    opening = _UNDER_WAY if question.history else _BEGINS
    return f"{opening}. {_RULES}{_PICTURES if pictures else ''}"


def disclosed_history(question: RecordedQuestion, feedback: FeedbackMode) -> str:
    """The steps so far, as detailed as the feedback mode allows; empty at the first."""
    return history_text(past_steps(question.history), feedback)


# --- Which settings recorded pictures can follow

_HAND = next(setting for setting in SETTINGS if setting.name == "hand")
_NO_HAND = "0"


def check_recorded(condition: Condition) -> None:
    """Raises ConditionError where settings do not go together, or ask for a hand: there is none in
    the recorded pictures. The default of ``hand`` is taken for none, so that a run needs no
    settings."""
    check_condition(condition)
    if condition["hand"] not in (_HAND.default, _NO_HAND):
        raise ConditionError(
            f"hand={condition['hand']} cannot be had in recorded pictures, which show no hand;"
            f" leave the setting out, or set hand={_NO_HAND}"
        )


def pixels_of(condition: Condition) -> int:
    """The most pixels of a picture's side under a condition: smaller ones are never enlarged."""
    return int(condition[PICTURE.name])
