"""From what the page sends to a decision."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from houseguest_agent import Plan, SkillCall, Text

from ..player import Act, Command, End, Leave, Next

_Kind = TypeVar("_Kind", int, str, bool, list[Any], dict[str, Any])


class BadCommandError(ValueError):
    """What came is no decision; the message says what is wrong."""


def read_command(body: bytes) -> tuple[Command, int]:
    """The decision and the turn that it answers. Raises BadCommandError."""
    try:
        document = json.loads(body)
    except ValueError as error:
        raise BadCommandError(f"this is no JSON: {error}") from error
    kind = _field(document, "kind", str)
    if kind == "leave":
        return Leave(), 0
    turn = _field(document, "turn", int)
    if kind == "next":
        return Next(), turn
    if kind == "end":
        return End(done=_field(document, "done", bool)), turn
    if kind == "skill":
        return Act(_call(document)), turn
    if kind == "say":
        return Act(Text(_field(document, "text", str))), turn
    if kind == "plan":
        return Act(Plan(tuple(map(_call, _field(document, "steps", list))))), turn
    raise BadCommandError(f"there is no kind {kind!r}")


def _call(document: Any) -> SkillCall:
    arguments = _field(document, "arguments", dict)
    if not all(isinstance(value, str) for value in arguments.values()):
        raise BadCommandError("an argument has to be a text")
    return SkillCall(_field(document, "skill", str), arguments)


def _field(document: Any, name: str, kind: type[_Kind]) -> _Kind:
    value = document.get(name) if isinstance(document, dict) else None
    if not isinstance(value, kind):
        raise BadCommandError(f"{name!r} is missing, or is no {kind.__name__}")
    return value
