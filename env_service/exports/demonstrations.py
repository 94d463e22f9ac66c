"""Recorded episodes as chats: a system message, then the environment's and the agent's messages.

Actions have the form of JSON that the prompts of the model agents ask for, so that a trained model
can play with these agents.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from env_service.exports.conversation import Call, Conversation, Turn
from env_service.results.episode_reader import BeginView, Shot

_NOTE = re.compile(r"\n?\[guest: [^\n]*\]\s*\Z")
"""What the model agents add to a thought about the form of the reply."""
_NOTHING = "(no observation)"
_RULES = "answer_rules"
"""The text of a task's context that says how to answer in words."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a chat: ``role`` is system, user or assistant. Its pictures precede its text."""

    role: str
    text: str
    shots: tuple[Shot, ...] = ()


def chat(conversation: Conversation, *, pictures: bool) -> list[Message]:
    """The episode as a chat that ends with the agent's last message.

    Roles alternate between user and assistant. Empty if the agent did nothing, or if an action
    cannot be written, because it was neither skills nor a text. Raises UnreadableEpisodeError.
    """
    turns = list(conversation.turns())
    begin = conversation.begin
    in_skills = any(turn.calls for turn in turns)
    messages = [
        Message("system", _system(begin, in_skills=in_skills)),
        _shown(_opening(begin, in_skills=in_skills), conversation.shots, pictures=pictures),
    ]
    for turn in turns:
        said = _said(turn, plan=begin.mode == "PLAN")
        if not said:
            return []
        messages += [
            Message("assistant", said),
            _shown(turn.answer, turn.shots, pictures=pictures),
        ]
    return messages[:-1] if turns else []


def _shown(text: str, shots: tuple[Shot, ...], *, pictures: bool) -> Message:
    kept = shots if pictures else ()
    return Message("user", text or ("" if kept else _NOTHING), kept)


def _said(turn: Turn, *, plan: bool) -> str:
    if not turn.calls:
        return turn.message
    thought = _NOTE.sub("", turn.thought).strip()
    said: dict[str, Any] = {"thought": thought} if thought else {}
    if plan or len(turn.calls) > 1:
        said["steps"] = [_call(each) for each in turn.calls]
    else:
        said["action"] = _call(turn.calls[0])
    return json.dumps(said, ensure_ascii=False)


def _call(call: Call) -> dict[str, Any]:
    arguments = {"arguments": dict(call.arguments)} if call.arguments else {}
    return {"skill": call.name, **arguments}


def _opening(begin: BeginView, *, in_skills: bool) -> str:
    context = (
        f"{name}: {value}"
        for name, value in begin.context.items()
        if value and not (in_skills and name == _RULES)
    )
    parts = (begin.instruction, *context, begin.text)
    return "\n\n".join(part for part in parts if part)


def _system(begin: BeginView, *, in_skills: bool) -> str:
    parts = ["You control an agent in a simulated home, and get a task."]
    skills = begin.action_space.get("skills") or ()
    if in_skills and skills:
        parts += ["\n".join(["Skills:", *(_skill(*each) for each in skills)])]
    if in_skills and begin.mode == "PLAN":
        parts.append(
            'Write the whole plan as one JSON object: {"steps": [{"skill": NAME, "arguments":'
            " {NAME: VALUE}}, …]}."
        )
    elif in_skills:
        parts.append(
            "In each turn, choose the next action. Answer with one JSON object:"
            ' {"thought": TEXT, "action": {"skill": NAME, "arguments": {NAME: VALUE}}}. The thought'
            " and the arguments can be missing."
        )
    else:
        parts.append("Answer in the form that the task describes.")
    return "\n\n".join(parts)


def _skill(name: str, description: str, parameters: Sequence[Sequence[Any]]) -> str:
    arguments = "".join(f"\n  - {_parameter(*each)}" for each in parameters)
    return f"- {name}: {description}{arguments}"


def _parameter(name: str, description: str, choices: Iterable[str]) -> str:
    listed = ", ".join(choices)
    return f"{name}: {description}" + (f" One of: {listed}." if listed else "")
