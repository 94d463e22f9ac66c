"""One question answered once in words, or a level played action by action with the suite
``babyai``.
"""

import hashlib
from dataclasses import replace
from functools import cache, cached_property

from env_service.domain.action import Action, Text, Unreadable
from env_service.domain.episode import (
    Episode,
    EpisodeResult,
    EpisodeStatus,
    FinishReason,
    FirstObservation,
    Mode,
    StepReport,
    failure_class,
    since_start,
)
from env_service.domain.moment import Moment, Note, WatchedEpisode
from env_service.domain.observation import Channel, Frame, Observation
from env_service.domain.outcome import Outcome, OutcomeCode
from env_service.suites.babybench.answers.readings import AnswerProblem
from env_service.suites.babybench.formatters import describe
from env_service.suites.babybench.grading import RULES, Grader, outcome_of
from env_service.suites.babybench.scoring import Score, level_labels, level_metrics, subject_labels
from env_service.suites.babybench.tasks import Facts, Subject, read_task
from env_service.suites.babybench.wording import action_space, ask, explain
from env_service.suites.base import EpisodeOrder, Suite
from env_service.suites.registry import load_suite
from env_service.worlds.babyai.world import BabyAiWorld


class QuestionEpisode:
    """An Episode (see domain.episode) of one step: Predict, Plan or Decompose.

    Any action ends it. The order's seed has no effect: the task's seed makes the level.
    """

    def __init__(self, order: EpisodeOrder) -> None:
        """Keeps the order; the level is generated when the episode starts."""
        self._order = order
        self._subject = read_task(order.task)
        self._grader = Grader(self._subject, RULES[order.condition["scoring"]])
        self._score: Score | None = None
        self._note: Note | None = None

    def watch(self, note: Note) -> None:
        """See `WatchedEpisode`: the level's start; then the answer, compared with what is true."""
        self._note = note

    @cached_property
    def _opening(self) -> Observation:
        return observe(self._order, self._subject, self._grader.solved.facts)

    def start(self) -> FirstObservation:
        """Generates the level, describes it and asks."""
        question, condition = self._subject.question, self._order.condition
        if self._note is not None:
            conditions = self._grader.score_unanswered(None).conditions
            self._note(Moment(goals=conditions, board=self._grader.solved.facts.start.board()))
        return FirstObservation(
            mode=Mode.ANSWER,
            instruction=ask(question, self._grader.solved, condition),
            action_space=action_space(question),
            observation=self._opening,
            max_steps=1,
            context=explain(question, condition),
        )

    def act(self, action: Action) -> StepReport:
        """Reads the answer."""
        if self._score is not None:
            raise RuntimeError("the episode is over: act() may not be called any more")
        self._score, outcome = self._grade(action)
        if self._note is not None:
            self._tell(self._note, self._score, action)
        return StepReport((outcome,), self._opening, EpisodeStatus.TERMINATED, steps_left=0)

    def _tell(self, note: Note, score: Score, action: Action) -> None:
        from env_service.suites.babybench.tracing.answer_trace import (  # noqa: PLC0415 - a run needs no trace
            trace_answer,
        )
        from env_service.suites.babybench.tracing.moments import (  # noqa: PLC0415 - a run needs no trace
            answer_moments,
        )

        trace = trace_answer(self._grader, action.text if isinstance(action, Text) else "")
        verdict, *rest = answer_moments(trace)
        note(replace(verdict, goals=score.conditions))
        for moment in rest:
            note(moment)

    def finish(self, reason: FinishReason) -> EpisodeResult:
        """Scores the answer; without one, everything counts as missed."""
        score = self._score or self._grader.score_unanswered(None)
        known = self._grader.solved
        return EpisodeResult(
            success=score.success,
            goal_conditions=since_start(
                score.conditions, self._grader.score_unanswered(None).conditions
            ),
            failure=failure_class(success=score.success, reason=reason),
            steps=int(self._score is not None),
            metrics={**level_metrics(known), **score.metrics},
            labels={**subject_labels(self._subject), **level_labels(known), **score.labels},
        )

    def state_digest(self) -> str:
        """SHA-256 (hex) of the level's start, the question, and the answer's result."""
        score = self._score
        came_to = (score.conditions, sorted(score.metrics.items())) if score else None
        state = (self._grader.solved.digest, self._subject.question.value, came_to)
        return hashlib.sha256(repr(state).encode()).hexdigest()

    def close(self) -> None:
        """Does nothing: a level is only memory."""

    def _grade(self, action: Action) -> tuple[Score, Outcome]:
        match action:
            case Text(text):
                score = self._grader.grade(text)
                return score, outcome_of(score)
            case Unreadable(problem):
                score = self._grader.score_unanswered(AnswerProblem.NOT_WORDS)
                return score, Outcome(OutcomeCode.UNPARSABLE, problem)
            case _:
                score = self._grader.score_unanswered(AnswerProblem.NOT_WORDS)
                return score, outcome_of(score)


# --- The levels themselves, played action by action through the suite ``babyai``


@cache
def player() -> Suite:
    """The suite that plays. Our settings and tasks' data include all of that suite's."""
    return load_suite("babyai")


class InteractiveEpisode:
    """An Episode (see domain.episode) of ``babyai``, with our labels in its result."""

    def __init__(self, order: EpisodeOrder) -> None:
        """Passes the order on."""
        self._subject = read_task(order.task)
        self._episode: Episode = player().open_episode(order)

    def watch(self, note: Note) -> None:
        """See `WatchedEpisode`."""
        if isinstance(self._episode, WatchedEpisode):
            self._episode.watch(note)

    def start(self) -> FirstObservation:
        """Generates the level and shows it."""
        first = self._episode.start()
        return replace(first, context={**first.context, "question": self._subject.question.value})

    def act(self, action: Action) -> StepReport:
        """Takes one turn."""
        return self._episode.act(action)

    def finish(self, reason: FinishReason) -> EpisodeResult:
        """Scores the episode. Success is minigrid's: the mission ended with a reward."""
        result = self._episode.finish(reason)
        return replace(result, labels={**result.labels, **subject_labels(self._subject)})

    def state_digest(self) -> str:
        """SHA-256 (hex) of the world's true state."""
        return self._episode.state_digest()

    def close(self) -> None:
        """Closes the episode."""
        self._episode.close()


# --- Shows a level's start to the agent: only what its grant names


def observe(order: EpisodeOrder, subject: Subject, facts: Facts) -> Observation:
    """The description and the image, as far as they were granted."""
    text = describe(facts, order.condition["formatter"]) if order.request.text else ""
    if not order.request.images:
        return Observation(text)
    # Images are needed once an episode, and a world that the expert has played shows its end.
    world = BabyAiWorld(subject.level, subject.seed, published_only=False)
    partial = order.condition["view"] == "partial"
    pixels = world.view_picture() if partial else world.grid_picture()
    return Observation(text, (Frame(Channel.RGB, pixels),))
