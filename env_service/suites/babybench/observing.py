"""Shows a level's start to the agent: what its grant names, and nothing else."""

from __future__ import annotations

from env_service.domain.observation import Channel, Frame, Observation
from env_service.suites.babybench.facts import Facts
from env_service.suites.babybench.formatters import describe
from env_service.suites.babybench.tasks import Subject
from env_service.suites.base import EpisodeOrder
from env_service.worlds.babyai.world import BabyAiWorld


def observe(order: EpisodeOrder, subject: Subject, facts: Facts) -> Observation:
    """The description and the picture, as far as they were granted."""
    text = describe(facts, order.condition["formatter"]) if order.request.text else ""
    if not order.request.images:
        return Observation(text)
    # Pictures are asked for once an episode, and a world that the expert played shows its end.
    world = BabyAiWorld(subject.level, subject.seed, published_only=False)
    partial = order.condition["view"] == "partial"
    pixels = world.view_picture() if partial else world.grid_picture()
    return Observation(text, (Frame(Channel.RGB, pixels),))
