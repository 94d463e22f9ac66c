"""An activity's definition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from env_service.worlds.activity.bddl.expressions import And, Atom, Expression

AGENT = "agent.n.01"
"""The category of who acts."""


@dataclass(frozen=True, slots=True)
class Literal:
    """One fact of an opening; ``positive`` False: that it does not hold."""

    atom: Atom
    positive: bool = True


@dataclass(frozen=True, slots=True)
class Problem:
    """One activity, as a file defines it. All names are in lower case.

    Attributes:
        name: what the file calls it; not to be keyed on (spec section 2.3).
        domain: "igibson" in published files.
        objects: instance ("basket.n.01_1") to category ("basket.n.01"), in order of declaration.
        init: the opening's facts, in the file's order.
        goal: what is to be true at the end.
        dropped: expressions after the first one of the goal, which BEHAVIOR's own parser drops in
            silence (spec section 2.3).
    """

    name: str
    domain: str
    objects: Mapping[str, str]
    init: tuple[Literal, ...]
    goal: Expression
    dropped: tuple[Expression, ...] = ()

    @property
    def conjuncts(self) -> tuple[Expression, ...]:
        """The goal's parts that have to hold all at once; one where it is no conjunction."""
        return self.goal.parts if isinstance(self.goal, And) else (self.goal,)
