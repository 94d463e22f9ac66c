"""A seat without a house for the human guest: real episodes, answered by a script."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Self, cast

from houseguest.agent.v1 import agent_pb2 as pb
from houseguest.agent.v1.action_pb2 import ActionOutcome, ActionSpace, OutcomeCode, Parameter, Skill
from houseguest.agent.v1.observation_pb2 import Image, Observation
from houseguest_agent import Client, Episode, Limits, RefusedError
from houseguest_agent.observation import Album
from houseguest_agent.transport import RequestSender
from houseguest_agent.zero_copy import StepAnswer

from agents.human.human_guest.player import Player

SKILLS = (
    Skill(name="forward", description="Walk ahead."),
    Skill(
        name="PUT",
        description="Put what you hold.",
        parameters=[
            Parameter(name="object", description="What.", choices=["Mug", "Bread", "BreadSliced"]),
            Parameter(name="where", description="In words."),
        ],
    ),
)
"""One without arguments; one with a choice and with free text."""


def picture(red: int, role: int = 1) -> Image:
    """Two pixels, raw."""
    data = struct.pack("6B", red, 0, 0, 0, 0, red)
    return Image(channel=1, encoding=1, width=2, height=1, role=role, data=data)  # type: ignore[arg-type]


def opening(number: int = 0, mode: int = pb.MODE_STEPWISE, **more: Any) -> pb.Episode:
    """An episode's opening; ``more`` are fields that differ."""
    space = ActionSpace(skills=SKILLS)
    if mode == pb.MODE_ANSWER:
        space = ActionSpace(answer_format="End with a number.")
    told = {
        "episode_id": f"episode-{number}",
        "suite": "lab",
        "suite_version": "1",
        "mode": mode,
        "instruction": f"goal {number}",
        "condition": {"view": "full"},
        "context": {"world_rules": "No running.", "answer_rules": "End with 'Action: '."},
        "action_space": space,
        "max_steps": 9,
        "observation": Observation(text="a room", images=[picture(200)]),
    }
    return pb.Episode(**{**told, **more})


@dataclass
class ScriptedCourier:
    """Answers steps: the third of an episode ends it. What came is in ``sent`` and ``ended``."""

    sent: list[pb.StepRequest] = field(default_factory=list)
    ended: list[pb.EndEpisodeRequest] = field(default_factory=list)
    refuse: str = ""
    steps: int = 3
    stores_prompts: bool = False

    def step(self, request: pb.StepRequest) -> StepAnswer:
        """Any plan is done, any skill called PUT is refused."""
        if self.refuse:
            why, self.refuse = self.refuse, ""
            raise RefusedError(why, "PLAN_TOO_LONG")
        self.sent.append(request)
        good = request.action.skill.name != "PUT"
        count = len(request.action.plan.steps) or 1
        code = OutcomeCode.OUTCOME_CODE_SUCCEEDED if good else OutcomeCode.OUTCOME_CODE_REFUSED
        last = request.step_index == self.steps - 1 or request.action.HasField("plan")
        status = pb.EPISODE_STATUS_TERMINATED if last else pb.EPISODE_STATUS_RUNNING
        index = request.step_index + 1
        images = [picture(index), picture(index - 1 or 200, role=2)]
        return StepAnswer(
            pb.StepResponse(
                step_index=request.step_index,
                outcomes=[ActionOutcome(code=code, feedback="" if good else "hands full")] * count,
                observation=Observation(index=index, text=f"room {index}", images=images),
                status=status,
                remaining=pb.Budget(steps=9 - index),
            )
        )

    def end_episode(self, request: pb.EndEpisodeRequest) -> pb.EndEpisodeResponse:
        """The episode is over."""
        self.ended.append(request)
        return pb.EndEpisodeResponse(status=pb.EPISODE_STATUS_TERMINATED)


class ScriptedClient:
    """Stands in for the library's client: plays these episodes, one after the other."""

    def __init__(self, *openings: pb.Episode) -> None:
        self.courier = ScriptedCourier()
        self.openings = openings
        self.withdrawn: list[str] = []
        self.limits = Limits(agent_step_budget=3600.0, agent_episode_budget=14400.0)
        self.episodes_total = len(openings)
        self.draining = False

    def episodes(self) -> Iterator[Episode]:
        """Each in turn."""
        for told in self.openings:
            yield Episode(told, cast(RequestSender, self.courier), Album(keep=False))

    def withdraw(self, reason: int, message: str) -> None:
        """Leaves."""
        self.withdrawn.append(message)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None


def seated(*openings: pb.Episode, start: bool = True) -> tuple[Player, ScriptedClient]:
    """A player that has begun to play these episodes, or is about to."""
    client = ScriptedClient(*(openings or (opening(),)))
    player = Player(lambda: cast(Client, client))
    if start:
        player.start()
    return player, client
