"""The texts for an agent: the rules of the environment, how to answer, why an action is refused,
and the results of its steps.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from env_service.domain.outcome import FeedbackMode, OutcomeCode
from env_service.suites.asgard.action_language import NOTHING, Verb

# --- Why the environment refuses an action: the words, and what kind of reason it is


class Reason(StrEnum):
    """The kind of precondition that failed, or what stood in the way of an action whose
    preconditions held.

    One for each sort of message of the release, so that undoable actions can be counted by
    what the agent got wrong.
    """

    NO_SUCH_OBJECT = "no_such_object"
    """No object of the type exists (now)."""
    USED_BY_GOAL = "used_by_goal"
    """Every object of the type already serves a location goal."""
    NOT_VISIBLE = "not_visible"
    HAND_FULL = "hand_full"
    HAND_EMPTY = "hand_empty"
    TOOL_MISSING = "tool_missing"
    """The hand does not hold what the action takes: a knife, a sponge, the mug to drink from."""
    CONTAINER_CLOSED = "container_closed"
    DOOR_OPEN = "door_open"
    """What runs only behind a closed door has it open."""
    ALREADY_SO = "already_so"
    """It is already open, closed, on, off or sliced."""
    UNABLE = "unable"
    """Nothing of this type can be picked up, or opened."""
    INCOMPATIBLE = "incompatible"
    DIRTY = "dirty"
    EMPTY = "empty"
    """A vessel without liquid, a coffee machine without a mug, a burner without a pan."""
    WRONG_CONTENTS = "wrong_contents"
    """What it contains is in the way: food in a sink, a full mug in a coffee machine."""
    WRONG_PLACE = "wrong_place"
    """What is cleaned, sliced or cracked does not lie where that is done."""
    WATER_OFF = "water_off"
    NOT_SPRAYED = "not_sprayed"
    NO_ROOM = "no_room"
    """The preconditions held, but the receptacle has no room left."""
    OUT_OF_REACH = "out_of_reach"
    """The preconditions held, but no place was found to act from."""
    SIMULATOR = "simulator"
    """The preconditions held, but the simulator refused."""


PHYSICAL = frozenset({Reason.NO_ROOM, Reason.OUT_OF_REACH, Reason.SIMULATOR})
"""Reasons other than preconditions."""

PLACEHOLDER = "--"
"""The released code's message where no try came as far as the simulator (docs/asgard-rules.md,
"Actions")."""


class ErrorType(StrEnum):
    """The released code's types of error that the world itself finds (docs/asgard.md,
    "Conditions")."""

    INVALID_OBJECT = "Invalid Object"
    UNDOABLE = "Undoable"


@dataclass(frozen=True, slots=True)
class Refusal:
    """One refusal. ``message`` has AI2-THOR's names in it, such as Mug_e7fad100; `history.plain`
    makes types of them."""

    reason: Reason
    message: str
    error_type: ErrorType = ErrorType.UNDOABLE

    @property
    def code(self) -> OutcomeCode:
        """The code that the environment gives it."""
        if self.error_type is ErrorType.INVALID_OBJECT:
            return OutcomeCode.UNKNOWN_OBJECT
        if self.reason in PHYSICAL:
            return OutcomeCode.PHYSICALLY_BLOCKED
        return OutcomeCode.PRECONDITION_FAILED


class RefusedError(Exception):
    """Ends the attempt on one instance. ``final``: no other instance is worth a try."""

    def __init__(self, refusal: Refusal, *, final: bool = False) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal
        self.final = final


# --- What an agent reads of its steps (docs/asgard.md, "Conditions")

_UNREAD = f"{NOTHING} {NOTHING}"
_INSTANCE = re.compile(r"(\w+)_[a-zA-Z0-9]+")


@dataclass(frozen=True, slots=True)
class PastStep:
    """One turn of the history.

    ``text`` is "ACTION Object", "None None" where no action was understood. ``message`` says why
    it failed, in AI2-THOR's names.
    """

    text: str
    succeeded: bool
    message: str = ""


def plain(message: str) -> str:
    """A message with types in the place of names: Mug_e7fad100 becomes Mug."""
    return _INSTANCE.sub(r"\1", message)


def step_status(step: PastStep, feedback: FeedbackMode) -> str:
    """The result of the step, as detailed as the feedback mode allows; empty for none."""
    if feedback is FeedbackMode.NONE:
        return ""
    if step.succeeded:
        return "Success"
    if feedback is FeedbackMode.SIMPLE or not step.message:
        return "Failure"
    return f"Failure: {plain(step.message)}"


def step_line(step: PastStep, feedback: FeedbackMode) -> str:
    """One step: its action and, as far as the feedback mode allows, its result."""
    return "  ".join(filter(None, (step.text, step_status(step, feedback))))


def history_text(steps: Iterable[PastStep], feedback: FeedbackMode) -> str:
    """All steps, one a line, numbered from 1. Turns without an action are left out, and the
    numbers close up; nothing is ever shortened."""
    readable = (step for step in steps if step.text != _UNREAD)
    lines = (f"{n}. {step_line(step, feedback)}" for n, step in enumerate(readable, start=1))
    return "\n".join(lines)


_VERBS = ", ".join(Verb)

_COMMON_SENSE = """

- But for FIND, an action needs its object in view: FIND it first.
- What has a door is opened before something is taken out of it or put into it. What is open \
cannot be opened, what is on not be switched on.
- A hand that holds something picks nothing up; an empty one has nothing to put down.
- Nothing goes into or onto something dirty, and each thing only where such things belong."""

_WORLD_RULES = """\
You have one hand, which holds one thing. You act on types of things (Mug, Cabinet): which one of \
several is meant is chosen for you, the one that you found, see or used last before others. You \
walk up to it by yourself.

- Close cabinets, drawers, the fridge and the microwave when you are done with them.
- A switch works at once: turn a device on, then off again; there is no need to wait. At the end \
nothing may be left on, unless the task asks for it.
- Wash: put the dish into the SinkBasin, hold the DishSponge, TOGGLE_ON the Faucet, CLEAN the \
dish, TOGGLE_OFF the Faucet. The Faucet does not run while anything but dishes and the sponge is \
in the basin. Clean a dirty dish before it is used or put away.
- Mirror: SPRAY it with the SprayBottle in the hand, then CLEAN it with the Cloth in the hand.
- Slice on a surface that stands open, with the Knife in the hand; the pieces are a type of their \
own (TomatoSliced). An Egg is cracked in a Pan, with SLICE, and is then EggCracked.
- Coffee: put a Mug that is clean and empty into the CoffeeMachine, and turn it on and off.
- Toast: put a slice of bread into the Toaster. Fry: put a Pan with the food on a StoveBurner. \
A whole Potato is cooked in the Microwave, which has to be closed.
- The Television is switched with the RemoteControl in the hand.
- Serve Potato and Lettuce in a Bowl, anything else on a Plate. Put away food in the Fridge, \
silverware in a Drawer, dishes in a Cabinet."""


def world_rules(*, common_sense: bool) -> str:
    """The rules of the environment that the paper's prompt contains (docs/asgard.md,
    "Conditions"). With ``common_sense`` also those that its baseline leaves to the agent."""
    return _WORLD_RULES + (_COMMON_SENSE if common_sense else "")


def answer_rules(available: Iterable[str]) -> str:
    """How an answer in words has to look; of no concern to an agent that sends skills."""
    example = next(iter(available), "Mug")
    return (
        "An answer in words ends with a line 'Action: VERB Object', such as"
        f" 'Action: FIND {example}'. VERB, in capitals, is one of {_VERBS}; Object is one of the"
        " available objects. The last such line counts, and of an answer with '<answer>' only what"
        " follows it. Any other answer is not understood, and costs its turn."
    )
