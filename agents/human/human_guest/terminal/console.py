"""Reads and writes lines, on a terminal or a pipe."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Sequence
from contextlib import suppress

try:
    import readline
except ImportError:  # Windows, and Pythons built without it: no completion.
    readline = None  # type: ignore[assignment] # the module may be missing

TAKEN_BACK = (EOFError, KeyboardInterrupt)
"""Ctrl-D and Ctrl-C: at a terminal they cancel a question. A pipe just ends."""
_BOLD, _DIM, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_WIDEST = 100
"""In columns: longer lines are hard to read."""


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
        """Writes a text; breaks long lines between words."""
        for line in text.split("\n"):
            self.row("- " if line.startswith("- ") else "", line.removeprefix("- "))

    def row(self, label: str, text: str) -> None:
        """Writes a label and a text to its right, also if the text has several lines."""
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
        """Writes short texts in as many columns as fit, to be read across."""
        widest = max(map(len, cells), default=0) + 2
        across = max(1, min(_WIDEST, self.size[0]) // widest)
        for at in range(0, len(cells), across):
            self.raw("".join(cell.ljust(widest) for cell in cells[at : at + across]).rstrip())

    def raw(self, text: str) -> None:
        """Writes a text unchanged."""
        print(text, flush=True)

    def heading(self, text: str) -> None:
        """Writes an emphasized line."""
        self.raw(f"{_BOLD}{text}{_RESET}" if self._styled else text)

    def aside(self, text: str) -> None:
        """Writes a dimmed line."""
        self.raw(f"{_DIM}{text}{_RESET}" if self._styled else text)

    def ask(self, prompt: str, words: Sequence[str] = ()) -> str:
        """Reads one line, with completion from ``words``. Raises EOFError at the end of the input,
        KeyboardInterrupt for Ctrl-C."""
        self._words = words
        line = input(prompt)
        if not self.is_terminal:
            # Piped input is not echoed, but a log should show it.
            self.raw(line)
        return line

    def confirm(self, question: str) -> bool:
        """Whether the person says yes. Ctrl-C means no, and so does Ctrl-D at a terminal; raises
        EOFError at the end of a pipe."""
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
