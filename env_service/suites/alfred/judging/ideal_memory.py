"""What the robot of a replay means by a name: which instance it chooses (spec section 3.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from env_service.suites.alfred.judging.ideal_house import IdealHouse
from env_service.suites.alfred.rules import Rules

_SHUT_IN, _OCCUPIED, _MEANT, _SLICE = 100_000.0, 10_000.0, 5_000.0, -100.0
"""What the robot adds to a distance (spec section 3.3, and `Rules.nearest_instance`)."""


@dataclass(frozen=True, slots=True)
class Use:
    """What an object is to be chosen for: it has to be ``able`` ("pickupable"), is to be carried,
    or is to be opened."""

    able: str = ""
    carried: bool = False
    opened: bool = False


NO_USE = Use()


@dataclass(slots=True)
class IdealMemory:
    """What the robot has done so far, as far as it matters for what a name means.

    Attributes:
        aliases: types that this house calls otherwise, by the skills' name.
        found: the type that was last looked for, and the instance.
        placed: what was put somewhere, to the receptacle.
        left: what was put somewhere and left alone since.
        treated: what was put into something that was then opened, closed or switched.
        cut: types of which something was sliced; `cutting`: whether anything was to be.
    """

    house: IdealHouse
    rules: Rules
    aliases: Mapping[str, str] = field(default_factory=dict)
    found: tuple[str, str] = ("", "")
    placed: dict[str, str] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)
    treated: set[str] = field(default_factory=set)
    cut: set[str] = field(default_factory=set)
    cutting: bool = False

    def took(self, name: str) -> None:
        """It is in the hand."""
        self.placed.pop(name, None)
        self.left.discard(name)
        self.treated.discard(name)

    def put(self, name: str, place: str) -> None:
        """It lies in or on a receptacle."""
        self.placed[name] = place
        self.left.add(name)

    def touched(self, names: set[str]) -> None:
        """What they lie in was opened, closed or switched: they were not merely left there."""
        found = names & self.left
        self.left -= found
        self.treated |= found

    def named(self, object_type: str) -> Iterator[str]:
        """Ids of the objects of a type, slices and basins with it, as the robot sees them."""
        names = {object_type.lower(), self.aliases.get(object_type, object_type).lower()}
        for each in self.house.things:
            if each.partition("|")[0].lower() in names and each not in self.house.sliced:
                yield each

    def choose(self, kind: str, real: str, use: Use = NO_USE, *, but: str = "") -> str:
        """The instance with the smallest penalty; of equals the real run's, then what is here,
        then the nearest by the opening, then the first. Empty if there is none."""
        house = self.house
        found = [
            each
            for each in self.named(kind)
            if each != but and (not use.able or house.things[each].get(use.able))
        ]
        if not self.rules.nearest_instance:
            before = self._meant(kind, opened=use.opened)
            found = [each for each in found if each == before] or found
        if not found:
            return ""
        return min(
            found,
            key=lambda each: (
                self._penalty(kind, each, carried=use.carried),
                each != real,
                not house.by_me(each),
                house.distance(each),
            ),
        )

    def _meant(self, kind: str, *, opened: bool) -> str:
        """What was found right before, or the door behind which that lies; empty for neither."""
        if self.found[0] == kind:
            return self.found[1]
        return self.house.door_of(self.found[1]) if opened and self.found[1] else ""

    def _penalty(self, kind: str, name: str, *, carried: bool) -> float:
        house, score = self.house, 0.0
        if house.shut_in(name):
            score += _SHUT_IN
        if house.type_of(name) == "StoveBurner" and house.contents[name]:
            score += _OCCUPIED
        if not self.rules.nearest_instance:
            score += self._unmeant(name, carried=carried)
        wanted = self.cutting if self.rules.sliced_flag else kind in self.cut
        if carried and wanted and "Sliced" in house.type_of(name):
            score += _SLICE if self.rules.nearest_instance else -_MEANT
        return score

    def _unmeant(self, name: str, *, carried: bool) -> float:
        """What `Rules.nearest_instance` adds for what the plan does not mean."""
        held, kind = self.house.held, self.house.type_of
        if not held:
            return _MEANT * ((name in self.left) - (name in self.treated)) if carried else 0.0
        if name == held:
            return _MEANT
        inside = (each for each, place in self.placed.items() if place == name)
        home = any(kind(each) == kind(held) for each in inside)
        return -_MEANT if home or name in self.placed else 0.0
