"""Orders and episodes of the suite, for its tests."""

from __future__ import annotations

from collections.abc import Iterable

from env_service.domain.action import Action, SkillCall
from env_service.domain.episode import StepReport
from env_service.domain.observation import ObservationRequest
from env_service.suites.babyai.episode import BabyAiEpisode
from env_service.suites.babyai.suite import BabyAiSuite
from env_service.suites.base import EpisodeOrder
from env_service.worlds.babyai.levels import LEVELS
from env_service.worlds.babyai.world import BabyAiWorld
from tests.unit.worlds.babyai.walker import find, route

SUITE = BabyAiSuite()
TASKS = {task.id: task for task in SUITE.task_sets()["dataset"].tasks}


def make_order(
    task_id: str, request: ObservationRequest | None = None, **condition: str
) -> EpisodeOrder:
    """An order with default settings but for ``condition``; asks for all that is offered."""
    settled = {setting.name: setting.default for setting in SUITE.settings} | condition
    grant = SUITE.offer(settled).grant(request or ObservationRequest())
    return EpisodeOrder(TASKS[task_id], "babyai", settled, grant, seed=0)


def open_episode(
    task_id: str, request: ObservationRequest | None = None, **condition: str
) -> BabyAiEpisode:
    """A started episode."""
    episode = SUITE.open_episode(make_order(task_id, request, **condition))
    episode.start()
    return episode


def play(episode: BabyAiEpisode, *actions: Action | str) -> StepReport:
    """Plays actions, or skills by their names; returns the last report."""
    calls = [SkillCall(action) if isinstance(action, str) else action for action in actions]
    reports = [episode.act(call) for call in calls]
    return reports[-1]


def way_to(task_id: str, words: str, after: Iterable[str] = ()) -> list[str]:
    """The skills that lead next to a thing, facing it, once the ones in ``after`` are played."""
    task = TASKS[task_id]
    world = BabyAiWorld(LEVELS[task.group], task.data["seed"])
    for action in after:
        world.step(action)
    return route(world.snapshot(), find(world.snapshot(), words))
