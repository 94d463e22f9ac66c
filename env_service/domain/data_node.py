"""Reads JSON, TOML and YAML of unknown origin, with errors that say what is wrong, and where."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Self, TypeVar

from env_service.domain.names import nearest

T = TypeVar("T")

_SURROGATES = re.compile("[\\ud800-\\udfff]")
"""Halves of characters: JSON can hold one alone, which no encoding of text can."""


class DataError(ValueError):
    """Data from outside do not say what they have to.

    It is made of one to three texts, the last of which is the ``problem``: what is wrong.
    ``source`` is the file or its name, ``where`` the place in it
    ("scene.object_poses[3].position"); both may be empty.
    """

    def __init__(self, *parts: str) -> None:
        *place, self.problem = parts
        self.source, self.where = (*place, "", "")[:2]
        super().__init__(": ".join(filter(None, parts)))


class FormatError(DataError):
    """What this software has written cannot be read: a run's folder, a receipt, a score."""


class DataNode:
    """A value of a document, with its path in it. Every method raises ``kind``.

    Take the values of an object with ``node[key]``, ``node.get(key, default)`` or
    ``node.optional(key)``, then read each as the type that it must have. ``check_keys`` refuses
    the keys that were not read.
    """

    __slots__ = ("_asked", "kind", "source", "value", "where")

    def __init__(
        self,
        value: Any,
        source: str,
        where: str = "",
        kind: type[DataError] = FormatError,
    ) -> None:
        self.value, self.source, self.where, self.kind = value, source, where, kind
        self._asked: list[str] = []

    def error(self, problem: str) -> DataError:
        """An error about this value, to raise."""
        return self.kind(self.source, self.where, problem)

    # --- The parts of an object and of a list

    def __getitem__(self, key: str) -> Self:
        """The value of a key that has to be there."""
        self._asked.append(key)
        # Without calls of other methods: readers of runs ask for 40 keys of each episode.
        value, where = self.value, self.where
        if not isinstance(value, dict):
            raise self._wrong("an object of keys and values")
        if key not in value:
            raise self.error(f"lacks the key {key!r}")
        return type(self)(value[key], self.source, f"{where}.{key}" if where else key, self.kind)

    def __contains__(self, key: str) -> bool:
        return key in self.mapping()

    def get(self, key: str, default: object) -> Self:
        """The value of a key; ``default`` if the key is not there or its value is null."""
        self._asked.append(key)
        value = self.mapping().get(key)
        return self._inner(default if value is None else value, self._path(key))

    def optional(self, key: str) -> Self | None:
        """The value of a key; None if the key is not there or its value is null."""
        node = self.get(key, None)
        return None if node.value is None else node

    def mapping(self) -> dict[str, Any]:
        """As an object."""
        if not isinstance(self.value, dict):
            raise self._wrong("an object of keys and values")
        return self.value

    def mapped(self, read: Callable[[Self], T]) -> dict[str, T]:
        """As an object, each of whose values ``read`` reads, as ``DataNode.string`` does."""
        return {key: read(self[key]) for key in self.mapping()}

    def or_none(self, read: Callable[[Self], T]) -> T | None:
        """As null, which is None, or as what ``read`` reads."""
        return None if self.value is None else read(self)

    def check_keys(self) -> None:
        """Refuses a key that was not read, and proposes the most similar one that was."""
        known = tuple(dict.fromkeys(self._asked))
        for key in self.mapping():
            if key not in known:
                close = nearest(key, known)
                guess = f" Did you mean {self._path(close)!r}?" if close else ""
                path = self._path(key)
                raise self.kind(
                    self.source,
                    f"unknown key {path!r:.80}.{guess} Known: {', '.join(known)}.",
                )

    def items(self, most: int | None = None) -> list[Self]:
        """As a list of at most so many values; None: of any number."""
        if not isinstance(self.value, list):
            single = isinstance(self.value, str | int | float)
            raise self._wrong("a list: put it in brackets" if single else "a list")
        if most is not None and len(self.value) > most:
            raise self.error(f"has {len(self.value)} items; there may be {most} at most")
        return [
            self._inner(value, f"{self.where}[{index}]") for index, value in enumerate(self.value)
        ]

    # --- Single values

    def string(self, most: int | None = None) -> str:
        """As a text of at most so many characters, which may be blank; None: of any number."""
        if not isinstance(self.value, str):
            quotes = isinstance(self.value, int | float)
            raise self._wrong("a text: put it in quotes" if quotes else "a text")
        if not self.value.isascii() and _SURROGATES.search(self.value):
            raise self.error(f"is {self.value!a:.60}, which has half of a character in it")
        if most is not None and len(self.value) > most:
            raise self.error(f"is longer than {most} characters: shorten it")
        return self.value

    def text(self, most: int | None = None) -> str:
        """As a text that is not blank."""
        text = self.string(most)
        if not text.strip():
            raise self.error("is empty, not a text")
        return text

    def line(self, most: int) -> str:
        """As one line of printable text, which may be blank."""
        text = self.string(most)
        if not text.isprintable():
            raise self.error(f"is {text!r:.60}; it has to be one line of printable text")
        return text

    def title(self, most: int) -> str:
        """As one line of printable text that is not blank."""
        self.text(most)
        return self.line(most)

    def strings(self) -> tuple[str, ...]:
        """As a list of texts, which may be blank."""
        return tuple(item.string() for item in self.items())

    def texts(self) -> tuple[str, ...]:
        """As a list of texts that are not blank; it may have none."""
        return tuple(item.text() for item in self.items())

    def flag(self) -> bool:
        """As true or false."""
        if not isinstance(self.value, bool):
            raise self._wrong("true or false")
        return self.value

    def number(self, least: float | None = None, most: float | None = None) -> float:
        """As a finite number from ``least`` to ``most``; None: without end."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self._wrong("a number")
        try:
            number = float(self.value)
        except OverflowError:
            number = float("inf")
        if not abs(number) < float("inf"):
            raise self._wrong("a finite number")
        self._check_range(number, least, most)
        return number

    def whole(self, least: int = 0, most: int | None = None) -> int:
        """As a whole number from ``least`` to ``most``; None: without end."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            raise self._wrong("a whole number")
        self._check_range(self.value, least, most)
        return self.value

    def one_of(self, kind: str, valid: Iterable[str]) -> str:
        """As one of some texts, which are called a ``kind``."""
        return self.chosen(self.text(), kind, tuple(map(str, valid)))

    def chosen(self, text: str, kind: str, valid: Sequence[str]) -> str:
        """A text that this value has in it, as one of some texts, which are called a ``kind``. The
        error proposes the nearest."""
        if text not in valid:
            close = nearest(text, valid)
            guess = f" Did you mean {close!r}?" if close else f" Valid: {', '.join(valid[:12])}."
            raise self.error(f"no {kind} {text!r:.60}.{guess}")
        return text

    def _path(self, key: str) -> str:
        return f"{self.where}.{key}" if self.where else key

    def _inner(self, value: Any, where: str) -> Self:
        return type(self)(value, self.source, where, self.kind)

    def _check_range(self, value: float, least: float | None, most: float | None) -> None:
        if (least is None or value >= least) and (most is None or value <= most):
            return
        if most is None:
            wanted = f"at least {least}"
        else:
            wanted = f"at most {most}" if least is None else f"from {least} to {most}"
        raise self.error(f"is {self.value!r:.60}; it has to be {wanted}")

    def _wrong(self, wanted: str) -> DataError:
        return self.error(f"is {self.value!r:.60}, not {wanted}")


def load_json(text: str | bytes, source: str, kind: type[DataError] = DataError) -> DataNode:
    """The value of a text in JSON. Raises ``kind`` if it is not JSON, as every method of the value
    does if something else is wrong."""
    try:
        return DataNode(json.loads(text), source, "", kind)
    except json.JSONDecodeError as error:
        problem = f"is not JSON: {error.msg} at column {error.colno}"
        raise kind(source, f"line {error.lineno}", problem) from error
    except RecursionError as error:
        raise kind(source, "is nested too deeply to be read") from error
    except UnicodeDecodeError as error:
        raise kind(source, f"byte {error.start}", "is not text in UTF-8") from error
    except ValueError as error:  # a number of thousands of digits
        raise kind(source, f"cannot be read: {error}") from error


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
