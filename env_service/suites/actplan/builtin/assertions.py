"""Constraints of built-in problems that no BDDL goal can carry.

They stand in comments of the problem's text, one a line, which BDDL's readers pass over:
``; assertion: {"kind": "never", "text": "…", "first": {"verbs": ["switch_on"]}}``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from env_service.suites.actplan.activity import Assertion, AssertionKind, Pattern
from env_service.suites.actplan.task import ActPlanTask
from env_service.worlds.activity.deed import Verb

MARK = "; assertion: "
"""How a line begins that states an assertion."""

_LISTS = ("targets", "items", "tools")


def assertions_of(task: ActPlanTask) -> tuple[Assertion, ...]:
    """Those that a task's problem states; of published tasks none. See `assertions_in`."""
    return assertions_in(task.problem)


def assertions_in(problem: str) -> tuple[Assertion, ...]:
    """Those that a problem's text states, in its order.

    Raises:
        KeyError, TypeError, ValueError: a line that begins with MARK states none.
    """
    lines = (line.strip() for line in problem.splitlines())
    return tuple(_read(line.removeprefix(MARK)) for line in lines if line.startswith(MARK))


def written(assertions: Iterable[Assertion]) -> str:
    """Assertions without a goal as comments of a problem, each with a final line feed."""
    return "".join(f"{MARK}{json.dumps(_plain(each))}\n" for each in assertions)


def _read(text: str) -> Assertion:
    entry = json.loads(text)
    return Assertion(
        AssertionKind(entry["kind"]),
        entry["text"],
        first=_pattern(entry.get("first")),
        second=_pattern(entry.get("second")),
    )


def _pattern(entry: dict[str, list[str]] | None) -> Pattern | None:
    if entry is None:
        return None
    targets, items, tools = (tuple(entry.get(name, ())) for name in _LISTS)
    return Pattern(tuple(map(Verb, entry.get("verbs", ()))), targets, items, tools)


def _plain(assertion: Assertion) -> dict[str, Any]:
    patterns = {"first": assertion.first, "second": assertion.second}
    told = {name: _told(each) for name, each in patterns.items() if each is not None}
    return {"kind": assertion.kind.value, "text": assertion.text, **told}


def _told(pattern: Pattern) -> dict[str, list[str]]:
    lists = {name: list(getattr(pattern, name)) for name in _LISTS}
    verbs = [each.value for each in pattern.verbs]
    return {name: words for name, words in {"verbs": verbs, **lists}.items() if words}
