from __future__ import annotations

import random
from typing import cast

from houseguest.agent.v1 import agent_pb2 as pb
from houseguest.agent.v1.action_pb2 import ActionSpace, Parameter, Skill
from houseguest_agent import Episode, Mode, Plan, SkillCall, Text
from houseguest_agent.courier import Courier
from houseguest_agent.observation import Album

from agents.random.agent import episode_rng, random_action

SKILLS = [
    Skill(name="forward", description="Goes."),
    Skill(
        name="say",
        description="Says.",
        parameters=[
            Parameter(name="tone", description="How.", choices=["loud", "low"]),
            Parameter(name="word", description="What."),
        ],
    ),
]


def an_episode(
    mode: pb.Mode.ValueType = pb.MODE_STEPWISE,
    seed: int = 5,
) -> Episode:
    answers = mode == pb.MODE_ANSWER
    opening = pb.Episode(
        episode_id=random.Random(0).randbytes(8).hex(),
        mode=mode,
        instruction="find the red ball",
        action_space=ActionSpace(skills=[] if answers else SKILLS),
        agent_seed=seed,
    )
    no_house = cast(Courier, None)
    return Episode(opening, no_house, Album(keep=False))


def actions(episode: Episode, seed: int, count: int = 30) -> list[SkillCall | Plan | Text]:
    rng = episode_rng(seed, episode)
    return [random_action(episode, rng) for _ in range(count)]


def test_the_same_episode_meets_the_same_agent() -> None:
    assert actions(an_episode(), 1) == actions(an_episode(), 1)


def test_another_episode_meets_another_agent() -> None:
    assert actions(an_episode(), 1) != actions(an_episode(seed=6), 1)


def test_another_seed_is_another_agent() -> None:
    assert actions(an_episode(), 1) != actions(an_episode(), 2)


def test_every_skill_and_choice_is_drawn_and_free_text_is_a_word_of_the_instruction() -> None:
    drawn = actions(an_episode(), 0, count=300)
    calls = [action for action in drawn if isinstance(action, SkillCall)]
    assert len(calls) == 300
    said = [call.arguments for call in calls if call.name == "say"]
    assert 100 < len(said) < 200
    assert {arguments["tone"] for arguments in said} == {"loud", "low"}
    assert {arguments["word"] for arguments in said} == {"find", "the", "red", "ball"}


def test_a_plan_is_drawn_where_one_is_asked_for() -> None:
    drawn = actions(an_episode(pb.MODE_PLAN), 0, count=200)
    lengths = {len(plan.steps) for plan in drawn if isinstance(plan, Plan)}
    assert lengths == set(range(1, 11))


def test_an_answer_is_made_of_words() -> None:
    episode = an_episode(pb.MODE_ANSWER)
    assert episode.mode is Mode.ANSWER
    for answer in actions(episode, 0):
        assert isinstance(answer, Text)
        assert answer.text
