"""An agent that plays recorded actions; it recognizes each episode by its opening."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from houseguest_agent import Client, Episode, ImageEncoding, Plan, SkillCall, Text

Action = SkillCall | Text | Plan
_Kind = TypeVar("_Kind", str, list[Any], dict[str, Any])
_KINDS = {str: "string", list: "list", dict: "object"}

MOST_BYTES = 256 * 2**20
"""The maximum size of a file of actions."""

RAW = (ImageEncoding.RAW, ImageEncoding.RAW_F32)

EXAMPLES = """\
examples:
  python agent.py --actions expert.jsonl
  HOUSEGUEST_ACTIONS=expert.jsonl python agent.py
"""


class ScriptError(Exception):
    """A file of actions that cannot be used; the message names the file and the line."""


@dataclass(frozen=True, slots=True)
class Opening:
    """What identifies an episode.

    ``images`` are SHA-256 (hex) of the raw pixels; ``context`` is the digest of the context's
    texts (`context_digest`), empty if unknown.
    """

    instruction: str
    text: str
    images: tuple[str, ...]
    context: str = ""

    def fits(self, seen: Opening) -> bool:
        """Whether both belong to one task, as far as the episode ``seen`` shows it."""
        return (
            self.instruction == seen.instruction
            and (not seen.text or seen.text == self.text)
            and (not seen.context or not self.context or seen.context == self.context)
            and (not seen.images or not self.images or seen.images == self.images)
        )


@dataclass(frozen=True, slots=True)
class Script:
    """The actions for one task."""

    task: str
    opening: Opening
    actions: tuple[Action, ...]


class Library:
    """All scripts. If several fit an episode, they take turns in the file's order."""

    def __init__(self, scripts: Iterable[Script]) -> None:
        self._by_instruction: dict[str, list[Script]] = {}
        for script in scripts:
            self._by_instruction.setdefault(script.opening.instruction, []).append(script)

    def take(self, seen: Opening) -> Script | None:
        """The script for an episode with this opening; None if none fits."""
        candidates = self._by_instruction.get(seen.instruction, [])
        found = next((script for script in candidates if script.opening.fits(seen)), None)
        if found is not None:
            candidates.remove(found)
            candidates.append(found)
        return found


def load(path: Path) -> list[Script]:
    """Reads JSON Lines, one script per line. Raises ScriptError."""
    if path.exists() and not path.is_file():
        raise ScriptError(f"{path} is not a regular file: name a file of JSON Lines")
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ScriptError(f"{path} is larger than {MOST_BYTES // 2**20} MiB: split it")
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        where = "" if path.is_absolute() else f" (in {Path.cwd()})"
        raise ScriptError(f"cannot read {path}{where}: {error}") from error
    scripts = []
    for number, line in enumerate(lines, start=1):
        try:
            if line.strip():
                scripts.append(_read_script(json.loads(line)))
        except ValueError as error:
            raise ScriptError(f"{path}, line {number}: {error}") from error
    if not scripts:
        raise ScriptError(f"{path} contains no actions; write some with 'houseguest expert'")
    return scripts


def _read_script(entry: Any) -> Script:
    opening = _field(entry, "opening", dict)
    return Script(
        task=_field(entry, "task", str),
        opening=Opening(
            instruction=_field(opening, "instruction", str),
            text=_field(opening, "text", str),
            images=tuple(_field(opening, "images", list)),
            context=_field({"context": "", **opening}, "context", str),
        ),
        actions=tuple(map(_read_action, _field(entry, "actions", list))),
    )


def _read_action(entry: Any) -> Action:
    if not isinstance(entry, dict):
        raise ValueError(f"an action must be an object, not {entry!r}")
    if "text" in entry:
        return Text(_field(entry, "text", str))
    if "plan" in entry:
        return Plan(tuple(map(_read_call, _field(entry, "plan", list))))
    return _read_call(entry)


def _read_call(entry: Any) -> SkillCall:
    return SkillCall(_field(entry, "skill", str), _field(entry, "arguments", dict))


def _field(entry: Any, name: str, kind: type[_Kind]) -> _Kind:
    value = entry.get(name) if isinstance(entry, dict) else None
    if not isinstance(value, kind):
        raise ValueError(f"{name!r} is missing, or is not of type {_KINDS[kind]}")
    return value


def seen(episode: Episode) -> Opening:
    """The episode's opening. Only raw pictures can be compared: scripts store raw pixels."""
    first = episode.opening
    raw = all(image.encoding in RAW for image in first.images)
    images = tuple(image.digest for image in first.images) if raw else ()
    return Opening(episode.instruction, first.text, images, context_digest(episode.context))


def context_digest(context: Mapping[str, str]) -> str:
    """SHA-256 (hex) of a task's context texts, as 'houseguest expert' writes it: of JSON with
    sorted keys in ASCII without spaces; empty if there are none."""
    if not context:
        return ""
    text = json.dumps(dict(context), sort_keys=True, separators=(",", ":"))
    return sha256(text.encode("ascii")).hexdigest()


def play(episode: Episode, library: Library) -> None:
    """Plays the script's actions and declares the episode done; gives up if no script fits."""
    script = library.take(seen(episode))
    if script is None:
        print(f"no script opens like this: {episode.instruction!r}", file=sys.stderr)
        episode.give_up("no script has this opening")
        return
    # After a restart, the episode may already have some steps.
    for action in script.actions[len(episode.history) :]:
        if episode.running:
            episode.act(action)
    episode.done()


def main() -> None:
    """Plays every episode of the run. Exits with status 2 if the file is invalid."""
    parser = argparse.ArgumentParser(
        description="Plays recorded actions, such as those of 'houseguest expert'.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--actions",
        type=Path,
        default=os.environ.get("HOUSEGUEST_ACTIONS"),
        help="JSON Lines, one task per line; default: HOUSEGUEST_ACTIONS",
    )
    path = parser.parse_args().actions
    if path is None:
        parser.error("no actions: pass --actions FILE, or set HOUSEGUEST_ACTIONS")
    try:
        library = Library(load(path))
    except ScriptError as error:
        parser.error(str(error))
    with Client("scripted", "1.0", configuration={"actions": path.name}) as client:
        for episode in client.episodes():
            play(episode, library)


if __name__ == "__main__":
    main()
