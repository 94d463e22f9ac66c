"""What descriptions of counterfactual tasks ask for and their goals do not carry (spec: actplan.md
section 1.4).

The table is ours, written from the descriptions and definitions of all activities; no plan was read
for it but, to see whether it is too strict, labelled ones of the train split.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from env_service.suites.actplan.activity import Assertion, AssertionKind, Pattern
from env_service.suites.actplan.overlay.tables import TableError, check_keys, read_table
from env_service.suites.actplan.task import Variant
from env_service.worlds.activity.bddl.names import unbound
from env_service.worlds.activity.bddl.problem import Problem
from env_service.worlds.activity.bddl.reading import read_expression
from env_service.worlds.activity.deed import Verb

TABLE = "assertions.toml"

_NEEDED = {
    AssertionKind.GOAL: {"goal"},
    AssertionKind.DOES: {"first"},
    AssertionKind.NEVER: {"first"},
    AssertionKind.BEFORE: {"first", "second"},
}


def assertions_of(activity: str, variant: Variant) -> tuple[Assertion, ...]:
    """The assertions of one published problem, in the table's order; of normal ones none."""
    if variant is Variant.NORMAL:
        return ()
    return all_assertions().get(activity, ())


def fits(assertion: Assertion, problem: Problem) -> bool:
    """Whether a definition has the things that an assertion speaks of; where it does not, it is of
    another activity, which happens to have a published one's name."""
    categories = set(problem.objects.values())
    patterns = (each for each in (assertion.first, assertion.second) if each is not None)
    named = (names for each in patterns for names in (each.targets, each.items, each.tools))
    known = frozenset(problem.objects)
    return all(not names or categories & set(names) for names in named) and (
        assertion.goal is None or not any(unbound(assertion.goal, known))
    )


@cache
def all_assertions() -> dict[str, tuple[Assertion, ...]]:
    """By activity; all are of its counterfactual.

    Raises:
        TableError, KeyError, ValueError: the table is wrong.
    """
    found: dict[str, tuple[Assertion, ...]] = {}
    for entry in read_table(TABLE)["assertion"]:
        name = entry["activity"]
        found[name] = (*found.get(name, ()), _assertion(entry))
    return found


_KEYS = frozenset({"activity", "kind", "text", "goal", "first", "second"})
_PATTERN = frozenset({"verbs", "targets", "items", "tools"})


def _assertion(entry: dict[str, Any]) -> Assertion:
    check_keys(entry, _KEYS, TABLE)
    kind = AssertionKind(entry["kind"])
    if (given := entry.keys() & {"goal", "first", "second"}) != _NEEDED[kind]:
        raise TableError(
            f'{TABLE}: an entry of {entry["activity"]} of kind "{kind.value}" has'
            f" {sorted(given)}; it needs {sorted(_NEEDED[kind])}"
        )
    return Assertion(
        kind,
        entry["text"],
        goal=read_expression(entry["goal"], TABLE) if "goal" in entry else None,
        first=_pattern(entry.get("first")),
        second=_pattern(entry.get("second")),
    )


def _pattern(entry: dict[str, Any] | None) -> Pattern | None:
    if entry is None:
        return None
    check_keys(entry, _PATTERN, TABLE)
    return Pattern(
        verbs=tuple(Verb(word) for word in entry.get("verbs", ())),
        targets=tuple(entry.get("targets", ())),
        items=tuple(entry.get("items", ())),
        tools=tuple(entry.get("tools", ())),
    )
