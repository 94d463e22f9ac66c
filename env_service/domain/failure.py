"""Why an episode did not succeed, or did not count (architecture §6)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class FailureClass(Enum):
    """Why a counted episode did not succeed: the agent's failures."""

    MAX_STEPS = "max_steps"
    MAX_REPEATS = "max_repeats"
    MAX_FAILURES = "max_failures"
    GOAL_NOT_REACHED = "goal_not_reached"
    GAVE_UP = "gave_up"
    AGENT_TIMEOUT = "agent_timeout"
    AGENT_LOST = "agent_lost"
    AGENT_CRASH = "agent_crash"
    AGENT_OOM = "agent_oom"
    PROTOCOL_ERROR = "protocol_error"


class FaultClass(Enum):
    """Why an episode was voided: the house's faults. Replayed, never counted."""

    SIMULATOR_CRASH = "simulator_crash"
    SIMULATOR_HANG = "simulator_hang"
    SERVICE_FAULT = "service_fault"
    DATA_FAULT = "data_fault"


class GuestFailureClass(Enum):
    """Why a guest was lost to its run, whichever episodes that cost."""

    IMAGE_MISSING = "image_missing"
    START_FAILED = "start_failed"
    PROTOCOL_ERROR = "protocol_error"
    AGENT_CRASH = "agent_crash"
    AGENT_OOM = "agent_oom"
    AGENT_TIMEOUT = "agent_timeout"
    AGENT_LOST = "agent_lost"


class WithdrawReason(Enum):
    """Why a guest left the run: nobody's failure, and never counted."""

    MODEL_UNREACHABLE = "model_unreachable"
    MODEL_REFUSED = "model_refused"
    BUDGET_SPENT = "budget_spent"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A guest leaves the run. ``message`` is its own words for the operator, one line."""

    reason: WithdrawReason
    message: str


class WorldFault(Exception):  # noqa: N818 - a fault is what the field calls it
    """The house failed an episode.

    ``collateral`` is true when another episode on the same worker caused it: such a void
    is charged neither to the task nor to the guest. ``detail`` is for operators only and
    never reaches an agent.
    """

    def __init__(self, fault: FaultClass, detail: str, *, collateral: bool = False) -> None:
        super().__init__(f"{fault.value}: {detail}")
        self.fault = fault
        self.detail = detail
        self.collateral = collateral
