"""Lists of actions for a world, as JSON Lines: one script a line.

{"id": "…", "scene": "FloorPlan1", "start": {"width": 300, "height": 300, "quality": "High",
 "initialization": {…}}, "actions": [{"action": "Pass"}, …]}
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from env_service.plain_files import MOST_GIVEN, read_plain
from env_service.results.atomic import write_atomically
from env_service.worlds.thor.start import ThorStart

_KEYS = {"id", "scene", "start", "actions"}
_START = {"width", "height", "quality", "initialization"}


class ScriptError(ValueError):
    """A file of scripts makes no sense; the message says where and why."""


@dataclass(frozen=True)
class Script:
    """Actions to play from a fresh scene. ``id`` is unique in its file; each of ``actions`` is a
    mapping with the key "action" and AI2-THOR's arguments."""

    id: str
    scene: str
    start: ThorStart
    actions: tuple[Mapping[str, Any], ...]

    def to_json(self) -> dict[str, Any]:
        """One line of the file."""
        start = self.start
        return {
            "id": self.id,
            "scene": self.scene,
            "start": {
                "width": start.width,
                "height": start.height,
                "quality": start.quality,
                "initialization": dict(start.initialization),
            },
            "actions": [dict(action) for action in self.actions],
        }

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of all of it."""
        text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def write_scripts(path: Path, scripts: Iterable[Script]) -> None:
    """Replaces a file."""
    lines = (json.dumps(each.to_json(), ensure_ascii=False) + "\n" for each in scripts)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, "".join(lines).encode())


def read_scripts(path: Path) -> list[Script]:
    """The scripts of a file.

    Raises:
        ScriptError: a line is no script, an id comes twice, or there is none.
    """
    scripts: dict[str, Script] = {}
    for number, line in enumerate(read_plain(path, MOST_GIVEN).splitlines(), 1):
        if not line.strip():
            continue
        try:
            script = _read(json.loads(line))
            if script.id in scripts:
                raise ValueError(f"the id {script.id!r} was there before")
        except (ValueError, TypeError) as error:
            raise ScriptError(f"{path}, line {number} is no script: {error}") from None
        scripts[script.id] = script
    if not scripts:
        raise ScriptError(f"{path} holds no scripts")
    return list(scripts.values())


def _read(value: Any) -> Script:
    if not isinstance(value, dict) or not value.keys() >= {"id", "scene", "actions"}:
        raise ValueError('it needs the keys "id", "scene" and "actions"')
    unknown = value.keys() - _KEYS
    if unknown:
        raise ValueError(f"unknown keys: {', '.join(sorted(unknown))}")
    start = value.get("start", {})
    if not isinstance(start, dict) or start.keys() - _START:
        raise ValueError(f'"start" is an object with some of {", ".join(sorted(_START))}')
    if not isinstance(value["actions"], list):
        raise ValueError('"actions" is a list')
    actions = tuple(_action(place, each) for place, each in enumerate(value["actions"], 1))
    return Script(str(value["id"]), str(value["scene"]), ThorStart(**start), actions)


def _action(place: int, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict) or not isinstance(value.get("action"), str):
        raise ValueError(f'action {place} is no object with a text "action"')
    if "raise_for_failure" in value:
        raise ValueError(f"action {place}: raise_for_failure is no argument of an action")
    return value
