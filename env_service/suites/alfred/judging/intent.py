"""What somebody wants done, slot by slot: a goal, a command, or a plan
(docs/alfred-rules.md, Failures)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from env_service.suites.alfred.object_words import BASINS
from env_service.suites.alfred.task import Goal, TaskType


class Slot(Enum):
    """A part of a task that a command can state; the value is the reader's word for it."""

    OBJECT = "object"
    SLICED = "slicing"
    STATE = "state change"
    MOVABLE = "movable receptacle"
    DESTINATION = "destination"
    COUNT = "count"
    LAMP = "lamp"


class State(Enum):
    """The three changes of state."""

    HEATED = "heated"
    COOLED = "cooled"
    CLEANED = "cleaned"


STATE_OF: Mapping[TaskType, State] = {
    TaskType.HEAT: State.HEATED,
    TaskType.COOL: State.COOLED,
    TaskType.CLEAN: State.CLEANED,
}
"""The change of state that a task type asks for, where it asks for one."""

Types = frozenset[str]
"""Object types, named as goals name them ("SinkBasin")."""

NOTHING: Types = frozenset()


@dataclass(frozen=True, slots=True)
class Intent:
    """What is wanted. A slot holds all its possible meanings; an empty one was not stated.

    Attributes:
        objects: types of what is carried.
        sliced: whether slices are meant.
        states: the requested changes of state.
        movables: types of the receptacle that is carried along.
        destinations: types of the receptacle where it belongs.
        counts: the possible numbers: 1, 2, or both for a plural without a number.
        lamps: types of lamp.
        loose: any mention may be meant, so that a state change or a movable that the goal lacks
            does not contradict it.
        puts: the command has a verb of putting.
        words: by slot, the words that state it; for explanations alone.
    """

    objects: Types = NOTHING
    sliced: bool = False
    states: frozenset[State] = frozenset()
    movables: Types = NOTHING
    destinations: Types = NOTHING
    counts: frozenset[int] = frozenset()
    lamps: Types = NOTHING
    loose: bool = False
    puts: bool = False
    words: Mapping[Slot, str] = field(default_factory=dict, compare=False)

    def also(self, other: Intent) -> Intent:
        """The same, with the other's names of types added."""
        return replace(
            self,
            objects=self.objects | other.objects,
            movables=self.movables | other.movables,
            destinations=self.destinations | other.destinations,
            lamps=self.lamps | other.lamps,
        )

    def lit(self, lamps: Types) -> Intent:
        """The same, with lamps turned on."""
        return replace(self, lamps=lamps)

    def placed(self, movables: Types, destinations: Types, count: int) -> Intent:
        """The same, put somewhere, so many of a kind at one place; 0: not there."""
        counts = frozenset({count} if count else ())
        return replace(self, movables=movables, destinations=destinations, counts=counts)

    def values(self, slot: Slot) -> frozenset[str]:
        """What a slot may mean, in words; empty where it was not said."""
        match slot:
            case Slot.OBJECT:
                return self.objects
            case Slot.SLICED:
                return frozenset({"sliced"}) if self.sliced else NOTHING
            case Slot.STATE:
                return frozenset(each.value for each in self.states)
            case Slot.MOVABLE:
                return self.movables
            case Slot.DESTINATION:
                return self.destinations
            case Slot.COUNT:
                return frozenset(str(each) for each in self.counts)
            case Slot.LAMP:
                return self.lamps


def goal_intent(goal: Goal) -> Intent:
    """What a goal wants: every slot has one meaning, or none."""
    state = STATE_OF.get(goal.type)
    looks = goal.type is TaskType.LOOK
    return Intent(
        objects=_types(goal.object),
        sliced=goal.sliced,
        states=frozenset() if state is None else frozenset({state}),
        movables=_types(goal.movable),
        destinations=NOTHING if looks else _types(goal.parent),
        counts=frozenset({2 if goal.type is TaskType.TWO else 1}),
        lamps=_types(goal.toggle) if looks else NOTHING,
    )


def basin_type(object_type: str) -> str:
    """The type as goals name it: sinks and bathtubs stand for their basins."""
    return BASINS.get(object_type, object_type)


def _types(name: str) -> Types:
    return frozenset({basin_type(name)}) if name else NOTHING
