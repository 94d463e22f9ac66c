"""Episodes of ActPlan-1K without a service, as the service opens them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from houseguest.agent.v1 import agent_pb2, observation_pb2
from houseguest_agent import Episode, Observation, Outcome
from houseguest_agent.observation import Album
from model_guest.conversation import Conversation, Window
from model_guest.model import Message, Part
from model_guest.options import ALL
from model_guest.prompt_set import PromptSet, prompt_folders

from env_service.suites.actplan.episode import NOTHING_DONE, answer_rules
from tests.unit.agents.model_guest.episodes import advance, episode

ACTPLAN = prompt_folders()["actplan"]
PLAN, STEPS = "plan", "steps"
DESCRIPTION = "There are two candles on the table. Both have to be in the basket."
VIEWS = (b"\x89PNG one", b"\x89PNG two", b"\x89PNG three")


def activity_episode(play: str = PLAN, views: Sequence[bytes] = (), **changes: str) -> Episode:
    """An episode at its beginning; ``changes`` are settings that are not the default."""
    usual = {"play": play, "pictures": "on", "feedback": "none", "commonsense": "standard"}
    playing = episode(
        mode=agent_pb2.MODE_PLAN if play == PLAN else agent_pb2.MODE_STEPWISE,
        suite="actplan",
        instruction=DESCRIPTION,
        condition={**usual, **changes},
        context={"answer_rules": answer_rules(play)},
    )
    playing.observation = see(0, NOTHING_DONE, views)
    return playing


def see(index: int, text: str, views: Sequence[bytes] = ()) -> Observation:
    """What the service shows: the pictures of the opening, whatever was done since."""
    images = [
        observation_pb2.Image(
            channel=observation_pb2.CHANNEL_RGB,
            encoding=observation_pb2.IMAGE_ENCODING_PNG,
            width=2,
            height=2,
            role=observation_pb2.IMAGE_ROLE_VIEW,
            view=f"view_{number}",
            data=data,
        )
        for number, data in enumerate(views, 1)
    ]
    seen = observation_pb2.Observation(index=index, text=text, images=images)
    return Album(keep=False).read(seen)


def go_on(
    playing: Episode, text: str, views: Sequence[bytes] = (), **outcome: Any
) -> tuple[Outcome, ...]:
    """Moves the episode on by a step; what came of it."""
    outcomes = advance(playing, text, **outcome)
    playing.observation = see(len(playing.history), text, views)
    return outcomes


def converse(playing: Episode, *, sees: bool = True, **settings: str) -> Conversation:
    """The episode as a conversation with the prompts that are made for it."""
    prompts = _prompts(tuple(settings.items()))
    return Conversation(playing, prompts, Window(ALL, ALL), choosing=False, sees=sees)


@cache
def _prompts(settings: tuple[tuple[str, str], ...]) -> PromptSet:
    return PromptSet(ACTPLAN, dict(settings))


def said(part: Part) -> str:
    """A part of a message as text: a picture as its file's end."""
    return part if isinstance(part, str) else f"<{part.data[5:].decode()}>"


def texts(messages: Sequence[Message]) -> str:
    """A request as text, each message under its role."""
    return "\n\n".join(
        f"[{message.role.value}]\n" + "\n".join(map(said, message.parts)) for message in messages
    )
