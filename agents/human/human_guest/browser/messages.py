"""The messages between the page and its server: the view as JSON, and commands."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from typing import Any, TypeVar

from houseguest_agent import Plan, SkillCall, Text

from ..player import Act, Command, End, Leave, Next
from ..view import Deadlines, EpisodeView, Picture, View

_Kind = TypeVar("_Kind", int, str, bool, list[Any], dict[str, Any])


class BadCommandError(ValueError):
    """A message that is not a command; the text says what is wrong."""


def read_command(body: bytes) -> tuple[Command, int]:
    """The command, and the turn that it answers. Raises BadCommandError."""
    try:
        document = json.loads(body)
    except ValueError as error:
        raise BadCommandError(f"not valid JSON: {error}") from error
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
    raise BadCommandError(f"unknown kind {kind!r}")


def _call(document: Any) -> SkillCall:
    arguments = _field(document, "arguments", dict)
    if not all(isinstance(value, str) for value in arguments.values()):
        raise BadCommandError("an argument must be a text")
    return SkillCall(_field(document, "skill", str), arguments)


def _field(document: Any, name: str, kind: type[_Kind]) -> _Kind:
    value = document.get(name) if isinstance(document, dict) else None
    if not isinstance(value, kind):
        raise BadCommandError(f"{name!r} is missing, or is not a {kind.__name__}")
    return value


# --- The view as JSON, for the page


def document(view: View, player: str, now: float | None = None) -> dict[str, Any]:
    """The view, with each picture's name on the server.

    ``now`` is ``time.monotonic``; times are sent as remaining seconds.
    """
    scene = view.scene
    return {
        "version": view.version,
        "turn": view.turn,
        "phase": view.phase.value,
        "player": player,
        "notice": view.notice,
        "episode": None if view.episode is None else _episode(view.episode),
        "scene": None
        if scene is None
        else {
            "index": scene.index,
            "text": scene.text,
            "pictures": [_picture(each) for each in scene.pictures],
        },
        "history": [asdict(each) for each in view.history],
        "steps_left": view.steps_left,
        "seconds_left": _seconds_left(view.deadlines, time.monotonic() if now is None else now),
        "close": None if view.close is None else asdict(view.close),
    }


def _episode(episode: EpisodeView) -> dict[str, Any]:
    space = episode.space
    return {
        "number": episode.number,
        "total": episode.total,
        "id": episode.id,
        "suite": episode.suite,
        "suite_version": episode.suite_version,
        "mode": episode.mode,
        "condition": dict(episode.condition),
        "instruction": episode.instruction,
        "language": episode.language,
        "texts": [asdict(each) for each in episode.texts],
        "skills": [asdict(skill) for skill in space.skills],
        "answer_format": space.answer_format,
        "max_steps": episode.max_steps,
        "takes_words": episode.takes_words,
    }


def _picture(picture: Picture) -> dict[str, Any]:
    return {
        "name": picture.key,
        "role": picture.role,
        "caption": picture.caption,
        "width": picture.width,
        "height": picture.height,
    }


def _seconds_left(deadlines: Deadlines, now: float) -> dict[str, float | None]:
    return {
        "step": None if deadlines.step is None else deadlines.step - now,
        "episode": None if deadlines.episode is None else deadlines.episode - now,
    }
