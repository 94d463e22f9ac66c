"""Constraints of built-in problems that no BDDL goal can carry: comments of the problem's text."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from env_service.suites.actplan.activity import Assertion, AssertionKind, Pattern
from env_service.suites.actplan.task import ActPlanTask
from env_service.worlds.activity.actions import Verb

MARK = "; assertion: "
"""How a line begins that states an assertion."""

_LISTS = ("targets", "items", "tools")
_PATTERNS = ("first", "second")
_NEEDS = {
    AssertionKind.DOES: ("first",),
    AssertionKind.NEVER: ("first",),
    AssertionKind.BEFORE: _PATTERNS,
}
"""Without its patterns an assertion would speak of every action."""


def assertions_of(task: ActPlanTask) -> tuple[Assertion, ...]:
    """Those that a task's problem states; of published tasks none. See `assertions_in`."""
    return assertions_in(task.problem)


def assertions_in(problem: str) -> tuple[Assertion, ...]:
    """Those that a problem's text states, in its order.

    Raises:
        ValueError: a line that begins with MARK states none; with why.
    """
    lines = (line.strip() for line in problem.splitlines())
    return tuple(_stated(line.removeprefix(MARK)) for line in lines if line.startswith(MARK))


def assertion_comments(assertions: Iterable[Assertion]) -> str:
    """Assertions without a goal as comments of a problem, each with a final line feed."""
    return "".join(f"{MARK}{json.dumps(_plain(each))}\n" for each in assertions)


def _stated(text: str) -> Assertion:
    try:
        return _read(json.loads(text))
    except KeyError as error:
        raise ValueError(f"it has no {error}") from error
    except (AttributeError, RecursionError, TypeError) as error:
        raise ValueError(str(error)) from error


def _read(entry: dict[str, Any]) -> Assertion:
    kind, text = AssertionKind(entry["kind"]), entry["text"]
    if not isinstance(text, str):
        raise TypeError('"text" is no text')
    wanted = _NEEDS.get(kind)
    if wanted is None:
        raise ValueError(f'an assertion of kind "{kind.value}" cannot be stated in a comment')
    first, second = (_pattern(entry.get(name)) for name in _PATTERNS)
    for name, found in zip(_PATTERNS, (first, second), strict=True):
        if name in wanted and found is None:
            raise KeyError(name)
    return Assertion(kind, text, first=first, second=second)


def _pattern(entry: dict[str, list[str]] | None) -> Pattern | None:
    if entry is None:
        return None
    targets, items, tools = (_words(entry, name) for name in _LISTS)
    return Pattern(tuple(map(Verb, _words(entry, "verbs"))), targets, items, tools)


def _words(entry: dict[str, list[str]], name: str) -> tuple[str, ...]:
    found = entry.get(name, [])
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise TypeError(f'"{name}" is no list of texts')
    return tuple(found)


def _plain(assertion: Assertion) -> dict[str, Any]:
    patterns = {"first": assertion.first, "second": assertion.second}
    record = {name: _pattern_json(each) for name, each in patterns.items() if each is not None}
    return {"kind": assertion.kind.value, "text": assertion.text, **record}


def _pattern_json(pattern: Pattern) -> dict[str, list[str]]:
    lists = {name: list(getattr(pattern, name)) for name in _LISTS}
    verbs = [each.value for each in pattern.verbs]
    return {name: words for name, words in {"verbs": verbs, **lists}.items() if words}
