"""Plays everything that is to be compared and stores each finished record, so that an interrupted
comparison can resume.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from env_service.storage.atomic_files import append_whole, write_atomically
from env_service.storage.signed_journal import read_journal
from env_service.suites.base import Suite
from env_service.worlds.ai2thor_api.parity.exploration import ROUTINES, Exploration, explore
from env_service.worlds.ai2thor_api.parity.records import Record
from env_service.worlds.ai2thor_api.parity.report import ComparisonSetup
from env_service.worlds.ai2thor_api.parity.script_play import (
    PlayOptions,
    Script,
    Side,
    blank_record,
    play_script,
    play_with_retries,
)
from env_service.worlds.ai2thor_api.parity.task_play import TaskPlay, play_task


@dataclass(frozen=True)
class Play:
    """A script or task: ``blank`` says which, ``once`` plays it once (see `play_with_retries`)."""

    blank: Record
    once: Callable[[], Record]


def script_play(script: Script, sides: tuple[Side, Side], options: PlayOptions) -> Play:
    """A script in two worlds."""
    return Play(blank_record(script), partial(play_script, script, *sides, options))


def task_play(suite: Suite, play: TaskPlay, options: PlayOptions) -> Play:
    """A task in two worlds."""
    return Play(play.blank, partial(play_task, suite, play, options))


def play_all(
    plays: Sequence[Play], journal: RecordJournal, advance: Callable[[], None]
) -> list[Record]:
    """A record of each play, in order. What the journal has is not played again, unless it was
    voided. ``advance`` is called after each.

    Raises WorldUnavailableError if this machine cannot run a world.
    """
    records = []
    for play in plays:
        record = journal.known.get(play.blank.id)
        if record is None or record.voided or record.digest != play.blank.digest:
            record = play_with_retries(play.once, play.blank)
            journal.keep(record)
        records.append(record)
        advance()
    return records


def explored(side: Side, scene: str, exploration: Exploration) -> Script:
    """A script for a scene of a world.

    Raises:
        ValueError: the world has no such scene.
        WorldFault: the world did not start. If it breaks later, the script ends at that point.
        WorldUnavailableError: this machine cannot run the world.
    """
    controller = side.open(scene, exploration.start)
    try:
        return explore(scene, controller, exploration, ROUTINES)
    finally:
        controller.stop()


# --- Finished records on the disk, so that an interrupted comparison can resume

NAME = "records.jsonl"


class JournalError(ValueError):
    """A folder holds the records of another comparison; the message says what to do."""


class RecordJournal:
    """JSON Lines: the setup, then one record a line. Use it as a context manager.

    ``known`` holds the stored records, by id.
    """

    def __init__(self, folder: Path, setup: ComparisonSetup) -> None:
        """Opens a folder's journal, or starts one; a torn last line is dropped.

        Raises:
            JournalError: the folder's records were made in another setting.
        """
        self._path = folder / NAME
        self.known: dict[str, Record] = {}
        folder.mkdir(parents=True, exist_ok=True)
        wanted = json.loads(json.dumps(setup.to_json()))
        lines = [line.value for line in read_journal(self._path).lines]
        if lines:
            self._check(lines[0], wanted)
        try:
            for value in lines[1:]:
                record = Record.from_json(value)
                self.known[record.id] = record
        except (KeyError, TypeError) as error:
            raise self._misfit(f"holds a line that is not a record ({error})") from None
        # Rewriting drops a torn line and records that were made again.
        rest = [record.to_json() for record in self.known.values()]
        write_atomically(self._path, b"".join(map(_line, [wanted, *rest])))
        self._file = self._path.open("ab", buffering=0)

    def __enter__(self) -> RecordJournal:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def keep(self, record: Record) -> None:
        """Adds a record; it is on the disk afterwards."""
        append_whole(self._file, _line(record.to_json()))
        self.known[record.id] = record

    def _check(self, found: Any, wanted: dict[str, Any]) -> None:
        if not isinstance(found, dict):
            raise self._misfit("is not a journal of `houseguest parity`")
        other = list(_differences("", found, wanted))
        if other:
            more = f", and {len(other) - _SHOWN} more" if len(other) > _SHOWN else ""
            differences = "; ".join(other[:_SHOWN])
            raise self._misfit(f"was written in another setting ({differences}{more})")

    def _misfit(self, what: str) -> JournalError:
        folder = self._path.parent
        return JournalError(f"{self._path} {what}. Remove {folder}, or choose another --out.")


_SHOWN = 4
"""How many differences between two settings to list."""


def _differences(path: str, found: Any, wanted: Any) -> Iterator[str]:
    """What is not the same in two JSON documents, value by value."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        for name in dict.fromkeys((*wanted, *found)):
            below = f"{path}.{name}" if path else name
            yield from _differences(below, found.get(name), wanted.get(name))
    elif found != wanted:
        yield f"{path} was {json.dumps(found)}, now {json.dumps(wanted)}"


def _line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
