"""Where a command says something else than the goal wants, slot by slot."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from env_service.suites.alfred.judging.intent import Intent, Slot

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
