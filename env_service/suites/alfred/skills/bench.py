"""What the skills work with: the robot's body in a world, and what it remembers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from env_service.suites.alfred.house import House
from env_service.suites.alfred.rules import Rules
from env_service.suites.alfred.skills.step import Marks
from env_service.worlds.thor.controller import ThorController, ThorEvent
from env_service.worlds.thor.geometry import Point


class Body:
    """The agent in a world. What the simulator refuses is an event that is false."""

    def __init__(self, world: ThorController) -> None:
        self._world = world
        self._event: ThorEvent | None = None
        self._house = House({})
        self._floor: tuple[Point, ...] | None = None

    def do(self, action: str, **arguments: Any) -> ThorEvent:
        """Plays one action of the simulator."""
        return self._world.step(action, **arguments)

    @property
    def house(self) -> House:
        """The house as the last action left it."""
        event = self._world.last_event
        if event is not self._event:
            self._event, self._house = event, House(event.metadata)
        return self._house

    @property
    def floor(self) -> tuple[Point, ...]:
        """Where the agent can stand: the simulator's reachable positions as they were when first
        asked for, like LoTa-Bench's k-d tree (spec section 3.3)."""
        if self._floor is None:
            found = self.do("GetReachablePositions").metadata["actionReturn"] or ()
            self._floor = tuple(Point.read(each) for each in found)
        return self._floor


@dataclass(slots=True)
class Memory:
    """What the robot knows of its past.

    Attributes:
        destination: the type that the last find named; empty where nothing may be put.
        found: that type again, as long as nothing else is looked for, and the instance's id.
        sliced: types of which something was sliced.
        slicing: whether anything was ever tried to be sliced.
        placed: what was put somewhere: its id to the receptacle's.
        left: ids of what was put somewhere and has been left alone there since.
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
        """It lies in or on a receptacle."""
        self.placed[object_id] = receptacle_id
        self.left.add(object_id)

    def touched(self, contents: Iterable[str]) -> None:
        """What lies in something that was opened, closed or switched was not merely left there."""
        found = self.left.intersection(contents)
        self.left -= found
        self.treated |= found


@dataclass(frozen=True, slots=True)
class Bench:
    """A robot's body, memory, rules, and names of types: in the skills' words, and as this world
    has them where it has others."""

    body: Body
    memory: Memory
    rules: Rules
    aliases: Mapping[str, str]

    @property
    def house(self) -> House:
        """The house now."""
        return self.body.house
