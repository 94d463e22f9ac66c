"""The judge ``commonsense``: precondition violations by class, under a stated profile.

It is not the paper's commonsense satisfaction, which people decided and of which no label is public
(spec: actplan.md section 3.5).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from env_service.suites.actplan.judges.judgement import Condition
from env_service.worlds.activity.violation import Violation, ViolationKind

Violated = Sequence[tuple[int, Violation]]
"""Violations with the number of the step, from 1."""

_MOST_TOLD = 3


def violations_bounded(
    kinds: Collection[ViolationKind], violated: Violated, most: int, text: str
) -> Condition:
    """The general condition, called ``text``, that these classes are violated in at most so many
    steps. A step that means several things at once is one."""
    found = [(step, each) for step, each in violated if each.kind in kinds]
    if len({step for step, _ in found}) <= most:
        return Condition(text, met=True, general=True)
    told = [f"step {step}: {each.text}" for step, each in found[:_MOST_TOLD]]
    if len(found) > _MOST_TOLD:
        told.append(f"and {len(found) - _MOST_TOLD} more")
    return Condition(text, met=False, undone="; ".join(told), general=True)
