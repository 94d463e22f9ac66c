"""One step of a plan, and how it went."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from env_service.domain.outcome import OutcomeCode


class Verb(Enum):
    """The nine kinds of skills; the value is how a skill string begins."""

    FIND = "find"
    PICK_UP = "pick up"
    PUT_DOWN = "put down"
    OPEN = "open"
    CLOSE = "close"
    SLICE = "slice"
    TURN_ON = "turn on"
    TURN_OFF = "turn off"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class SkillStep:
    """A skill with the object type that it names ("CounterTop"); empty for DONE."""

    verb: Verb
    object: str = ""


class Cause(Enum):
    """Why a step did not work."""

    UNKNOWN_WORDS = "unknown_words"
    """No skill of the skill set."""
    NO_SUCH_OBJECT = "no_such_object"
    """The scene has no object of that type, or none that the skill can be used on."""
    HAND_FULL = "hand_full"
    HAND_EMPTY = "hand_empty"
    IN_HAND = "in_hand"
    """What is in the hand cannot be sliced."""
    CLOSED_CONTAINER = "closed_container"
    """It lies in something closed, or belongs into something closed."""
    WRONG_STATE = "wrong_state"
    """Open already, off already, a microwave that is on or open, sliced already."""
    NO_DESTINATION = "no_destination"
    """No receptacle was found before: the object was dropped."""
    NOT_REACHED = "not_reached"
    """No way to stand before it."""
    NOT_VISIBLE = "not_visible"
    BLOCKED = "blocked"
    """Something is in the way of a door, or of the object."""
    NO_ROOM = "no_room"
    """No free spot in the receptacle, or none that takes such a thing."""
    REFUSED = "refused"
    """The simulator refused it for any other reason."""

    @property
    def physical(self) -> bool:
        """Whether it lay in navigation or manipulation, not in the plan (spec section 4)."""
        return self in _PHYSICAL


_PHYSICAL = frozenset(
    {Cause.NOT_REACHED, Cause.NOT_VISIBLE, Cause.BLOCKED, Cause.NO_ROOM, Cause.REFUSED}
)


@dataclass(frozen=True, slots=True)
class SkillResult:
    """How a step went.

    Attributes:
        code: what the domain calls it. PHYSICALLY_BLOCKED for a physical cause.
        message: LoTa-Bench's text; empty exactly when it worked.
        cause: None when it worked.
        object_id: the instance that was chosen; empty if none was.
        receptacle_id: where it was put; empty but after a put that worked.
    """

    code: OutcomeCode
    message: str = ""
    cause: Cause | None = None
    object_id: str = ""
    receptacle_id: str = ""

    @property
    def worked(self) -> bool:
        """Whether the step did what it says."""
        return self.code is OutcomeCode.SUCCEEDED


@dataclass(frozen=True, slots=True)
class StepRecord:
    """What was said, the skill that it was read as (None: no skill), and how it went."""

    said: str
    step: SkillStep | None
    result: SkillResult


@dataclass(frozen=True, slots=True)
class Marks:
    """Ids of the objects that were heated, cooled and cleaned in this episode (spec section 3.3,
    "State bookkeeping"). A mark stays."""

    heated: frozenset[str] = frozenset()
    cooled: frozenset[str] = frozenset()
    cleaned: frozenset[str] = frozenset()
