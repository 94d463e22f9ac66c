"""Reading JSON of unknown shape, with errors that say where."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from env_service.domain.names import nearest


class PlanError(ValueError):
    """A plan cannot be read. ``source`` is its file or name, ``where`` the place in it."""

    def __init__(self, source: str, where: str, problem: str) -> None:
        self.source, self.where, self.problem = source, where, problem
        super().__init__(": ".join(filter(None, (source, where, problem))))


def load_json(text: str | bytes, source: str) -> Any:
    """The value that a text in JSON stands for. Raises PlanError where it is none."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise PlanError(source, f"line {error.lineno}", f"is no JSON: {error.msg}") from error
    except RecursionError as error:
        raise PlanError(source, "", "is nested too deeply to be read") from error
    except UnicodeDecodeError as error:
        raise PlanError(source, f"byte {error.start}", "is no text in UTF-8") from error
    except ValueError as error:  # a number of thousands of digits
        raise PlanError(source, "", f"cannot be read: {error}") from error


class Node:
    """A value of a JSON document, which knows where it stands. Every method raises PlanError."""

    def __init__(self, value: Any, source: str, where: str = "") -> None:
        self.value, self.source, self.where = value, source, where

    def error(self, problem: str) -> PlanError:
        """An error about this value, to raise."""
        return PlanError(self.source, self.where, problem)

    def __getitem__(self, key: str) -> Node:
        """The value of a key that has to be there."""
        mapping = self.mapping()
        if key not in mapping:
            raise self.error(f"lacks the key {key!r}")
        return Node(mapping[key], self.source, f"{self.where}.{key}" if self.where else key)

    def __contains__(self, key: str) -> bool:
        return key in self.mapping()

    def optional(self, key: str) -> Node | None:
        """The value of a key; None if the key is not there or its value is null."""
        mapping = self.mapping()
        return self[key] if mapping.get(key) is not None else None

    def mapping(self) -> Mapping[str, Any]:
        """As an object."""
        if not isinstance(self.value, dict):
            raise self._wrong("an object")
        return self.value

    def items(self) -> list[Node]:
        """As a list."""
        if not isinstance(self.value, list):
            raise self._wrong("a list")
        return [
            Node(value, self.source, f"{self.where}[{index}]")
            for index, value in enumerate(self.value)
        ]

    def text(self) -> str:
        """As a text that is not empty."""
        if not isinstance(self.value, str) or not self.value.strip():
            raise self._wrong("a text")
        return self.value

    def texts(self) -> tuple[str, ...]:
        """As a list of texts; null is an empty one."""
        return () if self.value is None else tuple(item.text() for item in self.items())

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

    def whole(self, least: int, most: int) -> int:
        """As a whole number from ``least`` to ``most``."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            raise self._wrong("a whole number")
        if self.value < least:
            raise self.error(f"is {self.value!r:.60}; it has to be at least {least}")
        if self.value > most:
            raise self.error(f"is {self.value!r:.60}; it has to be at most {most}")
        return self.value

    def absent(self) -> None:
        """As null, false or empty: what cannot be played must not be asked for."""
        if self.value:
            raise self.error(f"is {self.value!r:.60}, which is not supported; it has to be null")

    def one_of(self, kind: str, valid: Iterable[str]) -> str:
        """As one of some texts, which are called a ``kind``."""
        text, listed = self.text(), tuple(map(str, valid))
        if text not in listed:
            close = nearest(text, listed)
            guess = f" Did you mean {close!r}?" if close else f" Valid: {', '.join(listed[:12])}."
            raise self.error(f"there is no {kind} {text!r}.{guess}")
        return text

    def _wrong(self, wanted: str) -> PlanError:
        return self.error(f"is {self.value!r:.60}, not {wanted}")
