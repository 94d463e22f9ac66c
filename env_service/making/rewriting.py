"""Conditions over other things."""

from __future__ import annotations

from dataclasses import replace

from env_service.worlds.activity.bddl.expressions import (
    Bound,
    Exists,
    Expression,
    ForAll,
    ForN,
    ForNPairs,
    ForPairs,
)
from env_service.worlds.activity.bddl.rewriting import rebuilt, renamed
from env_service.worlds.activity.bddl.walking import bounds


def over_another(expression: Expression, old: str, new: str) -> Expression:
    """The condition with its quantifiers over another category. Variables that are called like the
    old one are called like the new one."""

    def moved(bound: Bound) -> Bound:
        if bound.category != old:
            return bound
        return Bound(new if bound.variable == old else bound.variable, new)

    inner = rebuilt(expression, lambda each: over_another(each, old, new))
    if any(each == Bound(old, old) for each in bounds(inner)):
        inner = rebuilt(inner, lambda each: renamed(each, {old: new}))
    match inner:
        case ForAll(bound) | Exists(bound) | ForN(_, bound):
            return replace(inner, bound=moved(bound))
        case ForPairs() | ForNPairs():
            return replace(inner, first=moved(inner.first), second=moved(inner.second))
    return inner
