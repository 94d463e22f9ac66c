"""What an episode offers beside its actions."""

from __future__ import annotations

from typing import Any

from houseguest.agent.v1 import agent_pb2
from houseguest_agent import Episode
from houseguest_agent.observation import Album


def episode(seed: int) -> Episode:
    sender: Any = None
    return Episode(agent_pb2.Episode(mode=1, agent_seed=seed), sender, Album(keep=False))


def test_an_episodes_generator_repeats_itself_with_the_seed() -> None:
    first, again, other = (episode(seed).random.random() for seed in (7, 7, 8))
    assert first == again != other
