"""The goal as a description asks for it.

An agent is told the description and never the goal, and people judged plans by what they read
there; some goals hold more (spec: actplan.md sections 3.3 and 7). The table is `asked.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from env_service.suites.actplan.activity import Activity
from env_service.worlds.activity.bddl.expressions import Expression
from env_service.worlds.activity.bddl.reading import read_expression

TABLE = "asked.toml"


@dataclass(frozen=True, slots=True)
class Asked:
    """What one description does not ask for, and what it asks for instead."""

    reason: str
    remove: tuple[Expression, ...]
    add: tuple[Expression, ...]


def asked_of(activity: Activity) -> tuple[Expression, ...]:
    """The conditions that a plan is to bring about, by the description. Without a difference that
    is known, or where the definition is not the published one, the goal's own."""
    conjuncts = activity.problem.conjuncts
    entry = table().get((activity.name, activity.variant.number))
    if entry is None or not all(each in conjuncts for each in entry.remove):
        return conjuncts
    return (*(each for each in conjuncts if each not in entry.remove), *entry.add)


@cache
def table() -> Mapping[tuple[str, int], Asked]:
    """By activity and the number of its problem: 0 is normal, 1 counterfactual."""
    text = (files(__package__) / TABLE).read_text(encoding="utf-8")
    return {
        (entry["activity"], entry["problem"]): Asked(
            entry["reason"],
            tuple(read_expression(each, TABLE) for each in entry["remove"]),
            tuple(read_expression(each, TABLE) for each in entry.get("add", ())),
        )
        for entry in tomllib.loads(text)["asked"]
    }
