"""Orders, episodes and graders of the suite, for its tests."""

from __future__ import annotations

from env_service.domain.action import Text
from env_service.domain.episode import Episode, EpisodeResult, FinishReason, FirstObservation
from env_service.domain.observation import ObservationRequest
from env_service.suites.babybench.grading import RULES, Grader
from env_service.suites.babybench.solved_level import SolvedLevel, solve_level
from env_service.suites.babybench.suite import BabyBenchSuite
from env_service.suites.babybench.tasks import Question, Subject, make_task
from env_service.suites.base import EpisodeOrder
from env_service.worlds.babyai.levels import find_any_level
from env_service.worlds.babyai.omnibot.records import ExpertMode

SUITE = BabyBenchSuite()
DEFAULT = {setting.name: setting.default for setting in SUITE.settings}


def subject(name: str) -> Subject:
    """From "predict:GoTo/2"."""
    question, _, rest = name.partition(":")
    level, _, seed = rest.partition("/")
    return Subject(Question(question), find_any_level(level), int(seed))


def known(name: str, mode: ExpertMode = ExpertMode.FIXED) -> SolvedLevel:
    """What is known of the level of "GoTo/2"."""
    level, _, seed = name.partition("/")
    return solve_level(find_any_level(level), int(seed), mode)


def grader(name: str, scoring: str = "fixed") -> Grader:
    """Scores answers to "predict:GoTo/2"."""
    return Grader(subject(name), RULES[scoring])


def make_order(
    name: str, request: ObservationRequest | None = None, **condition: str
) -> EpisodeOrder:
    """An order with default settings but for ``condition``; asks for all that is offered."""
    settled = DEFAULT | condition
    grant = SUITE.offer(settled).grant(request or ObservationRequest())
    return EpisodeOrder(make_task(subject(name)), "babyai", settled, grant, seed=0)


def opened(name: str, **condition: str) -> tuple[Episode, FirstObservation]:
    """A started episode, and its opening."""
    episode = SUITE.open_episode(make_order(name, **condition))
    return episode, episode.start()


def answered(name: str, text: str, **condition: str) -> EpisodeResult:
    """The result of an answer."""
    episode, _ = opened(name, **condition)
    episode.act(Text(text))
    return episode.finish(FinishReason.OVER)
