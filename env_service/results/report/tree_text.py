"""The words of a tree's rows, cut to the room that there is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

from env_service.domain.english import counted
from env_service.domain.printable import safe
from env_service.results.report.drawings import Branch

SIZE = 7.4
"""Points."""
MOST_LINES = 2

_FONT = FontProperties(family=["DejaVu Sans"], size=SIZE)
_PATHS = TextToPath()
_ARROW = " → "
_ELLIPSIS = "…"


@lru_cache(maxsize=4096)
def measure(text: str) -> float:
    """How wide a line of text is, in points."""
    width, _, _ = _PATHS.get_text_width_height_descent(text, _FONT, ismath=False)
    return float(width)


def row_lines(branch: Branch, room: float) -> list[str]:
    """A row's actions in at most MOST_LINES lines of ``room`` points, those in the middle left
    out where there are too many."""
    if not branch.actions:
        if branch.more:
            return [f"{_ELLIPSIS} {branch.more} more branches"]
        return ["(the beginning)" if branch.parent is None else "(no further action)"]
    actions = [cut(safe(action), room - measure(_ARROW)) for action in branch.actions]
    for kept in range(len(actions), 1, -1):
        lines = _wrapped(_folded(actions, kept), room)
        if len(lines) <= MOST_LINES:
            return lines
    return [actions[0], f"{_ELLIPSIS} {len(actions) - 1} more"][: len(actions)]


def outcome(branch: Branch, room: float) -> str:
    """What came of a row's episodes; of those that end with it, which they are."""
    if branch.end:
        told = "won" if branch.won else "lost"
        if branch.episodes > 1:
            told = f"{branch.won} of {branch.episodes} won"
        return cut(f"{told} · {safe(branch.end)}", room)
    told = f"{counted(branch.episodes, 'episode')}, {branch.won} won"
    if branch.episodes == 1:
        told = f"1 episode, {'won' if branch.won else 'lost'}"
    if not branch.more or not branch.actions:
        return told
    return f"{told}; {branch.more} branches not drawn"


def cut(text: str, room: float) -> str:
    """The beginning of a text that fits."""
    if measure(text) <= room:
        return text
    kept = len(text)
    while kept and measure(text[:kept] + _ELLIPSIS) > room:
        kept -= 1
    return text[:kept].rstrip() + _ELLIPSIS


def _folded(actions: Sequence[str], kept: int) -> list[str]:
    """``kept`` (at least 2) of the actions: the first ones, and the last."""
    left = len(actions) - kept
    if not left:
        return list(actions)
    return [*actions[: kept - 1], f"{_ELLIPSIS} {left} more {_ELLIPSIS}", actions[-1]]


def _wrapped(actions: Sequence[str], room: float) -> list[str]:
    """Lines of whole actions; an arrow stands at the end of a line, never at its beginning."""
    lines = [""]
    for number, action in enumerate(actions):
        more = action + (_ARROW if number < len(actions) - 1 else "")
        if lines[-1] and measure((lines[-1] + more).rstrip()) > room:
            lines.append("")
        lines[-1] += more
    return [line.rstrip() for line in lines]
