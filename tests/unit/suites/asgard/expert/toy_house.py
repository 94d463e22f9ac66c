"""A house of metadata alone, in which the benchmark's rules hold and nothing else can go wrong but
what a test asks for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from env_service.suites.asgard.action_language import Verb
from env_service.suites.asgard.actions.body import ReleaseMemory, center
from env_service.suites.asgard.actions.executor import ActionOutcome, CandidateError
from env_service.suites.asgard.actions.handler import Situation, switch_of
from env_service.suites.asgard.actions.handlers import HANDLERS
from env_service.suites.asgard.actions.object_choice import Resolver
from env_service.suites.asgard.metadata_view import AsgardView
from env_service.suites.asgard.object_types import object_tables
from env_service.suites.asgard.plan import Goal, RequiredEvent
from env_service.suites.asgard.rules import PAPER, Rules
from env_service.suites.asgard.wording import Reason, Refusal
from env_service.worlds.ai2thor_api.geometry import distance
from tests.unit.suites.asgard.builders import thing

Thing = dict[str, Any]

IN_SIGHT = 1.0
"""Metres: FIND shows what is so near to what is found, and nothing else."""

PIECES = 3


def fixture(kind: str, at: float, **changes: Any) -> Thing:
    """Something that stays where it is, ``at`` metres along the kitchen's wall."""
    told = {"pickupable": False, "receptacle": True, "visible": False, **changes}
    return thing(kind, (at, 1.0, 0.0), (0.6, 0.4, 0.6), **told)


def item(kind: str, parent: Thing, **changes: Any) -> Thing:
    """Something small in or on something else."""
    place = parent["axisAlignedBoundingBox"]["center"]
    told = {"parentReceptacles": [parent["objectId"]], "visible": False, **changes}
    return thing(kind, (place["x"], place["y"] + 0.1, place["z"]), **told)


class ToyHouse:
    """Acts as a `Doer` does. Actions succeed as far as the rules allow, but for ``refuse``: pairs
    of a held type ("" for an empty hand) and the name of what takes nothing of it, or cannot be
    taken. ``water_cleans`` as in AI2-THOR, where running water washes what it meets."""

    def __init__(
        self,
        *things: Thing,
        goals: Iterable[Goal] = (),
        rules: Rules = PAPER,
        refuse: Collection[tuple[str, str]] = (),
        water_cleans: bool = True,
    ) -> None:
        self.objects = {each["objectId"]: dict(each) for each in things}
        self.refuse, self.water_cleans = set(refuse), water_cleans
        self.events: set[RequiredEvent] = set()
        self._rules, self._memory = rules, ReleaseMemory()
        self._resolver = Resolver(rules, goals, self._memory)
        self._hand: str | None = None

    @property
    def view(self) -> AsgardView:
        """The house now."""
        carried = [{"objectId": self._hand}] if self._hand else []
        return AsgardView(
            {
                "objects": list(self.objects.values()),
                "inventoryObjects": carried,
                "agent": {
                    "position": {"x": 0.0, "y": 0.9, "z": -1.0},
                    "rotation": {"y": 0.0},
                    "cameraHorizon": 0.0,
                    "isStanding": True,
                },
            }
        )

    def the(self, kind: str) -> Thing:
        """The first object of a type."""
        return next(each for each in self.objects.values() if each["objectType"] == kind)

    def inside(self, kind: str, place: str) -> bool:
        """Whether an object of a type lies in or on one of another."""
        view = self.view
        return any(
            parent["objectType"] == place
            for each in view.of_type(kind)
            for parent in view.parents(each)
        )

    def do(self, verb: Verb, object_type: str) -> ActionOutcome:
        """Carries out one action."""
        held = self.objects[self._hand]["objectType"] if self._hand else None
        instance, errors = self._tried(verb, object_type, held)
        self._memory.conclude(verb, object_type, instance)
        told = None if instance else errors[0].refusal
        return ActionOutcome(instance is not None, told, instance, tuple(errors), held)

    def _tried(
        self, verb: Verb, kind: str, held: str | None
    ) -> tuple[str | None, list[CandidateError]]:
        view = self.view
        found = self._resolver.candidates(verb, kind, view)
        if isinstance(found, Refusal):
            return None, [CandidateError(None, found)]
        errors: list[CandidateError] = []
        for each in self._resolver.ordered(verb, found, found.instances, view):
            refusal = HANDLERS[verb].check(Situation(view, self._rules, self._memory), each)
            if refusal is None and (held or "", each["name"]) in self.refuse:
                refusal = Refusal(Reason.NO_ROOM, "there is no room")
            if refusal is None:
                self._perform(verb, self.objects[each["objectId"]])
                return each["name"], errors
            errors.append(CandidateError(each["name"], refusal))
        return None, errors

    def _perform(self, verb: Verb, target: Thing) -> None:
        effects: dict[Verb, Callable[[Thing], None]] = {
            Verb.FIND: self._find,
            Verb.PICKUP: self._pick_up,
            Verb.PUT: self._put,
            Verb.OPEN: self._open,
            Verb.CLOSE: lambda it: it.update(isOpen=False),
            Verb.TOGGLE_ON: lambda it: self._switch(it, on=True),
            Verb.TOGGLE_OFF: lambda it: self._switch(it, on=False),
            Verb.CLEAN: lambda it: it.update(isDirty=False),
            Verb.SLICE: self._slice,
            Verb.EMPTY: lambda it: it.update(isFilledWithLiquid=False, fillLiquid=None),
            Verb.DRINK: self._drink,
            Verb.SPRAY: self._spray,
        }
        effects[verb](target)

    def _find(self, target: Thing) -> None:
        view = self.view
        for each in self.objects.values():
            near = distance(center(each), center(target)) <= IN_SIGHT
            each["visible"] = near and view.closed_parent(each) is None and not each["isSliced"]

    def _pick_up(self, target: Thing) -> None:
        self._hand = target["objectId"]
        target.update(parentReceptacles=None, visible=True)

    def _put(self, target: Thing) -> None:
        held = self.objects[self._hand or ""]
        held["parentReceptacles"] = [target["objectId"]]
        self._move(held, target["axisAlignedBoundingBox"]["center"])
        self._hand = None

    def _move(self, target: Thing, place: dict[str, float]) -> None:
        box = {**target["axisAlignedBoundingBox"], "center": {**place, "y": place["y"] + 0.05}}
        target.update(axisAlignedBoundingBox=box, position=box["center"])
        for each in self.view.contents(target):
            self._move(self.objects[each["objectId"]], box["center"])

    def _open(self, target: Thing) -> None:
        target["isOpen"] = True
        self._memory.last_opened[target["objectType"]] = target["name"]

    def _switch(self, target: Thing, *, on: bool) -> None:
        switch = self.objects[switch_of(self.view, target)["objectId"]]
        switch["isToggled"] = on
        inside = self._all_in({"Faucet": "SinkBasin"}.get(target["objectType"]), target)
        if on:
            self._work(target["objectType"], inside)
        for each in self.objects.values() if not on else ():
            if each["fillLiquid"] == "water":
                each.update(isFilledWithLiquid=False, fillLiquid=None)

    def _all_in(self, kind: str | None, target: Thing) -> Sequence[Thing]:
        view = self.view
        holder = target if kind is None else view.first(kind)
        direct = view.contents(holder) if holder is not None else ()
        nested = [inner for each in direct for inner in view.contents(each)]
        return [self.objects[each["objectId"]] for each in (*direct, *nested)]

    def _work(self, kind: str, inside: Sequence[Thing]) -> None:
        for each in inside:
            if kind in ("StoveBurner", "Toaster", "Microwave"):
                each["isCooked"] = True
            elif kind == "CoffeeMachine":
                each.update(isFilledWithLiquid=True, fillLiquid="coffee")
            elif kind == "Faucet":
                each["isDirty"] = each["isDirty"] and not self.water_cleans
                if each["objectType"] in object_tables().drained:
                    each.update(isFilledWithLiquid=True, fillLiquid="water")

    def _slice(self, target: Thing) -> None:
        kind = object_tables().slices[target["objectType"]]
        place = target["axisAlignedBoundingBox"]["center"]
        for number in range(1 if kind == "EggCracked" else PIECES):
            piece = thing(
                kind,
                (place["x"], place["y"], place["z"]),
                objectId=f"{kind}_{number}",
                name=f"{kind}_{number}",
                parentReceptacles=target["parentReceptacles"],
            )
            self.objects[piece["objectId"]] = piece
        target.update(isSliced=True, visible=False, parentReceptacles=None)

    def _drink(self, target: Thing) -> None:
        self.events.add(RequiredEvent.DRINK_COFFEE)
        target.update(isFilledWithLiquid=False, fillLiquid=None, isDirty=True)

    def _spray(self, target: Thing) -> None:
        self._memory.sprayed.add(target["name"])
        self.events.add(RequiredEvent.SPRAY_MIRROR)
