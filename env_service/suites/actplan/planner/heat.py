"""Cooking, thawing and cutting."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from env_service.suites.actplan.planner.manner import Manner
from env_service.suites.actplan.planner.water import Water
from env_service.suites.actplan.planner.worker import StuckError, Worker
from env_service.worlds.activity.categories import lemma_of
from env_service.worlds.activity.deed import Verb

POTS = ("pan", "saucepan", "pot", "frying_pan", "skillet", "caldron", "casserole")
"""What food is in while it is on a stove, the usual thing first."""


class Kitchen:
    """Does what takes heat and knives."""

    def __init__(self, worker: Worker, manner: Manner, water: Water) -> None:
        self._worker, self._manner, self._water = worker, manner, water

    def slice(self, things: Sequence[str]) -> None:
        """Cuts things. Raises StuckError where there is no knife for it."""
        house = self._worker.world.house
        knives = self._manner.ordered(self._worker.world, house.knife & house.movable)
        self._worker.attempt(*(partial(self._cut, each, things) for each in knives))

    def cook(self, thing: str, wanted_on: Sequence[str] = ()) -> None:
        """Cooks a thing, in what it is already in or on if that gets hot; otherwise it is taken to
        something that does. ``wanted_on``: what is to be on afterwards.

        Raises StuckError where nothing cooks it.
        """
        heaters = self._heaters()
        around = [each for each in heaters if thing in self._worker.world.below(each)]
        elsewhere = [each for each in heaters if each not in around]
        self._worker.attempt(
            *(partial(self._switch, each, stays_on=each in wanted_on) for each in around),
            *(
                partial(self._take_to, thing, each, stays_on=each in wanted_on)
                for each in elsewhere
            ),
        )

    def thaw(self, thing: str) -> None:
        """Thaws a thing. Raises StuckError where it cannot be reached."""
        self._worker.reach(thing)
        self._worker.do(Verb.DEFROST, thing)

    def freeze(self, thing: str) -> None:
        """Puts a thing where it is cold. Raises StuckError where nothing is."""
        cold = self._manner.ordered(self._worker.world, self._worker.world.house.cold)
        self._worker.attempt(*(partial(self._worker.put, thing, "inside", each) for each in cold))

    def _cut(self, knife: str, things: Sequence[str]) -> None:
        worker, home = self._worker, self._worker.place_of(knife)
        worker.fetch(knife)
        for each in things:
            worker.reach(each)
            worker.do(Verb.SLICE, each, tools=(knife,))
        self._water.carry_back(knife, home)

    def _heaters(self) -> tuple[str, ...]:
        worker = self._worker
        found = self._manner.ordered(worker.world, worker.world.house.heat)
        return tuple(each for each in found if worker.may(Verb.SWITCH_ON, each))

    def _take_to(self, thing: str, heater: str, *, stays_on: bool) -> None:
        worker = self._worker
        if heater in worker.world.house.lid:
            worker.put(thing, "inside", heater)
        else:
            pot = self._pot_on(heater)
            worker.put(thing, "inside", pot or heater)
        self._switch(heater, stays_on=stays_on)

    def _pot_on(self, heater: str) -> str:
        """What stands on a stove to cook in, or is put there; empty: nothing will do, and things
        go into the heater itself, as into a toaster."""
        worker, kinds = self._worker, self._worker.world.house.categories
        if worker.world.house.surface.isdisjoint({heater}) or lemma_of(kinds[heater]) == "toaster":
            return ""
        pots = [each for lemma in POTS for each, kind in kinds.items() if lemma_of(kind) == lemma]
        pots = [each for each in pots if each in worker.world.house.movable]
        there = [each for each in pots if (worker.place_of(each) or ("", ""))[1] == heater]
        if there or not pots:
            return there[0] if there else ""
        worker.put(pots[0], "ontop", heater)
        return pots[0]

    def _switch(self, heater: str, *, stays_on: bool) -> None:
        worker = self._worker
        if heater in worker.world.house.lid and not worker.world.is_shut(heater):
            worker.close(heater)
        worker.go(heater)
        if worker.has("toggled_on", heater):
            raise StuckError(f"{heater} is on already")
        worker.do(Verb.SWITCH_ON, heater)
        if not stays_on:
            worker.do(Verb.SWITCH_OFF, heater)
