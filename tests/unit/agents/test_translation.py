"""The guest that puts missions into subgoals word by word."""

from __future__ import annotations

from functools import cache
from typing import cast

import pytest
from houseguest.agent.v1 import agent_pb2
from houseguest.agent.v1.observation_pb2 import Observation
from houseguest_agent import Episode
from houseguest_agent.observation import Album
from houseguest_agent.transport import RequestSender

from agents.translation.agent import UnreadableError, World, answer, read_world, translate
from env_service.suites.babybench.answers.fixed import read_subgoals
from env_service.suites.babybench.formatters import FORMATTERS, describe
from env_service.suites.babybench.tasks import Facts
from env_service.worlds.babyai.levels import LEVELS
from env_service.worlds.babyai.omnibot.solver import assist
from env_service.worlds.babyai.world import BabyAiWorld

ROOM = """\
- Size of each room (including walls): 8x8
- Agent initial position: (3, 3)
- Agent facing direction: north (toward (3, 2))
- Objects in environment:
  - ball, color=red, position=(3, 1)
  - key, color=blue, position=(5, 3)
  - ball, color=red, position=(3, 6)
  - box, color=grey, position=(6, 6)
  - door, color=green, position=(7, 4), locked=False
  - key, color=blue, position=(9, 4)
- Mission: '{mission}'"""


@cache
def facts(level: str, seed: int) -> Facts:
    world = BabyAiWorld(LEVELS[level], seed)
    return Facts(world.level.rooms, world.snapshot(), world.mission, world.max_steps)


def lines(mission: str) -> list[str]:
    return translate(read_world(ROOM.format(mission=mission)))


@pytest.mark.parametrize(
    ("mission", "expected"),
    [
        ("go to the grey box", ["go 6,6"]),
        ("open the green door", ["go 7,4", "Open"]),
        ("pick up the grey box", ["go 6,6", "Pickup"]),
        ("go to a red ball", ["go 3,1"]),
        ("go to a red ball behind you", ["go 3,6"]),
        ("go to the key on your right", ["go 5,3"]),
        ("pick up an object", None),
        ("put the grey box next to a red ball in front of you",
         ["go 6,6", "Pickup", "go 4,1", "Drop"]),
        ("open the green door, then pick up a red ball", ["go 7,4", "Open", "go 3,6", "Pickup"]),
        ("go to the grey box after you pick up a blue key",
         ["go 5,3", "Pickup", "Drop", "go 6,6"]),
        ("go to the grey box and open the green door, then go to a blue key",
         ["go 6,6", "go 7,4", "Open", "go 9,4"]),
    ],
)  # fmt: skip
def test_a_mission_becomes_subgoals(mission: str, expected: list[str] | None) -> None:
    if expected is None:
        with pytest.raises(UnreadableError, match="'an object'"):
            lines(mission)
        return
    spelt = [
        f"(GoNextToSubgoal, ({each.removeprefix('go ')}))"
        if each.startswith("go ")
        else f"({each}Subgoal)"
        for each in expected
    ]
    assert lines(mission) == spelt


def test_what_is_on_the_left_of_nobody_is_said() -> None:
    with pytest.raises(UnreadableError, match="nothing in the description is"):
        lines("go to a red ball on your left")
    with pytest.raises(UnreadableError, match="no known verb"):
        lines("clean the grey box")


@pytest.mark.parametrize("level", LEVELS)
def test_all_three_descriptions_say_the_same(level: str) -> None:
    known = facts(level, 4)
    one, *others = (read_world(describe(known, form)) for form in FORMATTERS)
    assert isinstance(one, World)
    assert others == [one, one]
    assert one.mission == known.mission
    assert (one.agent, one.heading) == known.state
    told = [(thing.cell, thing.kind, thing.color) for thing in one.things]
    assert told == [(at, thing.kind, thing.color) for at, thing in known.objects]


@pytest.mark.parametrize("level", LEVELS)
def test_with_an_experts_help_it_solves_every_level(level: str) -> None:
    known = facts(level, 4)
    said = "\n".join(["<START>", *translate(read_world(describe(known, "structured"))), "<END>"])
    subgoals = read_subgoals(said).value
    assert subgoals is not None
    assert not subgoals.skipped
    assert assist(LEVELS[level], 4, subgoals.subgoals).terminated


def an_episode(question: str, text: str) -> Episode:
    opening = agent_pb2.Episode(
        mode=agent_pb2.MODE_ANSWER,
        context={"question": question},
        observation=Observation(text=text),
    )
    return Episode(opening, cast(RequestSender, None), Album(keep=False))


def test_it_answers_between_the_tags() -> None:
    text = ROOM.format(mission="go to the grey box")
    said = answer(an_episode("decompose", text)).text
    assert said == "<START>\n(GoNextToSubgoal, (6,6))\n<END>"


@pytest.mark.parametrize(
    ("question", "text", "words"),
    [
        ("predict", "A room.", "only decompose, not predict"),
        ("", "A room.", "only decompose"),
        ("decompose", "", "has none"),
        ("decompose", "A room.", "none of the known forms"),
        ("decompose", '{"config": {}}', "none of the known forms"),
    ],
)
def test_what_it_cannot_answer_it_says(question: str, text: str, words: str) -> None:
    with pytest.raises(UnreadableError, match=words):
        answer(an_episode(question, text))
