"""Reading JSON of unknown shape, with errors that say where."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

from env_service.domain.names import nearest

_HALVES = re.compile("[\\ud800-\\udfff]")
"""Surrogates: JSON can hold one alone, which no encoding of text can."""


class DataError(ValueError):
    """A file of the benchmark cannot be read. ``source`` is the file or its name, ``where`` the
    place in it ("scene.object_poses[3].position"; empty: the whole), ``problem`` what is wrong."""

    def __init__(self, source: str, where: str, problem: str) -> None:
        self.source, self.where, self.problem = source, where, problem
        super().__init__(": ".join(filter(None, (source, where, problem))))


class Node:
    """A value of a JSON document, which knows where it stands. Every method raises the error that
    the document was loaded with (`load_json`)."""

    __slots__ = ("kind", "source", "value", "where")

    def __init__(
        self, value: Any, source: str, where: str = "", kind: type[DataError] = DataError
    ) -> None:
        self.value, self.source, self.where, self.kind = value, source, where, kind

    def error(self, problem: str) -> DataError:
        """An error about this value, to raise."""
        return self.kind(self.source, self.where, problem)

    def __getitem__(self, key: str) -> Self:
        """The value of a key that has to be there."""
        mapping = self.mapping()
        if key not in mapping:
            raise self.error(f"lacks the key {key!r}")
        return self._inner(mapping[key], f"{self.where}.{key}" if self.where else key)

    def __contains__(self, key: str) -> bool:
        return key in self.mapping()

    def optional(self, key: str) -> Self | None:
        """The value of a key; None if the key is not there or its value is null."""
        return self[key] if self.mapping().get(key) is not None else None

    def mapping(self) -> Mapping[str, Any]:
        """As an object."""
        if not isinstance(self.value, dict):
            raise self._wrong("an object")
        return self.value

    def items(self) -> list[Self]:
        """As a list."""
        if not isinstance(self.value, list):
            raise self._wrong("a list")
        return [
            self._inner(value, f"{self.where}[{index}]") for index, value in enumerate(self.value)
        ]

    def string(self) -> str:
        """As a text, which may be blank."""
        if not isinstance(self.value, str):
            raise self._wrong("a text")
        if _HALVES.search(self.value):
            raise self.error(f"is {self.value!a:.60}, which has half of a character in it")
        return self.value

    def text(self) -> str:
        """As a text that is not blank."""
        text = self.string()
        if not text.strip():
            raise self.error("is empty, not a text")
        return text

    def texts(self) -> tuple[str, ...]:
        """As a list of texts that are not blank; it may have none."""
        return tuple(item.text() for item in self.items())

    def flag(self) -> bool:
        """As true or false."""
        if not isinstance(self.value, bool):
            raise self._wrong("true or false")
        return self.value

    def number(self) -> float:
        """As a finite number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self._wrong("a number")
        try:
            number = float(self.value)
        except OverflowError:
            number = float("inf")
        if not abs(number) < float("inf"):
            raise self._wrong("a finite number")
        return number

    def whole(self, least: int = 0, most: int | None = None) -> int:
        """As a whole number from ``least`` to ``most``; None: without end."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            raise self._wrong("a whole number")
        if self.value < least:
            raise self.error(f"is {self.value!r:.60}; it has to be at least {least}")
        if most is not None and self.value > most:
            raise self.error(f"is {self.value!r:.60}; it has to be at most {most}")
        return self.value

    def one_of(self, kind: str, valid: Iterable[str]) -> str:
        """As one of some texts, which are called a ``kind``."""
        return chosen(self, self.text(), kind, tuple(map(str, valid)))

    def _inner(self, value: Any, where: str) -> Self:
        return type(self)(value, self.source, where, self.kind)

    def _wrong(self, wanted: str) -> DataError:
        return self.error(f"is {self.value!r:.60}, not {wanted}")


def chosen(node: Node, text: str, kind: str, valid: Sequence[str]) -> str:
    """A text that a value has in it, as one of some texts, which are called a ``kind``. Raises the
    node's error, which proposes the nearest."""
    if text not in valid:
        close = nearest(text, valid)
        guess = f" Did you mean {close!r}?" if close else f" Valid: {', '.join(valid[:12])}."
        raise node.error(f"there is no {kind} {text!r:.60}.{guess}")
    return text


def load_json(text: str | bytes, source: str, kind: type[DataError] = DataError) -> Node:
    """The value that a text in JSON stands for; ``kind`` is the error of all that is wrong in it,
    and is raised where it is no JSON."""
    try:
        return Node(json.loads(text), source, "", kind)
    except json.JSONDecodeError as error:
        problem = f"is no JSON: {error.msg} at column {error.colno}"
        raise kind(source, f"line {error.lineno}", problem) from error
    except RecursionError as error:
        raise kind(source, "", "is nested too deeply to be read") from error
    except UnicodeDecodeError as error:
        raise kind(source, f"byte {error.start}", "is no text in UTF-8") from error
    except ValueError as error:  # a number of thousands of digits
        raise kind(source, "", f"cannot be read: {error}") from error


def objects_in(text: str) -> Iterator[Mapping[str, Any]]:
    """Every JSON object in a text of any kind that is inside no other, in order."""
    decoder = json.JSONDecoder(strict=False)
    at = text.find("{")
    while at >= 0:
        try:
            found, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(found, dict):
                yield found
        at = text.find("{", end)
