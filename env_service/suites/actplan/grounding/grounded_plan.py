"""A plan whose names stand for things of an activity."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from env_service.suites.actplan.plans.plan_reader import PlanStep, Repair
from env_service.worlds.activity.actions import ActivityAction


class Level(IntEnum):
    """How freely names and conditions are read (docs/actplan.md, Judges)."""

    STRICT = 0
    """A name is a category's lemma and an existing number; relations hold as stated."""
    NAMES = 1
    """Names are matched by meaning, numbers freely; relations hold as stated."""
    RELAXED = 2
    """Relations hold as people read them, too; fixtures that every home has exist; a plural without
    a number means all things of its kind."""
    COLLECTIVE = 3
    """So may a singular."""


@dataclass(frozen=True, slots=True)
class GroundedStep:
    """One step with its actions: one, more where a word means several things at once, none where it
    is not understood.

    Attributes:
        unresolved: its names that stand for nothing.
        left_over: those of them that name one thing more of a kind than there are.
    """

    step: PlanStep
    actions: tuple[ActivityAction, ...]
    unresolved: tuple[str, ...] = ()
    left_over: tuple[str, ...] = ()

    def refusals(self) -> tuple[str, ...]:
        """Why each unresolved name means nothing, in words."""
        return tuple(
            f"{name} is one thing more of its kind than there are, or than fit what it says"
            if name in self.left_over
            else f"nothing in this activity is called {name}"
            for name in self.unresolved
        )


@dataclass(frozen=True, slots=True)
class GroundedPlan:
    """``phantoms``: fixtures that the definition does not list, as (instance, category, room); the
    room is empty if unknown."""

    steps: tuple[GroundedStep, ...]
    repairs: tuple[Repair, ...] = ()
    phantoms: tuple[tuple[str, str, str], ...] = ()
