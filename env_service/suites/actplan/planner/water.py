"""Wetting and cleaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from env_service.suites.actplan.planner.manner import Manner
from env_service.suites.actplan.planner.worker import Place, StuckError, Worker
from env_service.worlds.activity.deed import Verb


class Water:
    """Does what takes water, soap and cleaning tools."""

    def __init__(self, worker: Worker, manner: Manner, homes: Mapping[str, Place]) -> None:
        """``homes``: where things are to be in the end, if not where they are."""
        self._worker, self._manner, self._homes = worker, manner, homes

    def clean(self, things: Sequence[str]) -> None:
        """Takes stains and dust off things.

        Raises StuckError where that cannot be done.
        """
        methods = [partial(self._wipe, tool, helper, things) for tool, helper in self._equipment()]
        machines = [partial(self._machine_wash, each, things) for each in self._washers()]
        singly = partial(self._each, things)
        if self._manner.machines:
            self._worker.attempt(*machines, *methods, singly)
        else:
            self._worker.attempt(*methods, *machines, singly)

    def soak(self, thing: str) -> None:
        """Makes a thing wet. Raises StuckError where that cannot be done."""
        house = self._worker.world.house
        waters = self._ordered(house.water & house.movable, set(self._manner.preferred))
        vessels = self._ordered(house.vessel & house.movable - {thing})
        pours = [partial(self._pour, each, thing) for each in waters]
        dips = [partial(self._dip, thing, basin) for basin in self._basins()]
        fills = [partial(self._fill, v, b, thing) for b in self._basins() for v in vessels]
        carried = thing in house.movable and thing not in self._stays()
        preferred = pours if self._manner.preferred else []
        ways = (*dips, *pours, *fills) if carried else (*pours, *fills, *dips)
        self._worker.attempt(*preferred, *ways)

    def carry_back(self, thing: str, home: Place | None) -> None:
        """Puts a thing where it is to be in the end, or else where it was."""
        place = self._homes.get(thing, home)
        if place is None or thing not in self._worker.world.held:
            return
        self._worker.attempt(
            lambda: self._worker.put(thing, *place),
            lambda: self._worker.put(thing, *home) if home else None,
            lambda: self._worker.do(Verb.PLACE_ON_FLOOR, item=thing),
        )

    def _equipment(self) -> list[tuple[str, str]]:
        """Tools, each with what makes it wet: a basin, soap, water; empty: nothing does."""
        house = self._worker.world.house
        tools = self._ordered(house.tool & house.movable, house.absorbent)
        soaps = self._ordered(house.soap & house.movable)
        waters = self._ordered(house.water & house.movable)
        wetters = (*soaps, *self._basins()) if self._soapy() else (*self._basins(), *soaps)
        pairs = [(tool, helper) for tool in tools for helper in (*wetters, *waters, "")]
        return [*pairs, *(("", soap) for soap in soaps)]

    def _soapy(self) -> bool:
        kinds = self._worker.world.house.categories
        wanted = {each for each, kind in kinds.items() if kind in self._manner.preferred}
        return self._manner.soap or bool(wanted & self._worker.world.house.soap)

    def _wipe(self, tool: str, helper: str, things: Sequence[str]) -> None:
        if tool in things:
            raise StuckError(f"{tool} is to be cleaned itself")
        worker = self._worker
        homes = {each: worker.place_of(each) for each in (tool, helper) if each}
        if tool:
            worker.fetch(tool)
        wet = any(worker.has("stained", each) for each in things)
        carried = self._wetted(tool, helper) if wet or helper in worker.world.house.soap else ()
        for each in things:
            worker.reach(each)
            worker.do(Verb.CLEAN, each, tools=[*([tool] if tool else []), *carried])
        for each in (*carried, tool):
            if each:
                self.carry_back(each, homes.get(each))

    def _wetted(self, tool: str, helper: str) -> tuple[str, ...]:
        """Makes a tool wet, or takes along what does."""
        worker = self._worker
        if not helper or (tool and worker.has("soaked", tool)):
            return ()
        if helper not in worker.world.house.basin:
            worker.fetch(helper)
            return (helper,)
        if tool not in worker.world.house.absorbent:
            raise StuckError(f"{tool} does not take up water")
        self._running(helper, lambda: worker.do(Verb.SOAK, tool))
        return ()

    def _running(self, basin: str, deed: Callable[[], None]) -> None:
        """Does something while water runs in a basin."""
        worker = self._worker
        worker.reach(basin)
        was_on = worker.has("toggled_on", basin)
        if not was_on:
            worker.do(Verb.SWITCH_ON, basin)
        deed()
        if not was_on:
            worker.do(Verb.SWITCH_OFF, basin)

    def _each(self, things: Sequence[str]) -> None:
        """One by one, each in the best way for it."""
        for thing in things:
            tools = [partial(self._wipe, *pair, (thing,)) for pair in self._equipment()]
            rinses = [partial(self._rinse, thing, basin) for basin in self._basins()]
            self._worker.attempt(*tools, *rinses)

    def _rinse(self, thing: str, basin: str) -> None:
        """Under running water."""
        worker, home = self._worker, self._worker.place_of(thing)
        if thing != basin and home != ("inside", basin):
            worker.put(thing, "inside", basin)
        self._running(basin, lambda: worker.do(Verb.CLEAN, thing))
        if thing != basin:
            worker.fetch(thing)
            self.carry_back(thing, home)

    def _machine_wash(self, machine: str, things: Sequence[str]) -> None:
        worker = self._worker
        homes = {each: worker.place_of(each) for each in things}
        for each in things:
            worker.put(each, "inside", machine)
        if machine in worker.world.house.openable and not worker.world.is_shut(machine):
            worker.close(machine)
        worker.do(Verb.SWITCH_ON, machine)
        worker.do(Verb.SWITCH_OFF, machine)
        for each in things:
            if homes[each] is not None:
                worker.fetch(each)
                self.carry_back(each, homes[each])

    def _dip(self, thing: str, basin: str) -> None:
        worker, home = self._worker, self._worker.place_of(thing)
        worker.fetch(thing)
        self._running(basin, lambda: worker.do(Verb.SOAK, thing))
        self.carry_back(thing, home)

    def _pour(self, water: str, thing: str) -> None:
        worker = self._worker
        worker.fetch(water)
        worker.reach(thing)
        worker.do(Verb.POUR, thing, water)

    def _fill(self, vessel: str, basin: str, thing: str) -> None:
        worker, home = self._worker, self._worker.place_of(vessel)
        worker.fetch(vessel)
        if not worker.has("filled", vessel):
            self._running(basin, lambda: None)
        worker.reach(thing)
        worker.do(Verb.POUR, thing, vessel)
        if not worker.has("soaked", thing):
            raise StuckError(f"{thing} does not get wet")
        self.carry_back(vessel, home)

    def _basins(self) -> tuple[str, ...]:
        """Where water runs, sinks first: those that rules leave free."""
        worker, house = self._worker, self._worker.world.house
        sinks = {each for each, kind in house.categories.items() if kind == "sink.n.01"}
        found = self._ordered(house.basin, sinks)
        return tuple(each for each in found if worker.may(Verb.SWITCH_ON, each))

    def _washers(self) -> tuple[str, ...]:
        return self._ordered(self._worker.world.house.washer)

    def _stays(self) -> set[str]:
        """What grows or stands where it is, and is not carried to the water."""
        kinds = self._worker.world.house.categories
        return {each for each, kind in kinds.items() if kind == "pot_plant.n.01"}

    def _ordered(
        self, things: frozenset[str], *better: frozenset[str] | set[str]
    ) -> tuple[str, ...]:
        return self._manner.ordered(self._worker.world, things, *better)
