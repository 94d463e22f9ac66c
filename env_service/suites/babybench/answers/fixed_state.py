"""Reads the answer to Predict: the last state that is said, however it is written."""

from __future__ import annotations

import re
from collections import deque

from env_service.suites.babybench.answers.cleaning import after_markers, clean
from env_service.suites.babybench.answers.reading import (
    MOST_DIGITS,
    AnswerProblem,
    Reading,
    State,
)

_MARKER = re.compile(r"\bfinal\s++state\b\s*+(?:is\b|:|=|would\s++be\b|will\s++be\b)", re.I)

_HEADINGS = {
    **dict.fromkeys(("east", "right", "e"), 0),
    **dict.fromkeys(("south", "down", "s"), 1),
    **dict.fromkeys(("west", "left", "w"), 2),
    **dict.fromkeys(("north", "up", "n"), 3),
}
_NUMBER = r"[-+]?+\d++(?:\.\d++)?+"
_ASIDE = r"(?!\s++(?:of|next|beside|before|behind|above|below)\b)"  # "right next to the ball"
_WORD = rf"\b(?:east|south|west|north|right|down|left|up)(?:wards?)?+\b{_ASIDE}|(?<!\w')\b[eswn]\b"
_TOKEN = re.compile(rf"({_NUMBER})|({_WORD})", re.I)
_WHOLE = re.compile(r"([-+]?+)(\d++)(?:\.0++)?+")

# Opening and closing brackets of any kind, and quotes, may stand around each part.
_OPEN, _CLOSE, _GAP = r"[(\[{]", r"[)\]}]", r"[\s\"']*+"
_HEADING = rf"(?:{_NUMBER}|{_WORD})"
_PAIR = rf"{_OPEN}{_GAP}({_NUMBER}){_GAP},{_GAP}({_NUMBER}){_GAP}{_CLOSE}"
_STRICT = re.compile(
    rf"{_OPEN}{_GAP}{_PAIR}{_GAP},{_GAP}({_HEADING}){_GAP}"
    rf"(?:[(\[][^()\[\]\n]{{0,30}}+[)\]]{_GAP})?+{_CLOSE}",
    re.I,
)

_PARAGRAPH = re.compile(r"\n *+\n")
_REACH = 400
"""Characters after a marker within which its state has to come."""


class _BadNumberError(Exception):
    """A number that is not whole, or too large."""


def read_state(response: str) -> Reading[State]:
    """The state after the last marker that one follows; without any, the last one written in full.

    After a marker, ``((x, y), d)`` in any brackets comes first; else the first two numbers and
    the number or heading word after them. Headings may be 0 … 3, compass points or directions
    on the page (right, down, left, up).
    """
    text = clean(response)
    if not text.strip():
        return Reading(None, AnswerProblem.EMPTY)
    states = (_state_in(part[:_REACH]) for part in after_markers(text, _MARKER))
    try:
        state = next((state for state in states if state), None) or _unmarked(text)
    except _BadNumberError:
        return Reading(None, AnswerProblem.BAD_NUMBER)
    if state is not None:
        return Reading(state)
    marked = _MARKER.search(text) is not None
    return Reading(None, AnswerProblem.UNREADABLE if marked else AnswerProblem.NO_ANSWER)


def _state_in(text: str) -> State | None:
    found = _STRICT.search(text)
    if found is not None:
        return _state(*found.groups())
    return _loose(_PARAGRAPH.split(text.strip(), 1)[0])


def _unmarked(text: str) -> State | None:
    last = deque(_STRICT.finditer(text), maxlen=1)
    if last:
        return _state(*last[0].groups())
    # A last line with a place and a heading, and no other number.
    line = text.strip().rpartition("\n")[2][-_REACH:]
    return _loose(line) if len(list(_TOKEN.finditer(line))) == 3 else None


def _loose(text: str) -> State | None:
    place: list[str] = []
    said_before = ""
    for token in _TOKEN.finditer(text):
        if len(place) == 2:
            return _state(place[0], place[1], token[0])
        if token[1]:
            place.append(token[1])
        elif len(token[2]) > 1:
            # "facing east at (3, 4)" says the heading first.
            said_before = token[2]
    return _state(place[0], place[1], said_before) if said_before and len(place) == 2 else None


def _state(x: str, y: str, heading: str) -> State:
    word = heading.lower().removesuffix("s").removesuffix("ward") if len(heading) > 1 else heading
    known = _HEADINGS.get(word.lower())
    return State((_whole(x), _whole(y)), _whole(heading) if known is None else known)


def _whole(text: str) -> int:
    found = _WHOLE.fullmatch(text)
    if found is None or len(found[2]) > MOST_DIGITS:
        raise _BadNumberError
    return int(found[1] + found[2])
