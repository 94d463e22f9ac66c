"""Does actions one after the other, and none that makes no sense: bringing things to places,
cooking, thawing, cutting, wetting and cleaning.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from env_service.suites.actplan.activity import Pattern
from env_service.suites.actplan.planner.desired_state import DesiredState
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
    """Builds a plan by doing it: walks to what it handles, opens what is closed around it, and
    remembers its actions.

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

    def is_allowed(
        self, verb: Verb, target: str, item: str = "", tools: Sequence[str] = ()
    ) -> bool:
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

    def has_state(self, predicate: str, thing: str) -> bool:
        """Whether a fact of one thing holds, as stated."""
        return self.world.holds(Atom(predicate, (thing,)))

    def place_of(self, thing: str) -> Place | None:
        """What a thing is in or on; None: nothing, or it is held."""
        return self.world.supports.get(thing)

    def try_in_order(self, *methods: Callable[[], None]) -> None:
        """Does what the first of these methods does that does not get stuck. The others leave no
        trace.

        Raises:
            StuckError: all of them get stuck, or there is none.
        """
        stuck = StuckError("no way to do it was found")
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

    def positions_of(self, pattern: Pattern) -> Iterator[int]:
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


class PlacementSteps:
    """Brings things to their places: what carries others first."""

    def __init__(self, builder: PlanBuilder, desired: DesiredState) -> None:
        self._builder, self._desired = builder, desired

    def place_all(self) -> None:
        """Brings everything to its desired place.

        Raises StuckError where one cannot be reached.
        """
        for thing in self._in_order():
            if not self._is_there(thing):
                self._place(thing, self._desired.places[thing])
        for fact in self._beside_in_order():
            self._beside(*fact)
        for atom in sorted(self._desired.forbidden, key=lambda each: (each.terms, each.predicate)):
            if self._builder.world.holds(atom):
                self._away(atom)

    def _is_there(self, thing: str) -> bool:
        return self._builder.place_of(thing) == self._desired.places[thing]

    def _in_order(self) -> list[str]:
        """By how deep they will lie, and within that target by target."""
        targets: dict[str, int] = {}
        for _, target in self._desired.places.values():
            targets.setdefault(target, len(targets))
        return sorted(
            self._desired.places,
            key=lambda each: (self._depth(each), targets[self._desired.places[each][1]]),
        )

    def _depth(self, thing: str) -> int:
        depth = 0
        while thing in self._desired.places and depth <= len(self._desired.places):
            thing = self._desired.places[thing][1]
            depth += 1
        return depth

    def _place(self, thing: str, place: Place) -> None:
        """Next to what the goal puts it next to, if that is placed; otherwise just at the place."""
        friends = [each for each in self._friends(thing) if self._builder.place_of(each) == place]
        put = self._builder.put
        self._builder.try_in_order(
            *(partial(put, thing, "nextto", each) for each in friends[:1]),
            lambda: put(thing, *place),
        )

    def _friends(self, thing: str) -> list[str]:
        """What is to be next to a thing."""
        pairs = [(one, two) for name, one, two in self._desired.beside if name != "under"]
        return [two if one == thing else one for one, two in pairs if thing in (one, two)]

    def _beside_in_order(self) -> list[tuple[str, str, str]]:
        """What is tied to things that stay comes first, then what is tied to that, and so on."""
        movable, places = self._builder.world.scene.movable, self._desired.places
        left, ordered = list(self._desired.beside), []
        firm = {each for fact in left for each in fact[1:] if each not in movable or each in places}
        while left:
            fact = next((each for each in left if firm & {*each[1:]}), left[0])
            left.remove(fact)
            ordered.append(fact)
            firm |= {*fact[1:]}
        return ordered

    def _beside(self, predicate: str, thing: str, other: str) -> None:
        """Puts one of two next to the other: preferably one that the goal puts nowhere else."""
        if self._builder.is_at(thing, predicate, other):
            return
        put, movable = self._builder.put, self._builder.world.scene.movable
        pairs = [(thing, other), (other, thing)] if predicate != "under" else [(thing, other)]
        pairs = [pair for pair in pairs if pair[0] in movable]
        pairs.sort(key=lambda pair: (self._bound(pair[0]), pair[0] in self._desired.places))
        self._builder.try_in_order(*(partial(put, one, predicate, two) for one, two in pairs))

    def _bound(self, thing: str) -> int:
        """To how many things it is next to already, as it should be."""
        facts = [each for each in self._desired.beside if thing in each[1:]]
        return sum(self._builder.is_at(one, name, two) for name, one, two in facts)

    def _away(self, atom: Atom) -> None:
        """Takes a thing away from where it may not be."""
        thing, other = atom.terms
        places = [place for place in self._free_places(thing) if place[1] != other]
        self._builder.try_in_order(*(partial(self._builder.put, thing, *place) for place in places))

    def _free_places(self, thing: str) -> Iterable[Place]:
        scene = self._builder.world.scene
        forbidden = {each.terms[1] for each in self._desired.forbidden if each.terms[0] == thing}
        for each in scene.categories:
            if each in scene.surface - scene.floor - scene.movable - forbidden:
                yield "ontop", each
        for each in scene.categories:
            if each in scene.floor - forbidden:
                yield "onfloor", each


# --- Cooking, thawing and cutting

POTS = ("pan", "saucepan", "pot", "frying_pan", "skillet", "caldron", "casserole")
"""What food is in while it is on a stove, the usual thing first."""


class CookingSteps:
    """Cooks, thaws, freezes and slices."""

    def __init__(self, builder: PlanBuilder, options: PlanningOptions, water: WaterSteps) -> None:
        self._builder, self._options, self._water = builder, options, water

    def slice(self, things: Sequence[str]) -> None:
        """Cuts things. Raises StuckError without a knife for it."""
        scene = self._builder.world.scene
        knives = self._options.ordered(self._builder.world, scene.knife & scene.movable)
        self._builder.try_in_order(*(partial(self._cut, each, things) for each in knives))

    def cook(self, thing: str, wanted_on: Sequence[str] = ()) -> None:
        """Cooks a thing, in what it is already in or on if that gets hot; otherwise it is taken to
        something that does. ``wanted_on``: what is to be on afterwards.

        Raises StuckError where nothing cooks it.
        """
        heaters = self._heaters()
        around = [each for each in heaters if thing in self._builder.world.below(each)]
        elsewhere = [each for each in heaters if each not in around]
        self._builder.try_in_order(
            *(partial(self._switch, each, stays_on=each in wanted_on) for each in around),
            *(
                partial(self._take_to, thing, each, stays_on=each in wanted_on)
                for each in elsewhere
            ),
        )

    def thaw(self, thing: str) -> None:
        """Thaws a thing. Raises StuckError where it cannot be reached."""
        self._builder.reach(thing)
        self._builder.do(Verb.DEFROST, thing)

    def freeze(self, thing: str) -> None:
        """Puts a thing where it is cold. Raises StuckError where nothing is."""
        cold = self._options.ordered(self._builder.world, self._builder.world.scene.cold)
        self._builder.try_in_order(
            *(partial(self._builder.put, thing, "inside", each) for each in cold)
        )

    def _cut(self, knife: str, things: Sequence[str]) -> None:
        builder, origin = self._builder, self._builder.place_of(knife)
        builder.fetch(knife)
        for each in things:
            builder.reach(each)
            builder.do(Verb.SLICE, each, tools=(knife,))
        self._water.carry_back(knife, origin)

    def _heaters(self) -> tuple[str, ...]:
        builder = self._builder
        found = self._options.ordered(builder.world, builder.world.scene.heat)
        return tuple(each for each in found if builder.is_allowed(Verb.SWITCH_ON, each))

    def _take_to(self, thing: str, heater: str, *, stays_on: bool) -> None:
        builder = self._builder
        if heater in builder.world.scene.lid:
            builder.put(thing, "inside", heater)
        else:
            pot = self._pot_on(heater)
            builder.put(thing, "inside", pot or heater)
        self._switch(heater, stays_on=stays_on)

    def _pot_on(self, heater: str) -> str:
        """The vessel on a stove to cook in, which may be put there first; empty: nothing will do,
        and things go into the heater itself, as into a toaster."""
        builder, kinds = self._builder, self._builder.world.scene.categories
        if builder.world.scene.surface.isdisjoint({heater}) or lemma_of(kinds[heater]) == "toaster":
            return ""
        pots = [each for lemma in POTS for each, kind in kinds.items() if lemma_of(kind) == lemma]
        pots = [each for each in pots if each in builder.world.scene.movable]
        there = [each for each in pots if (builder.place_of(each) or ("", ""))[1] == heater]
        if there or not pots:
            return there[0] if there else ""
        builder.put(pots[0], "ontop", heater)
        return pots[0]

    def _switch(self, heater: str, *, stays_on: bool) -> None:
        builder = self._builder
        if heater in builder.world.scene.lid and not builder.world.is_shut(heater):
            builder.close(heater)
        builder.go(heater)
        if builder.has_state("toggled_on", heater):
            raise StuckError(f"{heater} is on already")
        builder.do(Verb.SWITCH_ON, heater)
        if not stays_on:
            builder.do(Verb.SWITCH_OFF, heater)


# --- Wetting and cleaning


class WaterSteps:
    """Wets and cleans."""

    def __init__(
        self, builder: PlanBuilder, options: PlanningOptions, origins: Mapping[str, Place]
    ) -> None:
        """``origins``: where things are to be in the end, if not where they are."""
        self._builder, self._options, self._homes = builder, options, origins

    def clean(self, things: Sequence[str]) -> None:
        """Takes stains and dust off things.

        Raises StuckError where that cannot be done.
        """
        methods = [partial(self._wipe, tool, helper, things) for tool, helper in self._equipment()]
        machines = [partial(self._machine_wash, each, things) for each in self._washers()]
        singly = partial(self._each, things)
        if self._options.machines:
            self._builder.try_in_order(*machines, *methods, singly)
        else:
            self._builder.try_in_order(*methods, *machines, singly)

    def soak(self, thing: str) -> None:
        """Makes a thing wet. Raises StuckError where that cannot be done."""
        scene = self._builder.world.scene
        waters = self._ordered(scene.water & scene.movable, set(self._options.preferred))
        vessels = self._ordered(scene.vessel & scene.movable - {thing})
        pours = [partial(self._pour, each, thing) for each in waters]
        dips = [partial(self._dip, thing, basin) for basin in self._basins()]
        fills = [partial(self._fill, v, b, thing) for b in self._basins() for v in vessels]
        carried = thing in scene.movable and thing not in self._stays()
        preferred = pours if self._options.preferred else []
        alternatives = (*dips, *pours, *fills) if carried else (*pours, *fills, *dips)
        self._builder.try_in_order(*preferred, *alternatives)

    def carry_back(self, thing: str, origin: Place | None) -> None:
        """Puts a thing where it is to be in the end, or else where it was."""
        place = self._homes.get(thing, origin)
        if place is None or thing not in self._builder.world.held:
            return
        self._builder.try_in_order(
            lambda: self._builder.put(thing, *place),
            lambda: self._builder.put(thing, *origin) if origin else None,
            lambda: self._builder.do(Verb.PLACE_ON_FLOOR, item=thing),
        )

    def _equipment(self) -> list[tuple[str, str]]:
        """Tools, each with what makes it wet: a basin, soap, water; empty: nothing does."""
        scene = self._builder.world.scene
        tools = self._ordered(scene.tool & scene.movable, scene.absorbent)
        soaps = self._ordered(scene.soap & scene.movable)
        waters = self._ordered(scene.water & scene.movable)
        wetters = (*soaps, *self._basins()) if self._soapy() else (*self._basins(), *soaps)
        pairs = [(tool, helper) for tool in tools for helper in (*wetters, *waters, "")]
        return [*pairs, *(("", soap) for soap in soaps)]

    def _soapy(self) -> bool:
        kinds = self._builder.world.scene.categories
        wanted = {each for each, kind in kinds.items() if kind in self._options.preferred}
        return self._options.soap or bool(wanted & self._builder.world.scene.soap)

    def _wipe(self, tool: str, helper: str, things: Sequence[str]) -> None:
        if tool in things:
            raise StuckError(f"{tool} is to be cleaned itself")
        builder = self._builder
        origins = {each: builder.place_of(each) for each in (tool, helper) if each}
        if tool:
            builder.fetch(tool)
        wet = any(builder.has_state("stained", each) for each in things)
        carried = self._wetted(tool, helper) if wet or helper in builder.world.scene.soap else ()
        for each in things:
            builder.reach(each)
            builder.do(Verb.CLEAN, each, tools=[*([tool] if tool else []), *carried])
        for each in (*carried, tool):
            if each:
                self.carry_back(each, origins.get(each))

    def _wetted(self, tool: str, helper: str) -> tuple[str, ...]:
        """Makes a tool wet, or takes along what does."""
        builder = self._builder
        if not helper or (tool and builder.has_state("soaked", tool)):
            return ()
        if helper not in builder.world.scene.basin:
            builder.fetch(helper)
            return (helper,)
        if tool not in builder.world.scene.absorbent:
            raise StuckError(f"{tool} does not take up water")
        self._running(helper, lambda: builder.do(Verb.SOAK, tool))
        return ()

    def _running(self, basin: str, action: Callable[[], None]) -> None:
        """Does something while water runs in a basin."""
        builder = self._builder
        builder.reach(basin)
        was_on = builder.has_state("toggled_on", basin)
        if not was_on:
            builder.do(Verb.SWITCH_ON, basin)
        action()
        if not was_on:
            builder.do(Verb.SWITCH_OFF, basin)

    def _each(self, things: Sequence[str]) -> None:
        """One by one, each in the best way for it."""
        for thing in things:
            tools = [partial(self._wipe, *pair, (thing,)) for pair in self._equipment()]
            rinses = [partial(self._rinse, thing, basin) for basin in self._basins()]
            self._builder.try_in_order(*tools, *rinses)

    def _rinse(self, thing: str, basin: str) -> None:
        """Under running water."""
        builder, origin = self._builder, self._builder.place_of(thing)
        if thing != basin and origin != ("inside", basin):
            builder.put(thing, "inside", basin)
        self._running(basin, lambda: builder.do(Verb.CLEAN, thing))
        if thing != basin:
            builder.fetch(thing)
            self.carry_back(thing, origin)

    def _machine_wash(self, machine: str, things: Sequence[str]) -> None:
        builder = self._builder
        origins = {each: builder.place_of(each) for each in things}
        for each in things:
            builder.put(each, "inside", machine)
        if machine in builder.world.scene.openable and not builder.world.is_shut(machine):
            builder.close(machine)
        builder.do(Verb.SWITCH_ON, machine)
        builder.do(Verb.SWITCH_OFF, machine)
        for each in things:
            if origins[each] is not None:
                builder.fetch(each)
                self.carry_back(each, origins[each])

    def _dip(self, thing: str, basin: str) -> None:
        builder, origin = self._builder, self._builder.place_of(thing)
        builder.fetch(thing)
        self._running(basin, lambda: builder.do(Verb.SOAK, thing))
        self.carry_back(thing, origin)

    def _pour(self, water: str, thing: str) -> None:
        builder = self._builder
        builder.fetch(water)
        builder.reach(thing)
        builder.do(Verb.POUR, thing, water)

    def _fill(self, vessel: str, basin: str, thing: str) -> None:
        builder, origin = self._builder, self._builder.place_of(vessel)
        builder.fetch(vessel)
        if not builder.has_state("filled", vessel):
            self._running(basin, lambda: None)
        builder.reach(thing)
        builder.do(Verb.POUR, thing, vessel)
        if not builder.has_state("soaked", thing):
            raise StuckError(f"{thing} does not get wet")
        self.carry_back(vessel, origin)

    def _basins(self) -> tuple[str, ...]:
        """Where water runs, sinks first: those that rules leave free."""
        builder, scene = self._builder, self._builder.world.scene
        sinks = {each for each, kind in scene.categories.items() if kind == "sink.n.01"}
        found = self._ordered(scene.basin, sinks)
        return tuple(each for each in found if builder.is_allowed(Verb.SWITCH_ON, each))

    def _washers(self) -> tuple[str, ...]:
        return self._ordered(self._builder.world.scene.washer)

    def _stays(self) -> set[str]:
        """What grows in place and is not carried to the water."""
        kinds = self._builder.world.scene.categories
        return {each for each, kind in kinds.items() if kind == "pot_plant.n.01"}

    def _ordered(
        self, things: frozenset[str], *better: frozenset[str] | set[str]
    ) -> tuple[str, ...]:
        return self._options.ordered(self._builder.world, things, *better)


# --- Preferences where a thing can be done differently


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
