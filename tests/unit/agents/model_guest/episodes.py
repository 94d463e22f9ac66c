"""Episodes without a house, and models without weights."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, cast

from houseguest.agent.v1 import action_pb2, agent_pb2, observation_pb2
from houseguest_agent import (
    ActionSpace,
    Episode,
    Outcome,
    OutcomeCode,
    Parameter,
    Skill,
    SkillCall,
)
from houseguest_agent.observation import Album
from houseguest_agent.step import PastStep
from houseguest_agent.transport import RequestSender
from model_guest.model import CallUsage, Reply, Request

from env_service.domain import action as house

SKILLS = (
    Skill("forward", "One step ahead."),
    Skill("left", "Turn."),
    Skill("pickup", "Take a thing.", (Parameter("object", "What.", ("mug", "red key")),)),
    Skill(
        "put",
        "Put a thing.",
        (Parameter("object", "What.", ("mug", "red key")), Parameter("place", "Where.")),
    ),
)
PNG = b"\x89PNG one"


def space(skills: Sequence[Skill] = SKILLS) -> ActionSpace:
    """An action space with the schema that the house sends for these skills."""
    there = house.ActionSpace(
        tuple(
            house.Skill(
                skill.name,
                skill.description,
                tuple(house.Parameter(p.name, p.description, p.choices) for p in skill.parameters),
            )
            for skill in skills
        )
    )
    return ActionSpace(tuple(skills), there.json_schema())


def episode(
    mode: int = agent_pb2.MODE_STEPWISE,
    suite: str = "any",
    pictures: Sequence[bytes] = (),
    skills: Sequence[Skill] = SKILLS,
    **told: Any,
) -> Episode:
    """An episode at its beginning. ``told`` are fields of the opening message."""
    offered = space(skills)
    message = agent_pb2.Episode(
        episode_id="e",
        suite=suite,
        mode=agent_pb2.Mode.ValueType(mode),
        **{"instruction": "bring the mug", "context": {"world_rules": "Mind the step."}, **told},
        observation=observe(0, "A kitchen.", pictures),
        action_space=action_pb2.ActionSpace(
            json_schema=offered.json_schema,
            skills=[
                action_pb2.Skill(
                    name=skill.name,
                    description=skill.description,
                    parameters=[
                        action_pb2.Parameter(
                            name=p.name, description=p.description, choices=p.choices
                        )
                        for p in skill.parameters
                    ],
                )
                for skill in skills
            ],
        ),
    )
    return Episode(message, cast(RequestSender, None), Album(keep=False))


def observe(index: int, text: str, pictures: Sequence[bytes] = ()) -> observation_pb2.Observation:
    """An observation with pictures: the current one, and the one before it."""
    roles = (observation_pb2.IMAGE_ROLE_CURRENT, observation_pb2.IMAGE_ROLE_PREVIOUS)
    images = [
        observation_pb2.Image(
            channel=observation_pb2.CHANNEL_RGB,
            encoding=observation_pb2.IMAGE_ENCODING_PNG,
            width=2,
            height=2,
            role=role,
            data=data,
        )
        for role, data in zip(roles, pictures, strict=False)
    ]
    return observation_pb2.Observation(index=index, text=text, images=images)


def advance(
    playing: Episode, text: str, pictures: Sequence[bytes] = (), **outcome: Any
) -> tuple[Outcome, ...]:
    """Moves an episode on as if an action had been taken; what came of it."""
    outcomes = (Outcome(**{"code": OutcomeCode.SUCCEEDED, **outcome}),)
    playing.history.append(PastStep(SkillCall("forward"), outcomes))
    index = len(playing.history)
    playing.observation = Album(keep=False).read(observe(index, text, pictures))
    return outcomes


class ScriptedModel:
    """A Model that says what a function of the request says."""

    name = "scripted"
    sees_pictures = True

    def __init__(self, say: Callable[[Request], Reply | str]) -> None:
        self.requests: list[Request] = []
        self._say = say

    def configuration(self) -> dict[str, str]:
        return {"kind": "scripted"}

    def reply(self, request: Request) -> Reply:
        self.requests.append(request)
        said = self._say(request)
        usage = (CallUsage(self.name, input_tokens=10, output_tokens=2),)
        return Reply(said, usage=usage) if isinstance(said, str) else said

    def close(self) -> None:
        """Nothing to close."""


def as_json(skill: str, **arguments: str) -> str:
    """A reply that calls a skill."""
    return json.dumps({"action": {"skill": skill, "arguments": arguments}})
