"""Who is to blame for each slot in which a plan misses the goal: the command or the plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from env_service.suites.alfred.judging.analysis import Code
from env_service.suites.alfred.judging.differences import Difference, Kind, matters
from env_service.suites.alfred.judging.intent import Intent, Slot, State
from env_service.suites.alfred.judging.plan_intent import PlanIntent
from env_service.suites.alfred.skills.vocabulary import named_types

_CODES: Mapping[Slot, Code] = {
    Slot.OBJECT: Code.WRONG_OBJECT,
    Slot.SLICED: Code.MISSING_SLICE,
    Slot.STATE: Code.MISSING_STATE_CHANGE,
    Slot.MOVABLE: Code.WRONG_MOVABLE,
    Slot.DESTINATION: Code.WRONG_DESTINATION,
    Slot.COUNT: Code.WRONG_COUNT,
    Slot.LAMP: Code.LAMP_OFF,
}
_NOTHING_DONE: Mapping[Slot, str] = {
    Slot.OBJECT: "takes nothing along",
    Slot.SLICED: "slices nothing",
    Slot.STATE: "changes nothing",
    Slot.MOVABLE: "takes no vessel along",
    Slot.DESTINATION: "puts it nowhere",
    Slot.COUNT: "places nothing",
    Slot.LAMP: "turns no lamp on",
}
_TREATED_IN: Mapping[State, str] = {
    State.HEATED: "Microwave",
    State.COOLED: "Fridge",
    State.CLEANED: "SinkBasin",
}
"""Where the robot changes the state of what lies there."""
_NAMES = (Slot.OBJECT, Slot.MOVABLE, Slot.DESTINATION, Slot.LAMP)
"""Slots that a noun fills."""


@dataclass(frozen=True, slots=True)
class Miss:
    """A slot in which a plan misses the goal: what it did, and what the goal wants.

    ``carried`` are types that the slot wants and that the plan did carry, though not as the goal
    wants it.
    """

    slot: Slot
    did: frozenset[str]
    wanted: frozenset[str]
    carried: frozenset[str] = frozenset()

    @property
    def code(self) -> Code:
        """What it is called."""
        return _CODES[self.slot]

    def __str__(self) -> str:
        did = " or ".join(sorted(self.did))
        if self.slot is Slot.MOVABLE and self.carried and not did:
            vessel = " or ".join(sorted(self.carried))
            return f"{self.slot.value}: the plan carries {vessel}, but not with the object in it"
        told = f"comes to {did}" if did else _NOTHING_DONE[self.slot]
        wanted = " or ".join(sorted(self.wanted)) or "none"
        return f"{self.slot.value}: the plan {told}, the goal wants {wanted}"


@dataclass(frozen=True, slots=True)
class Blame:
    """The slots that a plan misses, parted.

    Attributes:
        contradicted: the command says something else than the goal, and the plan went by it.
        unsaid: the command does not say it, and the plan did no more.
        own: the plan missed it by itself.
    """

    contradicted: tuple[Difference, ...]
    unsaid: tuple[Difference, ...]
    own: tuple[Miss, ...]


def blame(
    plan: PlanIntent, goal: Intent, differences: tuple[Difference, ...], *, put_asked: bool
) -> Blame:
    """Parts the slots that a plan misses by whether the command misled it.

    Args:
        put_asked: whether the command tells to put the object somewhere without naming the place
            ("in its usual spot"). A plan that leaves the object where it was heated, cooled or
            cleaned did not even try that.
    """
    by_slot = {each.slot: each for each in differences}
    missed = [each for each in _misses(plan, goal) if each is not None]
    stayed = put_asked and _stayed(plan.intent, goal)
    led = {
        each.slot: by_slot[each.slot]
        for each in missed
        if each.slot in by_slot
        and _went_by(plan.intent, by_slot[each.slot])
        and not (stayed and each.slot is Slot.DESTINATION)
    }
    return Blame(
        contradicted=tuple(each for each in led.values() if each.contradicts),
        unsaid=tuple(each for each in led.values() if not each.contradicts),
        own=tuple(each for each in missed if each.slot not in led),
    )


def _stayed(plan: Intent, goal: Intent) -> bool:
    """Whether a plan leaves the object where its state was to be changed."""
    places = {_TREATED_IN[each] for each in plan.states | goal.states}
    return bool(plan.destinations) and plan.destinations <= places


def _misses(plan: PlanIntent, goal: Intent) -> list[Miss | None]:
    return [_miss(slot, plan, goal) for slot in Slot if matters(slot, goal)]


def _miss(slot: Slot, plan: PlanIntent, goal: Intent) -> Miss | None:
    did, wanted = plan.intent.values(slot), goal.values(slot)
    if wanted:
        fine = bool(did & wanted) or (slot is Slot.COUNT and wanted == {"1"})
    else:
        fine = slot not in (Slot.SLICED, Slot.MOVABLE) or not did
    return None if fine else Miss(slot, did, wanted, plan.carried & wanted)


def _went_by(plan: Intent, difference: Difference) -> bool:
    """Whether a plan did in a slot what the command says. Where the command says nothing, a plan
    that did nothing to the object's state went by it, and any guess at a name did. A name that is
    no skill's has to be guessed at too."""
    did = plan.values(difference.slot)
    if difference.kind is Kind.UNSAID:
        return difference.slot in _NAMES[:1] + _NAMES[2:] or not did
    if did & difference.said:
        return True
    guessed = difference.slot in _NAMES and bool(difference.words) and bool(did)
    return guessed and not named_types(difference.words)
