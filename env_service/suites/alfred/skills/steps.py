"""One step of a plan, its result, and the wording of a step that failed."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from env_service.domain.outcome import OutcomeCode
from env_service.worlds.ai2thor_api.metadata_view import ThorObject


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
    """It is in something closed, or belongs into something closed."""
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
        """Whether it lay in navigation or manipulation, not in the plan
        (docs/alfred-rules.md, Failures)."""
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
        """Whether the step had the intended effect."""
        return self.code is OutcomeCode.SUCCEEDED


@dataclass(frozen=True, slots=True)
class StepRecord:
    """What was said, the skill that it was read as (None: no skill), and how it went."""

    said: str
    step: SkillStep | None
    result: SkillResult


@dataclass(frozen=True, slots=True)
class Marks:
    """Ids of the objects that were heated, cooled and cleaned in this episode
    (docs/alfred-rules.md, "Skills"). A mark stays."""

    heated: frozenset[str] = frozenset()
    cooled: frozenset[str] = frozenset()
    cleaned: frozenset[str] = frozenset()


# --- The wording of a step that failed: LoTa-Bench's message, and the cause, which LoTa-Bench lacks

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
"""Parts of the simulator's errors (docs/ai2thor.md), as small
letters; the first that fits counts."""

_CODES: Mapping[Cause, OutcomeCode] = {
    Cause.UNKNOWN_WORDS: OutcomeCode.UNKNOWN_SKILL,
    Cause.NO_SUCH_OBJECT: OutcomeCode.UNKNOWN_OBJECT,
}


def cause_of(error: str | None) -> Cause:
    """The cause behind a simulator's error message; REFUSED for an unknown message, and for
    none."""
    text = (error or "").lower()
    return next((cause for part, cause in _PARTS if part in text), Cause.REFUSED)


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
