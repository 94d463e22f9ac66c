"""Reaches aims in a sensible order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from env_service.suites.actplan.activity import Pattern
from env_service.suites.actplan.planner.aims import Aims
from env_service.suites.actplan.planner.heat import Kitchen
from env_service.suites.actplan.planner.manner import Manner
from env_service.suites.actplan.planner.placing import Mover
from env_service.suites.actplan.planner.water import Water
from env_service.suites.actplan.planner.worker import StuckError, Worker
from env_service.worlds.activity.deed import Deed, Verb


def carried_out(worker: Worker, aims: Aims, manner: Manner, first: Sequence[Pattern] = ()) -> None:
    """Does what reaches the aims: first some deed of each kind in ``first``, then what changes
    things, then what brings them to their places, then switches and doors.

    Raises:
        StuckError: something cannot be done.
    """
    for pattern in first:
        _some_deed(worker, pattern)
    _Work(worker, aims, manner).do()


class _Work:
    def __init__(self, worker: Worker, aims: Aims, manner: Manner) -> None:
        self._worker, self._aims, self._manner = worker, aims, manner
        self._water = Water(worker, manner, aims.places)
        self._kitchen = Kitchen(worker, manner, self._water)

    def do(self) -> None:
        self._change()
        Mover(self._worker, self._aims).place_all()
        for thing in self._open("cooked", wanted=True):
            self._kitchen.cook(thing, self._stay_on())
        self._finish()

    def _change(self) -> None:
        """What is done to things before they go anywhere."""
        for thing in self._open("frozen", wanted=False):
            self._kitchen.thaw(thing)
        dirty = dict.fromkeys(
            (*self._open("dusty", wanted=False), *self._open("stained", wanted=False))
        )
        if dirty:
            self._water.clean(tuple(dirty))
        sliced = tuple(self._open("sliced", wanted=True))
        if sliced:
            self._kitchen.slice(sliced)
        for thing in self._open("cooked", wanted=True):
            if not self._will_be_heated(thing):
                self._kitchen.cook(thing, self._stay_on())
        for thing in self._open("soaked", wanted=True):
            self._water.soak(thing)
        for thing in self._open("soaked", wanted=False):
            self._worker.reach(thing)
            self._worker.do(Verb.DRY, thing)
        for thing in self._open("frozen", wanted=True):
            self._kitchen.freeze(thing)

    def _finish(self) -> None:
        """Switches, doors and lids."""
        worker = self._worker
        for predicate, wanted, verb in (
            ("toggled_on", True, Verb.SWITCH_ON),
            ("toggled_on", False, Verb.SWITCH_OFF),
        ):
            for thing in self._open(predicate, wanted=wanted):
                worker.reach(thing)
                worker.do(verb, thing)
        for thing in self._open("open", wanted=False):
            worker.close(thing)
        if self._manner.closes:
            for thing in reversed(worker.opened.copy()):
                self._close(thing)
        for thing in self._open("open", wanted=True):
            worker.reach(thing)
            worker.do(Verb.OPEN, thing)

    def _close(self, container: str) -> None:
        """Closes what was opened, unless it is to stay open, or cannot be reached."""
        if self._aims.facts.get(("open", container)) is True:
            return
        self._worker.attempt(partial(self._worker.close, container), lambda: None)

    def _open(self, predicate: str, *, wanted: bool) -> Iterator[str]:
        """The things of which a fact is still to be brought about, or undone."""
        for (name, thing), value in self._aims.facts.items():
            if name == predicate and value == wanted and self._worker.has(name, thing) != wanted:
                yield thing

    def _stay_on(self) -> tuple[str, ...]:
        facts = self._aims.facts.items()
        return tuple(thing for (name, thing), value in facts if name == "toggled_on" and value)

    def _will_be_heated(self, thing: str) -> bool:
        """Whether a thing's last place is in or on something that cooks."""
        places, heat = self._aims.places, self._worker.world.house.heat
        for _ in range(len(places)):
            if thing not in places:
                return False
            thing = places[thing][1]
            if thing in heat:
                return True
        return False


def _some_deed(worker: Worker, pattern: Pattern) -> None:
    """Does one deed of a kind, with what it takes."""
    house = worker.world.house

    def of(kinds: tuple[str, ...]) -> list[str]:
        return [each for each, kind in house.categories.items() if kind in kinds]

    deeds = [
        Deed(verb, target, item, (tool,) if tool else ())
        for verb in pattern.verbs or (_LIKELY if pattern.tools else _TAKING)
        for target in of(pattern.targets) or list(house.categories)
        for item in of(pattern.items) or [""]
        for tool in of(pattern.tools) or [""]
    ]
    worker.attempt(*(partial(_do, worker, pattern, each) for each in deeds))


_LIKELY = (Verb.CLEAN, Verb.OPEN, Verb.DEFROST, Verb.GRAB, Verb.WALK_TO)
"""Deeds that are tried where any with a tool will do."""
_TAKING = (Verb.GRAB, Verb.OPEN, Verb.WALK_TO)
"""Deeds that are tried where any will do that makes use of a thing."""
_WIELDING = (Verb.CLEAN, Verb.DEFROST, Verb.SLICE)
"""Deeds that name their tools; for others it is enough to hold them."""


def _do(worker: Worker, pattern: Pattern, deed: Deed) -> None:
    homes = {each: worker.place_of(each) for each in deed.tools}
    for each in (*deed.tools, *([deed.item] if deed.item else [])):
        worker.fetch(each)
    worker.reach(deed.target)
    if deed.verb is Verb.PLACE_INSIDE and worker.world.is_shut(deed.target):
        worker.open(deed.target)
    worker.do(deed.verb, deed.target, deed.item, deed.tools if deed.verb in _WIELDING else ())
    if not pattern.matches(*worker.done[-1], worker.world.house.categories):
        raise StuckError("that is not what was asked for")
    for tool, home in homes.items():
        if home is not None:
            worker.attempt(partial(worker.put, tool, *home), lambda: None)
