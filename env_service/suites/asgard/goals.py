"""Which goals are met, how far the agent has come, and what it has newly reached."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from env_service.domain.episode import GoalCondition
from env_service.suites.asgard.goal_words import describe
from env_service.suites.asgard.goals_met import is_met
from env_service.suites.asgard.plan import (
    AsgardPlan,
    Deed,
    Family,
    Goal,
    LocationGoal,
    State,
    StateGoal,
)
from env_service.suites.asgard.rules import Rules
from env_service.suites.asgard.view import HouseView


def goals_of(plan: AsgardPlan, rules: Rules) -> tuple[Goal, ...]:
    """The plan's goals, and that the bread on a set table is toast unless the rules let it be raw
    (``Rules.toast_may_be_raw``)."""
    toast = StateGoal("Bread", State.COOKED, value=True)
    if rules.toast_may_be_raw or plan.family is not Family.SET_TABLE or toast in plan.goals:
        return plan.goals
    return (*plan.goals, toast)


@dataclass(frozen=True, slots=True)
class GoalProgress:
    """How the goals stand after one action.

    ``met`` has an entry for each goal, in their order; ``newly_met`` are those that hold now for
    the first time in the episode, and did not hold at its opening.
    """

    goals: tuple[Goal, ...]
    met: tuple[bool, ...]
    newly_met: tuple[Goal, ...]

    @property
    def all_met(self) -> bool:
        """Whether the task is fulfilled."""
        return all(self.met)

    @property
    def conditions(self) -> tuple[GoalCondition, ...]:
        """Each goal in plain words."""
        return tuple(
            GoalCondition(describe(goal), met)
            for goal, met in zip(self.goals, self.met, strict=True)
        )


class GoalKeeper:
    """Evaluates the goals of one episode (spec section 3)."""

    def __init__(self, goals: Sequence[Goal], rules: Rules) -> None:
        if not goals:
            raise ValueError("a task without goals cannot be scored; give it at least one")
        self._goals, self._rules = tuple(goals), rules
        self._reached: set[int] = set()
        self._stuck: set[int] = set()

    def begin(self, view: HouseView) -> GoalProgress:
        """Notes what holds before the first action: it is no achievement. Nothing sticks yet."""
        met = tuple(is_met(goal, view, (), self._rules) for goal in self._goals)
        self._reached.update(number for number, each in enumerate(met) if each)
        return GoalProgress(self._goals, met, ())

    def evaluate(self, view: HouseView, deeds: Collection[Deed]) -> GoalProgress:
        """How the goals stand now; ``deeds`` is all that was done in the episode."""
        met = tuple(self._holds(n, goal, view, deeds) for n, goal in enumerate(self._goals))
        fresh = {number for number, each in enumerate(met) if each} - self._reached
        self._reached |= fresh
        return GoalProgress(self._goals, met, tuple(self._goals[each] for each in sorted(fresh)))

    def _holds(self, number: int, goal: Goal, view: HouseView, deeds: Collection[Deed]) -> bool:
        if number in self._stuck:
            return True
        met = is_met(goal, view, deeds, self._rules)
        if met and self._rules.sticky_location_goals and isinstance(goal, LocationGoal):
            self._stuck.add(number)
        return met
