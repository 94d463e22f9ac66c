"""Does actions one after the other, and none that makes no sense: bringing things to places,
cooking, thawing, cutting, wetting and cleaning.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from env_service.suites.actplan.activity import Pattern
from env_service.suites.actplan.planner.aims import Aims
from env_service.worlds.activity.actions import ActivityAction, Verb
from env_service.worlds.activity.bddl.expressions import Atom
from env_service.worlds.activity.categories import lemma_of
from env_service.worlds.activity.world import ActivityWorld

Place = tuple[str, str]

PLACING = {
    "inside": Verb.PLACE_INSIDE,
    "ontop": Verb.PLACE_ON_TOP,
    "onfloor": Verb.PLACE_ON_FLOOR,
    "nextto": Verb.PLACE_NEXT_TO,
    "touching": Verb.PLACE_NEXT_TO,
    "under": Verb.PLACE_UNDER,
}


class StuckError(Exception):
    """Something cannot be done. The message says what."""


class PlanBuilder:
    """A pair of hands that walks to what it handles, opens what is closed around it, and remembers
    its actions.

    Attributes:
        world: changed by each action.
        done: the actions, and what was held before each.
        opened: what it opened and did not close.
    """

    def __init__(self, world: ActivityWorld, forbidden: Sequence[Pattern] = ()) -> None:
        """``forbidden``: actions of these kinds are not done."""
        self.world = world
        self.done: list[tuple[ActivityAction, tuple[str, ...]]] = []
        self.opened: list[str] = []
        self._forbidden = tuple(forbidden)

    def do(self, verb: Verb, target: str = "", item: str = "", tools: Sequence[str] = ()) -> None:
        """Does an action.

        Raises:
            StuckError: it is forbidden, or violates a precondition.
        """
        action, held = ActivityAction(verb, target, item, tuple(tools)), self.world.held
        if self._is_forbidden(action):
            raise StuckError(f"{verb.value} {target} {item} is not allowed")
        violations = self.world.check(action)
        if violations:
            raise StuckError(violations[0].text)
        self.world.apply(action)
        self.done.append((action, held))

    def may(self, verb: Verb, target: str, item: str = "", tools: Sequence[str] = ()) -> bool:
        """Whether no rule forbids an action. Whether it makes sense is not asked."""
        return not self._is_forbidden(ActivityAction(verb, target, item, tuple(tools)))

    def reach(self, thing: str) -> None:
        """Goes to a thing, and opens what is closed around it."""
        for container in reversed(self._around(thing)):
            if self.world.is_shut(container):
                self.open(container)
        self.go(thing)

    def go(self, thing: str) -> None:
        """Goes to a thing, if it is not near anyway."""
        if not self.world.near(thing):
            self.do(Verb.WALK_TO, thing)

    def open(self, container: str) -> None:
        """Goes to a container and opens it."""
        self.go(container)
        self.do(Verb.OPEN, container)
        self.opened.append(container)

    def close(self, container: str) -> None:
        """Goes to a container and closes it."""
        self.go(container)
        self.do(Verb.CLOSE, container)
        if container in self.opened:
            self.opened.remove(container)

    def fetch(self, thing: str) -> None:
        """Takes a thing into a hand, if it is not there already."""
        if thing not in self.world.held:
            self.reach(thing)
            self.do(Verb.GRAB, thing)

    def put(self, thing: str, relation: str, target: str) -> None:
        """Brings a thing somewhere: in, on, next to or under a target."""
        self.fetch(thing)
        self.reach(target)
        if relation == "inside" and self.world.is_shut(target):
            self.open(target)
        self.do(PLACING[relation], target, thing)

    def is_at(self, thing: str, relation: str, target: str) -> bool:
        """Whether a thing is in, on, next to or under a target, as stated."""
        return self.world.holds(Atom(relation, (thing, target)))

    def has(self, predicate: str, thing: str) -> bool:
        """Whether a fact of one thing holds, as stated."""
        return self.world.holds(Atom(predicate, (thing,)))

    def place_of(self, thing: str) -> Place | None:
        """Where a thing lies; None: it stands by itself, or is held."""
        return self.world.supports.get(thing)

    def attempt(self, *methods: Callable[[], None]) -> None:
        """Does what the first of these methods does that does not get stuck. The others leave no
        trace.

        Raises:
            StuckError: all of them get stuck, or there is none.
        """
        stuck = StuckError("there is no way to do it")
        for method in methods:
            world, done, opened = self.world.fork(), len(self.done), list(self.opened)
            try:
                method()
            except StuckError as error:
                stuck = error
                self.world, self.opened = world, opened
                del self.done[done:]
            else:
                return
        raise stuck

    def did(self, pattern: Pattern) -> Iterator[int]:
        """Where in ``done`` actions of a kind stand."""
        categories = self.world.scene.categories
        return (k for k, each in enumerate(self.done) if pattern.matches(*each, categories))

    def _is_forbidden(self, action: ActivityAction) -> bool:
        held, categories = self.world.held, self.world.scene.categories
        return any(each.matches(action, held, categories) for each in self._forbidden)

    def _around(self, thing: str) -> list[str]:
        """The containers that a thing is in, the nearest first."""
        found: list[str] = []
        link = self.world.supports.get(thing)
        while link is not None and link[1] not in found:
            if link[0] == "inside":
                found.append(link[1])
            thing = link[1]
            link = self.world.supports.get(thing)
        return found


# --- Bringing things where they are to be


class Mover:
    """Puts things in order: what carries others first."""

    def __init__(self, worker: PlanBuilder, aims: Aims) -> None:
        self._worker, self._aims = worker, aims

    def place_all(self) -> None:
        """Reaches all aims on where things are.

        Raises StuckError where one cannot be reached.
        """
        for thing in self._in_order():
            if not self._is_there(thing):
                self._place(thing, self._aims.places[thing])
        for fact in self._beside_in_order():
            self._beside(*fact)
        for atom in sorted(self._aims.barred, key=lambda each: (each.terms, each.predicate)):
            if self._worker.world.holds(atom):
                self._away(atom)

    def _is_there(self, thing: str) -> bool:
        return self._worker.place_of(thing) == self._aims.places[thing]

    def _in_order(self) -> list[str]:
        """By how deep they will lie, and within that target by target."""
        targets: dict[str, int] = {}
        for _, target in self._aims.places.values():
            targets.setdefault(target, len(targets))
        return sorted(
            self._aims.places,
            key=lambda each: (self._depth(each), targets[self._aims.places[each][1]]),
        )

    def _depth(self, thing: str) -> int:
        depth = 0
        while thing in self._aims.places and depth <= len(self._aims.places):
            thing = self._aims.places[thing][1]
            depth += 1
        return depth

    def _place(self, thing: str, place: Place) -> None:
        """Next to what it is to be beside, if that is there already; otherwise just there."""
        friends = [each for each in self._friends(thing) if self._worker.place_of(each) == place]
        put = self._worker.put
        self._worker.attempt(
            *(partial(put, thing, "nextto", each) for each in friends[:1]),
            lambda: put(thing, *place),
        )

    def _friends(self, thing: str) -> list[str]:
        """What is to be next to a thing."""
        pairs = [(one, two) for name, one, two in self._aims.beside if name != "under"]
        return [two if one == thing else one for one, two in pairs if thing in (one, two)]

    def _beside_in_order(self) -> list[tuple[str, str, str]]:
        """What is tied to things that stay comes first, then what is tied to that, and so on."""
        movable, places = self._worker.world.scene.movable, self._aims.places
        left, ordered = list(self._aims.beside), []
        firm = {each for fact in left for each in fact[1:] if each not in movable or each in places}
        while left:
            fact = next((each for each in left if firm & {*each[1:]}), left[0])
            left.remove(fact)
            ordered.append(fact)
            firm |= {*fact[1:]}
        return ordered

    def _beside(self, predicate: str, thing: str, other: str) -> None:
        """Puts one of two next to the other: one that has no place of its own, if there is one."""
        if self._worker.is_at(thing, predicate, other):
            return
        put, movable = self._worker.put, self._worker.world.scene.movable
        ways = [(thing, other), (other, thing)] if predicate != "under" else [(thing, other)]
        ways = [pair for pair in ways if pair[0] in movable]
        ways.sort(key=lambda pair: (self._bound(pair[0]), pair[0] in self._aims.places))
        self._worker.attempt(*(partial(put, one, predicate, two) for one, two in ways))

    def _bound(self, thing: str) -> int:
        """To how many things it is next to already, as it should be."""
        facts = [each for each in self._aims.beside if thing in each[1:]]
        return sum(self._worker.is_at(one, name, two) for name, one, two in facts)

    def _away(self, atom: Atom) -> None:
        """Takes a thing away from where it may not be."""
        thing, other = atom.terms
        places = [place for place in self._free_places(thing) if place[1] != other]
        self._worker.attempt(*(partial(self._worker.put, thing, *place) for place in places))

    def _free_places(self, thing: str) -> Iterable[Place]:
        scene = self._worker.world.scene
        barred = {each.terms[1] for each in self._aims.barred if each.terms[0] == thing}
        for each in scene.categories:
            if each in scene.surface - scene.floor - scene.movable - barred:
                yield "ontop", each
        for each in scene.categories:
            if each in scene.floor - barred:
                yield "onfloor", each


# --- Cooking, thawing and cutting

POTS = ("pan", "saucepan", "pot", "frying_pan", "skillet", "caldron", "casserole")
"""What food is in while it is on a stove, the usual thing first."""


class Kitchen:
    """Does what takes heat and knives."""

    def __init__(self, worker: PlanBuilder, manner: PlanningOptions, water: Water) -> None:
        self._worker, self._manner, self._water = worker, manner, water

    def slice(self, things: Sequence[str]) -> None:
        """Cuts things. Raises StuckError where there is no knife for it."""
        scene = self._worker.world.scene
        knives = self._manner.ordered(self._worker.world, scene.knife & scene.movable)
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
        cold = self._manner.ordered(self._worker.world, self._worker.world.scene.cold)
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
        found = self._manner.ordered(worker.world, worker.world.scene.heat)
        return tuple(each for each in found if worker.may(Verb.SWITCH_ON, each))

    def _take_to(self, thing: str, heater: str, *, stays_on: bool) -> None:
        worker = self._worker
        if heater in worker.world.scene.lid:
            worker.put(thing, "inside", heater)
        else:
            pot = self._pot_on(heater)
            worker.put(thing, "inside", pot or heater)
        self._switch(heater, stays_on=stays_on)

    def _pot_on(self, heater: str) -> str:
        """What stands on a stove to cook in, or is put there; empty: nothing will do, and things
        go into the heater itself, as into a toaster."""
        worker, kinds = self._worker, self._worker.world.scene.categories
        if worker.world.scene.surface.isdisjoint({heater}) or lemma_of(kinds[heater]) == "toaster":
            return ""
        pots = [each for lemma in POTS for each, kind in kinds.items() if lemma_of(kind) == lemma]
        pots = [each for each in pots if each in worker.world.scene.movable]
        there = [each for each in pots if (worker.place_of(each) or ("", ""))[1] == heater]
        if there or not pots:
            return there[0] if there else ""
        worker.put(pots[0], "ontop", heater)
        return pots[0]

    def _switch(self, heater: str, *, stays_on: bool) -> None:
        worker = self._worker
        if heater in worker.world.scene.lid and not worker.world.is_shut(heater):
            worker.close(heater)
        worker.go(heater)
        if worker.has("toggled_on", heater):
            raise StuckError(f"{heater} is on already")
        worker.do(Verb.SWITCH_ON, heater)
        if not stays_on:
            worker.do(Verb.SWITCH_OFF, heater)


# --- Wetting and cleaning


class Water:
    """Does what takes water, soap and cleaning tools."""

    def __init__(
        self, worker: PlanBuilder, manner: PlanningOptions, homes: Mapping[str, Place]
    ) -> None:
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
        scene = self._worker.world.scene
        waters = self._ordered(scene.water & scene.movable, set(self._manner.preferred))
        vessels = self._ordered(scene.vessel & scene.movable - {thing})
        pours = [partial(self._pour, each, thing) for each in waters]
        dips = [partial(self._dip, thing, basin) for basin in self._basins()]
        fills = [partial(self._fill, v, b, thing) for b in self._basins() for v in vessels]
        carried = thing in scene.movable and thing not in self._stays()
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
        scene = self._worker.world.scene
        tools = self._ordered(scene.tool & scene.movable, scene.absorbent)
        soaps = self._ordered(scene.soap & scene.movable)
        waters = self._ordered(scene.water & scene.movable)
        wetters = (*soaps, *self._basins()) if self._soapy() else (*self._basins(), *soaps)
        pairs = [(tool, helper) for tool in tools for helper in (*wetters, *waters, "")]
        return [*pairs, *(("", soap) for soap in soaps)]

    def _soapy(self) -> bool:
        kinds = self._worker.world.scene.categories
        wanted = {each for each, kind in kinds.items() if kind in self._manner.preferred}
        return self._manner.soap or bool(wanted & self._worker.world.scene.soap)

    def _wipe(self, tool: str, helper: str, things: Sequence[str]) -> None:
        if tool in things:
            raise StuckError(f"{tool} is to be cleaned itself")
        worker = self._worker
        homes = {each: worker.place_of(each) for each in (tool, helper) if each}
        if tool:
            worker.fetch(tool)
        wet = any(worker.has("stained", each) for each in things)
        carried = self._wetted(tool, helper) if wet or helper in worker.world.scene.soap else ()
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
        if helper not in worker.world.scene.basin:
            worker.fetch(helper)
            return (helper,)
        if tool not in worker.world.scene.absorbent:
            raise StuckError(f"{tool} does not take up water")
        self._running(helper, lambda: worker.do(Verb.SOAK, tool))
        return ()

    def _running(self, basin: str, action: Callable[[], None]) -> None:
        """Does something while water runs in a basin."""
        worker = self._worker
        worker.reach(basin)
        was_on = worker.has("toggled_on", basin)
        if not was_on:
            worker.do(Verb.SWITCH_ON, basin)
        action()
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
        if machine in worker.world.scene.openable and not worker.world.is_shut(machine):
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
        worker, scene = self._worker, self._worker.world.scene
        sinks = {each for each, kind in scene.categories.items() if kind == "sink.n.01"}
        found = self._ordered(scene.basin, sinks)
        return tuple(each for each in found if worker.may(Verb.SWITCH_ON, each))

    def _washers(self) -> tuple[str, ...]:
        return self._ordered(self._worker.world.scene.washer)

    def _stays(self) -> set[str]:
        """What grows or stands where it is, and is not carried to the water."""
        kinds = self._worker.world.scene.categories
        return {each for each, kind in kinds.items() if kind == "pot_plant.n.01"}

    def _ordered(
        self, things: frozenset[str], *better: frozenset[str] | set[str]
    ) -> tuple[str, ...]:
        return self._manner.ordered(self._worker.world, things, *better)


# --- How things are done where there are several ways


@dataclass(frozen=True, slots=True)
class PlanningOptions:
    """Preferences.

    Attributes:
        preferred: categories of what is used before anything else.
        machines: whether machines wash, where there are any.
        soap: whether soap is taken before water.
        closes: whether what was opened is closed in the end.
    """

    preferred: tuple[str, ...] = ()
    machines: bool = False
    soap: bool = False
    closes: bool = True

    def ordered(
        self, world: ActivityWorld, things: Iterable[str], *better: Collection[str]
    ) -> tuple[str, ...]:
        """Things as they are to be tried: preferred ones first, then those in the first of the
        ``better`` sets, and so on; otherwise in the order of their declaration."""
        scene, given = world.scene, frozenset(things)
        named = [each for each in scene.categories if each in given]
        return tuple(
            sorted(named, key=lambda each: self._rank(scene.categories[each], each, better))
        )

    def _rank(
        self, category: str, thing: str, better: Sequence[Collection[str]]
    ) -> tuple[bool, tuple[bool, ...]]:
        return category not in self.preferred, tuple(thing not in each for each in better)
