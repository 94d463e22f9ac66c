"""From an answer to its score, by the chosen rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from env_service.domain.outcome import Outcome, OutcomeCode
from env_service.suites.babybench.answers import compat, fixed
from env_service.suites.babybench.answers.readings import (
    MOST_SUBGOALS,
    ActionList,
    AnswerProblem,
    Reading,
    State,
    SubgoalList,
)
from env_service.suites.babybench.scoring import (
    PARSED,
    Score,
    error_class,
    published_failure,
    score_plan,
    score_state,
    score_subgoals,
)
from env_service.suites.babybench.solved_level import SolvedLevel, solve_level
from env_service.suites.babybench.tasks import Question, Subject
from env_service.worlds.babyai.omnibot.records import ExpertMode
from env_service.worlds.babyai.omnibot.solver import assist

# Transcripts contain these words, and a replay compares them.
_WORDS = {
    AnswerProblem.NOT_WORDS: "The question is to be answered in words.",
    AnswerProblem.EMPTY: "The answer is empty.",
    AnswerProblem.NO_ANSWER: "The text holds no answer in the form that was asked for.",
    AnswerProblem.UNREADABLE: "What stands where the answer should be cannot be read.",
    AnswerProblem.TOO_LONG: f"The answer has more than {MOST_SUBGOALS} subgoals.",
    AnswerProblem.BAD_NUMBER: "A number in the answer is not whole, or is too large.",
}
_UNDERSTOOD = Outcome(OutcomeCode.SUCCEEDED, "The answer was understood.")


@dataclass(frozen=True, slots=True)
class Grader:
    """Scores answers to one question about one level, by one set of rules."""

    subject: Subject
    rules: Rules

    @property
    def solved(self) -> SolvedLevel:
        """The level's start, and the expert's solution."""
        return solve_level(self.subject.level, self.subject.seed, self.rules.mode)

    @property
    def truth(self) -> State:
        """The agent's state after the expert's actions."""
        return State(*self.solved.expert.state)

    def grade(self, text: str) -> Score:
        """The score of an answer in words; its label ``answer`` says whether it could be read."""
        return _GRADERS[self.subject.question](self, text)

    def score_unanswered(self, problem: AnswerProblem | None) -> Score:
        """The score without words to read; ``problem`` is None if the agent sent no answer."""
        return replace(self._unread(), labels={"answer": problem.value} if problem else {})

    def _unread(self) -> Score:
        match self.subject.question:
            case Question.PREDICT:
                return score_state(None, self.truth)
            case Question.PLAN:
                return score_plan(None, self.solved)
            case _:
                return score_subgoals(None, None, self.solved.expert)

    def _state(self, text: str) -> Score:
        reading = self.rules.read_state(text)
        return self._label_reading(score_state(reading.value, self.truth), reading)

    def _actions(self, text: str) -> Score:
        reading = self.rules.read_actions(text)
        return self._label_reading(score_plan(reading.value, self.solved), reading)

    def _subgoals(self, text: str) -> Score:
        reading = self.rules.read_subgoals(text)
        if reading.value is not None and len(reading.value.subgoals) > MOST_SUBGOALS:
            reading = Reading(None, AnswerProblem.TOO_LONG)
        if reading.value is None:
            return self._label_reading(score_subgoals(None, None, self.solved.expert), reading)
        subject = self.subject
        played = assist(subject.level, subject.seed, reading.value.subgoals, mode=self.rules.mode)
        score = self._label_reading(
            score_subgoals(reading.value, played, self.solved.expert), reading
        )
        if not self.rules.published:
            return score
        return _labelled(score, published_error=published_failure(played))

    def _label_reading(self, score: Score, reading: Reading[object]) -> Score:
        answer = PARSED if reading.problem is None else reading.problem.value
        labelled = _labelled(score, answer=answer)
        if not self.rules.published:
            return labelled
        return _labelled(labelled, published_error=error_class(reading.published_error))


_GRADERS: Mapping[Question, Callable[[Grader, str], Score]] = {
    Question.PREDICT: Grader._state,
    Question.PLAN: Grader._actions,
    Question.DECOMPOSE: Grader._subgoals,
}


def outcome_of(score: Score) -> Outcome:
    """The feedback on an answer: whether it was understood, never whether it is right."""
    answer = score.labels["answer"]
    if answer == PARSED:
        return _UNDERSTOOD
    return Outcome(OutcomeCode.UNPARSABLE, _WORDS[AnswerProblem(answer)])


def _labelled(score: Score, **labels: str) -> Score:
    return replace(score, labels={**score.labels, **labels})


# --- The rules that read and score answers: the setting ``scoring``


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules for reading answers, and the expert for comparison.

    ``published`` is whether these are the rules of LLM-BabyBench's released code.
    """

    published: bool
    mode: ExpertMode
    read_state: Callable[[str], Reading[State]]
    read_actions: Callable[[str], Reading[ActionList]]
    read_subgoals: Callable[[str], Reading[SubgoalList]]


RULES: Mapping[str, Rules] = {
    "fixed": Rules(
        published=False,
        mode=ExpertMode.FIXED,
        read_state=fixed.read_state,
        read_actions=fixed.read_actions,
        read_subgoals=fixed.read_subgoals,
    ),
    "compat": Rules(
        published=True,
        mode=ExpertMode.COMPAT,
        read_state=compat.read_state,
        read_actions=compat.read_actions,
        read_subgoals=compat.read_subgoals,
    ),
}
"""The rules by value of the setting ``scoring``."""
