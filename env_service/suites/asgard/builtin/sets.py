"""The built-in task sets by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from env_service.domain.english import counted
from env_service.domain.task import Task, TaskSet
from env_service.suites.asgard.builtin.draws import draw_for
from env_service.suites.asgard.builtin.rooms import kind_of, room_for
from env_service.suites.asgard.builtin.rounds import first
from env_service.suites.asgard.builtin.tasks import away_types, make_task, name_of
from env_service.suites.builtin_sets import BuiltinName, is_builtin, read_set_name

__all__ = ["builtin_task_set", "is_builtin"]

COUNT = 108
"""Of the set that says no number: as many tasks as the official set."""


def builtin_task_set(name: str) -> TaskSet | None:
    """The task set ``builtin``, ``builtin-COUNT`` or ``builtin-COUNT-SEED``; None for a name that
    is none of a built-in set (`is_builtin`).

    The first COUNT tasks of a seed: whatever COUNT is, a place has the same task. 108 tasks have
    the official set's proportions of types and variations, fewer come near to them. Each call
    draws up the set's rooms, about 40 for 108 tasks at 0.1 s of CPU time each, unless this process
    has done so before.

    Raises:
        ValueError: it is one of a built-in set, but malformed; the text tells the form.
    """
    if not is_builtin(name):
        return None
    asked = read_set_name(name, COUNT)
    told = (
        f"{counted(asked.count, 'task')} of AsgardBench's twelve types, in built-in rooms,"
        f" drawn by seed {asked.seed}."
    )
    return TaskSet(name, told, tuple(_tasks(asked)))


def _tasks(asked: BuiltinName) -> Iterator[Task]:
    places: Counter[tuple[int, str]] = Counter()
    versions: Counter[str] = Counter()
    for index, (number, variation) in enumerate(first(asked.seed, asked.count)):
        kind = kind_of(variation)
        room = room_for(variation, asked.seed, number, places[number, kind])
        places[number, kind] += 1
        away = away_types(variation, draw_for("away", asked.seed, index))
        unnumbered = name_of(variation, room, away, 0)
        versions[unnumbered] += 1
        yield make_task(variation, room, away, versions[unnumbered])
