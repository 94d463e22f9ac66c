"""What the skills work with: the robot's body, what it remembers, and what counts as heated,
cooled and cleaned.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.rules import Rules
from env_service.suites.alfred.skills.steps import Marks
from env_service.worlds.ai2thor_api.controller import ThorController, ThorEvent
from env_service.worlds.ai2thor_api.geometry import Point
from env_service.worlds.ai2thor_api.metadata_view import ThorObject


class RobotBody:
    """The agent in a world. What the simulator refuses is an event that is false."""

    def __init__(self, world: ThorController) -> None:
        self._world = world
        self._event: ThorEvent | None = None
        self._view = AlfredView({})
        self._floor: tuple[Point, ...] | None = None

    def do(self, action: str, **arguments: Any) -> ThorEvent:
        """Plays one action of the simulator."""
        return self._world.step(action, **arguments)

    @property
    def view(self) -> AlfredView:
        """The scene after the last action."""
        event = self._world.last_event
        if event is not self._event:
            self._event, self._view = event, AlfredView(event.metadata)
        return self._view

    @property
    def floor(self) -> tuple[Point, ...]:
        """Where the agent can stand: the simulator's reachable positions as they were when first
        asked for, like LoTa-Bench's k-d tree (docs/alfred-rules.md, "Skills")."""
        if self._floor is None:
            found = self.do("GetReachablePositions").metadata["actionReturn"] or ()
            self._floor = tuple(Point.read(each) for each in found)
        return self._floor


@dataclass(slots=True)
class RobotMemory:
    """What the robot remembers.

    Attributes:
        destination: the type that the last find named; empty if nothing may be put down.
        found: that type again, until the robot looks for something else, and the instance's id.
        sliced: types of which an instance was sliced.
        slicing: whether the robot ever tried to slice anything.
        placed: the id of each object that was put somewhere, to the receptacle's id.
        left: ids of objects that were put somewhere and left alone since.
        treated: ids of what was put into something that was then opened, closed or switched.
        marks: what was heated, cooled, cleaned.
    """

    destination: str = ""
    found: tuple[str, str] = ("", "")
    sliced: set[str] = field(default_factory=set)
    slicing: bool = False
    placed: dict[str, str] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)
    treated: set[str] = field(default_factory=set)
    marks: Marks = field(default_factory=Marks)

    def took(self, object_id: str) -> None:
        """It is in the hand."""
        self.placed.pop(object_id, None)
        self.left.discard(object_id)
        self.treated.discard(object_id)

    def put(self, object_id: str, receptacle_id: str) -> None:
        """Notes that an object is in or on a receptacle."""
        self.placed[object_id] = receptacle_id
        self.left.add(object_id)

    def touched(self, contents: Iterable[str]) -> None:
        """Notes that contents of a thing that was opened, closed or switched were not merely left
        there."""
        found = self.left.intersection(contents)
        self.left -= found
        self.treated |= found


@dataclass(frozen=True, slots=True)
class SkillContext:
    """A robot's body, memory, rules, and names of types: in the skills' words, and as this world
    has them where it has others."""

    body: RobotBody
    memory: RobotMemory
    rules: Rules
    aliases: Mapping[str, str]

    @property
    def view(self) -> AlfredView:
        """The scene now."""
        return self.body.view


# --- What counts as heated, cooled and cleaned (docs/alfred-rules.md, "Skills")


def mark_closed(context: SkillContext, item: ThorObject) -> None:
    """What is in a fridge that was closed is cooled."""
    if item["objectType"] == "Fridge":
        marks = context.memory.marks
        cooled = _marked(context, marks.cooled, item["objectId"])
        context.memory.marks = replace(marks, cooled=cooled)


def mark_turned_on(context: SkillContext, item: ThorObject) -> bool:
    """What is in a microwave that was turned on is heated; what is in the visible sink basin
    nearest to a tap is cleaned. False for a tap without one."""
    marks = context.memory.marks
    if item["objectType"] == "Microwave":
        heated = _marked(context, marks.heated, item["objectId"])
        context.memory.marks = replace(marks, heated=heated)
    elif item["objectType"] == "Faucet":
        basin = _basin(context, item)
        if basin is None:
            return False
        cleaned = _marked(context, marks.cleaned, basin["objectId"])
        context.memory.marks = replace(marks, cleaned=cleaned)
        context.memory.touched(cleaned)
    return True


def _marked(context: SkillContext, before: frozenset[str], container: str) -> frozenset[str]:
    now = context.view.by_id(container)
    return before if now is None else before | frozenset(now["receptacleObjectIds"] or ())


def _basin(context: SkillContext, tap: ThorObject) -> ThorObject | None:
    seen = (each for each in context.view.of_type("SinkBasin") if each["visible"])
    place = Point.read(tap["position"])
    return min(seen, key=lambda each: math.dist(place, Point.read(each["position"])), default=None)
