"""Plays a script in two worlds in step."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from env_service.domain.failure import FaultClass, WorldFault
from env_service.parity.answers import Answer, ask
from env_service.parity.comparing import Comparing, Moment, Row
from env_service.parity.records import SCRIPT, Fault, Record, Voided, data_fault
from env_service.parity.scripts import Script
from env_service.parity.states import Snapshot
from env_service.parity.tolerances import Tolerances
from env_service.worlds.base import WorldUnavailableError
from env_service.worlds.thor.controller import ThorController
from env_service.worlds.thor.errors import first_line
from env_service.worlds.thor.opening import open_world
from env_service.worlds.thor.start import ThorStart

TRIES = 2
"""How often a script is played before it counts as voided."""

START = "(start)"
"""Stands for the action of the first row."""

Opener = Callable[[str, ThorStart], ThorController]
"""Opens a scene of one world; see `open_world`."""


@dataclass(frozen=True)
class Side:
    """One of the two worlds: its name, and how it is opened."""

    name: str
    open: Opener

    @staticmethod
    def of(world: str) -> Side:
        """A world of `worlds.thor.opening`."""
        return Side(world, lambda scene, start: open_world(world, scene, start))


@dataclass(frozen=True, slots=True)
class Manner:
    """How two worlds are compared.

    ``settle`` is how many Pass actions follow each action before its state is looked at, as in
    AsgardBench (spec: asgard.md section 8.4): the real simulator goes on moving things.
    """

    tolerances: Tolerances = field(default_factory=Tolerances)
    settle: int = 2
    pictures: bool = False
    stop_at_divergence: bool = False


def play_with_retries(play: Callable[[], Record], blank: Record) -> Record:
    """Plays until a try comes to an end, TRIES times at most; ``blank`` names what was played.

    Raises what `play` raises, but for Voided.
    """
    faults: list[Fault] = []
    for _ in range(TRIES):
        try:
            return replace(play(), faults=tuple(faults))
        except Voided as voided:
            faults.append(voided.fault)
            if not voided.fault.retryable:
                break
    return replace(blank, faults=tuple(faults), voided=True)


def play_script(script: Script, left: Side, right: Side, manner: Manner) -> Record:
    """Plays a script once.

    Raises:
        Voided: a world broke, or has no such scene.
        WorldUnavailableError: a world cannot be had on this machine.
    """
    with opened(left, script) as one, opened(right, script) as other:
        comparing = Comparing(manner.tolerances)
        rows: list[Row] = []
        divergence, stopped = None, False
        for index, action in enumerate(({"action": START}, *script.actions)):
            moments = [
                moment(side.name, controller, (action, index), manner)
                for side, controller in ((left, one), (right, other))
            ]
            rows.append(comparing.after(action, *moments))
            if divergence is None and comparing.diverged(rows[-1]):
                divergence = index
                stopped = manner.stop_at_divergence and index < len(script.actions)
            if stopped:
                break
    return replace(
        blank_record(script),
        rows=tuple(rows),
        tallies=comparing.tallies.to_json(),
        divergence=divergence,
        stopped=stopped,
    )


def blank_record(script: Script) -> Record:
    """A record of a script that was not played."""
    start = script.to_json()["start"]
    return Record(script.id, SCRIPT, script.digest, script.scene, start)


@contextmanager
def opened(side: Side, script: Script) -> Iterator[ThorController]:
    """A script's scene in a world, stopped at the end. Raises Voided, WorldUnavailableError."""
    with blamed(side.name, 0):
        try:
            controller = side.open(script.scene, script.start)
        except ValueError as error:
            raise data_fault(side.name, first_line(str(error)), 0) from error
    try:
        yield controller
    finally:
        controller.stop()


def moment(
    world: str, controller: ThorController, turn: tuple[Mapping[str, Any], int], manner: Manner
) -> Moment:
    """Plays one action, by its mapping and index, and lets all settle. Raises Voided."""
    action, index = turn
    with blamed(world, index):
        if action["action"] == START:
            answer = Answer.of(controller.last_event)
        else:
            answer = ask(controller, action)
        # A query changes nothing, and a refused action nothing that would have to settle.
        if answer.success and not str(action["action"]).startswith("Get"):
            for _ in range(manner.settle):
                controller.step("Pass")
        event = controller.last_event
        return Moment(answer, Snapshot.of(event.metadata), event if manner.pictures else None)


@contextmanager
def blamed(world: str, at: int) -> Iterator[None]:
    """Turns whatever a world raises into Voided, but for a machine that cannot run it."""
    try:
        yield
    except (Voided, WorldUnavailableError):
        raise
    except WorldFault as error:
        raise Voided(Fault(world, error.fault.value, error.detail, at)) from error
    except Exception as error:  # one bad script shall not cost the others
        where = traceback.extract_tb(error.__traceback__)[-1]
        detail = f"{type(error).__name__}: {error} ({where.name}, line {where.lineno})"
        raise Voided(Fault(world, FaultClass.SERVICE_FAULT.value, detail, at)) from error
