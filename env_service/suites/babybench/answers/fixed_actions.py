"""Reads the answer to Plan: the last list of actions, however it is written."""

from __future__ import annotations

import re

from env_service.suites.babybench.answers.cleaning import after_markers, clean
from env_service.suites.babybench.answers.reading import (
    ACTION_NAMES,
    ActionList,
    AnswerProblem,
    Reading,
)

_MARKER = re.compile(
    r"\baction\s++sequence\b\s*+(?:(?:is|would\s++be|will\s++be)\b\s*+:?+|:|=)", re.I
)
_BULLET = re.compile(
    r"\s*+(?:[-+•▪◦>#]++\s*+|\(?\d{1,4}+\s*+[.):]\s*+|step\s++\d{1,4}+\s*+[:.)-]?+\s*+)+", re.I
)
_SEPARATOR = re.compile(r"[,;|>:=]|\.(?=\s|$)|\b\d{1,4}+\)(?=\s)|\bthen\b|\band\b", re.I)
_REMARK = re.compile(
    r"\b(left|right|forward|pick[ _-]?+up|drop|toggle|open|close)\s*+"
    r"\((?!\s*+x?+\s*+\d++\s*+(?:x|times?)?+\s*+\))(?:[^()\n]++|\([^()\n]*+\))*+\)",
    re.I,
)
"""What is said in parentheses behind an action, unless it is how often to take it."""
_EDGES = " \t\"'()[]{}<>.:!_-=\\$"

_WORDS = {
    **{name: name for name in ACTION_NAMES},
    **dict.fromkeys(("turn left", "rotate left", "left turn"), "left"),
    **dict.fromkeys(("turn right", "rotate right", "right turn"), "right"),
    **dict.fromkeys(
        ("move forward", "go forward", "step forward", "walk forward", "forwards", "move ahead"),
        "forward",
    ),
    **dict.fromkeys(("pick up", "pick"), "pickup"),
    "drop down": "drop",
    **dict.fromkeys(("open", "close"), "toggle"),
}
"""Phrases for actions. ``open`` is the paper's name of toggle."""

_LONGEST_PHRASE = 40
"""Letters of an unknown piece that are kept."""


def read_actions(response: str) -> Reading[ActionList]:
    """The list after the last marker that one follows; without any, the last lines of actions.

    A list may be on one line or on several, with commas, arrows, numbers, bullets, brackets and
    quotes; it ends where a line holds no action. Pieces of it that name no action are left out
    and told of.
    """
    text = clean(response)
    if not text.strip():
        return Reading(None, AnswerProblem.EMPTY)
    if _MARKER.search(text) is None:
        found = _last_lines(text)
        return Reading(found) if found.actions else Reading(None, AnswerProblem.NO_ANSWER)
    lists = map(_list_in, after_markers(text, _MARKER))
    last = next((found for found in lists if found.actions), None)
    return Reading(last) if last else Reading(None, AnswerProblem.UNREADABLE)


def _list_in(text: str) -> ActionList:
    actions: list[str] = []
    unknown: list[str] = []
    interrupted = False
    for line in text.split("\n"):
        if not line.strip():
            interrupted = bool(actions)
            continue
        known, others = _read_line(line)
        if not known and not actions:
            continue
        # A further line that holds other words is talk about the list, unless it is an item of
        # it. After an empty line, only an item without other words goes on with the list.
        doubts = bool(others) + (not _BULLET.match(line)) + interrupted
        if not known or (actions and doubts > 1):
            break
        actions += known
        unknown += others
    return ActionList(tuple(actions), tuple(unknown))


def _last_lines(text: str) -> ActionList:
    """The last lines in a row that hold actions and nothing else, among them one that moves."""
    actions: list[list[str]] = []
    for line in filter(str.strip, reversed(text.split("\n"))):
        known, others = _read_line(line)
        if known and not others:
            actions.append(known)
        elif actions:
            break
    flat = tuple(action for line in reversed(actions) for action in line)
    return ActionList(flat if set(flat) - {"done"} else ())


def _read_line(line: str) -> tuple[list[str], list[str]]:
    """The actions in a line, and its pieces that name none."""
    line = _REMARK.sub(r"\1", line)
    bullet = _BULLET.match(line)
    known: list[str] = []
    others: list[str] = []
    for piece in _SEPARATOR.split(line[bullet.end() :] if bullet else line):
        spaced = piece.strip(_EDGES).lower().replace("_", " ").replace("-", " ")
        words = spaced.split()
        found = _read_phrase(words)
        known += found
        if words and not found:
            others.append(" ".join(words)[:_LONGEST_PHRASE])
    return known, others


def _read_phrase(words: list[str]) -> list[str]:
    """The actions that a phrase names: one, or several names in a row. Empty: it names none."""
    phrase = " ".join(words)
    if phrase in _WORDS:
        return [_WORDS[phrase]]
    named = [_WORDS[word] for word in words if word in _WORDS]
    return named if len(named) == len(words) else []
