"""What the player plays on: a house, and an event for every action."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from env_service.worlds.household.event import HouseholdEvent
from env_service.worlds.household.geometry import Box, Vec3
from env_service.worlds.household.house import House
from env_service.worlds.household.player.options import Options
from env_service.worlds.household.render.select import choose
from env_service.worlds.household.scene.library import SceneLibrary
from env_service.worlds.household.scene.spec import AgentStart, Room, SceneSpec
from env_service.worlds.household.scene.standard import standard_library

LOBBY = "Procedural"
"""AI2-THOR's name of the scene without a home in it; the player shows it until it is told of
another."""


@dataclass(frozen=True, eq=False)
class Played:
    """An answer to an action: what it shows, and whether a metadata patch says it all."""

    event: HouseholdEvent
    quick: bool


class Stage:
    """A house that is played through the wire."""

    def __init__(self, options: Options) -> None:
        """Opens the lobby; the controller asks for a scene."""
        library = _WithLobby(standard_library(options.scenes))
        self._house = House(library, LOBBY, pictures=choose(None), sight=choose("soft"))
        size = {"x": options.width, "y": options.height}
        self._opening = self._house.perform({"action": "ChangeResolution", **size})

    def opening(self) -> HouseholdEvent:
        """What is shown before any action."""
        return self._house.event(self._opening)

    def play(self, action: Mapping[str, Any]) -> Played:
        """Carries out an action."""
        answer = self._house.perform(action)
        return Played(self._house.event(answer), answer.quick)


class _WithLobby:
    """A library that has the lobby too, unlisted."""

    def __init__(self, library: SceneLibrary) -> None:
        self._library = library

    def names(self) -> Sequence[str]:
        return self._library.names()

    def load(self, name: str) -> SceneSpec:
        return lobby() if name == LOBBY else self._library.load(name)


def lobby() -> SceneSpec:
    """A room with nothing in it."""
    space = Box(Vec3(0.0, 1.25, 0.0), Vec3(4.0, 2.5, 4.0))
    start = AgentStart(Vec3(0.0, 0.901, 0.0))
    return SceneSpec(LOBBY, Room.LIVING_ROOM, space, space, (), (), (), start)
