"""What is known of the house after a recorded history, without having seen the house."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from env_service.suites.asgard.parsing import Command
from env_service.suites.asgard.plan import SetupAction
from env_service.suites.asgard.replay import SymbolicState
from env_service.suites.asgard.tables import tables
from env_service.suites.asgard.vocabulary import Verb
from env_service.worlds.thor.object_types import Trait, object_types

SEVERAL = frozenset({"Cabinet", "Drawer", "StoveBurner", *tables().slices.values()})
"""Types with a state, or that can be carried, of which a room may hold several (spec section 0,
item 4): another one may be meant. The start-up keeps one each of what can be carried (section 7);
slicing makes more."""

STARTS_OFF = frozenset(
    {"CoffeeMachine", "Faucet", "Microwave", "StoveBurner", "Television", "Toaster"}
)
"""Devices that are off as a task begins. Lamps may be on."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What follows from the actions so far, all of which worked.

    Attributes:
        state: what the actions made of the house.
        in_view: types that the last action surely left in view, what is held included.
        found: types that were found or handled before, wherever they are now.
        sound: no past action breaks the rules as they are replayed; what follows from one that
            does is guesswork.
    """

    state: SymbolicState
    in_view: frozenset[str]
    found: frozenset[str]
    sound: bool

    @classmethod
    def of(cls, setup: Iterable[SetupAction], history: Iterable[Command]) -> Knowledge:
        """What is known after a history."""
        state = SymbolicState.of(setup)
        in_view: set[str] = set()
        found: set[str] = set()
        sound = True
        for command in history:
            held = state.held
            sound = not state.play(command) and sound
            in_view = _seen(command, held)
            found |= in_view
            if command.verb is Verb.CLOSE:
                # What was found in there is behind the door now.
                found = {each for each in found if each in state.places or is_fixed(each)}
        if state.held is not None:
            in_view.add(state.held)
        return cls(state, frozenset(in_view), frozenset(found), sound)

    def place(self, kind: str) -> str | None:
        """What something was put into or onto; None where that is not known."""
        return self.state.places.get(kind)

    def closed_in(self, kind: str) -> str | None:
        """The closed container that something was put into; None where there is none."""
        place = self.place(kind)
        shut = place in tables().openable and place not in self.state.open
        return place if shut else None


def is_fixed(kind: str) -> bool:
    """Whether a type cannot be carried: what a room has of it stays there."""
    return lacks(kind, Trait.PICKUPABLE)


def lacks(kind: str, trait: Trait) -> bool:
    """Whether no instance of a type has a trait, as far as the type is known."""
    known = object_types().get(kind)
    return known is not None and not known.can(trait) and trait not in known.sometimes


def _seen(command: Command, held: str | None) -> set[str]:
    """What an action that worked surely leaves in view."""
    kind = command.object_type
    match command.verb:
        case Verb.PUT if held is not None:
            return {kind, held}
        case Verb.SLICE:
            return {tables().slices.get(kind, kind)}
        case _:
            return {kind}
