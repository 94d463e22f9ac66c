"""What judges and planners may read of a task: never a gold plan, nor anything made from one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum

from env_service.suites.actplan.task import Variant
from env_service.worlds.activity.actions import ActivityAction, Verb
from env_service.worlds.activity.bddl.expressions import Expression
from env_service.worlds.activity.bddl.problem import Problem


@dataclass(frozen=True, slots=True)
class Pattern:
    """Actions of a kind. Each attribute that is empty matches everything; categories are BDDL's
    ("sink.n.01").

    Attributes:
        verbs: one of these.
        targets: the target's category is one of these.
        items: so is the item's.
        tools: so is that of one of the tools, or of something held.
    """

    verbs: tuple[Verb, ...] = ()
    targets: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()

    def matches(
        self, action: ActivityAction, held: Collection[str], categories: Mapping[str, str]
    ) -> bool:
        """Whether an action is of this kind. ``held``: what was in hand before it; ``categories``:
        of instances."""

        def one_of(wanted: tuple[str, ...], names: Collection[str]) -> bool:
            return not wanted or any(categories.get(name, name) in wanted for name in names)

        return (
            (not self.verbs or action.verb in self.verbs)
            and one_of(self.targets, (action.target,))
            and one_of(self.items, (action.item,))
            and one_of(self.tools, (*action.tools, *held))
        )


class AssertionKind(Enum):
    """What an assertion says of a plan."""

    GOAL = "goal"
    """A condition holds at the end, beside the goal."""
    DOES = "does"
    """An action of ``first`` is done."""
    NEVER = "never"
    """No action of ``first`` is done."""
    BEFORE = "before"
    """An action of ``first`` is done before every action of ``second``; nothing of ``second`` at
    all is right too."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """A constraint that a task's description states and its goal does not carry.

    Attributes:
        text: the constraint, for people.
        goal: of GOAL.
        first: of DOES, NEVER and BEFORE.
        second: of BEFORE.
    """

    kind: AssertionKind
    text: str
    goal: Expression | None = None
    first: Pattern | None = None
    second: Pattern | None = None


@dataclass(frozen=True, slots=True)
class Activity:
    """One task, understood.

    Attributes:
        problem: with the overlay's corrections where these are on.
        description: what the agent was told.
        assertions: the overlay's, for counterfactuals.
        defects: why the goal cannot be decided as it is published; empty: it can.
    """

    name: str
    variant: Variant
    problem: Problem
    description: str
    assertions: tuple[Assertion, ...] = ()
    defects: tuple[str, ...] = ()
