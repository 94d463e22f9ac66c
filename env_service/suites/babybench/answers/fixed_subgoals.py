"""Reads the answer to Decompose: the last list of subgoals, however it is written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from env_service.suites.babybench.answers.cleaning import after_markers, clean
from env_service.suites.babybench.answers.reading import (
    MOST_DIGITS,
    AnswerProblem,
    Reading,
    SubgoalList,
)
from env_service.worlds.babyai.omnibot.records import PlannedSubgoal, SubgoalName

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
_NUMBER = re.compile(r"[-+]?+\d++(?:\.\d++)?+")
_PAIR = re.compile(rf"[(\[]\s*+({_NUMBER.pattern})\s*+,\s*+({_NUMBER.pattern})\s*+[)\]]")
_WHOLE = re.compile(r"([-+]?+)(\d++)(?:\.0++)?+")
_LONGEST_LINE = 60
"""Letters of a skipped line that are kept."""


def read_subgoals(response: str) -> Reading[SubgoalList]:
    """The subgoals between the last tags that hold any; without tags, all that are named in full.

    Names may be in any case, with bullets, numbers, brackets, comments and remarks around them,
    several on a line; a bare ``Pickup`` will do on a line of its own. Lines between the tags that
    name no subgoal, or go to a cell that is not told or no cell, are left out and told of.
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
        found, complete = _read_line(_COMMENT.sub("", line), short=short)
        subgoals += found
        if not complete:
            skipped.append(line.strip()[:_LONGEST_LINE])
    return SubgoalList(tuple(subgoals), tuple(skipped))


def _read_line(line: str, *, short: bool) -> tuple[list[PlannedSubgoal], bool]:
    """The line's subgoals, and whether there is nothing in it that had to be left out."""
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
    pair = _PAIR.search(rest)
    numbers = pair.groups() if pair else [each[0] for each in islice(_NUMBER.finditer(rest), 2)]
    wholes = [found for found in map(_WHOLE.fullmatch, numbers) if found is not None]
    if len(wholes) < 2 or any(len(found[2]) > MOST_DIGITS for found in wholes):
        return None
    x, y = (int(found[1] + found[2]) for found in wholes)
    return PlannedSubgoal(name, (x, y))
