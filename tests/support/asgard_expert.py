"""Official tasks of AsgardBench as the expert gets them, and its plays proved in the episode."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from env_service.domain.action import SkillCall
from env_service.domain.episode import EpisodeResult, EpisodeStatus, FinishReason
from env_service.domain.observation import ObservationRequest
from env_service.domain.task import Task
from env_service.suites.asgard.action_language import OBJECT
from env_service.suites.asgard.ai2thor_start import PICTURE
from env_service.suites.asgard.conditions import named_condition
from env_service.suites.asgard.episode import AsgardEpisode
from env_service.suites.asgard.expert.solver import ExpertAttempt
from env_service.suites.asgard.task_sets import ITEM_CACHE, PLANS, make_task, read_item_cache
from env_service.suites.base import EpisodeOrder


def orders(pack: Path, *, only: str = "", rules: str = "paper") -> Iterator[EpisodeOrder]:
    """An order for each official task of the data pack whose name has ``only`` in it, without
    pictures, in the household world."""
    cache = read_item_cache((pack / ITEM_CACHE).read_text(encoding="utf-8"))
    for path in sorted(pack.glob(PLANS["official"])):
        if only in path.parent.name:
            task = make_task(path.read_bytes(), str(path), cache)
            yield order_of(task, rules=rules)


def order_of(task: Task, *, rules: str = "paper") -> EpisodeOrder:
    """An order for a task without pictures, in the household world."""
    condition = named_condition("text-only-simple")
    condition |= {PICTURE.name: PICTURE.default, "rules": rules}
    return EpisodeOrder(task, "household", condition, ObservationRequest(text=True), seed=0)


def proved(order: EpisodeOrder, attempt: ExpertAttempt) -> EpisodeResult:
    """What an episode of the same order says of the attempt's actions."""
    episode = AsgardEpisode(order)
    try:
        episode.start()
        status = EpisodeStatus.RUNNING
        for step in attempt.steps:
            if status is not EpisodeStatus.RUNNING:
                raise AssertionError(f"{order.task.id} is over before {step.text}")
            call = SkillCall(step.verb.value, ((OBJECT, step.object_type),))
            status = episode.act(call).status
        return episode.finish(FinishReason.OVER)
    finally:
        episode.close()
