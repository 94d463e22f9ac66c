"""The parameters of the API: what a request may ask, checked before anything is looked up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

LONGEST_VALUE = 1000
"""Characters of one parameter."""
MOST_VALUES = 200
"""Values of one parameter that may be repeated."""
MOST_ROWS = 500
"""Rows of a page."""
_LARGEST = 2**31 - 1


class RefusedError(Exception):
    """A request that cannot be answered. ``status`` is the HTTP status, the message for people."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a query.

    ``least`` and ``most`` bound a whole number; without them the value is a text, one of
    ``choices`` if there are any.
    """

    name: str
    description: str
    repeated: bool = False
    required: bool = False
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int = _LARGEST
    default: str | None = None

    def schema(self) -> dict[str, Any]:
        """As JSON Schema."""
        if self.least is not None:
            one: dict[str, Any] = {"type": "integer", "minimum": self.least, "maximum": self.most}
        elif self.choices:
            one = {"type": "string", "enum": list(self.choices)}
        else:
            one = {"type": "string", "maxLength": LONGEST_VALUE}
        if self.repeated:
            return {"type": "array", "items": one, "maxItems": MOST_VALUES}
        if self.default is not None:
            one["default"] = self.default if self.least is None else int(self.default)
        return one

    def check(self, value: str) -> None:
        """Raises RefusedError."""
        if len(value) > LONGEST_VALUE or "\0" in value:
            raise RefusedError(
                400, f"{self.name}: give at most {LONGEST_VALUE} characters, none of them NUL"
            )
        if self.choices and value not in self.choices:
            raise RefusedError(400, f"{self.name}: give one of {', '.join(self.choices)}")
        if self.least is None:
            return
        digits = value.isascii() and value.isdecimal() and len(value) <= len(str(_LARGEST))
        if not digits or not self.least <= int(value) <= self.most:
            raise RefusedError(
                400, f"{self.name}: give a whole number from {self.least} to {self.most}"
            )


class Query:
    """The checked parameters of one request."""

    def __init__(
        self,
        parameters: Iterable[Parameter],
        given: Sequence[tuple[str, str]],
        body: bytes = b"",
    ) -> None:
        """Raises RefusedError for an unknown, repeated, missing or invalid parameter."""
        self.body = body
        known = {each.name: each for each in parameters}
        self._values: dict[str, list[str]] = {name: [] for name in known}
        for name, value in given:
            if name not in known:
                raise RefusedError(400, f"unknown parameter {name[:80]!r}")
            known[name].check(value)
            self._values[name].append(value)
        for name, values in self._values.items():
            if len(values) > (MOST_VALUES if known[name].repeated else 1):
                raise RefusedError(400, f"{name} is given too often")
            if not values and (default := known[name].default) is not None:
                values.append(default)
            if not values and known[name].required:
                raise RefusedError(400, f"{name} is needed")

    def texts(self, name: str) -> tuple[str, ...]:
        """All values of a repeated parameter."""
        return tuple(self._values[name])

    def text(self, name: str) -> str:
        """The value; empty if it was not given."""
        return next(iter(self._values[name]), "")

    def whole(self, name: str) -> int | None:
        """The number; None if it was not given."""
        value = self.text(name)
        return int(value) if value else None


def choices_of(kind: type[StrEnum]) -> tuple[str, ...]:
    """The values of an enumeration."""
    return tuple(each.value for each in kind)
