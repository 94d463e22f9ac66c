"""Who is to blame for each slot in which a plan misses the goal, the command or the plan; where
a command says something else than the goal; and which steps failed for what reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from env_service.suites.alfred.judging.analysis import FailureCode, JudgedCase
from env_service.suites.alfred.judging.ideal_replay import IdealStep, Replay
from env_service.suites.alfred.judging.intent import Intent, Slot, State
from env_service.suites.alfred.judging.plan_intent import PlanIntent
from env_service.suites.alfred.skills.steps import Cause, Verb
from env_service.suites.alfred.skills.vocabulary import named_types

_CODES: Mapping[Slot, FailureCode] = {
    Slot.OBJECT: FailureCode.WRONG_OBJECT,
    Slot.SLICED: FailureCode.MISSING_SLICE,
    Slot.STATE: FailureCode.MISSING_STATE_CHANGE,
    Slot.MOVABLE: FailureCode.WRONG_MOVABLE,
    Slot.DESTINATION: FailureCode.WRONG_DESTINATION,
    Slot.COUNT: FailureCode.WRONG_COUNT,
    Slot.LAMP: FailureCode.LAMP_OFF,
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
    def code(self) -> FailureCode:
        """What it is called."""
        return _CODES[self.slot]

    def __str__(self) -> str:
        did = " or ".join(sorted(self.did))
        if self.slot is Slot.MOVABLE and self.carried and not did:
            vessel = " or ".join(sorted(self.carried))
            return f"{self.slot.value}: the plan carries {vessel}, but not with the object in it"
        outcome = f"comes to {did}" if did else _NOTHING_DONE[self.slot]
        wanted = " or ".join(sorted(self.wanted)) or "none"
        return f"{self.slot.value}: the plan {outcome}, the goal wants {wanted}"


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
    """Splits the slots that a plan misses by whether the command misled it.

    Args:
        put_asked: whether the command asks to put the object somewhere without naming the place
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


# --- Where a command says something else than the goal wants, slot by slot

_OPTIONAL = (Slot.SLICED, Slot.STATE, Slot.MOVABLE)
"""What a goal may not want at all, so that saying it is too much."""


class Kind(Enum):
    """How a command differs."""

    OTHER = "other"
    """It says something else."""
    UNSAID = "unsaid"
    """It does not say what the goal wants."""
    EXTRA = "extra"
    """It says what the goal does not want."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One slot in which a command differs from the goal.

    Attributes:
        said: what it may mean; empty for UNSAID.
        wanted: what the goal wants; empty for EXTRA.
        words: the words that say it; empty if unknown.
    """

    slot: Slot
    kind: Kind
    said: frozenset[str]
    wanted: frozenset[str]
    words: str = ""

    @property
    def contradicts(self) -> bool:
        """Whether something else is asked for, rather than too little."""
        return self.kind is not Kind.UNSAID

    def __str__(self) -> str:
        wanted, said = _listed(self.wanted), _listed(self.said)
        if self.kind is Kind.UNSAID:
            return f"{self.slot.value}: the command does not say {wanted}, which the goal wants"
        quoted = f' "{self.words}",' if self.words else ""
        if self.kind is Kind.EXTRA:
            return f"{self.slot.value}: the command says{quoted} {said}; the goal wants none"
        return f"{self.slot.value}: the command says{quoted} {said}; the goal wants {wanted}"


def differences(command: Intent, goal: Intent) -> tuple[Difference, ...]:
    """The slots in which a command differs from what `goal_intent` says, in the order of `Slot`.
    A word that may mean what the goal wants does not differ."""
    found = (_difference(slot, command, goal) for slot in Slot if matters(slot, goal))
    return tuple(each for each in found if each is not None)


def matters(slot: Slot, goal: Intent) -> bool:
    """Whether a slot is any of a goal's: what is looked at in light goes nowhere, and the number
    of what is not named says nothing."""
    if goal.lamps:
        return slot not in (Slot.DESTINATION, Slot.COUNT, Slot.MOVABLE)
    return slot is not Slot.LAMP


def _difference(slot: Slot, command: Intent, goal: Intent) -> Difference | None:
    said, wanted = command.values(slot), goal.values(slot)
    words = command.words.get(slot, "")
    if wanted and said:
        return None if said & wanted else Difference(slot, Kind.OTHER, said, wanted, words)
    if wanted:
        silent = slot is not Slot.COUNT
        return Difference(slot, Kind.UNSAID, said, wanted) if silent else None
    if said and slot in _OPTIONAL and not command.loose:
        return Difference(slot, Kind.EXTRA, said, wanted, words)
    return None


def _listed(values: frozenset[str]) -> str:
    return " or ".join(sorted(values))


# --- Which steps of an episode failed for what reason: moving and grasping, or the plan's own logic

_SKILL_NAMES = (Cause.UNKNOWN_WORDS, Cause.NO_SUCH_OBJECT)
_HARMLESS = frozenset({FailureCode.WRONG_STATE})
"""Failures of logic that change nothing: what is open was opened again."""


def culprit(case: JudgedCase, played: Replay, understood: Intent | None = None) -> IdealStep | None:
    """The first step that failed though nothing in the plan forbade it; None if there is none.

    Args:
        understood: the goal, where the plan does not reach it by logic alone. A name that the
            robot did not know counts then only if it may mean something that the goal wants, and
            what merely follows from an earlier failure does not count.
    """
    failed = [each for each in played.steps if _failed(case, each)]
    direct = (each for each in failed if _direct(each, understood))
    step = next(direct, None)
    if step is None and understood is None:
        return next(iter(failed), None)
    return step


def logical_failures(played: Replay) -> tuple[IdealStep, ...]:
    """The steps that could not work, of each reason the first."""
    found: dict[FailureCode, IdealStep] = {}
    for each in played.steps:
        code = each.result.code
        if code is not None and code not in _HARMLESS:
            found.setdefault(code, each)
    return tuple(found.values())


def _failed(case: JudgedCase, step: IdealStep) -> bool:
    """Whether a step failed in the episode alone. If the scene is unknown, an object that was not
    seen counts as well, as it may have been behind a closed door."""
    cause = step.record.result.cause
    unseen = case.opening is None and cause is Cause.NOT_VISIBLE
    return step.physical or (unseen and step.result.code is FailureCode.CLOSED_CONTAINER)


def _direct(step: IdealStep, understood: Intent | None) -> bool:
    cause = step.record.result.cause
    if cause is None:
        return False
    if cause in _SKILL_NAMES:
        named = step.destination if step.verb is Verb.PUT_DOWN else step.types
        return understood is None or bool(named & _wanted(understood))
    return cause.physical


def _wanted(goal: Intent) -> frozenset[str]:
    return goal.objects | goal.movables | goal.destinations | goal.lamps
