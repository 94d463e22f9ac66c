"""The robot of spec section 3.3 in a house of facts: whatever takes moving, seeing and grasping
works, and what logic forbids does not (spec section 4, step 1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from env_service.suites.alfred.judging.analysis import Code
from env_service.suites.alfred.judging.ideal_house import IdealHouse
from env_service.suites.alfred.judging.ideal_memory import IdealMemory, Use
from env_service.suites.alfred.skills.step import Marks, SkillResult, SkillStep, Verb

_TAKES: Mapping[str, frozenset[str]] = {
    "CoffeeMachine": frozenset({"Mug", "Cup"}),
    "StoveBurner": frozenset({"Pot", "Pan", "Kettle"}),
    "ToiletPaperHanger": frozenset({"ToiletPaper"}),
    "HandTowelHolder": frozenset({"HandTowel"}),
    "TowelHolder": frozenset({"Towel", "HandTowel"}),
}
"""Receptacles that take some types alone (spec section 3.6)."""


@dataclass(frozen=True, slots=True)
class IdealResult:
    """How a step went: why it did not work (None: it worked), on which object, and where that was
    put, which is empty for anything but a put that worked."""

    code: Code | None
    object_id: str = ""
    receptacle_id: str = ""


@dataclass(slots=True)
class IdealRobot:
    """Does steps in a house of facts.

    Attributes:
        memory: what was done, by which instances are chosen.
        lenient: nothing is known of where things are: whatever a step handles counts as gone to.
        marks: what was heated, cooled and cleaned.
        destination: the type that the last find named; empty where nothing may be put.
    """

    house: IdealHouse
    memory: IdealMemory
    lenient: bool = False
    marks: Marks = field(default_factory=Marks)
    destination: str = ""

    def do(self, step: SkillStep, real: SkillResult) -> IdealResult:
        """Tries a step; of several instances the one that the real run chose is preferred, and
        what worked there was near enough."""
        if step.verb is Verb.DONE:
            return IdealResult(None)
        if step.verb not in (Verb.PUT_DOWN, Verb.OPEN):
            self.destination = ""
        return _SKILLS[step.verb](self, step.object, real)

    def find(self, kind: str, real: SkillResult) -> IdealResult:
        """Goes to an instance, and remembers its type as where to put things."""
        self.destination, self.memory.found = kind, ("", "")
        name = self.memory.choose(kind, real.object_id, Use(carried=True))
        if not name:
            return IdealResult(Code.NO_SUCH_OBJECT)
        self.house.here, self.memory.found = name, (kind, name)
        return IdealResult(None, name)

    def pick_up(self, kind: str, real: SkillResult) -> IdealResult:
        """Takes an instance that can be carried in the empty hand."""
        house = self.house
        name = self.memory.choose(kind, real.object_id, Use("pickupable", carried=True))
        if not name:
            return IdealResult(Code.NO_SUCH_OBJECT)
        if house.held:
            return IdealResult(Code.HAND_FULL, name)
        code = self._reach(name, real)
        if code is None:
            house.take(name)
            self.memory.took(name)
        return IdealResult(code, name)

    def put_down(self, kind: str, real: SkillResult) -> IdealResult:
        """Puts what is held where the last find was; drops it where nothing was found."""
        del kind
        held, house = self.house.held, self.house
        if not held:
            return IdealResult(Code.HAND_EMPTY)
        if not self.destination:
            house.put("")
            return IdealResult(Code.NO_DESTINATION, held)
        code, place = self._place(held, real.receptacle_id)
        if code is None:
            house.put(place)
            self.memory.put(held, place)
            return IdealResult(None, held, place)
        if self.memory.rules.sixteen_characters:
            house.put("")
        return IdealResult(code, held)

    def open_it(self, kind: str, real: SkillResult) -> IdealResult:
        """Opens what is closed."""
        house = self.house
        name = self.memory.choose(kind, real.object_id, Use(opened=True))
        if not name or not house.things[name].get("openable"):
            return IdealResult(Code.NO_SUCH_OBJECT, name)
        if name in house.opened or (house.type_of(name) == "Microwave" and name in house.running):
            return IdealResult(Code.WRONG_STATE, name)
        code = self._reach(name, real)
        if code is None:
            house.opened.add(name)
            house.unsure.discard(name)
            self.memory.touched(set(house.contents[name]))
        return IdealResult(code, name)

    def close_it(self, kind: str, real: SkillResult) -> IdealResult:
        """Closes what is open; what is in a fridge then is cooled."""
        house = self.house
        name = self.memory.choose(kind, real.object_id)
        if not name or not house.things[name].get("openable"):
            return IdealResult(Code.NO_SUCH_OBJECT, name)
        if house.is_shut(name):
            return IdealResult(Code.WRONG_STATE, name)
        code = self._reach(name, real)
        if code is None:
            house.opened.discard(name)
            house.unsure.discard(name)
            self.memory.touched(set(house.contents[name]))
            if house.type_of(name) == "Fridge":
                cooled = self.marks.cooled | set(house.contents[name])
                self.marks = replace(self.marks, cooled=frozenset(cooled))
        return IdealResult(code, name)

    def slice_it(self, kind: str, real: SkillResult) -> IdealResult:
        """Makes pieces of what is not in the hand."""
        house = self.house
        self.memory.cutting = True
        name = self.memory.choose(kind, real.object_id)
        if not name:
            return IdealResult(Code.NO_SUCH_OBJECT)
        if name == house.held:
            return IdealResult(Code.HELD_WHEN_SLICED, name)
        if not house.things[name].get("sliceable"):
            return IdealResult(Code.WRONG_STATE, name)
        code = self._reach(name, real)
        if code is None:
            house.cut(name)
            self.memory.cut.add(kind)
        return IdealResult(code, name)

    def turn_on(self, kind: str, real: SkillResult) -> IdealResult:
        """Turns on what is off; a microwave has to be closed. See `_mark_running`."""
        house = self.house
        name = self.memory.choose(kind, real.object_id, Use("toggleable"))
        if not name:
            return IdealResult(Code.NO_SUCH_OBJECT)
        ajar = house.type_of(name) == "Microwave" and name in house.opened
        if ajar or name in house.running:
            return IdealResult(Code.WRONG_STATE, name)
        code = self._reach(name, real)
        if code is None:
            house.running.add(name)
            self.memory.touched(set(house.contents[name]))
            self._mark_running(name)
        return IdealResult(code, name)

    def turn_off(self, kind: str, real: SkillResult) -> IdealResult:
        """Turns off what is on."""
        name = self.memory.choose(kind, real.object_id, Use("toggleable"))
        if not name:
            return IdealResult(Code.NO_SUCH_OBJECT)
        if name not in self.house.running:
            return IdealResult(Code.WRONG_STATE, name)
        code = self._reach(name, real)
        if code is None:
            self.house.running.discard(name)
            self.memory.touched(set(self.house.contents[name]))
        return IdealResult(code, name)

    def _reach(self, name: str, real: SkillResult) -> Code | None:
        """Why the hand cannot get at a thing; None if it can. It can where it really did."""
        if real.worked and real.object_id == name:
            return None
        if self.house.shut_in(name):
            return Code.CLOSED_CONTAINER
        near = self.lenient or self.house.by_me(name)
        return None if near else Code.NOT_GONE_TO

    def _place(self, held: str, real: str) -> tuple[Code | None, str]:
        """Where what is held goes, or why nowhere. Two instances are tried."""
        first: Code | None = None
        last = ""
        for _ in range(2):
            owner = next((each for each in self.memory.named(self.destination) if each == real), "")
            name = self.memory.choose(self.destination, owner, but=last)
            if not name or name == held:
                break
            place = real if real.startswith(f"{name}|") else self._part(name)
            code = None if place == real else self._refusal(held, place)
            if code is None:
                return None, place
            first, last = first or code, name
        return first or Code.NO_SUCH_OBJECT, ""

    def _refusal(self, held: str, place: str) -> Code | None:
        house = self.house
        if not house.things[place].get("receptacle"):
            return Code.WRONG_RECEPTACLE
        if house.is_shut(place) or house.shut_in(place):
            return Code.CLOSED_CONTAINER
        takes = _TAKES.get(house.type_of(place))
        fits = takes is None or house.type_of(held) in takes
        return None if fits else Code.WRONG_RECEPTACLE

    def _part(self, name: str) -> str:
        """The basin of a sink; of anything else, itself."""
        parts = (each for each in self.house.things if each.startswith(f"{name}|"))
        return next((each for each in parts if self.house.things[each].get("receptacle")), name)

    def _mark_running(self, name: str) -> None:
        house, marks = self.house, self.marks
        if house.type_of(name) == "Microwave":
            self.marks = replace(marks, heated=marks.heated | set(house.contents[name]))
        elif house.type_of(name) == "Faucet":
            basin = self._basin(name)
            washed = set(house.contents[basin]) if basin else set()
            self.memory.touched(washed)
            self.marks = replace(marks, cleaned=marks.cleaned | washed)

    def _basin(self, tap: str) -> str:
        house = self.house
        basins = [each for each in house.things if house.type_of(each) == "SinkBasin"]
        here, house.here = house.here, tap
        nearest = min(basins, key=house.distance, default="")
        house.here = here
        return nearest


_SKILLS: Mapping[Verb, Callable[[IdealRobot, str, SkillResult], IdealResult]] = {
    Verb.FIND: IdealRobot.find,
    Verb.PICK_UP: IdealRobot.pick_up,
    Verb.PUT_DOWN: IdealRobot.put_down,
    Verb.OPEN: IdealRobot.open_it,
    Verb.CLOSE: IdealRobot.close_it,
    Verb.SLICE: IdealRobot.slice_it,
    Verb.TURN_ON: IdealRobot.turn_on,
    Verb.TURN_OFF: IdealRobot.turn_off,
}
