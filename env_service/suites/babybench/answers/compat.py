"""Reads answers exactly as LLM-BabyBench's released code does.

docs/babybench-scoring.md, Scoring, lists how this differs from ``fixed``. The first marker counts,
at any place; it needs a plain apostrophe and a space after the colon. All patterns take time in
proportion to the text.
"""

import re

from env_service.suites.babybench.answers.readings import (
    ACTION_NAMES,
    END_TAG,
    MOST_DIGITS,
    PLAN_MARKER,
    START_TAG,
    STATE_MARKER,
    ActionList,
    AnswerProblem,
    Reading,
    State,
    SubgoalList,
)
from env_service.worlds.babyai.omnibot.records import PlannedSubgoal, SubgoalName

_STATE = re.compile(r"\(\s*+\(\s*+(-?\d++)\s*+,\s*+(-?\d++)\s*+\)\s*+,\s*+(-?\d++)\s*+\)")
_INTEGER = re.compile(r"-?\d++")
_POSITIONED = re.compile(r"([^,]+),\s*+\(([^()]*+)\)")

_NO_STATE = "ValueError: predicted_state cannot be None or empty."
_NAMES = {name.value: name for name in SubgoalName}

ParsedLine = tuple[str, tuple[int, ...] | None]
"""A subgoal's name as written, and its integers, if any."""


def extract_state(response: str) -> str:
    """The text after the first marker; "" without one."""
    return _after(response, STATE_MARKER).strip()


def extract_actions(response: str) -> str:
    """The text after the first marker; "" without one."""
    return _after(response, PLAN_MARKER).strip()


def extract_subgoals(response: str) -> str:
    """The text between the first tags, each alone on its line; "" without the first.

    Without the second tag the last character is lost, as published.
    """
    text = _after(response, f"{START_TAG}\n")
    end = _find(text, f"\n{END_TAG}")
    return text[: end.start() if end else -1].strip()


def read_state(response: str) -> Reading[State]:
    """The first ``((x, y), d)`` after the marker, or else the first three integers there."""
    extracted = extract_state(response)
    found = _STATE.search(extracted)
    texts = found.groups() if found else _first_integers(extracted)
    if len(texts) < 3:
        return Reading(None, _problem(response, extracted), _NO_STATE)
    if max(len(text.lstrip("-")) for text in texts) > MOST_DIGITS:
        return Reading(None, AnswerProblem.BAD_NUMBER)
    x, y, heading = map(int, texts)
    return Reading(State((x, y), heading))


def read_actions(response: str) -> Reading[ActionList]:
    """The pieces between commas that are an action's name; all others are left out.

    A missing answer is an empty plan, and is scored.
    """
    extracted = extract_actions(response)
    pieces = [piece.strip().lower() for piece in extracted.split(",")]
    actions = tuple(piece for piece in pieces if piece in ACTION_NAMES)
    unknown = tuple(piece for piece in pieces if piece and piece not in ACTION_NAMES)
    return Reading(ActionList(actions, unknown), None if actions else _problem(response, extracted))


def read_subgoals(response: str) -> Reading[SubgoalList]:
    """Every line between the tags as a subgoal; one invalid line spoils the whole answer."""
    extracted = extract_subgoals(response)
    try:
        lines = [parse_line(line) for line in extracted.split("\n")]
        return Reading(SubgoalList(tuple(map(_subgoal, lines))))
    except ValueError as error:
        return Reading(None, _problem(response, extracted), f"ValueError: {error}")


def parse_line(line: str) -> ParsedLine:
    """One line: ``Name`` or ``Name, (integers)``, with or without parentheses around it.

    The name is any text without a comma. Raises ValueError.
    """
    text = line.strip()
    bare = text[1:-1].strip() if text.startswith("(") and text.endswith(")") else text
    if bare and "," not in bare:
        return bare, None
    found = _POSITIONED.fullmatch(bare)
    if found is None:
        raise ValueError(f"Input string format not recognized: {text!r}")
    return found[1].strip(), tuple(map(int, found[2].split(",")))


def _after(text: str, marker: str) -> str:
    found = _find(text, marker)
    return text[found.end() :] if found else ""


def _find(text: str, marker: str) -> re.Match[str] | None:
    return re.search(re.escape(marker), text, re.IGNORECASE)


def _first_integers(text: str) -> tuple[str, ...]:
    found = (match[0] for match in _INTEGER.finditer(text))
    return tuple(number for number, _ in zip(found, range(3), strict=False))


def _problem(response: str, extracted: str) -> AnswerProblem:
    if extracted:
        return AnswerProblem.UNREADABLE
    return AnswerProblem.NO_ANSWER if response.strip() else AnswerProblem.EMPTY


def _subgoal(line: ParsedLine) -> PlannedSubgoal:
    name, numbers = line
    if name not in _NAMES:
        raise ValueError(f"unknown subgoal: {name[:40]!r}")
    if numbers is None:
        return PlannedSubgoal(_NAMES[name])
    # A text that is not a pair of coordinates counts as a cell without a way to it, like one
    # outside the grid.
    x, y = numbers if len(numbers) == 2 else (-1, -1)
    return PlannedSubgoal(_NAMES[name], (x, y))
