"""A play of the expert: it acts, sees the result, predicts the effect of an action, and learns
about the room.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Protocol

from env_service.suites.asgard.action_language import Command, Verb
from env_service.suites.asgard.actions.body import ReleaseMemory
from env_service.suites.asgard.actions.executor import ActionOutcome
from env_service.suites.asgard.actions.handler import Situation
from env_service.suites.asgard.actions.handlers import HANDLERS
from env_service.suites.asgard.actions.object_choice import Resolver
from env_service.suites.asgard.episode import TurnOutcome
from env_service.suites.asgard.goals import GoalTracker, serves_location_goal
from env_service.suites.asgard.limits import Ending, Limits, StepLimits
from env_service.suites.asgard.metadata_view import AsgardView
from env_service.suites.asgard.plan import ContentsGoal, Goal, RequiredEvent
from env_service.suites.asgard.rules import Rules
from env_service.suites.asgard.wording import PHYSICAL, Refusal
from env_service.worlds.ai2thor_api.metadata_view import ThorObject


class Actor(Protocol):
    """Acts in the scene: an `ActionExecutor`, or a replacement for one."""

    @property
    def view(self) -> AsgardView:
        """The scene now."""
        ...

    @property
    def events(self) -> Collection[RequiredEvent]:
        """What was done in the episode that goals may ask for."""
        ...

    def do(self, verb: Verb, object_type: str) -> ActionOutcome:
        """Carries out one action."""
        ...


class StuckError(Exception):
    """One way of doing something has failed. The expert plans again from the present state."""


class PlayOver(Exception):  # noqa: N818 - no error: the play may be won
    """Every goal is met, or the episode is over without that."""

    def __init__(self, *, won: bool) -> None:
        super().__init__("won" if won else "lost")
        self.won = won


@dataclass(frozen=True, slots=True)
class Objective:
    """What the expert is to reach, by which rules, within which limits.

    ``words`` are the object types that an agent may name.
    """

    goals: tuple[Goal, ...]
    rules: Rules
    limits: StepLimits
    words: frozenset[str]

    @property
    def kept_clear(self) -> frozenset[str]:
        """Types of what holds nothing but what a goal names."""
        found = (goal.container_type for goal in self.goals if isinstance(goal, ContentsGoal))
        return frozenset(found)


class Play:
    """One attempt at a task.

    It predicts with the rules of the environment: which instance a word will mean
    (`object_choice`), and which precondition will not hold (`handlers`).
    """

    def __init__(self, actor: Actor, objective: Objective, experience: Experience) -> None:
        self.objective = objective
        self.experience = experience
        self.steps: list[Command] = []
        """What was played, refused actions included."""
        self.refused: list[tuple[Command, str]] = []
        """The refused ones, and why."""
        self._actor = actor
        self._memory = ReleaseMemory()
        self._resolver = Resolver(objective.rules, objective.goals, self._memory)
        self._tracker = GoalTracker(objective.goals, objective.rules)
        self._tracker.begin(actor.view)
        self._limits = Limits(objective.limits, objective.rules)

    @property
    def view(self) -> AsgardView:
        """The scene now."""
        return self._actor.view

    @property
    def events(self) -> Collection[RequiredEvent]:
        """What was done so far that goals may ask for."""
        return self._actor.events

    @property
    def held(self) -> str:
        """Type of what is in the hand; empty for nothing."""
        held = self.view.held
        return "" if held is None else str(held["objectType"])

    def do(self, verb: Verb, kind: str) -> bool:
        """Carries out one action; whether the environment took it.

        Raises:
            PlayOver: the goals are met now, or a limit of the episode is reached.
        """
        command = Command(verb, kind)
        done = self._actor.do(verb, kind)
        self.steps.append(command)
        self._remember(verb, kind, done)
        if not done.success:
            self.refused.append((command, done.message))
        progress = self._tracker.evaluate(self.view, self.events)
        turn = TurnOutcome.done(command, done).counted(reached_goal=bool(progress.newly_met))
        ending = self._limits.after(turn, all_met=progress.all_met)
        if ending is not None:
            raise PlayOver(won=ending is Ending.SUCCESS)
        return done.success

    def must(self, verb: Verb, kind: str) -> None:
        """Carries out one action. Raises StuckError if the environment refuses it, else as `do`."""
        if not self.do(verb, kind):
            raise StuckError(f"{verb} {kind}: {self.refused[-1][1]}")

    def expected(self, verb: Verb, kind: str) -> ThorObject | None:
        """The instance that the action would act on now; None if it would be refused."""
        return next(self.prospects(verb, kind), None)

    def prospects(self, verb: Verb, kind: str) -> Iterator[ThorObject]:
        """The instances whose preconditions hold, in the order in which they would be tried."""
        view = self.view
        found = self._resolver.candidates(verb, kind, view)
        if isinstance(found, Refusal):
            return
        situation = Situation(view, self.objective.rules, self._memory)
        for ids in (found.instances, found.aliases or ()):
            for each in self._resolver.ordered(verb, found, ids, view):
                if HANDLERS[verb].check(situation, each) is None:
                    yield each

    def is_locked(self, item: ThorObject) -> bool:
        """Whether no action reaches an object, as it serves a goal already: then it goes where its
        dish goes."""
        locks = self.objective.rules.goal_locked_objects
        return locks and serves_location_goal(item, self.view, self.objective.goals)

    def _remember(self, verb: Verb, kind: str, done: ActionOutcome) -> None:
        self._memory.conclude(verb, kind, done.instance if done.success else None)
        self.experience.note(verb, done)
        item = self.view.by_name(done.instance) if done.instance and done.success else None
        if item is None:
            return
        if verb is Verb.OPEN:
            self._memory.last_opened[item["objectType"]] = item["name"]
        elif verb is Verb.SPRAY:
            self._memory.sprayed.add(item["name"])


# --- What the expert has learned about one room: actions that the rules allow, but that fail in it


class Experience:
    """Kept over all attempts at one task, as the room is the same each time."""

    def __init__(self) -> None:
        self._failed: set[tuple[Verb, str | None, str]] = set()
        self._full: set[tuple[str, str]] = set()

    def note(self, verb: Verb, done: ActionOutcome) -> None:
        """Learns from one action."""
        for error in done.errors:
            if error.instance is not None and error.refusal.reason in PHYSICAL:
                self._failed.add((verb, done.held, error.instance))
        if done.success and done.instance is not None:
            self._failed.discard((verb, done.held, done.instance))

    def hopeless(self, verb: Verb, held: str, item: ThorObject) -> bool:
        """Whether the action failed on this very object with such a thing in the hand (empty for
        an empty hand)."""
        return (verb, held or None, item["name"]) in self._failed

    def note_full(self, kind: str, place: str) -> None:
        """Notes that no place of a type took an object of another type."""
        self._full.add((kind, place))

    def was_full(self, kind: str, place: str) -> bool:
        """Whether `note_full` was called for these types."""
        return (kind, place) in self._full

    def forget(self, verb: Verb, held: str) -> None:
        """Gives all objects another chance: what was in the way may have moved."""
        self._failed = {each for each in self._failed if each[:2] != (verb, held or None)}
