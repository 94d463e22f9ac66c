"""The robot, asked beforehand what it would do."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from env_service.suites.alfred.house import ThorObject
from env_service.suites.alfred.skills.object_choice import Wish, choose
from env_service.suites.alfred.skills.robot import Robot
from env_service.suites.alfred.skills.step import Verb

_WISHES: Mapping[Verb, Callable[[str], Wish]] = {
    Verb.FIND: lambda kind: Wish(kind, seen=True, carried=True),
    Verb.PICK_UP: lambda kind: Wish(kind, able="pickupable", seen=True, carried=True),
    Verb.OPEN: lambda kind: Wish(kind, opened=True),
    Verb.CLOSE: Wish,
    Verb.SLICE: Wish,
    Verb.TURN_ON: lambda kind: Wish(kind, able="toggleable"),
    Verb.TURN_OFF: lambda kind: Wish(kind, able="toggleable"),
}


class Guest(Robot):
    """A robot that says which instance a skill would be about. See `Robot`."""

    def expected(self, verb: Verb, kind: str) -> ThorObject | None:
        """What it would choose for a skill that names a type, where it stands now; None if there
        is nothing to choose. Raises KeyError for skills that choose nothing: putting down and
        being done."""
        return choose(self._bench, _WISHES[verb](kind))
