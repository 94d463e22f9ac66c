"""A play of the expert: it acts, sees the result, records its steps, asks the robot in advance
which instance it would choose, and learns for the next play.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from env_service.suites.alfred.expert.knowledge import id_of, skill_type, whole_id
from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.skills.object_choice import ObjectQuery, choose
from env_service.suites.alfred.skills.robot import Robot
from env_service.suites.alfred.skills.steps import Marks, SkillResult, SkillStep, Verb
from env_service.suites.alfred.skills.vocabulary import OBJECTS
from env_service.suites.alfred.task import Goal
from env_service.worlds.ai2thor_api.metadata_view import ThorObject

MOST_STEPS = 150
"""After so many steps a play is given up, those that led nowhere included."""

Met = Callable[[AlfredView, Marks], bool]
"""Whether a goal is reached."""


class Actor(Protocol):
    """Acts in the scene: the robot, or a replacement for it."""

    @property
    def view(self) -> AlfredView:
        """The scene now."""
        ...

    @property
    def marks(self) -> Marks:
        """What was heated, cooled and cleaned so far."""
        ...

    def do(self, step: SkillStep) -> SkillResult:
        """Carries out one step."""
        ...

    def expected(self, verb: Verb, kind: str) -> ThorObject | None:
        """The instance that it would choose now for a skill that names a type."""
        ...


class StuckError(Exception):
    """One way of doing something has failed. The expert plans again from the present state."""


class ExhaustedError(Exception):
    """No step is left."""


@dataclass(frozen=True, slots=True)
class TakenStep:
    """One step of a play.

    Attributes:
        idle: whether it did not work, and left the hand as it was.
        wasted: whether it led nowhere, so that the plan is likely as good without it.
    """

    step: SkillStep
    result: SkillResult
    idle: bool
    wasted: bool


class Play:
    """One play of a task from its opening."""

    def __init__(
        self,
        actor: Actor,
        goal: Goal,
        met: Met,
        experience: Experience,
        *,
        tidy: bool = True,
    ) -> None:
        """``tidy``: what is opened is closed again also where nothing asks for it."""
        self.goal = goal
        self.experience = experience
        self.tidy = tidy
        self.missed: set[tuple[str, ...]] = set()
        """Ids of objects that could not be picked up, with those of what they lay in."""
        self.taken: list[TakenStep] = []
        self.opened: set[str] = set()
        """Ids of what was opened and not closed again."""
        self.put: dict[str, tuple[str, str]] = {}
        """For what was put down, by id: its type, and the receptacle that was meant."""
        self.given_up: set[str] = set()
        """Ids of receptacles that are tried no more where they are."""
        self._actor = actor
        self._met = met

    @property
    def view(self) -> AlfredView:
        """The scene now."""
        return self._actor.view

    @property
    def marks(self) -> Marks:
        """What was heated, cooled and cleaned so far."""
        return self._actor.marks

    @property
    def met(self) -> bool:
        """Whether the goal is reached now."""
        return self._met(self.view, self.marks)

    @property
    def at(self) -> str:
        """Id of what the last step was about, if it worked and the hand or a door moved there."""
        if not self.taken or not self.taken[-1].result.worked:
            return ""
        result = self.taken[-1].result
        return whole_id(result.receptacle_id or result.object_id)

    def do(self, verb: Verb, kind: str) -> SkillResult:
        """Carries out one step.

        Raises:
            ExhaustedError: the play has taken too many steps to continue.
            StuckError: no skill says this.
        """
        if kind not in OBJECTS[verb]:
            raise StuckError(f"no skill says {verb.value} {kind}")
        if len(self.taken) >= MOST_STEPS:
            raise ExhaustedError(f"{MOST_STEPS} steps did not lead there")
        before = self._held_id()
        result = self._actor.do(SkillStep(verb, kind))
        # By LoTa-Bench's rules a put that fails may drop the object, so that step is not idle.
        idle = not result.worked and self._held_id() == before
        self.taken.append(TakenStep(SkillStep(verb, kind), result, idle, wasted=idle))
        self._note(verb, result)
        return result

    def must(self, verb: Verb, kind: str) -> SkillResult:
        """Carries out one step. Raises StuckError if it does not work, else as `do`."""
        result = self.do(verb, kind)
        if not result.worked:
            raise StuckError(f"{verb.value} {kind}: {result.message}")
        return result

    def waste(self, since: int) -> None:
        """Marks what was only looked for, from the step of that number on, as leading nowhere."""
        for number in range(since, len(self.taken)):
            if self.taken[number].step.verb is Verb.FIND:
                self.taken[number] = replace(self.taken[number], wasted=True)

    def trouble(self, since: int) -> str:
        """Why nothing came of the steps from that number on."""
        messages = [each.result.message for each in self.taken[since:] if each.result.message]
        return messages[-1] if messages else "no way leads to where the word means it"

    def expects(self, verb: Verb, kind: str, wanted: Collection[str]) -> bool:
        """Whether the robot would choose an instance with one of these ids."""
        found = self.expected(verb, kind)
        return found is not None and id_of(found) in wanted

    def expected(self, verb: Verb, kind: str) -> ThorObject | None:
        """The instance that the robot would choose."""
        return self._actor.expected(verb, kind)

    @property
    def held_type(self) -> str:
        """The type by which skills mean what is in the hand; empty for nothing."""
        held = self.view.held
        return "" if held is None else skill_type(held)

    def _held_id(self) -> str:
        held = self.view.held
        return "" if held is None else str(held["objectId"])

    def _note(self, verb: Verb, result: SkillResult) -> None:
        if verb is Verb.OPEN and result.worked:
            self.opened.add(whole_id(result.object_id))
        elif verb is Verb.CLOSE and result.worked:
            self.opened.discard(whole_id(result.object_id))


# --- The robot, asked beforehand what it would do

_QUERIES: Mapping[Verb, Callable[[str], ObjectQuery]] = {
    Verb.FIND: lambda kind: ObjectQuery(kind, seen=True, carried=True),
    Verb.PICK_UP: lambda kind: ObjectQuery(kind, able="pickupable", seen=True, carried=True),
    Verb.OPEN: lambda kind: ObjectQuery(kind, opened=True),
    Verb.CLOSE: ObjectQuery,
    Verb.SLICE: ObjectQuery,
    Verb.TURN_ON: lambda kind: ObjectQuery(kind, able="toggleable"),
    Verb.TURN_OFF: lambda kind: ObjectQuery(kind, able="toggleable"),
}


class ForeseeingRobot(Robot):
    """A robot that says which instance a skill would be about. See `Robot`."""

    def expected(self, verb: Verb, kind: str) -> ThorObject | None:
        """The instance that the robot would choose, from its present place, for a skill that names
        a type; None if it would find none. Raises KeyError for the two skills that choose no
        instance: putting down and being done."""
        return choose(self._context, _QUERIES[verb](kind))


# --- What one play of a task teaches the next


@dataclass(slots=True)
class Experience:
    """A play adds to it as it goes.

    Attributes:
        refused: (type of what was held, id of a receptacle that did not take it).
        crowded: ids of receptacles that took something only after others were carried away.
        out_of_reach: ids of objects that could not be picked up where they lie.
        badly_put: how often something of a type was put into a receptacle, by its id, and could
            not be picked up again: so many ways to stand before it are left out.
    """

    refused: set[tuple[str, str]] = field(default_factory=set)
    crowded: set[str] = field(default_factory=set)
    out_of_reach: set[str] = field(default_factory=set)

    badly_put: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def size(self) -> int:
        """How much was learned."""
        return (
            len(self.refused) + len(self.crowded) + len(self.out_of_reach) + self.badly_put.total()
        )
