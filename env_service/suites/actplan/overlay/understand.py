"""A task as judges, grounding and planners use it: the published problem, with known defects mended
and with the assertions that its description makes and its goal lacks.

The overlay's tables hold our facts about published problems, separate from the problems.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from env_service.suites.actplan.activity import (
    MARK,
    Activity,
    Assertion,
    AssertionKind,
    Pattern,
    assertions_in,
)
from env_service.suites.actplan.task import ActPlanTask, Circumstance, Variant
from env_service.worlds.activity.actions import Verb
from env_service.worlds.activity.bddl.expressions import And, Atom, Expression, Not
from env_service.worlds.activity.bddl.parser import read_expression, read_problem
from env_service.worlds.activity.bddl.problem import Literal, Problem, check_names, terms, unbound
from env_service.worlds.activity.bddl.syntax import BddlError
from env_service.worlds.activity.bddl.writer import write_problem

CORRECTIONS_TABLE = "corrections.toml"


class DefectKind(Enum):
    """What is mended."""

    FILE = "file"
    """The definition contradicts itself: a name without a declaration, a goal that is dropped."""
    DESCRIPTION = "description"
    """The goal and the description, which is all that an agent reads, ask for different things. An
    omission in the description does not count as a defect."""


@dataclass(frozen=True, slots=True)
class Correction:
    """One change of one definition. It applies only if what it changes is exactly as published: a
    file that was mended upstream stays unchanged.

    Attributes:
        problem: the number in the file's name; 0 is normal, 1 counterfactual, others are unused.
        reason: why, for people.
        rename: names, or categories (then with all their instances), to what they are to be.
        objects: instances to declare, with their categories.
        remove: conditions of the goal that go.
        add: conditions that the goal gets, at its end; dropped ones among them count again.
        init_remove: facts of the opening that go.
        init_add: facts that it gets.
    """

    activity: str
    problem: int
    kind: DefectKind
    reason: str
    rename: Mapping[str, str]
    objects: Mapping[str, str]
    remove: tuple[Expression, ...]
    add: tuple[Expression, ...]
    init_remove: tuple[Literal, ...]
    init_add: tuple[Literal, ...]


def mended(problem: Problem, activity: str, number: int) -> Problem:
    """A definition with all corrections that fit it.

    Args:
        number: the one in the file's name.
    """
    for correction in corrections():
        if (correction.activity, correction.problem) == (activity, number):
            problem = apply(correction, problem)
    return problem


def apply(correction: Correction, problem: Problem) -> Problem:
    """A definition with one correction; unchanged if the correction does not fit."""
    changed = _renamed(problem, correction.rename)
    fits = (
        changed is not None
        and all(each in changed.conjuncts for each in correction.remove)
        and all(each in changed.init for each in correction.init_remove)
        and not any(each in changed.objects for each in correction.objects)
    )
    if changed is None or not fits:
        return problem
    kept = tuple(each for each in changed.conjuncts if each not in correction.remove)
    added = tuple(each for each in correction.add if each not in kept)
    facts = tuple(each for each in changed.init if each not in correction.init_remove)
    return replace(
        changed,
        objects={**changed.objects, **correction.objects},
        init=(*facts, *correction.init_add),
        goal=And((*kept, *added)),
        dropped=() if added and changed.dropped else changed.dropped,
    )


def _renamed(problem: Problem, names: Mapping[str, str]) -> Problem | None:
    """None where one of the names is not there."""
    text = write_problem(problem)
    for old, new in names.items():
        text, count = re.subn(rf"(?<![\w.]){re.escape(old)}(?=_\d|[\s)])", new, text)
        if not count:
            return None
    return read_problem(text, problem.name) if names else problem


@cache
def corrections() -> tuple[Correction, ...]:
    """All of the table, in its order.

    Raises:
        TableError, KeyError, ValueError: the table is wrong.
    """
    return tuple(_correction(entry) for entry in read_table(CORRECTIONS_TABLE)["correction"])


_CORRECTION_KEYS = frozenset(
    {"activity", "problem", "kind", "reason", "rename", "objects", "remove", "add"}
    | {"init_remove", "init_add"}
)


def _correction(entry: dict[str, Any]) -> Correction:
    check_keys(entry, _CORRECTION_KEYS, CORRECTIONS_TABLE)

    def conditions(key: str) -> tuple[Expression, ...]:
        return tuple(read_expression(text, CORRECTIONS_TABLE) for text in entry.get(key, ()))

    return Correction(
        activity=entry["activity"],
        problem=int(entry["problem"]),
        kind=DefectKind(entry["kind"]),
        reason=entry["reason"],
        rename=entry.get("rename", {}),
        objects=entry.get("objects", {}),
        remove=conditions("remove"),
        add=conditions("add"),
        init_remove=tuple(map(_literal, conditions("init_remove"))),
        init_add=tuple(map(_literal, conditions("init_add"))),
    )


def _literal(expression: Expression) -> Literal:
    match expression:
        case Atom():
            return Literal(expression)
        case Not(Atom() as atom):
            return Literal(atom, positive=False)
    raise BddlError(
        CORRECTIONS_TABLE, 0, 0, "an opening has facts alone", "write (PREDICATE TERM [TERM])"
    )


# --- The overlay's tables: facts of ours about published problems, kept apart from these


class TableError(ValueError):
    """An entry of a table that is empty or cannot be understood."""


@cache
def read_table(name: str) -> dict[str, Any]:
    """One of the tables in this folder: "corrections.toml"."""
    text = files("env_service.suites.actplan.overlay").joinpath(name).read_text(encoding="utf-8")
    return tomllib.loads(text)


def check_keys(entry: dict[str, Any], known: frozenset[str], table: str) -> None:
    """Raises TableError where an entry has a key that is not ``known``."""
    for key in entry:
        if key not in known:
            raise TableError(
                f'{table}: an entry of {entry.get("activity")} has the key "{key}"; known are'
                f" {', '.join(sorted(known))}"
            )


# --- Assertions of counterfactuals


CIRCUMSTANCES_TABLE = "circumstances.toml"
FLAGS = "flags.toml"


def circumstance_of(activity: str, variant: Variant) -> Circumstance:
    """What a task is about, by our reading: the paper's labels were never published. NONE of normal
    tasks, and of activities that are not in the table."""
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
    for name, activities in read_table(CIRCUMSTANCES_TABLE).items():
        for activity in activities:
            if activity in found:
                raise TableError(f"{CIRCUMSTANCES_TABLE}: {activity} is in it twice")
            found[activity] = Circumstance(name)
    return found


def has_same_goal(activity: str) -> bool:
    """Whether an activity's counterfactual is published with the goal of its normal task: then a
    plan that overlooks the circumstance reaches the goal, too (docs/actplan.md,
    Differences from the publication)."""
    return activity in read_table(FLAGS)["same_goal"]


def same_goal(normal: Problem, counterfactual: Problem) -> bool:
    """Whether two definitions ask for the same."""
    return normal.goal == counterfactual.goal


# --- What descriptions of counterfactual tasks ask for and their goals do not carry
# (docs/actplan.md, Differences from the publication)

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


_ASSERTION_KEYS = frozenset({"activity", "kind", "text", "goal", "first", "second"})
_PATTERN = frozenset({"verbs", "targets", "items", "tools"})


def _assertion(entry: dict[str, Any]) -> Assertion:
    check_keys(entry, _ASSERTION_KEYS, ASSERTIONS_TABLE)
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


# --- Activities as judges understand them


def understand(task: ActPlanTask, *, corrections: bool) -> Activity:
    """A task's activity. Equal tasks share one.

    A definition that cannot be read has no objects and an empty goal; facts of the opening about
    unbound names are left out. ``defects`` reports either. Assertions are those that the
    definition's own comments state, as built-in ones do, and the overlay's.

    Args:
        corrections: whether known defects of published definitions are mended.
    """
    facts = (task.activity, task.variant, task.problem, task.description)
    return _understood(*facts, corrections=corrections)


@lru_cache(maxsize=512)
def _understood(
    name: str, variant: Variant, text: str, description: str, *, corrections: bool
) -> Activity:
    source = f"{name}/{variant.number}"
    try:
        problem = read_problem(text, source)
    except BddlError as error:
        problem = Problem(name, "", {}, (), And(()))
        return Activity(name, variant, problem, description, defects=(str(error),))
    if corrections:
        problem = mended(problem, name, variant.number)
    stated, defects = _stated(text, source)
    published = (each for each in assertions_of(name, variant) if fits(each, problem))
    assertions = (*stated, *published)
    try:
        check_names(problem, source)
    except BddlError as error:
        problem = _without_strangers(problem)
        defects = (str(error), *defects)
    return Activity(name, variant, problem, description, assertions, defects)


def _stated(text: str, source: str) -> tuple[tuple[Assertion, ...], tuple[str, ...]]:
    """The assertions in a text's comments, and what is wrong with these."""
    try:
        return assertions_in(text), ()
    except ValueError as error:
        return (), (f'{source}: a comment "{MARK.strip()} …" states none ({error}); mend it',)


def _without_strangers(problem: Problem) -> Problem:
    known = problem.objects.keys()
    facts = tuple(each for each in problem.init if known >= set(terms(each.atom)))
    return replace(problem, init=facts)
