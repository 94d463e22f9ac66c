"""Settings as text: what environment variables say, checked one by one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

Choice = TypeVar("Choice", bound=StrEnum)

CPUS = 4096
"""Processors are numbered below this, far beyond any machine, so that a slip of the finger in a
range does not fill the memory."""


@dataclass(frozen=True, slots=True)
class Variables:
    """Environment variables of one prefix. Unset and empty are the same: the default counts.

    Every method raises ValueError for a value that cannot be read or is out of range; the text
    names the variable, the value and what it may be.
    """

    environment: Mapping[str, str]
    prefix: str

    def text(self, name: str, default: str = "") -> str:
        """A variable's text without blanks around it."""
        return self.environment.get(self.prefix + name, "").strip() or default

    def choice(self, name: str, default: Choice) -> Choice:
        """One of an enumeration's values; capitals do not matter."""
        text = self.text(name, default.value)
        for each in type(default):
            if each.value.lower() == text.lower():
                return each
        known = ", ".join(each.value for each in type(default))
        raise self.wrong(name, f"one of {known}")

    def whole(self, name: str, default: int, *, least: int) -> int:
        """A whole number, at least so much."""
        found = self.whole_or_none(name, least=least)
        return default if found is None else found

    def whole_or_none(self, name: str, *, least: int) -> int | None:
        """The same; None where nothing is set."""
        text = self.text(name)
        if not text:
            return None
        if not (text.isascii() and text.isdigit() and int(text) >= least):
            raise self.wrong(name, f"a whole number of {least} or more")
        return int(text)

    def seconds(self, name: str, default: float) -> float:
        """A number of seconds, more than 0."""
        text = self.text(name)
        if not text:
            return default
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not 0 < value < math.inf:
            raise self.wrong(name, "a number of seconds above 0, such as 90 or 2.5")
        return value

    def folder(self, name: str) -> Path | None:
        """An absolute path, or one that begins with ~; None where nothing is set."""
        text = self.text(name)
        if not text:
            return None
        path = Path(text).expanduser()
        if not path.is_absolute():
            raise self.wrong(name, "an absolute path")
        return path

    def processors(self, name: str) -> tuple[int, ...]:
        """Numbers of processors as the kernel writes them, "0-3,8"; each once, rising."""
        found: set[int] = set()
        for part in filter(None, self.text(name).split(",")):
            ends = [end.strip() for end in part.split("-")]
            if not (len(ends) <= 2 and all(end.isascii() and end.isdigit() for end in ends)):
                raise self.wrong(name, 'processors such as "0-3,8"')
            first, last = int(ends[0]), int(ends[-1])
            if not first <= last < CPUS:
                raise self.wrong(name, f'processors such as "0-3,8", rising and below {CPUS}')
            found.update(range(first, last + 1))
        return tuple(sorted(found))

    def wrong(self, name: str, wanted: str) -> ValueError:
        """The error for a variable whose value is not what is wanted."""
        return ValueError(f"{self.prefix}{name} is {self.text(name)!r}; it has to be {wanted}")
