"""The player's dialogue: a frame first, then an answer to every action, until the controller closes
its pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from env_service.worlds.ai2thor_api.floor_plans import floor_plan_folder
from env_service.worlds.household.event import HouseholdEvent
from env_service.worlds.household.geometry import Box, Vec3
from env_service.worlds.household.player.faults import Fault, FaultAction, Faults, Start, die, hang
from env_service.worlds.household.player.fifo import Field, Messages, Pipes, encode
from env_service.worlds.household.player.options import Options
from env_service.worlds.household.render.selection import choose
from env_service.worlds.household.scene.library import SceneLibrary, standard_library
from env_service.worlds.household.scene.spec import AgentStart, Room, SceneSpec
from env_service.worlds.household.simulator import HouseholdSimulator

UNKNOWN_TYPE = 77
"""A type byte that is not in the protocol."""


class Player:
    """One player: a simulator, pipes to the controller, and what goes wrong."""

    def __init__(self, simulator: PlayedSimulator, pipes: Pipes, faults: Faults) -> None:
        self._simulator, self._pipes, self._faults = simulator, pipes, faults
        self._messages = Messages(faults.channels)

    def run(self) -> None:
        """Plays until the controller closes its pipe.

        Raises:
            ControllerGoneError: when that happens.
            ProtocolError: a message is not an action.
        """
        self._start()
        while True:
            action = dict(self._pipes.receive())
            sequence = int(action.pop("sequenceId", 0))
            name = str(action.get("action"))
            fault = self._faults.next(name)
            if fault is not None:
                self._before(fault)
            answer = self._answer(action, sequence, fault)
            if fault is None:
                self._pipes.send(encode(answer))
            else:
                self._misplay(answer, fault)

    def _start(self) -> None:
        start = self._faults.start
        time.sleep(self._faults.start_seconds)
        if start is Start.EXIT:
            die(Fault(FaultAction.EXIT))
        if start is Start.HANG:
            hang()
        if start in (Start.EXIT_AFTER_OPEN, Start.HANG_AFTER_OPEN):
            self._pipes.open_for_sending()
            if start is Start.EXIT_AFTER_OPEN:
                die(Fault(FaultAction.EXIT))
            hang()
        self._pipes.send(encode(self._messages.full(self._simulator.opening(), 0)))

    def _answer(
        self, action: Mapping[str, Any], sequence: int, fault: Fault | None
    ) -> list[tuple[Field, bytes]]:
        answer = self._simulator.play(action)
        wrong = fault is not None and fault.effect is FaultAction.WRONG_SEQUENCE
        if answer.quick and not wrong:
            return self._messages.patch(answer.event.metadata)
        sequence += 1000 if wrong else 0
        pictures = fault is None or fault.effect is not FaultAction.NO_FRAME
        return self._messages.full(answer.event, sequence, pictures=pictures)

    def _before(self, fault: Fault) -> None:
        if fault.effect in (FaultAction.EXIT, FaultAction.SIGNAL):
            die(fault)
        if fault.effect is FaultAction.HANG:
            hang()
        if fault.effect is FaultAction.SLOW:
            time.sleep(fault.seconds)
        if fault.effect is FaultAction.CLOSE:
            self._pipes.close()
            hang()

    def _misplay(self, answer: list[tuple[Field, bytes]], fault: Fault) -> None:
        pieces = encode(answer)
        if fault.effect is FaultAction.HALF:
            whole = b"".join(pieces)
            self._pipes.send([whole[: len(whole) // 2]])
            die(fault)
        if fault.effect is FaultAction.GARBAGE:
            pieces = [bytes([UNKNOWN_TYPE, 0, 0, 0, 4]), b"junk", *pieces]
        self._pipes.send(pieces)
        if fault.effect is FaultAction.DIE_AFTER:
            sys.stdout.flush()
            die(fault)


# --- What the player plays in: a simulator, and an event for every action

EMPTY_SCENE = "Procedural"
"""AI2-THOR's name of the scene without a home in it; the player shows it until a reset names
another."""


@dataclass(frozen=True, eq=False)
class Played:
    """An answer to an action: the event, and whether a metadata patch is enough."""

    event: HouseholdEvent
    quick: bool


class PlayedSimulator:
    """The simulator that is played through the pipes."""

    def __init__(self, options: Options) -> None:
        """Opens the empty scene; the controller asks for a scene.

        Raises DataPackCorruptError where the floor plans are those of a damaged data pack.
        """
        library = _WithEmptyScene(standard_library(options.scenes or floor_plan_folder()))
        self._simulator = HouseholdSimulator(
            library, EMPTY_SCENE, pictures=choose(None), sight=choose("soft")
        )
        size = {"x": options.width, "y": options.height}
        self._opening = self._simulator.perform({"action": "ChangeResolution", **size})

    def opening(self) -> HouseholdEvent:
        """What is shown before any action."""
        return self._simulator.event(self._opening)

    def play(self, action: Mapping[str, Any]) -> Played:
        """Carries out an action."""
        answer = self._simulator.perform(action)
        return Played(self._simulator.event(answer), answer.quick)


class _WithEmptyScene:
    """A library that has the empty scene too, unlisted."""

    def __init__(self, library: SceneLibrary) -> None:
        self._library = library

    def names(self) -> Sequence[str]:
        return self._library.names()

    def load(self, name: str) -> SceneSpec:
        return empty_scene() if name == EMPTY_SCENE else self._library.load(name)


def empty_scene() -> SceneSpec:
    """A room with nothing in it."""
    space = Box(Vec3(0.0, 1.25, 0.0), Vec3(4.0, 2.5, 4.0))
    start = AgentStart(Vec3(0.0, 0.901, 0.0))
    return SceneSpec(EMPTY_SCENE, Room.LIVING_ROOM, space, space, (), (), (), start)
