"""Reads a mapping of strangers key by key, with messages that say what to mend."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from env_service.domain.names import nearest
from env_service.submissions.failures import ManifestError, SubmissionError

LEAST_MEMORY = 16 * 2**20
MOST_MEMORY = 16 * 2**40
MOST_WORDS = 64
MOST_SETTINGS = 64
LONGEST_WORD = 1000
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)\s*(?:([kmgt])i?)?b?", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_SHOWN = 60
"""Characters of a value in a message."""


class UntrustedFields:
    """One mapping. Readers raise ``kind``; ``check_keys`` finds the keys that nobody has read.

    ``where`` begins every message, ``below`` every key's name, as in ``hardware.``.
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        where: str,
        below: str = "",
        kind: type[SubmissionError] = ManifestError,
    ) -> None:
        self._values = values
        self._where = where
        self._below = below
        self._kind = kind
        self._read: list[str] = []

    def line(self, key: str, *, most: int, required: bool = True) -> str:
        """One line of text, not empty where it is required."""
        text = self.text(key, most=most, required=required)
        if not text.isprintable():
            raise self.error(key, text, "it has to be one line of printable text")
        return text

    def text(self, key: str, *, most: int, required: bool = False) -> str:
        """A text of at most ``most`` characters; empty where it is not given."""
        value = self._take(key)
        if value in (None, "") and not required:
            return ""
        if value in (None, ""):
            raise self._missing(key)
        if not isinstance(value, str):
            remedy = f'it has to be a text: put it in quotes, {key}: "{value}"'
            raise self.error(key, value, remedy)
        if len(value) > most:
            raise self.error(key, value, f"it is longer than {most} characters: shorten it")
        return value

    def whole(self, key: str, *, least: int, most: int, default: int | None = None) -> int:
        """A whole number."""
        value = self._take(key)
        if value is None and default is not None:
            return default
        if value is None:
            raise self._missing(key)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise self.error(key, value, f"it has to be a whole number from {least} to {most}")
        return value

    def number(self, key: str, *, least: float, most: float, default: float) -> float:
        """A number."""
        value = self._take(key)
        if value is None:
            return default
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        if not plain or not least <= value <= most:
            raise self.error(key, value, f"it has to be a number from {least:g} to {most:g}")
        return float(value)

    def switch(self, key: str, *, default: bool = False) -> bool:
        """True or false."""
        value = self._take(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.error(key, value, "it has to be true or false")
        return value

    def words(self, key: str, *, required: bool = False) -> tuple[str, ...]:
        """A list of texts, not empty where it is required."""
        value = self._take(key)
        if value is None and not required:
            return ()
        if value is None:
            raise self._missing(key)
        if not isinstance(value, list):
            raise self.error(key, value, f"it has to be a list: {key}: [one, two]")
        if required and not value:
            raise self.error(key, value, "it has to name at least one")
        if len(value) > MOST_WORDS:
            raise self.error(key, f"{len(value)} items", f"there may be {MOST_WORDS} at most")
        for word in value:
            if not isinstance(word, str):
                remedy = f'every item has to be a text: put it in quotes, "{word}"'
                raise self.error(key, word, remedy)
            if len(word) > LONGEST_WORD or "\0" in word:
                remedy = f"an item has at most {LONGEST_WORD} characters, and no NUL"
                raise self.error(key, word, remedy)
        return tuple(value)

    def mapping(self, key: str) -> UntrustedFields | None:
        """A mapping to read on in; None where it is not given."""
        value = self._take(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.error(key, value, f"it has to be a mapping: {key}: {{name: value}}")
        return UntrustedFields(value, self._where, f"{self._below}{key}.", self._kind)

    def settings(self, key: str) -> dict[str, str | int | float | bool]:
        """A mapping of names to texts, numbers, true and false."""
        fields = self.mapping(key)
        if fields is None:
            return {}
        if len(fields._values) > MOST_SETTINGS:
            raise self.error(key, f"{len(fields._values)} keys", f"at most {MOST_SETTINGS} fit")
        for name, value in fields._values.items():
            finite = not isinstance(value, float) or math.isfinite(value)
            if not isinstance(value, str | int | float | bool) or not finite:
                raise fields.error(name, value, "it has to be a text, a number, true or false")
            if len(str(value)) > LONGEST_WORD:
                raise fields.error(name, value, f"it is longer than {LONGEST_WORD} characters")
        return dict(fields._values)

    def memory(self, key: str, *, default: int) -> int:
        """A size in bytes: 512m, 32g, 4GiB, or a number; units are powers of 1024."""
        value = self._take(key)
        if value is None:
            return default
        size = value if isinstance(value, int) and not isinstance(value, bool) else _size(value)
        if size is None or not LEAST_MEMORY <= size <= MOST_MEMORY:
            raise self.error(key, value, "it has to be a size from 16m to 16t, as in 512m or 32g")
        return size

    def plain(self, key: str) -> object:
        """The value as it stands; None where it is not given."""
        value: object = self._take(key)
        return value

    def check_keys(self) -> None:
        """Raises ``kind`` for a key that no reader asked for, with the nearest known one."""
        for key in self._values:
            if key not in self._read:
                guess = nearest(key, self._read)
                hint = f"did you mean {self._below}{guess}? " if guess else ""
                raise self._kind(
                    f"{self._where}: there is no key {self._below}{key}: {hint}"
                    f"known are {', '.join(self._read)}"
                )

    def error(self, key: str, value: object, remedy: str) -> SubmissionError:
        """The error that names a key and its value."""
        shown = repr(value)
        shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
        return self._kind(f"{self._where}: {self._below}{key} is {shown}: {remedy}")

    def _missing(self, key: str) -> SubmissionError:
        return self._kind(f"{self._where}: {self._below}{key} is missing: add a line `{key}: …`")

    def _take(self, key: str) -> Any:
        if key not in self._read:
            self._read.append(key)
        return self._values.get(key)


def _size(value: object) -> int | None:
    found = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        return None
    power: int = _POWERS[(found[2] or "").lower()]
    return int(float(found[1]) * 2.0 ** (10 * power))
