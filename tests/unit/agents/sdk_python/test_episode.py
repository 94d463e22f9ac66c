"""What an episode offers besides its actions, and how enumerations read."""

from __future__ import annotations

from typing import Any

from houseguest.agent.v1 import agent_pb2
from houseguest_agent import Episode, Mode
from houseguest_agent.observation import Album


def episode(seed: int) -> Episode:
    sender: Any = None
    return Episode(agent_pb2.Episode(mode=1, agent_seed=seed), sender, Album(keep=False))


def test_an_episodes_generator_repeats_itself_with_the_seed() -> None:
    first, again, other = (episode(seed).random.random() for seed in (7, 7, 8))
    assert first == again != other


def test_enumerations_print_as_words_and_equal_the_protocols_numbers() -> None:
    mode = Mode(agent_pb2.MODE_PLAN)
    assert str(mode) == f"{mode}" == "plan"
    assert mode == agent_pb2.MODE_PLAN
    assert agent_pb2.Episode(mode=agent_pb2.Mode.ValueType(mode)).mode == Mode.PLAN
    assert str(Mode(99)) == "unspecified"
