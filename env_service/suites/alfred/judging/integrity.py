"""Whether a command asks for what its task's goal wants, without a model (docs/refine.md)."""

import re
from dataclasses import dataclass
from enum import IntEnum

from env_service.suites.alfred.judging.blame import Difference, Kind, differences, matters
from env_service.suites.alfred.judging.command_reader import read_command
from env_service.suites.alfred.judging.intent import Intent, Slot, goal_intent
from env_service.suites.alfred.task import Goal, TaskType


class IntegrityType(IntEnum):
    """The five types of the paper's integrity check."""

    SPATIAL = 1
    """Where things belong is wrong or not said."""
    OBJECT = 2
    """What is carried, what goes along, or the lamp is wrong or not said."""
    SEQUENCE = 3
    """Heating, cooling, cleaning, slicing or the number is missing or too much."""
    OTHER = 4
    """It cannot be read at all."""
    NONE = 5


@dataclass(frozen=True, slots=True)
class Integrity:
    """What the check found: its type, and the reason in words; empty if it is sound."""

    type: IntegrityType
    reason: str = ""

    @property
    def sound(self) -> bool:
        """Whether the command asks for what the goal wants."""
        return self.type is IntegrityType.NONE


_TYPES = {
    Slot.OBJECT: IntegrityType.OBJECT,
    Slot.MOVABLE: IntegrityType.OBJECT,
    Slot.LAMP: IntegrityType.OBJECT,
    Slot.DESTINATION: IntegrityType.SPATIAL,
    Slot.SLICED: IntegrityType.SEQUENCE,
    Slot.STATE: IntegrityType.SEQUENCE,
    Slot.COUNT: IntegrityType.SEQUENCE,
}
_ORDER = (IntegrityType.OBJECT, IntegrityType.SPATIAL, IntegrityType.SEQUENCE)
"""A command with several defects gets the first of these, as the published data names one type."""

_SLICE = re.compile(r"\bSliceObject\(", re.IGNORECASE)
_LIST = re.compile(r"\b\d+\.\s*\w+")


def check(
    command: str,
    goal: Goal,
    action_sequence: str,
    *,
    language: str = "en",
    strict: bool = False,
) -> Integrity:
    """Compares a command with the goal of its task.

    Args:
        command: any wording but a contextual one without its context.
        action_sequence: the task's high-level plan as the refined sets have it ("1.
            GotoLocation(shelf), …"), or empty. With one, a command also has to mention the
            slicing that the plan does.
        language: BCP 47: "en" or "ko".
        strict: whether a word that may mean several types, such as "table", is a defect although
            one of them is meant.

    Raises:
        ValueError: the action sequence is not a numbered list of actions.
    """
    if action_sequence and not _LIST.search(action_sequence):
        raise ValueError(
            f'the action sequence "{action_sequence[:60]}" is not a numbered list of actions;'
            ' it has to look like "1. GotoLocation(shelf), 2. PickupObject(soapbar)"'
        )
    intent = read_command(command, language=language)
    wanted = goal_intent(goal)
    found = [each for each in differences(intent, wanted) if _counts(each, goal)]
    if strict:
        found += _vague(intent, wanted)
    if found and not (intent.objects or intent.destinations or intent.lamps):
        return Integrity(
            IntegrityType.OTHER, "the command names no object, no receptacle and no lamp"
        )
    if _SLICE.search(action_sequence) and not intent.sliced and not goal.sliced:
        return Integrity(
            IntegrityType.SEQUENCE, "slicing: the plan slices, and the command does not say so"
        )
    for kind in _ORDER:
        reasons = [str(each) for each in found if _TYPES[each.slot] is kind]
        if reasons:
            return Integrity(kind, "; ".join(reasons))
    return Integrity(IntegrityType.NONE)


def _vague(intent: Intent, goal: Intent) -> list[Difference]:
    """Names that may mean what the goal wants, and something else as well."""
    return [
        Difference(slot, Kind.OTHER, intent.values(slot), goal.values(slot), intent.words[slot])
        for slot in (Slot.OBJECT, Slot.MOVABLE, Slot.DESTINATION, Slot.LAMP)
        if matters(slot, goal)
        and len(intent.values(slot)) > 1
        and intent.values(slot) & goal.values(slot)
        and slot in intent.words
    ]


def _counts(difference: Difference, goal: Goal) -> bool:
    """Whether a difference is a defect. If the goal has a movable, these are no defects:
    slicing an object that is only partly asked for, or putting it into a movable."""
    extra_movable = difference.slot is Slot.MOVABLE and difference.kind is Kind.EXTRA
    return not (extra_movable and goal.type is TaskType.MOVABLE)
