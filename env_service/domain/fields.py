"""Typed access to JSON of unknown origin."""

from __future__ import annotations

import math
from enum import Enum
from typing import Any, TypeVar

E = TypeVar("E", bound=Enum)


class FormatError(ValueError):
    """Data from outside do not say what they have to. The message names the field."""


class Fields:
    """One JSON object. Every reader raises FormatError naming the field that is wrong."""

    def __init__(self, value: object, name: str) -> None:
        if not isinstance(value, dict):
            raise FormatError(f"{name} is not a JSON object")
        self._value: dict[str, Any] = value
        self._name = name

    def text(self, key: str) -> str:
        """A string."""
        value = self._get(key)
        if not isinstance(value, str):
            raise self._wrong(key, "a text")
        return value

    def optional_text(self, key: str) -> str | None:
        """A string, or None where the field is null."""
        return None if self._get(key) is None else self.text(key)

    def integer(self, key: str) -> int:
        """A whole number, never negative."""
        value = self._get(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self._wrong(key, "a whole number of at least 0")
        return value

    def number(self, key: str) -> float:
        """A finite number."""
        value = self._get(key)
        if not _is_number(value):
            raise self._wrong(key, "a number")
        return float(value)

    def optional_number(self, key: str) -> float | None:
        """A finite number, or None where the field is null."""
        return None if self._get(key) is None else self.number(key)

    def boolean(self, key: str) -> bool:
        """True or false."""
        value = self._get(key)
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false")
        return value

    def member(self, key: str, kind: type[E]) -> E:
        """A member of an enumeration, written by its name."""
        name = self.text(key)
        if name not in kind.__members__:
            raise self._wrong(key, "one of " + ", ".join(kind.__members__))
        return kind[name]

    def object(self, key: str) -> Fields:
        """An object to read on in."""
        return Fields(self._get(key), f"{self._name}.{key}")

    def mapping(self, key: str) -> dict[str, Any]:
        """An object as it stands."""
        value = self._get(key)
        if not isinstance(value, dict):
            raise self._wrong(key, "a JSON object")
        return value

    def texts(self, key: str) -> dict[str, str]:
        """An object whose values are texts."""
        value = self.mapping(key)
        if not all(isinstance(item, str) for item in value.values()):
            raise self._wrong(key, "a JSON object of texts")
        return value

    def numbers(self, key: str) -> dict[str, float]:
        """An object whose values are finite numbers."""
        value = self.mapping(key)
        if not all(_is_number(item) for item in value.values()):
            raise self._wrong(key, "a JSON object of numbers")
        return value

    def pair(self, key: str) -> tuple[float, float]:
        """Two finite numbers."""
        value = self.items(key)
        if len(value) != 2 or not all(map(_is_number, value)):
            raise self._wrong(key, "a list of two numbers")
        return float(value[0]), float(value[1])

    def counts(self, key: str) -> dict[str, int]:
        """An object whose values are whole numbers, never negative."""
        counts = self.object(key)
        return {name: counts.integer(name) for name in self.mapping(key)}

    def items(self, key: str) -> list[Any]:
        """A list as it stands."""
        value = self._get(key)
        if not isinstance(value, list):
            raise self._wrong(key, "a list")
        return value

    def objects(self, key: str) -> tuple[Fields, ...]:
        """A list of objects to read on in."""
        return tuple(
            Fields(item, f"{self._name}.{key}[{index}]")
            for index, item in enumerate(self.items(key))
        )

    def names(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self.items(key)
        if not all(isinstance(item, str) for item in value):
            raise self._wrong(key, "a list of texts")
        return tuple(value)

    def has(self, key: str) -> bool:
        """Whether the field is there, be it null."""
        return key in self._value

    def _get(self, key: str) -> Any:
        if key not in self._value:
            raise FormatError(f"{self._name} lacks the field {key!r}")
        return self._value[key]

    def _wrong(self, key: str, wanted: str) -> FormatError:
        return FormatError(f"{self._name}.{key} has to be {wanted}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
