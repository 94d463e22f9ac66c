"""The outcome of an action, and how much of it the agent sees."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum


class OutcomeCode(IntEnum):
    """Values equal ``houseguest.agent.v1.OutcomeCode``.

    Suites use the precise codes; ``REFUSED`` and ``WITHHELD`` are what disclosure leaves.
    """

    SUCCEEDED = 1
    REFUSED = 2
    WITHHELD = 3
    UNPARSABLE = 4
    UNKNOWN_SKILL = 5
    UNKNOWN_OBJECT = 6
    PRECONDITION_FAILED = 7
    PHYSICALLY_BLOCKED = 8


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the world took one action: the truth, with the suite's words for it."""

    code: OutcomeCode
    feedback: str = ""


class FeedbackMode(Enum):
    """How much of an outcome the agent sees under a condition."""

    NONE = "none"
    """Nothing: the code is WITHHELD and the words are empty."""
    SIMPLE = "simple"
    """Whether it worked: SUCCEEDED or REFUSED, no words."""
    DETAILED = "detailed"
    """The precise code and the suite's words."""


@dataclass(frozen=True, slots=True)
class Disclosure:
    """What a condition lets the wire say beyond the observation itself."""

    feedback: FeedbackMode = FeedbackMode.DETAILED
    step_limit: bool = False
    """Whether the agent sees the step limit and the steps that are left."""
    time_budget: bool = True
    """Whether the agent sees its time budget and the time that is left."""

    def outcome(self, truth: Outcome) -> Outcome:
        """Reduces an outcome to what the agent may know. The only place where that happens."""
        match self.feedback:
            case FeedbackMode.DETAILED:
                return truth
            case FeedbackMode.SIMPLE:
                worked = truth.code is OutcomeCode.SUCCEEDED
                return Outcome(OutcomeCode.SUCCEEDED if worked else OutcomeCode.REFUSED)
            case FeedbackMode.NONE:
                return Outcome(OutcomeCode.WITHHELD)
