"""What a rule is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from env_service.suites.actplan.task import Circumstance
from env_service.worlds.activity.bddl.problem import Problem


@dataclass(frozen=True, slots=True)
class Draft:
    """A counterfactual before it is checked. ``text``: the circumstance, for the description."""

    problem: Problem
    text: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to make a counterfactual.

    Attributes:
        name: what users call it.
        kind: which of the paper's three kinds it makes (Fig. 4).
        told: what it does, for people.
        apply: the draft for a problem; None where the problem has nothing to apply it to. Every
            choice is drawn from the generator.
    """

    name: str
    kind: Circumstance
    told: str
    apply: Callable[[Problem, Random], Draft | None]
