"""Mends known defects of published definitions, from the overlay's tables: facts of ours about
published problems, kept apart from these.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from importlib.resources import files
from typing import Any

from env_service.worlds.activity.bddl.expressions import And, Atom, Expression, Not
from env_service.worlds.activity.bddl.parser import read_expression, read_problem
from env_service.worlds.activity.bddl.problem import Literal, Problem
from env_service.worlds.activity.bddl.syntax import BddlError
from env_service.worlds.activity.bddl.writer import write_problem

TABLE = "corrections.toml"


class DefectKind(Enum):
    """What is mended."""

    FILE = "file"
    """The definition contradicts itself: a name that nobody declared, a goal that is dropped."""
    DESCRIPTION = "description"
    """The goal and the description, which is all that an agent is told, ask for different things.
    That a description does not speak of something is no defect."""


@dataclass(frozen=True, slots=True)
class Correction:
    """One change of one definition. What it changes has to be there as it was published, or nothing
    of it is made: a file that was mended upstream stays as it is.

    Attributes:
        problem: the number in the file's name; 0 is normal, 1 counterfactual, others are unused.
        reason: why, for people.
        rename: names, or categories (then with all their instances), to what they are to be.
        objects: instances to declare, with their categories.
        remove: conditions of the goal that go.
        add: conditions that the goal gets, at its end; dropped ones among them are no longer
            dropped.
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
    """A definition with one correction; as it is where the correction does not fit."""
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
    return tuple(_correction(entry) for entry in read_table(TABLE)["correction"])


_KEYS = frozenset(
    {"activity", "problem", "kind", "reason", "rename", "objects", "remove", "add"}
    | {"init_remove", "init_add"}
)


def _correction(entry: dict[str, Any]) -> Correction:
    check_keys(entry, _KEYS, TABLE)

    def conditions(key: str) -> tuple[Expression, ...]:
        return tuple(read_expression(text, TABLE) for text in entry.get(key, ()))

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
    raise BddlError(TABLE, 0, 0, "an opening has facts alone", "write (PREDICATE TERM [TERM])")


# --- The overlay's tables: facts of ours about published problems, kept apart from these


class TableError(ValueError):
    """An entry of a table that says nothing, or what nobody understands."""


@cache
def read_table(name: str) -> dict[str, Any]:
    """One of the tables beside this file: "corrections.toml"."""
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
