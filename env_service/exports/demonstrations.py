"""Recorded episodes as chats: a system message, then the environment's and the agent's messages.

If the run recorded what the agent's model was sent, the chats are these requests with their
replies. Otherwise an episode is one chat, made from what the agent was shown and did. Its actions
have the form of JSON that the prompts of the model agents ask for, so that a trained model can play
with these agents.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from env_service.domain.data_node import FormatError
from env_service.exports.conversation import Call, Conversation, Request, Turn, unreadable
from env_service.results.episode_reader import BeginView, Shot
from env_service.results.prompts import PromptReader

_NOTE = re.compile(r"\n?\[guest: [^\n]*\]\s*\Z")
"""What the model agents add to a thought about the form of the reply."""
_NOTHING = "(no observation)"
_RULES = "answer_rules"
"""The text of a task's context that says how to answer in words."""


_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
"""Roles of recorded prompts, and the roles of chats."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a chat: ``role`` is system, user or assistant, ``parts`` are texts and pictures.

    ``train`` marks a reply that no earlier chat of the episode has.
    """

    role: str
    parts: tuple[str | Shot, ...]
    train: bool = field(default=False, compare=False)

    @property
    def text(self) -> str:
        """Its texts, one after the other."""
        return "\n\n".join(part for part in self.parts if isinstance(part, str))

    @property
    def shots(self) -> tuple[Shot, ...]:
        """Its pictures."""
        return tuple(part for part in self.parts if isinstance(part, Shot))


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat that ends with a reply. Roles alternate between user and assistant, perhaps after a
    system message.

    ``step`` is the step of the last reply, from 0. ``recorded``: the messages are those that the
    model was sent.
    """

    messages: tuple[Message, ...]
    step: int
    recorded: bool


def chats(conversation: Conversation, *, pictures: bool) -> list[Chat]:
    """The episode as chats. Empty if the agent did nothing, or if an action cannot be written,
    because it was neither skills nor a text. Raises UnreadableEpisodeError."""
    turns = list(conversation.turns())
    if found := _recorded(conversation, turns, pictures=pictures):
        return found
    made = _constructed(conversation, turns, pictures=pictures)
    return [Chat(made, turns[-1].step, recorded=False)] if made else []


# --- From recorded prompts


def _recorded(conversation: Conversation, turns: Sequence[Turn], *, pictures: bool) -> list[Chat]:
    """A chat for each request, or for several if each continues the one before. Empty unless the
    run has the whole request of every reply."""
    reader = PromptReader()
    known = _shots(conversation, turns) if pictures else None
    found: list[Chat] = []
    for step, request in _requests(conversation, turns):
        if request.prompt is None and not request.reply:
            # The agent acted without its model.
            continue
        messages = _asked(conversation, reader, request, known)
        if messages is None:
            return []
        reply = Message("assistant", (request.reply,), train=True)
        before = found[-1].messages if found else ()
        if before and messages[: len(before)] == before:
            found.pop()
            messages = (*before, *messages[len(before) :])
        found.append(Chat((*messages, reply), step, recorded=True))
    return found


def _requests(conversation: Conversation, turns: Sequence[Turn]) -> list[tuple[int, Request]]:
    found = [(turn.step, turn.request) for turn in turns]
    if conversation.closing is not None:
        found.append((len(turns), conversation.closing))
    return found


def _shots(conversation: Conversation, turns: Sequence[Turn]) -> dict[str, Shot]:
    """Every picture that the agent was shown, by its digest."""
    shown = (conversation.shots, *(turn.shots for turn in turns))
    return {shot.sha256: shot for shots in shown for shot in shots}


def _asked(
    conversation: Conversation,
    reader: PromptReader,
    request: Request,
    known: Mapping[str, Shot] | None,
) -> tuple[Message, ...] | None:
    """The messages of a request; None if they are not a whole chat. ``known`` are the pictures
    that a prompt may have; without it, pictures are left out."""
    if request.prompt is None or not request.reply:
        return None
    try:
        prompt = reader.read(request.prompt)
        if prompt is None or "cut_from_bytes" in prompt:
            return None
        messages = tuple(_message(each, known) for each in prompt["messages"])
    except _NoChatError:
        return None
    except (FormatError, KeyError, TypeError) as error:
        raise unreadable(conversation.run, conversation.record, str(error)) from error
    roles = [each.role for each in messages]
    rest = roles[1:] if roles[:1] == ["system"] else roles
    alternate = rest[::2] == ["user"] * len(rest[::2]) and "user" not in rest[1::2]
    return messages if len(rest) % 2 and alternate and "system" not in rest else None


class _NoChatError(Exception):
    """A prompt has a role or a picture that chats cannot have."""


def _message(stored: Mapping[str, Any], known: Mapping[str, Shot] | None) -> Message:
    parts: list[str | Shot] = []
    for part in stored["parts"]:
        if "picture" not in part:
            parts += [part["text"]] if part["text"] else []
        elif known is not None and part["picture"] not in known:
            # Only pictures that the service sent are in the run.
            raise _NoChatError
        elif known is not None:
            parts.append(known[part["picture"]])
    if stored["role"] not in _ROLES:
        raise _NoChatError
    return Message(_ROLES[stored["role"]], tuple(parts) or (_NOTHING,))


# --- From what the agent was shown and did


def _constructed(
    conversation: Conversation, turns: Sequence[Turn], *, pictures: bool
) -> tuple[Message, ...]:
    begin = conversation.begin
    in_skills = any(turn.calls for turn in turns)
    messages = [
        Message("system", (_system(begin, in_skills=in_skills),)),
        _shown(_opening(begin, in_skills=in_skills), conversation.shots, pictures=pictures),
    ]
    for turn in turns:
        said = _said(turn, plan=begin.mode == "PLAN")
        if not said:
            return ()
        messages += [
            Message("assistant", (said,), train=True),
            _shown(turn.answer, turn.shots, pictures=pictures),
        ]
    return tuple(messages[:-1]) if turns else ()


def _shown(text: str, shots: tuple[Shot, ...], *, pictures: bool) -> Message:
    kept = shots if pictures else ()
    return Message("user", (*kept, *([text] if text else ())) or (_NOTHING,))


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
