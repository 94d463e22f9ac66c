"""Lines in and out, of a terminal or of a pipe."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Sequence
from contextlib import suppress

try:
    import readline
except ImportError:  # Windows, and Pythons built without it: lines are typed without help.
    readline = None  # type: ignore[assignment] # a module that is not there

TAKEN_BACK = (EOFError, KeyboardInterrupt)
"""Ctrl-D and Ctrl-C: at a terminal they take a question back. A pipe just ends."""
_BOLD, _DIM, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_WIDEST = 100
"""Columns: longer lines are hard to read."""


class Console:
    """Reads from standard input, writes to standard output."""

    def __init__(self) -> None:
        self.is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        self._styled = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        self._words: Sequence[str] = ()
        if readline is not None and self.is_terminal:
            readline.set_completer(self._complete)
            readline.set_completer_delims(" ")
            readline.parse_and_bind("tab: complete")

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        found = shutil.get_terminal_size()
        return found.columns, found.lines

    def say(self, text: str = "") -> None:
        """Writes a text; long lines are broken between words."""
        for line in text.split("\n"):
            self.row("- " if line.startswith("- ") else "", line.removeprefix("- "))

    def row(self, label: str, text: str) -> None:
        """Writes a label with its text beside it, also where that is broken into lines."""
        width = min(_WIDEST, self.size[0])
        if len(label) + len(text) <= width or len(label) > width // 2:
            self.raw(label + text)
            return
        indent = " " * len(label)
        self.raw(
            textwrap.fill(
                text,
                width,
                initial_indent=label,
                subsequent_indent=indent,
                break_long_words=False,
                replace_whitespace=False,
            )
        )

    def columns(self, cells: Sequence[str]) -> None:
        """Writes short texts in as many columns as there is room for, read across."""
        widest = max(map(len, cells), default=0) + 2
        across = max(1, min(_WIDEST, self.size[0]) // widest)
        for at in range(0, len(cells), across):
            self.raw("".join(cell.ljust(widest) for cell in cells[at : at + across]).rstrip())

    def raw(self, text: str) -> None:
        """Writes a text as it is."""
        print(text, flush=True)

    def heading(self, text: str) -> None:
        """Writes a line that stands out."""
        self.raw(f"{_BOLD}{text}{_RESET}" if self._styled else text)

    def aside(self, text: str) -> None:
        """Writes a line that stands back."""
        self.raw(f"{_DIM}{text}{_RESET}" if self._styled else text)

    def ask(self, prompt: str, words: Sequence[str] = ()) -> str:
        """One line, with completion from ``words``. Raises EOFError at the end of the input,
        KeyboardInterrupt for Ctrl-C."""
        self._words = words
        line = input(prompt)
        if not self.is_terminal:
            # What is piped in is not echoed: a log shows it all the same.
            self.raw(line)
        return line

    def confirm(self, question: str) -> bool:
        """Whether the person says yes. Ctrl-C says no, and at a terminal Ctrl-D does; raises
        EOFError at the end of what is piped in."""
        try:
            return self.ask(f"{question} [y/N] ").strip().lower() in ("y", "yes")
        except TAKEN_BACK:
            if not self.is_terminal:
                raise
            self.raw("")
            return False

    def _complete(self, text: str, state: int) -> str | None:
        found = [word for word in self._words if word.lower().startswith(text.lower())]
        with suppress(IndexError):
            return found[state]
        return None
