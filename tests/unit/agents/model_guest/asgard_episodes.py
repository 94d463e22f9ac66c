"""Episodes of AsgardBench without a service, under any of its conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from houseguest_agent import Episode, Parameter, Skill
from model_guest.conversation import Conversation, Window
from model_guest.model import Message, Picture
from model_guest.options import ALL
from model_guest.prompt_set import PromptSet, prompt_folders

from env_service.suites.asgard.action_language import DESCRIPTIONS, Verb
from env_service.suites.asgard.conditions import named_condition
from tests.unit.agents.model_guest.episodes import PNG, episode

ASGARD = prompt_folders()["asgard"]
OBJECTS = ("Cabinet", "CounterTop", "Mug", "SinkBasin")
SKILLS = tuple(
    Skill(verb.value, DESCRIPTIONS[verb], (Parameter("object", "What.", OBJECTS),)) for verb in Verb
)


def condition(name: str = "baseline", **changed: str) -> dict[str, str]:
    """A condition by the paper's name, with some settings changed."""
    return {**named_condition(name), **changed}


def asgard_episode(
    under: Mapping[str, str] | None = None, pictures: Sequence[bytes] = (PNG,)
) -> Episode:
    """An episode at its beginning, as the service opens it."""
    return episode(
        suite="asgard",
        pictures=pictures,
        skills=SKILLS,
        instruction="Store the Mug",
        condition=dict(under or condition()),
        context={
            "available_objects": ", ".join(OBJECTS),
            "world_rules": "Rules that the house tells.",
            "answer_rules": "Answer like the house says.",
        },
    )


def converse(
    playing: Episode,
    settings: Mapping[str, str] | None = None,
    *,
    choosing: bool = False,
    sees: bool = True,
) -> Conversation:
    """The episode as a conversation with the prompts that are made for it."""
    prompts = _prompts(tuple((settings or {}).items()))
    return Conversation(playing, prompts, Window(ALL, 0), choosing=choosing, sees=sees)


@cache
def _prompts(settings: tuple[tuple[str, str], ...]) -> PromptSet:
    return PromptSet(ASGARD, dict(settings))


def system_of(messages: Sequence[Message]) -> str:
    """The part that never changes."""
    (text,) = messages[0].parts
    assert isinstance(text, str)
    return text


def turn_of(messages: Sequence[Message]) -> str:
    """All texts of the part that changes."""
    return "\n".join(part for part in messages[-1].parts if isinstance(part, str))


def pictures_of(messages: Sequence[Message]) -> list[bytes]:
    """All pictures, in order."""
    return [part.data for each in messages for part in each.parts if isinstance(part, Picture)]
