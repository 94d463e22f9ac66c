"""The terminal: lines in and out, and how an episode is shown on it."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path

from ..view import EpisodeView, OutcomeView, PastAction, Picture, Scene, View

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


# --- How the terminal shows an episode

_SHORT_OF_TIME = 600.0
"""The prompt shows the remaining time when fewer seconds than this are left."""
_ENDINGS = {"image/png": "png", "image/webp": "webp", "image/jpeg": "jpg"}
_NARROWEST = 40
"""The minimum number of columns for a useful picture."""
_GAP = 2


class EpisodeDisplay:
    """Writes the episode to the console. ``folder`` gets the pictures."""

    def __init__(self, console: Console, folder: Path, *, pictures: bool) -> None:
        self._console, self._folder = console, folder
        self._draws = pictures and can_draw(os.environ, is_terminal=console.is_terminal)

    def opening(self, episode: EpisodeView) -> None:
        """What is shown once: the goal, the rules, and the actions."""
        console = self._console
        of = f" of {episode.total}" if episode.total else ""
        console.raw("")
        console.heading(f"Episode {episode.number}{of} · {episode.suite}")
        console.say(f"Goal: {episode.instruction}")
        for text in episode.texts:
            if _is_shown(text.name, episode):
                console.raw("")
                console.heading(text.title)
                console.say(text.text)
        self.skills(episode)

    def skills(self, episode: EpisodeView) -> None:
        """The actions, numbered."""
        if not episode.space.skills:
            return
        self._console.raw("")
        self._console.heading("What you can do")
        widest = max(len(self._usage(episode, i)) for i in range(len(episode.space.skills)))
        for i, skill in enumerate(episode.space.skills):
            usage = self._usage(episode, i).ljust(widest)
            self._console.row(f"{i + 1:>3}  {usage}  ", skill.description)

    def _usage(self, episode: EpisodeView, index: int) -> str:
        skill = episode.space.skills[index]
        return " ".join([skill.name, *(f"<{each.name}>" for each in skill.parameters)])

    def scene(self, episode: EpisodeView, scene: Scene) -> None:
        """The current observation."""
        self._console.raw("")
        if scene.text:
            self._console.say(scene.text)
        self._pictures(episode, scene)

    def _pictures(self, episode: EpisodeView, scene: Scene) -> None:
        if self._draws:
            self._draw([each for each in scene.pictures if each.rgb is not None])
        for number, picture in enumerate(scene.pictures, start=1):
            end = _ENDINGS.get(picture.media_type, "bin")
            path = self._folder / f"episode-{episode.number}-step-{scene.index}-{number}.{end}"
            path.write_bytes(picture.data)
            self._console.raw(f"{picture.caption}: {path}")

    def _draw(self, pictures: Sequence[Picture]) -> None:
        """Draws pictures side by side, as many as fit; the rest below."""
        columns, rows = self._console.size
        across = max(1, min(len(pictures), columns // _NARROWEST))
        room = (columns - _GAP * (across - 1)) // across
        for at in range(0, len(pictures), across):
            drawn = [_blocks(each, room, max(8, rows - 8)) for each in pictures[at : at + across]]
            for lines in zip_longest(*drawn, fillvalue=""):
                self._console.raw((" " * _GAP).join(lines))

    def history(self, history: tuple[PastAction, ...]) -> None:
        """All actions so far."""
        if not history:
            self._console.say("No actions yet.")
        for number, past in enumerate(history, start=1):
            self.past(number, past)

    def past(self, number: int, past: PastAction) -> None:
        """One action and its outcome."""
        actions = past.action.split("\n")
        if len(actions) == len(past.outcomes):
            for step, (action, outcome) in enumerate(
                zip(actions, past.outcomes, strict=True), start=1
            ):
                which = f"{number:>3}." if len(actions) == 1 else f"{number:>3}.{step:<2}"
                self._console.say(f"{which} {action}{_result_of(outcome)}")
        else:
            result = "".join(map(_result_of, past.outcomes[-1:]))
            self._console.say(f"{number:>3}. {past.action}{result}")

    def left(self, view: View) -> str:
        """The remaining steps, and the time if it is short; for a prompt."""
        parts = []
        if view.steps_left is not None:
            parts.append(f"{view.steps_left} steps left")
        if (due := view.deadlines.next) is not None:
            seconds = due - time.monotonic()
            if seconds < _SHORT_OF_TIME:
                parts.append(f"{max(0, int(seconds)) // 60} min left")
        return ", ".join(parts)


def _is_shown(name: str, episode: EpisodeView) -> bool:
    """Whether to show a context text: not the rules for text to people who choose from a list, and
    not a list of the skills that they choose from."""
    if name == "skills":
        return not episode.space.skills
    return name != "answer_rules" or episode.mode == "answer"


def _result_of(outcome: OutcomeView) -> str:
    words = ": ".join(part for part in (outcome.label, outcome.feedback) if part)
    return f" → {words}" if words else ""


def _blocks(picture: Picture, columns: int, rows: int) -> list[str]:
    return draw(picture.rgb or b"", (picture.width, picture.height), columns, rows)


# --- A picture as coloured half blocks: two pixels per character, in 24-bit colour

UPPER = "▀"
_SAMPLES = 3
"""Samples per side for one block's colour: enough to tell things apart, and fast."""
_TRUE_COLOUR = ("truecolor", "24bit")


def can_draw(environment: Mapping[str, str], *, is_terminal: bool) -> bool:
    """Whether the terminal declares 24-bit colours, and no variable disables colours."""
    return (
        is_terminal
        and environment.get("COLORTERM", "").lower() in _TRUE_COLOUR
        and not environment.get("NO_COLOR")
    )


def draw(rgb: bytes, size: tuple[int, int], columns: int, rows: int) -> list[str]:
    """The picture in at most so many columns and rows of characters, in its proportions.

    ``size`` is its width and height in pixels; ``rgb`` has 3 bytes per pixel, row by row.
    """
    width, height = size
    scale = min(columns / width, 2 * rows / height)
    across, down = max(1, int(width * scale)), max(1, int(height * scale) // 2)
    return [
        "".join(_block(rgb, size, (across, 2 * down), (x, 2 * y)) for x in range(across)) + _RESET
        for y in range(down)
    ]


def _block(rgb: bytes, size: tuple[int, int], grid: tuple[int, int], cell: tuple[int, int]) -> str:
    x, y = cell
    upper, lower = _colour(rgb, size, grid, (x, y)), _colour(rgb, size, grid, (x, y + 1))
    return "\x1b[38;2;{};{};{};48;2;{};{};{}m".format(*upper, *lower) + UPPER


def _colour(
    rgb: bytes, size: tuple[int, int], grid: tuple[int, int], cell: tuple[int, int]
) -> tuple[int, int, int]:
    """The mean of a few samples in one cell of the grid."""
    width, height = size
    steps = [(2 * i + 1) / (2 * _SAMPLES) for i in range(_SAMPLES)]
    xs = [min(width - 1, int((cell[0] + s) * width / grid[0])) for s in steps]
    ys = [min(height - 1, int((cell[1] + s) * height / grid[1])) for s in steps]
    starts = [3 * (y * width + x) for y in ys for x in xs]
    red, green, blue = (sum(rgb[at + i] for at in starts) // len(starts) for i in range(3))
    return red, green, blue
