"""Replays a solution without a scene, and finds what its object types alone can disprove.

The starting places of objects are unknown, so the replay never rejects a solution for a reason that
only a look at the scene could show. The effects of an action are known from then on. The replay
checks the hand, doors, switches, dirt, liquids, slices, and the table of what may be put where
(docs/asgard-rules.md, "Which receptacles are compatible").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from env_service.suites.asgard.action_language import Command, Verb
from env_service.suites.asgard.object_types import compatible, object_tables, whole_type
from env_service.suites.asgard.plan import SetupAction, SetupKind


@dataclass(frozen=True, slots=True)
class Breach:
    """A step that the rules refuse. ``step`` counts from 0."""

    step: int
    command: Command
    reason: str


def replay(solution: Iterable[Command], setup: Iterable[SetupAction] = ()) -> tuple[Breach, ...]:
    """Every breach of the rules. A refused step changes nothing, and those after it are played."""
    state = SymbolicState.of(setup)
    found: list[Breach] = []
    for number, command in enumerate(solution):
        reason = state.play(command)
        if reason:
            found.append(Breach(number, command, reason))
    return tuple(found)


@dataclass(slots=True)
class SymbolicState:
    """What is known of the scene, by type. Types of which there are many count as one.

    ``places`` maps a type to what it was put into or onto; ``liquids`` to what it is filled with.
    """

    held: str | None = None
    open: set[str] = field(default_factory=set)
    on: set[str] = field(default_factory=set)
    dirty: set[str] = field(default_factory=set)
    sliced: set[str] = field(default_factory=set)
    sprayed: set[str] = field(default_factory=set)
    cooked: set[str] = field(default_factory=set)
    drunk: set[str] = field(default_factory=set)
    places: dict[str, str] = field(default_factory=dict)
    liquids: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, setup: Iterable[SetupAction]) -> SymbolicState:
        """As the setup actions leave it."""
        state = cls()
        for action in setup:
            kind = action.object_name.partition("_")[0]
            if action.kind is SetupKind.DIRTY:
                state.dirty.add(kind)
            elif action.kind is SetupKind.FILL:
                state.liquids[kind] = action.liquid or ""
        return state

    def play(self, command: Command) -> str:
        """Plays one action. Empty if it is taken; why not, otherwise, and nothing changes."""
        return _PLAYS[command.verb](self, command.object_type)

    def contents(self, container: str) -> set[str]:
        """The types known to be in or on something."""
        return {kind for kind, place in self.places.items() if place == container}

    def find(self, kind: str) -> str:
        """FIND: any object of a type that exists."""
        whole = whole_type(kind)
        if kind in self.sliced:
            return f"{kind} is already sliced"
        return f"there is no {kind} before the {whole} is sliced" if self._unborn(kind) else ""

    def pick_up(self, kind: str) -> str:
        """PICKUP: with an empty hand, out of nothing closed."""
        place = self.places.get(kind, "")
        if self.held:
            return f"the hand holds {self.held}"
        if self._unborn(kind) or kind in self.sliced:
            return f"there is no {kind} in one piece"
        if place in object_tables().openable and place not in self.open:
            return f"{kind} is in the closed {place}"
        self.held = kind
        self.places.pop(kind, None)
        return ""

    def put(self, kind: str) -> str:
        """PUT: what fits, into what is clean and open."""
        held = self.held
        if held is None:
            return "the hand is empty"
        if kind in self.dirty:
            return f"{kind} is dirty"
        if kind in object_tables().openable and kind not in self.open:
            return f"{kind} is closed"
        if not compatible(held, kind):
            return f"{held} does not go to {kind}"
        self.places[held], self.held = kind, None
        return ""

    def open_up(self, kind: str) -> str:
        """OPEN: what has a door and is closed."""
        if kind not in object_tables().openable:
            return f"{kind} is not openable"
        if kind in self.open:
            return f"{kind} is already open"
        self.open.add(kind)
        return ""

    def close(self, kind: str) -> str:
        """CLOSE: what has a door and is open."""
        if kind not in object_tables().openable:
            return f"{kind} is not openable"
        if kind not in self.open:
            return f"{kind} is already closed"
        self.open.discard(kind)
        return ""

    def switch_on(self, kind: str) -> str:
        """TOGGLE_ON: what is off, and ready for it."""
        if kind in self.on:
            return f"{kind} is already on"
        if reason := self._not_ready(kind):
            return reason
        self.on.add(kind)
        self._work(kind)
        return ""

    def switch_off(self, kind: str) -> str:
        """TOGGLE_OFF: what is on. Dishes lose their water."""
        if kind not in self.on:
            return f"{kind} is already off"
        if kind == "Television" and self.held != "RemoteControl":
            return "the hand holds no remote control"
        self.on.discard(kind)
        for dish in object_tables().drained:
            if self.liquids.get(dish) == "water":
                del self.liquids[dish]
        return ""

    def clean(self, kind: str) -> str:
        """CLEAN: a sprayed mirror with a cloth, all else in the running sink with a sponge."""
        if kind == "Mirror":
            if kind not in self.sprayed:
                return "the mirror has not been sprayed"
            if self.held != "Cloth":
                return "the hand holds no cloth"
        elif "Faucet" not in self.on:
            return "the faucet is off"
        elif self.places.get(kind) != "SinkBasin":
            return f"{kind} is not in the SinkBasin"
        elif self.held != "DishSponge":
            return "the hand holds no sponge"
        self.dirty.discard(kind)
        return ""

    def slice_up(self, kind: str) -> str:
        """SLICE: food with a knife, on a surface; an egg in a pan."""
        if kind not in object_tables().slices:
            return f"{kind} cannot be sliced"
        if kind in self.sliced:
            return f"{kind} is already sliced"
        place = self.places.get(kind)
        if kind in object_tables().sliced_on_a_surface:
            if self.held != "Knife":
                return "the hand holds no knife"
            if place is not None and place not in object_tables().surfaces:
                return f"{kind} is in {place}, not on a surface"
        elif place != "Pan":
            return f"{kind} is not in a Pan"
        self.sliced.add(kind)
        if place is not None:
            self.places[object_tables().slices[kind]] = place
            del self.places[kind]
        return ""

    def empty(self, kind: str) -> str:
        """EMPTY: what is filled."""
        if kind not in self.liquids:
            return f"{kind} is not filled"
        del self.liquids[kind]
        return ""

    def drink(self, kind: str) -> str:
        """DRINK: what is filled and held. A mug is dirty afterwards."""
        if self.held != kind:
            return f"the hand does not hold {kind}"
        if kind not in self.liquids:
            return f"{kind} is not filled"
        self.drunk.add(self.liquids.pop(kind))
        self.dirty.add(kind)
        return ""

    def spray(self, kind: str) -> str:
        """SPRAY: anything, with the spray bottle."""
        if self.held != "SprayBottle":
            return "the hand holds no spray bottle"
        self.sprayed.add(kind)
        return ""

    def _unborn(self, kind: str) -> bool:
        whole = whole_type(kind)
        return whole is not None and whole not in self.sliced

    def _not_ready(self, kind: str) -> str:
        match kind:
            case "Television" if self.held != "RemoteControl":
                return "the hand holds no remote control"
            case "Microwave" if kind in self.open:
                return "the microwave is open"
            case "CoffeeMachine":
                return self._no_coffee()
            case "StoveBurner" if all(self._elsewhere(dish, kind) for dish in ("Pan", "Pot")):
                return "there is no pan on the burner"
            case "Faucet":
                odd = self.contents("SinkBasin") - object_tables().may_be_in_a_running_sink
                return f"SinkBasin contains {min(odd)}" if odd else ""
        return ""

    def _no_coffee(self) -> str:
        if "Mug" not in self.contents("CoffeeMachine"):
            return "there is no mug in the coffee machine"
        if "Mug" in self.liquids:
            return "the mug is not empty"
        return "the mug is dirty" if "Mug" in self.dirty else ""

    def _elsewhere(self, kind: str, place: str) -> bool:
        """Whether it is known that something is not in a place."""
        return self.held == kind or self.places.get(kind, place) != place

    def _work(self, kind: str) -> None:
        if kind == "CoffeeMachine":
            self.liquids["Mug"] = "coffee"
        elif kind == "StoveBurner":
            self.cooked |= self.contents("Pan")
        elif kind in ("Toaster", "Microwave"):
            self.cooked |= self.contents(kind)
        elif kind == "Faucet":
            dishes = self.contents("SinkBasin") & object_tables().drained
            self.liquids.update(dict.fromkeys(dishes - self.liquids.keys(), "water"))


_PLAYS: Mapping[Verb, Callable[[SymbolicState, str], str]] = {
    Verb.FIND: SymbolicState.find,
    Verb.PICKUP: SymbolicState.pick_up,
    Verb.PUT: SymbolicState.put,
    Verb.OPEN: SymbolicState.open_up,
    Verb.CLOSE: SymbolicState.close,
    Verb.TOGGLE_ON: SymbolicState.switch_on,
    Verb.TOGGLE_OFF: SymbolicState.switch_off,
    Verb.CLEAN: SymbolicState.clean,
    Verb.SLICE: SymbolicState.slice_up,
    Verb.EMPTY: SymbolicState.empty,
    Verb.DRINK: SymbolicState.drink,
    Verb.SPRAY: SymbolicState.spray,
}
