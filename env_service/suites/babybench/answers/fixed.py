"""Reads answers by better rules than the published ones.

It takes the last state, list of actions or list of subgoals, in any notation.
"""

import re
from collections import deque
from collections.abc import Iterable
from itertools import islice

from env_service.suites.babybench.answers.readings import (
    ACTION_NAMES,
    MOST_DIGITS,
    ActionList,
    AnswerProblem,
    Reading,
    State,
    SubgoalList,
    after_markers,
    clean,
)
from env_service.worlds.babyai.omnibot.records import PlannedSubgoal, SubgoalName

_STATE_MARKER = re.compile(r"\bfinal\s++state\b\s*+(?:is\b|:|=|would\s++be\b|will\s++be\b)", re.I)

_HEADINGS = {
    **dict.fromkeys(("east", "right", "e"), 0),
    **dict.fromkeys(("south", "down", "s"), 1),
    **dict.fromkeys(("west", "left", "w"), 2),
    **dict.fromkeys(("north", "up", "n"), 3),
}
_STATE_NUMBER = r"[-+]?+\d++(?:\.\d++)?+"
_ASIDE = r"(?!\s++(?:of|next|beside|before|behind|above|below)\b)"  # "right next to the ball"
_WORD = rf"\b(?:east|south|west|north|right|down|left|up)(?:wards?)?+\b{_ASIDE}|(?<!\w')\b[eswn]\b"
_TOKEN = re.compile(rf"({_STATE_NUMBER})|({_WORD})", re.I)
_WHOLE = re.compile(r"([-+]?+)(\d++)(?:\.0++)?+")

# Brackets of any kind, and quotes, may surround each part.
_OPEN, _CLOSE, _GAP = r"[(\[{]", r"[)\]}]", r"[\s\"']*+"
_HEADING = rf"(?:{_STATE_NUMBER}|{_WORD})"
_STATE_PAIR = rf"{_OPEN}{_GAP}({_STATE_NUMBER}){_GAP},{_GAP}({_STATE_NUMBER}){_GAP}{_CLOSE}"
_STRICT = re.compile(
    rf"{_OPEN}{_GAP}{_STATE_PAIR}{_GAP},{_GAP}({_HEADING}){_GAP}"
    rf"(?:[(\[][^()\[\]\n]{{0,30}}+[)\]]{_GAP})?+{_CLOSE}",
    re.I,
)

_PARAGRAPH = re.compile(r"\n *+\n")
_REACH = 400
"""The largest number of characters between a marker and its state."""


class _BadNumberError(Exception):
    """A number that is not whole, or too large."""


def read_state(response: str) -> Reading[State]:
    """The state after the last marker with one; without any, the last state written in full.

    After a marker, ``((x, y), d)`` in any brackets comes first; else the first two numbers and the
    number or heading word after them. Headings may be 0 … 3, compass points or directions on the
    page (right, down, left, up).
    """
    text = clean(response)
    if not text.strip():
        return Reading(None, AnswerProblem.EMPTY)
    states = (_state_in(part[:_REACH]) for part in after_markers(text, _STATE_MARKER))
    try:
        state = next((state for state in states if state), None) or _unmarked(text)
    except _BadNumberError:
        return Reading(None, AnswerProblem.BAD_NUMBER)
    if state is not None:
        return Reading(state)
    marked = _STATE_MARKER.search(text) is not None
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
            # "facing east at (3, 4)" puts the heading first.
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


# --- Reads the answer to Plan: the last list of actions, in any notation

_ACTIONS_MARKER = re.compile(
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
"""A remark in parentheses after an action, unless it says how often to take the action."""
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
"""How many letters of an unknown piece are kept."""


def read_actions(response: str) -> Reading[ActionList]:
    """The list after the last marker with one; without any, the last lines of actions.

    A list may be on one line or on several, with commas, arrows, numbers, bullets, brackets and
    quotes; it ends at a line without actions. Pieces that name no action are left out and listed.
    """
    text = clean(response)
    if not text.strip():
        return Reading(None, AnswerProblem.EMPTY)
    if _ACTIONS_MARKER.search(text) is None:
        found = _last_lines(text)
        return Reading(found) if found.actions else Reading(None, AnswerProblem.NO_ANSWER)
    lists = map(_list_in, after_markers(text, _ACTIONS_MARKER))
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
        known, others = _read_actions_line(line)
        if not known and not actions:
            continue
        # A further line with other words is a comment on the list, unless it is an item of it.
        # After an empty line, only an item without other words continues the list.
        doubts = bool(others) + (not _BULLET.match(line)) + interrupted
        if not known or (actions and doubts > 1):
            break
        actions += known
        unknown += others
    return ActionList(tuple(actions), tuple(unknown))


def _last_lines(text: str) -> ActionList:
    """The last consecutive lines that hold only actions, at least one of which moves."""
    actions: list[list[str]] = []
    for line in filter(str.strip, reversed(text.split("\n"))):
        known, others = _read_actions_line(line)
        if known and not others:
            actions.append(known)
        elif actions:
            break
    flat = tuple(action for line in reversed(actions) for action in line)
    return ActionList(flat if set(flat) - {"done"} else ())


def _read_actions_line(line: str) -> tuple[list[str], list[str]]:
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
    """The actions that a phrase names: one, or several in a row; empty if it names none."""
    phrase = " ".join(words)
    if phrase in _WORDS:
        return [_WORDS[phrase]]
    named = [_WORDS[word] for word in words if word in _WORDS]
    return named if len(named) == len(words) else []


# --- Reads the answer to Decompose: the last list of subgoals, in any notation

_START = re.compile(r"[<\[]\s*+start\s*+[>\]]", re.I)
_END = re.compile(r"[<\[]\s*+/?+\s*+end\s*+[>\]]", re.I)
_COMMENT = re.compile(r"(?:#|//)[^\n]*+")
_NAMES = {
    "gonextto": SubgoalName.GO_NEXT_TO,
    "pickup": SubgoalName.PICKUP,
    "drop": SubgoalName.DROP,
    "open": SubgoalName.OPEN,
    "close": SubgoalName.CLOSE,
    "explore": SubgoalName.EXPLORE,
}
_VERB = r"(go[ _-]?+next[ _-]?+to|pick[ _-]?+up|drop|open|close|explore)"
_SUBGOAL = re.compile(rf"(?<![a-z]){_VERB}[ _-]?+sub[ _-]?+goal\b", re.I)
_SHORT = re.compile(rf"(?:\s*+step\b)?+[\s\d.):(\[•+-]*+{_VERB}\b", re.I)
_SHORT_REST = re.compile(r"[\s,:;.()\[\]xy=\d+-]*+", re.I)
_SUBGOALS_NUMBER = re.compile(r"[-+]?+\d++(?:\.\d++)?+")
_SUBGOALS_PAIR = re.compile(
    rf"[(\[]\s*+({_SUBGOALS_NUMBER.pattern})\s*+,\s*+({_SUBGOALS_NUMBER.pattern})\s*+[)\]]"
)

_LONGEST_LINE = 60
"""How many letters of a skipped line are kept."""


def read_subgoals(response: str) -> Reading[SubgoalList]:
    """The subgoals between the last tags with any; without tags, all that are named in full.

    Names may be in any case, with bullets, numbers, brackets, comments and remarks around them,
    several on a line; a bare ``Pickup`` counts if it is alone on its line. Lines between the tags
    that name no subgoal, or no cell to go to, are left out and listed.
    """
    text = clean(response)
    if not text.strip():
        return Reading(None, AnswerProblem.EMPTY)
    if _START.search(text) is None:
        named = (line for line in text.split("\n") if _SUBGOAL.search(line))
        found = _read_lines(named, short=False)
        return Reading(found) if found.subgoals else Reading(None, AnswerProblem.NO_ANSWER)
    lists = map(_read_block, after_markers(text, _START))
    last = next((found for found in lists if found.subgoals), None)
    return Reading(last) if last else Reading(None, AnswerProblem.UNREADABLE)


def _read_block(text: str) -> SubgoalList:
    return _read_lines(_END.split(text, 1)[0].split("\n"), short=True)


def _read_lines(lines: Iterable[str], *, short: bool) -> SubgoalList:
    subgoals: list[PlannedSubgoal] = []
    skipped: list[str] = []
    for line in lines:
        found, complete = _read_subgoals_line(_COMMENT.sub("", line), short=short)
        subgoals += found
        if not complete:
            skipped.append(line.strip()[:_LONGEST_LINE])
    return SubgoalList(tuple(subgoals), tuple(skipped))


def _read_subgoals_line(line: str, *, short: bool) -> tuple[list[PlannedSubgoal], bool]:
    """The line's subgoals, and whether nothing in it had to be left out."""
    names = list(_SUBGOAL.finditer(line))
    if not names and short:
        bare = _SHORT.match(line)
        if bare and _SHORT_REST.fullmatch(line, bare.end()):
            names = [bare]
    if not names:
        return [], not line.strip("()[]{}<>,.;:-+\"' ")
    ends = [*(name.start() for name in names[1:]), len(line)]
    made = [
        _subgoal(name[1], line[name.end() : end]) for name, end in zip(names, ends, strict=True)
    ]
    return [subgoal for subgoal in made if subgoal is not None], None not in made


def _subgoal(verb: str, rest: str) -> PlannedSubgoal | None:
    name = _NAMES[re.sub(r"[ _-]", "", verb.lower())]
    if name is not SubgoalName.GO_NEXT_TO:
        return PlannedSubgoal(name)
    pair = _SUBGOALS_PAIR.search(rest)
    numbers = (
        pair.groups() if pair else [each[0] for each in islice(_SUBGOALS_NUMBER.finditer(rest), 2)]
    )
    wholes = [found for found in map(_WHOLE.fullmatch, numbers) if found is not None]
    if len(wholes) < 2 or any(len(found[2]) > MOST_DIGITS for found in wholes):
        return None
    x, y = (int(found[1] + found[2]) for found in wholes)
    return PlannedSubgoal(name, (x, y))
