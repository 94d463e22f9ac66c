"""The results of models so far, on disk, so that interrupted work continues where it stopped.

JSON Lines: the settings, then one entry per line, of which the last one for a key counts; and lines
with the usage of each run. Entries that are kept together are written at once.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

from env_service.chat.completion import Usage
from env_service.storage.atomic_files import append_whole
from env_service.storage.signed_journal import JournalContents, read_journal

K_co = TypeVar("K_co", bound=Hashable, covariant=True)
K = TypeVar("K", bound=Hashable)

SYNC_SECONDS = 1.0
"""Seconds between two syncs to disk, each of which may take as long as a fast model's reply."""


class StateError(Exception):
    """A state file cannot be continued: it belongs to another run, or is not a state file."""


class StateEntry(Protocol[K_co]):
    """An entry of the file."""

    @property
    def key(self) -> K_co:
        """The key; the file has one entry per key."""

    def to_json(self) -> dict[str, Any]:
        """The entry as a line of the file."""


E = TypeVar("E", bound=StateEntry[Any])


class ModelState(ABC, Generic[K, E]):
    """A state file. Use it as a context manager. Subclasses define its entries.

    ``entries`` holds the entries by key; ``settings`` the settings that they were made with, in
    order; ``usage`` the usage of all runs.
    """

    FORMAT: str
    """The first line's ``format``, which distinguishes such a file from any other."""
    COMMAND: str
    """The command that writes it, for messages: "houseguest refine"."""

    @staticmethod
    @abstractmethod
    def read(value: Mapping[str, Any]) -> E:
        """An entry from its ``to_json``. Raises KeyError, TypeError or ValueError."""

    def __init__(self, path: Path, settings: Mapping[str, Any], *, mix: bool = False) -> None:
        """Opens a state file, or starts one; drops an incomplete last line.

        Args:
            settings: The settings that must be equal for entries to belong together.
            mix: Accept entries that were made with other settings.

        Raises:
            StateError: It is not a state file, was made with other settings, or is in use.
        """
        self._path = path
        self.entries: dict[K, E] = {}
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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.fsync(self._file.fileno())
        self._file.close()

    def keep(self, entries: Sequence[E]) -> None:
        """Adds entries, all or none. They survive the process at once, and a loss of power within
        SYNC_SECONDS."""
        self._write(entry.to_json() for entry in entries)
        self.entries.update({entry.key: entry for entry in entries})

    def keep_usage(self, usage: Usage) -> None:
        """Adds the usage of a run."""
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
                f"{self._path} is in use: another {self.COMMAND} writes it. Wait for it to end,"
                " or choose another --out"
            ) from error

    def _load(self, settings: Mapping[str, Any], *, mix: bool) -> None:
        text = read_journal(self._path)
        if not text.lines:
            # An incomplete first line may be anything: only overwrite one that begins as expected.
            if text.torn and not self._header({}).startswith(text.torn[: len(self._opening())]):
                raise self._misfit("is not a state file")
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

    def _values(self, text: JournalContents) -> Iterator[tuple[int, Mapping[str, Any]]]:
        for line in text.lines:
            first = line.number == 1
            if not isinstance(line.value, dict) or (
                first and line.value.get("format") != self.FORMAT
            ):
                raise self._misfit(
                    "is not a state file" if first else f"has an invalid line {line.number}"
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
                entry = self.read(value)
                self.entries[entry.key] = entry
        except (KeyError, TypeError, ValueError) as error:
            raise self._misfit(f"has an invalid line {number} ({error})") from None

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
            f"{self._path} was made with other settings: {'; '.join(other)}. Start over with"
            " --fresh, mix them with --mix, or choose another --out"
        )

    def _add_settings(self, settings: Mapping[str, Any]) -> None:
        append_whole(self._file, self._header(settings))
        self.settings.append(settings)

    def _write(self, values: Iterable[Mapping[str, Any]]) -> None:
        append_whole(self._file, b"".join(map(_line, values)))
        now = time.monotonic()
        if now - self._synced >= SYNC_SECONDS:
            os.fsync(self._file.fileno())
            self._synced = now

    def _header(self, settings: Mapping[str, Any]) -> bytes:
        return _line({"format": self.FORMAT, "settings": settings})

    def _opening(self) -> bytes:
        return _line({"format": self.FORMAT})[:-2]

    def _misfit(self, what: str) -> StateError:
        return StateError(
            f"{self._path} {what}. Move it away, start over with --fresh, or choose another --out"
        )


def set_aside(path: Path) -> Path | None:
    """Moves a state file away, to the name with ".old" appended, which it replaces. None if there
    is none."""
    if not path.exists():
        return None
    old = path.with_name(f"{path.name}.old")
    path.replace(old)
    return old


def _line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
