"""From text to nested parentheses, and what is wrong with a definition."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_DEPTH = 64
"""Parentheses within parentheses; published files need 9."""
MAX_TEXT = 1_000_000
"""Characters of a text; published files have up to 4,566."""
MAX_WORD = 100
"""Characters of a word; published ones have up to 43."""

_TOKEN = re.compile(r";.*|[()]|[^\s();]+")


@dataclass(frozen=True, slots=True)
class Word:
    """One word, in lower case, with its place (both from 1)."""

    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Group:
    """The content of two parentheses, with the place of the first."""

    parts: tuple[Word | Group, ...]
    line: int
    column: int

    @property
    def head(self) -> str:
        """Its first word; empty where it begins with none."""
        first = self.parts[0] if self.parts else None
        return first.text if isinstance(first, Word) else ""


Node = Word | Group


def read_group(text: str, source: str) -> Group:
    """The one group that a text consists of. Comments (from ";" to the end of the line), a byte
    order mark, tabs and all kinds of line ends are let pass.

    Raises:
        BddlError: parentheses do not match, or there is more than one group, or none; or the text
            is too long, or a word is, or has a character that cannot be seen.
    """
    if len(text) > MAX_TEXT:
        what = f"the text has {len(text)} characters, and {MAX_TEXT} are the most"
        raise BddlError(source, 0, 0, what, "make sure that it is one activity's definition")
    stack: list[tuple[Word, list[Node]]] = []
    found: list[Group] = []
    for word in _tokens(text):
        _check(word, source)
        if word.text == "(":
            if len(stack) == MAX_DEPTH:
                raise _error(source, word, f"is nested more than {MAX_DEPTH} deep", "flatten it")
            stack.append((word, []))
        elif word.text == ")":
            if not stack:
                what = 'a ")" has no "(" before it'
                raise _error(source, word, what, "delete it, or add the parenthesis it closes")
            opened, parts = stack.pop()
            group = Group(tuple(parts), opened.line, opened.column)
            (stack[-1][1] if stack else found).append(group)
        elif stack:
            stack[-1][1].append(word)
        else:
            raise _error(source, word, f'"{word.text}" is outside of all parentheses', "delete it")
    if stack:
        raise _error(source, stack[-1][0], 'a "(" is never closed', 'add the missing ")"')
    return _only(found, source)


def _only(found: list[Group], source: str) -> Group:
    if not found:
        mend = "begin with (define (problem NAME) …)"
        raise BddlError(source, 1, 1, "there is nothing in it", mend)
    if len(found) > 1:
        second = found[1]
        what = "there is more after the end of the definition"
        mend = "keep one definition a file, and look for a parenthesis too many before it"
        raise BddlError(source, second.line, second.column, what, mend)
    return found[0]


def _tokens(text: str) -> Iterator[Word]:
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number, line in enumerate(lines, start=1):
        for match in _TOKEN.finditer(line):
            if not match[0].startswith(";"):
                yield Word(match[0].lower(), number, match.start() + 1)


def _check(word: Word, source: str) -> None:
    if not word.text.isprintable():
        unseen = next(each for each in word.text if not each.isprintable())
        what = f"a character that cannot be seen, U+{ord(unseen):04X}, is in a word"
        raise _error(source, word, what, "type the word anew")
    if len(word.text) > MAX_WORD:
        what = f'"{word.text[:20]}…" has {len(word.text)} characters, and {MAX_WORD} are the most'
        raise _error(source, word, what, "write a shorter name")


def _error(source: str, word: Word, what: str, mend: str) -> BddlError:
    return BddlError(source, word.line, word.column, what, mend)


# --- What is wrong with a definition


class BddlError(ValueError):
    """A definition that cannot be used.

    Attributes:
        source: what was read: a file's path, or a problem's name.
        line: from 1; 0 where no one line is to blame.
        column: from 1; 0 likewise.
        what: what is wrong.
        mend: what to do about it.
    """

    def __init__(self, source: str, line: int, column: int, what: str, mend: str) -> None:
        super().__init__(source, line, column, what, mend)
        self.source = source
        self.line = line
        self.column = column
        self.what = what
        self.mend = mend

    def __str__(self) -> str:
        place = f"{self.source}:{self.line}:{self.column}" if self.line else self.source
        return f"{place}: {self.what}; {self.mend}"
