"""Plays everything that is to be compared, and keeps what is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from env_service.parity.exploring import Exploration, explore
from env_service.parity.journal import RecordJournal
from env_service.parity.playing import Manner, Side, blank_record, play_script, play_with_retries
from env_service.parity.records import Record
from env_service.parity.routines import ROUTINES
from env_service.parity.scripts import Script
from env_service.parity.tasks import TaskPlay, play_task
from env_service.suites.base import Suite


@dataclass(frozen=True)
class Play:
    """A script or task: ``blank`` says which, ``once`` plays it once (see `play_with_retries`)."""

    blank: Record
    once: Callable[[], Record]


def script_play(script: Script, sides: tuple[Side, Side], manner: Manner) -> Play:
    """A script in two worlds."""
    return Play(blank_record(script), partial(play_script, script, *sides, manner))


def task_play(suite: Suite, play: TaskPlay, manner: Manner) -> Play:
    """A task in two worlds."""
    return Play(play.blank, partial(play_task, suite, play, manner))


def play_all(
    plays: Sequence[Play], journal: RecordJournal, advance: Callable[[], None]
) -> list[Record]:
    """A record of each play, in order. What the journal has is not played again, unless it was
    voided. ``advance`` is called after each.

    Raises WorldUnavailableError where a world cannot be had.
    """
    records = []
    for play in plays:
        record = journal.known.get(play.blank.id)
        if record is None or record.voided or record.digest != play.blank.digest:
            record = play_with_retries(play.once, play.blank)
            journal.keep(record)
        records.append(record)
        advance()
    return records


def explored(side: Side, scene: str, exploration: Exploration) -> Script:
    """A script for a scene of a world.

    Raises:
        ValueError: there is no such scene.
        WorldFault: the world did not start. One that breaks later ends the script there.
        WorldUnavailableError: the world cannot be had.
    """
    controller = side.open(scene, exploration.start)
    try:
        return explore(scene, controller, exploration, ROUTINES)
    finally:
        controller.stop()
