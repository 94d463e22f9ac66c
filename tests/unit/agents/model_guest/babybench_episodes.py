"""Questions of LLM-BabyBench without a service."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from houseguest.agent.v1 import agent_pb2
from houseguest_agent import Episode
from model_guest.conversation import Conversation, Window
from model_guest.model import Message
from model_guest.options import ALL
from model_guest.prompt_set import PromptSet, prompt_folders

from tests.unit.agents.model_guest.episodes import episode

BABYBENCH = prompt_folders()["babybench"]
QUESTIONS = ("predict", "plan", "decompose")
PROMPTERS = ("zero-shot", "few-shot", "cot", "tot")
FORMATTERS = ("structured", "narrative", "json")


def question_episode(
    question: str,
    prompter: str = "tot",
    formatter: str = "structured",
    pictures: Sequence[bytes] = (),
) -> Episode:
    """An episode at its beginning, as the service opens it."""
    return episode(
        mode=agent_pb2.MODE_ANSWER,
        suite="babybench",
        skills=(),
        pictures=pictures,
        instruction="What is asked.",
        condition={"prompter": prompter, "formatter": formatter},
        context={
            "question": question,
            "world_rules": "Rules that the house tells.",
            "answer_rules": "The form that the house asks for.",
            "formatter": formatter,
            "prompter": prompter,
        },
    )


def converse(playing: Episode, *, sees: bool = True, **settings: str) -> Conversation:
    """The episode as a conversation with the prompts that are made for it."""
    prompts = _prompts(tuple(settings.items()))
    return Conversation(playing, prompts, Window(ALL, 0), choosing=False, sees=sees)


@cache
def _prompts(settings: tuple[tuple[str, str], ...]) -> PromptSet:
    return PromptSet(BABYBENCH, dict(settings))


def texts(messages: Sequence[Message]) -> str:
    """All texts of a request, each message under its role."""
    return "\n\n".join(
        f"[{message.role.value}]\n"
        + "\n".join(part for part in message.parts if isinstance(part, str))
        for message in messages
    )
