"""The player's dialogue: a frame first, then an answer to every action, until nobody is there."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Any

from env_service.worlds.household.player.faults import Deed, Fault, Faults, Start, die, hang
from env_service.worlds.household.player.fifo import Field, Pipes, encode
from env_service.worlds.household.player.messages import Messages
from env_service.worlds.household.player.stage import Stage

UNKNOWN_TYPE = 77
"""A type byte that the protocol does not know."""


class Player:
    """One player: a stage to play on, pipes to the controller, and what goes wrong."""

    def __init__(self, stage: Stage, pipes: Pipes, faults: Faults) -> None:
        self._stage, self._pipes, self._faults = stage, pipes, faults
        self._messages = Messages(faults.channels)

    def run(self) -> None:
        """Plays until the controller closes its pipe.

        Raises:
            ControllerGoneError: when that happens.
            ProtocolError: what came is no action.
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
            die(Fault(Deed.EXIT))
        if start is Start.HANG:
            hang()
        if start in (Start.EXIT_AFTER_OPEN, Start.HANG_AFTER_OPEN):
            self._pipes.open_for_sending()
            if start is Start.EXIT_AFTER_OPEN:
                die(Fault(Deed.EXIT))
            hang()
        self._pipes.send(encode(self._messages.full(self._stage.opening(), 0)))

    def _answer(
        self, action: Mapping[str, Any], sequence: int, fault: Fault | None
    ) -> list[tuple[Field, bytes]]:
        answer = self._stage.play(action)
        wrong = fault is not None and fault.deed is Deed.WRONG_SEQUENCE
        if answer.quick and not wrong:
            return self._messages.patch(answer.event.metadata)
        sequence += 1000 if wrong else 0
        pictures = fault is None or fault.deed is not Deed.NO_FRAME
        return self._messages.full(answer.event, sequence, pictures=pictures)

    def _before(self, fault: Fault) -> None:
        if fault.deed in (Deed.EXIT, Deed.SIGNAL):
            die(fault)
        if fault.deed is Deed.HANG:
            hang()
        if fault.deed is Deed.SLOW:
            time.sleep(fault.seconds)
        if fault.deed is Deed.CLOSE:
            self._pipes.close()
            hang()

    def _misplay(self, answer: list[tuple[Field, bytes]], fault: Fault) -> None:
        pieces = encode(answer)
        if fault.deed is Deed.HALF:
            whole = b"".join(pieces)
            self._pipes.send([whole[: len(whole) // 2]])
            die(fault)
        if fault.deed is Deed.GARBAGE:
            pieces = [bytes([UNKNOWN_TYPE, 0, 0, 0, 4]), b"junk", *pieces]
        self._pipes.send(pieces)
        if fault.deed is Deed.DIE_AFTER:
            sys.stdout.flush()
            die(fault)
