"""Lists of actions for a world, as JSON Lines, and playing one in two worlds in step."""

from __future__ import annotations

import hashlib
import json
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from env_service.domain.failure import FaultClass, WorldFault
from env_service.storage.atomic_files import write_atomically
from env_service.storage.plain_files import MOST_GIVEN, read_plain
from env_service.worlds.ai2thor_api.controller import ThorController, ThorStart
from env_service.worlds.ai2thor_api.errors import first_line
from env_service.worlds.ai2thor_api.parity.answers import ActionAnswer, ask
from env_service.worlds.ai2thor_api.parity.comparison import Comparison, Moment, Row
from env_service.worlds.ai2thor_api.parity.records import SCRIPT, Fault, Record, Voided, data_fault
from env_service.worlds.ai2thor_api.parity.states import Snapshot
from env_service.worlds.ai2thor_api.parity.tolerances import Tolerances
from env_service.worlds.ai2thor_api.world_registry import open_world
from env_service.worlds.base import WorldUnavailableError

TRIES = 2
"""How often a script is played before it counts as voided."""

START = "(start)"
"""Replaces the action in the first row."""

Opener = Callable[[str, ThorStart], ThorController]
"""Opens a scene of one world; see `open_world`."""


@dataclass(frozen=True)
class Side:
    """One of the two worlds: its name, and how it is opened."""

    name: str
    open: Opener

    @staticmethod
    def of(world: str) -> Side:
        """A world of `worlds.ai2thor_api.world_registry`."""
        return Side(world, lambda scene, start: open_world(world, scene, start))


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """How two worlds are compared.

    ``settle`` is the number of Pass actions between each action and the comparison of states, as in
    AsgardBench (docs/asgard-rules.md, "An episode"): objects in the real simulator keep moving for
    a while.
    """

    tolerances: Tolerances = field(default_factory=Tolerances)
    settle: int = 2
    pictures: bool = False
    stop_at_divergence: bool = False


def play_with_retries(play: Callable[[], Record], blank: Record) -> Record:
    """Plays until a try runs to its end, TRIES times at most; ``blank`` names what was played.

    Raises the errors of `play`, except Voided.
    """
    faults: list[Fault] = []
    for _ in range(TRIES):
        try:
            return replace(play(), faults=tuple(faults))
        except Voided as voided:
            faults.append(voided.fault)
            if not voided.fault.retryable:
                break
    return replace(blank, faults=tuple(faults), voided=True)


def play_script(script: Script, left: Side, right: Side, options: PlayOptions) -> Record:
    """Plays a script once.

    Raises:
        Voided: a world broke, or has no such scene.
        WorldUnavailableError: this machine cannot run a world.
    """
    with opened(left, script) as one, opened(right, script) as other:
        comparing = Comparison(options.tolerances)
        rows: list[Row] = []
        divergence, stopped = None, False
        for index, action in enumerate(({"action": START}, *script.actions)):
            moments = [
                moment(side.name, controller, (action, index), options)
                for side, controller in ((left, one), (right, other))
            ]
            rows.append(comparing.after(action, *moments))
            if divergence is None and comparing.diverged(rows[-1]):
                divergence = index
                stopped = options.stop_at_divergence and index < len(script.actions)
            if stopped:
                break
    return replace(
        blank_record(script),
        rows=tuple(rows),
        tallies=comparing.tallies.to_json(),
        divergence=divergence,
        stopped=stopped,
    )


def blank_record(script: Script) -> Record:
    """A record of a script that was not played."""
    start = script.to_json()["start"]
    return Record(script.id, SCRIPT, script.digest, script.scene, start)


@contextmanager
def opened(side: Side, script: Script) -> Iterator[ThorController]:
    """A script's scene in a world, stopped at the end. Raises Voided, WorldUnavailableError."""
    with blamed(side.name, 0):
        try:
            controller = side.open(script.scene, script.start)
        except ValueError as error:
            raise data_fault(side.name, first_line(str(error)), 0) from error
    try:
        yield controller
    finally:
        controller.stop()


def moment(
    world: str,
    controller: ThorController,
    turn: tuple[Mapping[str, Any], int],
    options: PlayOptions,
) -> Moment:
    """Plays one action, by its mapping and index, and lets all settle. Raises Voided."""
    action, index = turn
    with blamed(world, index):
        if action["action"] == START:
            answer = ActionAnswer.of(controller.last_event)
        else:
            answer = ask(controller, action)
        # A query changes nothing, and a refused action nothing that would have to settle.
        if answer.success and not str(action["action"]).startswith("Get"):
            for _ in range(options.settle):
                controller.step("Pass")
        event = controller.last_event
        return Moment(answer, Snapshot.of(event.metadata), event if options.pictures else None)


@contextmanager
def blamed(world: str, at: int) -> Iterator[None]:
    """Turns whatever a world raises into Voided, but for a machine that cannot run it."""
    try:
        yield
    except (Voided, WorldUnavailableError):
        raise
    except WorldFault as error:
        raise Voided(Fault(world, error.fault.value, error.detail, at)) from error
    except Exception as error:  # one bad script shall not cost the others
        where = traceback.extract_tb(error.__traceback__)[-1]
        detail = f"{type(error).__name__}: {error} ({where.name}, line {where.lineno})"
        raise Voided(Fault(world, FaultClass.SERVICE_FAULT.value, detail, at)) from error


# --- Lists of actions for a world, as JSON Lines: one script a line

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
        ScriptError: a line is not a script, an id comes twice, or the file has no script.
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
            raise ScriptError(f"{path}, line {number} is not a script: {error}") from None
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
        raise ValueError(f'action {place} is not an object with a text "action"')
    if "raise_for_failure" in value:
        raise ValueError(f"action {place}: actions have no argument raise_for_failure")
    return value
