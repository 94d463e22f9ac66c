"""What speaks against each of the actions, by the rules and by what is known of the house.

The preconditions are those of spec section 2.3. What stands in the way physically is not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from env_service.suites.asgard.recorded.knowledge import (
    SEVERAL,
    STARTS_OFF,
    Knowledge,
    is_fixed,
    lacks,
)
from env_service.suites.asgard.recorded.verdict import Verdict, no, unsure
from env_service.suites.asgard.refusal import Reason
from env_service.suites.asgard.rules import Rules
from env_service.suites.asgard.tables import compatible, tables, whole_type
from env_service.suites.asgard.vocabulary import Verb
from env_service.worlds.thor.object_types import Trait

_SWITCHED_BY_ANOTHER = frozenset({"SinkBasin", "StoveBurner"})
"""What a faucet or a knob switches, when it is named itself (spec section 2.3)."""


@dataclass(frozen=True, slots=True)
class Case:
    """What a check looks at."""

    known: Knowledge
    rules: Rules


def _pick_up(case: Case, kind: str) -> Iterator[Verdict]:
    known = case.known
    if known.state.held is not None:
        yield no(Reason.HAND_FULL, f"the hand holds {known.state.held}")
    shut = known.closed_in(kind)
    if shut is not None:
        make = unsure if kind in SEVERAL else no
        yield make(Reason.CONTAINER_CLOSED, f"{kind} is in the closed {shut}")
    if lacks(kind, Trait.PICKUPABLE):
        yield no(Reason.UNABLE, f"{kind} cannot be picked up")


def _put(case: Case, kind: str) -> Iterator[Verdict]:
    state = case.known.state
    if state.held is None:
        yield no(Reason.HAND_EMPTY, "the hand is empty")
        return
    if kind in state.dirty:
        yield no(Reason.DIRTY, f"{kind} is dirty")
    if kind in tables().openable and kind not in state.open:
        retried = case.rules.put_retries_find_and_open and kind in SEVERAL
        make = unsure if retried else no
        yield make(Reason.CONTAINER_CLOSED, f"{kind} is closed")
    if not compatible(state.held, kind):
        yield no(Reason.INCOMPATIBLE, f"{state.held} does not go to {kind}")


def _open(case: Case, kind: str) -> Iterator[Verdict]:
    yield from _door(kind)
    if kind in case.known.state.open:
        make = unsure if kind in SEVERAL else no
        yield make(Reason.ALREADY_SO, f"{kind} is already open")


def _close(case: Case, kind: str) -> Iterator[Verdict]:
    yield from _door(kind)
    if kind in tables().openable and kind not in case.known.state.open:
        yield no(Reason.ALREADY_SO, f"{kind} is already closed")


def _door(kind: str) -> Iterator[Verdict]:
    if lacks(kind, Trait.OPENABLE):
        yield no(Reason.UNABLE, f"{kind} is not openable")
    elif kind not in tables().openable:
        yield unsure(Reason.ALREADY_SO, f"whether {kind} is open is not known")


def _switch(case: Case, kind: str) -> Iterator[Verdict]:
    if kind == "Television" and case.known.state.held != "RemoteControl":
        yield no(Reason.TOOL_MISSING, "the hand holds no remote control")
    elif kind not in STARTS_OFF and _has_switch(kind):
        yield unsure(Reason.ALREADY_SO, f"whether {kind} is on is not known")


def _has_switch(kind: str) -> bool:
    return kind in _SWITCHED_BY_ANOTHER or not lacks(kind, Trait.TOGGLEABLE)


def _switch_on(case: Case, kind: str) -> Iterator[Verdict]:
    known = case.known
    yield from _switch(case, kind)
    if not _has_switch(kind):
        yield no(Reason.SIMULATOR, f"{kind} cannot be switched")
    if kind in known.state.on:
        make = unsure if kind in SEVERAL else no
        yield make(Reason.ALREADY_SO, f"{kind} is already on")
    match kind:
        case "Microwave" if kind in known.state.open:
            yield no(Reason.DOOR_OPEN, "the microwave is open")
        case "CoffeeMachine":
            yield from _coffee(case)
        case "StoveBurner" if not case.rules.burner_without_pan:
            yield from _burner(case)
        case "Faucet":
            odd = known.state.contents("SinkBasin") - tables().may_be_in_a_running_sink
            if odd:
                yield no(Reason.WRONG_CONTENTS, f"SinkBasin contains {min(odd)}")
            yield unsure(Reason.WRONG_CONTENTS, "what else is in the sink is not known")


def _coffee(case: Case) -> Iterator[Verdict]:
    state = case.known.state
    place = state.places.get("Mug")
    if state.held == "Mug" or place not in (None, "CoffeeMachine"):
        yield no(Reason.EMPTY, "there is no mug in the coffee machine")
    elif place is None:
        yield unsure(Reason.EMPTY, "what is in the coffee machine is not known")
    elif "Mug" in state.liquids:
        yield no(Reason.WRONG_CONTENTS, "the mug is not empty")
    elif "Mug" in state.dirty:
        yield no(Reason.DIRTY, "the mug is dirty")


def _burner(case: Case) -> Iterator[Verdict]:
    state = case.known.state
    places = ["" if state.held == kind else state.places.get(kind) for kind in ("Pan", "Pot")]
    if "StoveBurner" in places:
        return
    make = unsure if None in places else no
    yield make(Reason.EMPTY, "there is no pan on the burner")


def _switch_off(case: Case, kind: str) -> Iterator[Verdict]:
    yield from _switch(case, kind)
    off = kind in STARTS_OFF and kind not in case.known.state.on
    if off or not _has_switch(kind):
        yield no(Reason.ALREADY_SO, f"{kind} is already off")


def _clean(case: Case, kind: str) -> Iterator[Verdict]:
    state = case.known.state
    if kind == "Mirror":
        if kind not in state.sprayed:
            yield no(Reason.NOT_SPRAYED, "the mirror has not been sprayed")
        if state.held != "Cloth":
            yield no(Reason.TOOL_MISSING, "the hand holds no cloth")
        return
    if "Faucet" not in state.on:
        yield no(Reason.WATER_OFF, "the faucet is off")
    if state.held != "DishSponge":
        yield no(Reason.TOOL_MISSING, "the hand holds no sponge")
    place = case.known.place(kind)
    if state.held == kind or is_fixed(kind) or place not in (None, "SinkBasin"):
        yield no(Reason.WRONG_PLACE, f"{kind} is not in the SinkBasin")
    elif place is None:
        yield unsure(Reason.WRONG_PLACE, f"{kind} may not be in the SinkBasin")


def _slice(case: Case, kind: str) -> Iterator[Verdict]:
    state, place = case.known.state, case.known.place(kind)
    if kind not in tables().slices:
        reason = Reason.UNABLE if whole_type(kind) is None else Reason.ALREADY_SO
        yield no(reason, f"{kind} cannot be sliced")
        return
    if kind not in tables().sliced_on_a_surface:
        if not case.rules.egg_sliced_anywhere and (state.held == kind or place != "Pan"):
            make = unsure if place is None and state.held != kind else no
            yield make(Reason.WRONG_PLACE, f"{kind} is not in a Pan")
        return
    knives = {"Knife", "ButterKnife"} if case.rules.butter_knife_slices else {"Knife"}
    if state.held not in knives:
        yield no(Reason.TOOL_MISSING, "the hand holds no knife")
    if place is None:
        yield unsure(Reason.WRONG_PLACE, f"{kind} may not lie on a surface")
    elif place not in tables().surfaces:
        yield no(Reason.WRONG_PLACE, f"{kind} is in {place}, not on a surface")


def _empty(case: Case, kind: str) -> Iterator[Verdict]:
    state = case.known.state
    if kind in state.liquids:
        return
    under_water = "Faucet" in state.on and kind in tables().drained
    unknown = under_water and case.known.place(kind) is None and state.held != kind
    yield (unsure if unknown else no)(Reason.EMPTY, f"{kind} is not filled")


def _drink(case: Case, kind: str) -> Iterator[Verdict]:
    held = case.known.state.held
    enough = held is not None if case.rules.drink_with_anything_in_hand else held == kind
    if not enough:
        yield no(Reason.TOOL_MISSING, f"the hand does not hold {kind}")
    yield from _empty(case, kind)


def _spray(case: Case, kind: str) -> Iterator[Verdict]:
    del kind
    if case.known.state.held != "SprayBottle":
        yield no(Reason.TOOL_MISSING, "the hand holds no spray bottle")


CHECKS: Mapping[Verb, Callable[[Case, str], Iterator[Verdict]]] = {
    Verb.PICKUP: _pick_up,
    Verb.PUT: _put,
    Verb.OPEN: _open,
    Verb.CLOSE: _close,
    Verb.TOGGLE_ON: _switch_on,
    Verb.TOGGLE_OFF: _switch_off,
    Verb.CLEAN: _clean,
    Verb.SLICE: _slice,
    Verb.EMPTY: _empty,
    Verb.DRINK: _drink,
    Verb.SPRAY: _spray,
}
"""Each action's own preconditions, for the type that it names. FIND has none."""
