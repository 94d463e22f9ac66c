"""What counterfactual tasks are about, which have the normal task's goal, and what their
descriptions ask for and their goals do not carry.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from env_service.suites.actplan.activity import Assertion, AssertionKind, Pattern
from env_service.suites.actplan.overlay.corrections import TableError, check_keys, read_table
from env_service.suites.actplan.task import Circumstance, Variant
from env_service.worlds.activity.actions import Verb
from env_service.worlds.activity.bddl.parser import read_expression
from env_service.worlds.activity.bddl.problem import Problem, unbound

TABLE = "circumstances.toml"
FLAGS = "flags.toml"


def circumstance_of(activity: str, variant: Variant) -> Circumstance:
    """What a task is about, by our own reading: the paper's labels were never published. NONE of
    normal tasks, and of activities that are not in the table."""
    if variant is Variant.NORMAL:
        return Circumstance.NONE
    return circumstances().get(activity, Circumstance.NONE)


@cache
def circumstances() -> Mapping[str, Circumstance]:
    """By activity; all are of its counterfactual.

    Raises:
        TableError, ValueError: the table is wrong.
    """
    found: dict[str, Circumstance] = {}
    for name, activities in read_table(TABLE).items():
        for activity in activities:
            if activity in found:
                raise TableError(f"{TABLE}: {activity} stands in it twice")
            found[activity] = Circumstance(name)
    return found


def has_same_goal(activity: str) -> bool:
    """Whether an activity's counterfactual is published with the goal of its normal task: then a
    plan that overlooks the circumstance reaches the goal, too (docs/actplan.md, What differs from
    the paper)."""
    return activity in read_table(FLAGS)["same_goal"]


def same_goal(normal: Problem, counterfactual: Problem) -> bool:
    """Whether two definitions ask for the same."""
    return normal.goal == counterfactual.goal


# --- What descriptions of counterfactual tasks ask for and their goals do not carry
# (docs/actplan.md, What differs from the paper)

ASSERTIONS_TABLE = "assertions.toml"

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
    for entry in read_table(ASSERTIONS_TABLE)["assertion"]:
        name = entry["activity"]
        found[name] = (*found.get(name, ()), _assertion(entry))
    return found


_KEYS = frozenset({"activity", "kind", "text", "goal", "first", "second"})
_PATTERN = frozenset({"verbs", "targets", "items", "tools"})


def _assertion(entry: dict[str, Any]) -> Assertion:
    check_keys(entry, _KEYS, ASSERTIONS_TABLE)
    kind = AssertionKind(entry["kind"])
    if (given := entry.keys() & {"goal", "first", "second"}) != _NEEDED[kind]:
        raise TableError(
            f'{ASSERTIONS_TABLE}: an entry of {entry["activity"]} of kind "{kind.value}" has'
            f" {sorted(given)}; it needs {sorted(_NEEDED[kind])}"
        )
    return Assertion(
        kind,
        entry["text"],
        goal=read_expression(entry["goal"], ASSERTIONS_TABLE) if "goal" in entry else None,
        first=_pattern(entry.get("first")),
        second=_pattern(entry.get("second")),
    )


def _pattern(entry: dict[str, Any] | None) -> Pattern | None:
    if entry is None:
        return None
    check_keys(entry, _PATTERN, ASSERTIONS_TABLE)
    return Pattern(
        verbs=tuple(Verb(word) for word in entry.get("verbs", ())),
        targets=tuple(entry.get("targets", ())),
        items=tuple(entry.get("items", ())),
        tools=tuple(entry.get("tools", ())),
    )
