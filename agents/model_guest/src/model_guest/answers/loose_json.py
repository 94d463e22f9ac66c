"""JSON as models write it: reads it in linear time and counts each deviation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

DEEPEST = 32
"""Maximum nesting depth; no action needs half of it."""

LONGEST = 64 * 1024
"""The number of characters to read, from the end of the reply, where the answer is."""

_SPACE = re.compile(r"\s*")
_STARTS = re.compile(r"[{\[]")
_NUMBER = re.compile(r"-?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,4})?")
_BARE_WORD = re.compile(r"[A-Za-z_][\w\-]{0,100}")
_DIGITS = re.compile(r"([0-9A-Fa-f]{4})")
_HALVES = re.compile(r"([Dd][89ABab][0-9A-Fa-f]{2})\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})")
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "„": "“", "«": "»", "`": "`"}
_ALSO_CLOSES = {"“": '”“"', "„": "“”", "‘": "’'"}
_WORDS = {"true": True, "false": False, "null": None, "none": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class LooseJsonError(ValueError):
    """The position holds no JSON, not even under tolerant rules."""


def find_values(text: str, repairs: Counter[str] | None = None) -> Iterator[Any]:
    """Every object and array in a text that is not part of another one, in order.

    ``repairs`` counts, by name, the deviations in the values that are yielded. The time is
    bounded by a multiple of the text's length: a text full of false starts ends early.
    """
    text = text[-LONGEST:]
    position, allowance = 0, 8 * len(text) + 1000
    while found := _STARTS.search(text, position):
        reader = _Reader(text, found.start())
        try:
            value = reader.value(0)
        except LooseJsonError:
            allowance -= reader.furthest - found.start() + 1
            if allowance < 0:
                return
            position = found.start() + 1
            continue
        if repairs is not None:
            repairs.update(reader.repairs)
        yield value
        position = reader.position


class _Reader:
    """Reads one value from a position on."""

    def __init__(self, text: str, position: int) -> None:
        self.text, self.position = text, position
        self.repairs: Counter[str] = Counter()
        self.furthest = position

    def value(self, depth: int) -> Any:
        self._skip()
        sign = self._peek()
        if depth > DEEPEST:
            raise LooseJsonError("too deep")
        if sign == "{":
            return self._object(depth)
        if sign == "[":
            return self._array(depth)
        if sign in _QUOTES:
            return self._string(sign)
        return self._literal()

    def _peek(self) -> str:
        self.furthest = max(self.furthest, self.position)
        return self.text[self.position : self.position + 1]

    def _skip(self) -> None:
        while True:
            matched = _SPACE.match(self.text, self.position)
            self.position = matched.end() if matched else self.position
            if self.text.startswith("//", self.position):
                end = self.text.find("\n", self.position)
                self.position = len(self.text) if end < 0 else end
                self.repairs["comment"] += 1
                continue
            return

    def _object(self, depth: int) -> dict[str, Any]:
        self.position += 1
        found: dict[str, Any] = {}
        while not self._closed("}"):
            key = self._key()
            self._skip()
            if self._peek() != ":":
                raise LooseJsonError("no colon")
            self.position += 1
            found[key] = self.value(depth + 1)
            self._comma("}")
        return found

    def _array(self, depth: int) -> list[Any]:
        self.position += 1
        found: list[Any] = []
        while not self._closed("]"):
            found.append(self.value(depth + 1))
            self._comma("]")
        return found

    def _closed(self, bracket: str) -> bool:
        self._skip()
        sign = self._peek()
        if sign == bracket:
            self.position += 1
            return True
        if not sign:
            # At the very end, brackets may be missing, but a bare word must be complete.
            self.repairs["unclosed"] += 1
            return True
        return False

    def _comma(self, bracket: str) -> None:
        self._skip()
        sign = self._peek()
        if sign == ",":
            self.position += 1
            self._skip()
            if self._peek() == bracket:
                self.repairs["trailing_comma"] += 1
        elif sign and sign != bracket:
            raise LooseJsonError("no comma")

    def _key(self) -> str:
        sign = self._peek()
        if sign in _QUOTES:
            return self._string(sign)
        word = _BARE_WORD.match(self.text, self.position)
        if word is None:
            raise LooseJsonError("no key")
        self.position = word.end()
        self.repairs["bare_key"] += 1
        return word.group()

    def _string(self, quote: str) -> str:
        closing = _QUOTES[quote]
        closers = _ALSO_CLOSES.get(quote, closing)
        if quote != '"':
            self.repairs["quotes"] += 1
        position, pieces = self.position + 1, []
        while position < len(self.text):
            sign = self.text[position]
            if sign == "\\":
                piece, position = self._escape(position + 1)
                pieces.append(piece)
            elif sign in closers and not self._apostrophe(quote, position):
                self.position = position + 1
                return "".join(pieces)
            else:
                if sign < " ":
                    self.repairs["control_character"] += 1
                pieces.append(sign)
                position += 1
        self.furthest = position
        raise LooseJsonError("a string without end")

    def _apostrophe(self, quote: str, position: int) -> bool:
        """Whether a single quote is an apostrophe inside a word, as in 'the robot's hand'."""
        around = self.text[position - 1 : position + 2]
        return quote in "'‘" and len(around) == 3 and around[0].isalnum() and around[2].isalnum()

    def _escape(self, position: int) -> tuple[str, int]:
        sign = self.text[position : position + 1]
        if sign == "u":
            return self._by_number(position + 1)
        if sign not in _ESCAPES and sign not in ('"', "\\", "/"):
            self.repairs["escape"] += 1
        return _ESCAPES.get(sign, sign), position + 1

    def _by_number(self, position: int) -> tuple[str, int]:
        """The character of four hexadecimal digits, or of a surrogate pair (RFC 8259, 7)."""
        found = _HALVES.match(self.text, position) or _DIGITS.match(self.text, position)
        if found is None:
            self.repairs["escape"] += 1
            return "u", position
        units = b"".join(int(each, 16).to_bytes(2, "big") for each in found.groups())
        sign = units.decode("utf-16-be", "replace")
        if sign == "\ufffd":
            self.repairs["escape"] += 1
        return sign, found.end()

    def _literal(self) -> Any:
        number = _NUMBER.match(self.text, self.position)
        if number:
            self.position = number.end()
            digits = number.group()
            return int(digits) if digits.lstrip("-").isdigit() else float(digits)
        word = _BARE_WORD.match(self.text, self.position)
        if word is None or word.group().lower() not in _WORDS:
            raise LooseJsonError("no value")
        self.position = word.end()
        if word.group() not in ("true", "false", "null"):
            self.repairs["literal"] += 1
        return _WORDS[word.group().lower()]
