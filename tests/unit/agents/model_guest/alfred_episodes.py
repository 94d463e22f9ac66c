"""Episodes of ALFRED without a service, as the service opens them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from houseguest.agent.v1 import agent_pb2
from houseguest_agent import Episode, Parameter, Skill
from model_guest.conversation import Conversation, Window
from model_guest.examples import ExampleOptions
from model_guest.model import Message
from model_guest.options import ALL
from model_guest.prompt_set import PromptSet, prompt_folders

from env_service.suites.alfred.skills.vocabulary import SKILLS, action_space
from env_service.suites.alfred.wording import answer_rules
from tests.unit.agents.model_guest.episodes import episode

ALFRED = prompt_folders()["alfred"]
PLAN, STEPS = "plan", "steps"


def condition(play: str = PLAN, **changes: str) -> dict[str, str]:
    """The settings of a run; those that are not named are the default."""
    told = "none" if play == PLAN else "simple"
    usual = {"play": play, "feedback": told, "pictures": "off", "ask": "off", "synonyms": "off"}
    return {"wording": "B", "rules": "exact", **usual, **changes}


def alfred_episode(
    play: str = PLAN,
    command: str = "Put a mug in the sink.",
    pictures: Sequence[bytes] = (),
    **changes: str,
) -> Episode:
    """An episode at its beginning. ``changes`` are settings of the run."""
    settings = condition(play, **{"pictures": "on" if pictures else "off", **changes})
    ask = settings["ask"] == "on"
    return episode(
        mode=agent_pb2.MODE_PLAN if play == PLAN else agent_pb2.MODE_STEPWISE,
        suite="alfred",
        skills=_skills(ask=ask),
        pictures=pictures,
        instruction=command,
        condition=settings,
        context={"skills": ", ".join(SKILLS), "answer_rules": answer_rules(play, ask=ask)},
    )


def _skills(*, ask: bool) -> list[Skill]:
    """The service's skills, as an agent knows them."""
    return [
        Skill(
            skill.name,
            skill.description,
            tuple(Parameter(p.name, p.description, p.choices) for p in skill.parameters),
        )
        for skill in action_space(question=ask).skills
    ]


def converse(
    playing: Episode,
    *,
    choosing: bool = False,
    sees: bool = True,
    drawing: ExampleOptions | None = None,
    **settings: str,
) -> Conversation:
    """The episode as a conversation with the prompts that are made for it."""
    prompts = _prompts(tuple(settings.items()), drawing)
    return Conversation(playing, prompts, Window(ALL, 0), choosing=choosing, sees=sees)


@cache
def _prompts(settings: tuple[tuple[str, str], ...], drawing: ExampleOptions | None) -> PromptSet:
    return PromptSet(ALFRED, dict(settings), drawing)


def texts(messages: Sequence[Message]) -> str:
    """All texts of a request, each message under its role."""
    return "\n\n".join(
        f"[{message.role.value}]\n"
        + "\n".join(part for part in message.parts if isinstance(part, str))
        for message in messages
    )
