"""Plays everything that is to be compared, and keeps what is done."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
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

MOST_SCENES = 1000
"""Scenes that one range may name."""


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


def scene_names(given: Iterable[str]) -> list[str]:
    """The scenes of names and ranges: "FloorPlan1-3" is FloorPlan1, FloorPlan2 and FloorPlan3.

    Raises:
        ValueError: a range that runs backwards or has no end.
    """
    names: dict[str, None] = {}
    for text in given:
        found = re.fullmatch(r"(.*\D)?(\d+)-(\d+)", text)
        if found is None:
            names[text] = None
            continue
        first, last = int(found[2]), int(found[3])
        if not first <= last < first + MOST_SCENES:
            raise ValueError(f"{text} is no range of at most {MOST_SCENES} scenes")
        names |= dict.fromkeys(f"{found[1] or ''}{number}" for number in range(first, last + 1))
    return list(names)
