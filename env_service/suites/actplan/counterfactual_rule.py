"""A rule that makes a counterfactual of an activity: what the rules of built-in activities
(`builtin/scenario_rules`) and those of given definitions (`making/problem_rules`) have in common.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Generic, TypeVar

from env_service.suites.actplan.task import Circumstance

Normal = TypeVar("Normal")
Changed = TypeVar("Changed")


class UnsuitableError(Exception):
    """There is nothing that an activity or a rule can be applied to: try another one."""


@dataclass(frozen=True, slots=True)
class CounterfactualRule(Generic[Normal, Changed]):
    """One way to make a counterfactual.

    Attributes:
        name: as commands and results name it.
        kind: which of the paper's three kinds of circumstances it makes (its Fig. 4).
        summary: what it does, for people.
        apply: makes the counterfactual of a normal activity; the generator draws every choice.
            Raises UnsuitableError where the activity has nothing to apply the rule to.
    """

    name: str
    kind: Circumstance
    summary: str
    apply: Callable[[Normal, Random], Changed]


def counterfactual_rule(
    kind: Circumstance, summary: str
) -> Callable[[Callable[[Normal, Random], Changed]], CounterfactualRule[Normal, Changed]]:
    """Decorates the function that applies a rule; the rule is called like the function."""

    def rule(apply: Callable[[Normal, Random], Changed]) -> CounterfactualRule[Normal, Changed]:
        return CounterfactualRule(apply.__name__, kind, summary, apply)

    return rule


def by_kind(
    rules: Iterable[CounterfactualRule[Normal, Changed]],
) -> Mapping[Circumstance, tuple[CounterfactualRule[Normal, Changed], ...]]:
    """The rules of each kind, both in the order in which they come."""
    found: dict[Circumstance, tuple[CounterfactualRule[Normal, Changed], ...]] = {}
    for each in rules:
        found[each.kind] = (*found.get(each.kind, ()), each)
    return found
