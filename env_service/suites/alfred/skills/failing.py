"""How a step that did not work is told: LoTa-Bench's message, and the cause, which it has not."""

from __future__ import annotations

from collections.abc import Mapping

from env_service.domain.outcome import OutcomeCode
from env_service.suites.alfred.house import ThorObject
from env_service.suites.alfred.skills.step import Cause, SkillResult

_PARTS: tuple[tuple[str, Cause], ...] = (
    ("hand has something in it", Cause.HAND_FULL),
    ("isn't holding anything", Cause.HAND_EMPTY),
    ("nothing in hand", Cause.HAND_EMPTY),
    ("in the agent's hand", Cause.IN_HAND),
    ("openable receptacle is closed", Cause.CLOSED_CONTAINER),
    ("already open", Cause.WRONG_STATE),
    ("already closed", Cause.WRONG_STATE),
    ("already on", Cause.WRONG_STATE),
    ("already off", Cause.WRONG_STATE),
    ("already sliced", Cause.WRONG_STATE),
    ("target must be", Cause.WRONG_STATE),
    ("is broken", Cause.WRONG_STATE),
    ("not an openable", Cause.NO_SUCH_OBJECT),
    ("canpickup", Cause.NO_SUCH_OBJECT),
    ("canbesliced", Cause.NO_SUCH_OBJECT),
    ("not toggleable", Cause.NO_SUCH_OBJECT),
    ("not the objectid on any", Cause.NO_SUCH_OBJECT),
    ("controlled by another", Cause.NO_SUCH_OBJECT),
    ("within the specified visibility", Cause.NOT_VISIBLE),
    ("not visible", Cause.NOT_VISIBLE),
    ("not interactable", Cause.BLOCKED),
    ("no valid positions", Cause.NO_ROOM),
    ("no valid receptacle", Cause.NO_ROOM),
    ("not a receptacle", Cause.NO_ROOM),
    ("full right now", Cause.NO_ROOM),
    ("valid object type to be placed", Cause.NO_ROOM),
    ("cannot be placed in", Cause.NO_ROOM),
    ("from being placed", Cause.NO_ROOM),
    ("blocking", Cause.BLOCKED),
    ("collide", Cause.BLOCKED),
    ("failed to open/close", Cause.BLOCKED),
)
"""Parts of the simulator's errors (spec: ai2thor.md section 5.4, alfred.md section 3.6), as small
letters; the first that fits counts."""

_CODES: Mapping[Cause, OutcomeCode] = {
    Cause.UNKNOWN_WORDS: OutcomeCode.UNKNOWN_SKILL,
    Cause.NO_SUCH_OBJECT: OutcomeCode.UNKNOWN_OBJECT,
}


def cause_of(error: str | None) -> Cause:
    """What a simulator's error message comes down to; REFUSED for one that nobody knows, and for
    none."""
    told = (error or "").lower()
    return next((cause for part, cause in _PARTS if part in told), Cause.REFUSED)


def code_of(cause: Cause) -> OutcomeCode:
    """What the domain calls a cause."""
    if cause.physical:
        return OutcomeCode.PHYSICALLY_BLOCKED
    return _CODES.get(cause, OutcomeCode.PRECONDITION_FAILED)


def failure(cause: Cause, message: str, item: ThorObject | None = None) -> SkillResult:
    """The result of a step that did not work; ``item`` is the instance that was chosen."""
    return SkillResult(
        code_of(cause), message, cause, object_id="" if item is None else item["objectId"]
    )


def success(item: ThorObject, receptacle: ThorObject | None = None) -> SkillResult:
    """The result of a step that worked on an instance, and where it was put."""
    return SkillResult(
        OutcomeCode.SUCCEEDED,
        object_id=item["objectId"],
        receptacle_id="" if receptacle is None else receptacle["objectId"],
    )
