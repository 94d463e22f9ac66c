"""All rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from random import Random

from env_service.making.rules import causes, functions, properties
from env_service.making.rules.rule import Draft, Rule
from env_service.worlds.activity.bddl.problem import Problem

RULES: Mapping[str, Rule] = {
    each.name: each for each in (*properties.RULES, *functions.RULES, *causes.RULES)
}
"""By name."""


def drafts(
    activity: str, problem: Problem, names: Iterable[str], seed: int
) -> Iterator[tuple[Rule, Draft]]:
    """What rules make of a problem, in the rules' order; nothing of those that do not apply.

    A draft depends on the activity, the rule and the seed alone.
    """
    for name in names:
        rule = RULES[name]
        draft = rule.apply(problem, Random(f"{seed}/{activity}/{name}"))  # noqa: S311 - no secret
        if draft is not None:
            yield rule, draft
