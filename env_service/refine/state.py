"""What is done so far, on the disk: an interrupted refinement goes on where it was.

JSON Lines: the settings, then one entry a line, the later of two for the same thing being right;
and lines that tell what a run used. The entries of a batch are written at once.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from env_service.chat.completion import Usage
from env_service.refine.entries import Entry, Key, read_entry
from env_service.refine.errors import StateError
from env_service.results.atomic import append_whole
from env_service.results.journal import JournalText, read_journal

FORMAT = "houseguest-refine-1"
"""The first line's ``format``: what tells a state file from any other."""


SYNC_SECONDS = 1.0
"""Between two waits for the disk, which may take as long as a quick model's reply."""


class State:
    """A state file. Use it as a context manager.

    ``entries`` holds what is known, by key; ``settings`` with what it was made, in order;
    ``usage`` what all runs used.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any], *, mix: bool = False) -> None:
        """Opens a state file, or starts one; a torn last line is dropped.

        Args:
            settings: what has to be the same for entries to go together.
            mix: take up entries that were made with other settings.

        Raises:
            StateError: it is no state file, was made with other settings, or is in use.
        """
        self._path = path
        self.entries: dict[Key, Entry] = {}
        self.settings: list[Mapping[str, Any]] = []
        self.usage = Usage()
        self._synced = float("-inf")
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab", buffering=0)
        try:
            self._lock()
            self._load(json.loads(json.dumps(settings)), mix=mix)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> State:
        return self

    def __exit__(self, *_: object) -> None:
        os.fsync(self._file.fileno())
        self._file.close()

    def keep(self, entries: Sequence[Entry]) -> None:
        """Adds entries, all or none. They survive the process at once, and a loss of power within
        SYNC_SECONDS."""
        self._write(entry.to_json() for entry in entries)
        self.entries.update({entry.key: entry for entry in entries})

    def keep_usage(self, usage: Usage) -> None:
        """Adds what a run used."""
        told = {
            "calls": usage.calls,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "reported": usage.reported,
        }
        self._write([{"usage": told}])
        self.usage += usage

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StateError(
                f"{self._path} is in use: another houseguest refine writes it. Wait for it to end,"
                " or choose another --out"
            ) from error

    def _load(self, settings: Mapping[str, Any], *, mix: bool) -> None:
        text = read_journal(self._path)
        if not text.lines:
            # A torn first line may be anything: only what begins as ours is written over.
            if text.torn and not _header({}).startswith(text.torn[: len(_OPENING)]):
                raise self._misfit("is no state file")
            self._file.truncate(0)
            self._add_settings(settings)
            return
        for value in self._values(text):
            self._take(value)
        if text.torn:
            self._file.truncate(self._path.stat().st_size - len(text.torn))
        elif not text.lines[-1].raw.endswith(b"\n"):
            append_whole(self._file, b"\n")
        self._check(settings, mix=mix)

    def _values(self, text: JournalText) -> Iterator[tuple[int, Mapping[str, Any]]]:
        for line in text.lines:
            first = line.number == 1
            if not isinstance(line.value, dict) or (first and line.value.get("format") != FORMAT):
                raise self._misfit(
                    "is no state file" if first else f"has a line {line.number} that is no entry"
                )
            yield line.number, line.value

    def _take(self, numbered: tuple[int, Mapping[str, Any]]) -> None:
        number, value = numbered
        try:
            if "format" in value:
                self.settings.append(dict(value["settings"]))
            elif "usage" in value:
                self.usage += Usage(**value["usage"])
            else:
                entry = read_entry(value)
                self.entries[entry.key] = entry
        except (KeyError, TypeError, ValueError) as error:
            raise self._misfit(f"has a line {number} that is no entry ({error})") from None

    def _check(self, settings: Mapping[str, Any], *, mix: bool) -> None:
        found = self.settings[-1]
        if found == settings:
            return
        if mix:
            self._add_settings(settings)
            return
        other = [
            f"{name} was {json.dumps(found.get(name))}, now {json.dumps(settings.get(name))}"
            for name in dict.fromkeys((*settings, *found))
            if found.get(name) != settings.get(name)
        ]
        raise StateError(
            f"{self._path} was made with other settings: {'; '.join(other)}. Begin anew with"
            " --fresh, mix them with --mix, or choose another --out"
        )

    def _add_settings(self, settings: Mapping[str, Any]) -> None:
        append_whole(self._file, _header(settings))
        self.settings.append(settings)

    def _write(self, values: Iterable[Mapping[str, Any]]) -> None:
        append_whole(self._file, b"".join(map(_line, values)))
        now = time.monotonic()
        if now - self._synced >= SYNC_SECONDS:
            os.fsync(self._file.fileno())
            self._synced = now

    def _misfit(self, what: str) -> StateError:
        return StateError(
            f"{self._path} {what}. Move it away, begin anew with --fresh, or choose another --out"
        )


def set_aside(path: Path) -> Path | None:
    """Moves a state file out of the way, under the name with ".old" behind it, which it replaces.
    None where there is none."""
    if not path.exists():
        return None
    old = path.with_name(f"{path.name}.old")
    path.replace(old)
    return old


def _header(settings: Mapping[str, Any]) -> bytes:
    return _line({"format": FORMAT, "settings": settings})


def _line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


_OPENING = _line({"format": FORMAT})[:-2]
