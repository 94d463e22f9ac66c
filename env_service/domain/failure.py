"""Why an episode did not succeed, why it did not count, and how an agent was lost to its run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any


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
    """Why an episode was voided: the service's faults. Replayed, never counted."""

    SIMULATOR_CRASH = "simulator_crash"
    SIMULATOR_HANG = "simulator_hang"
    SERVICE_FAULT = "service_fault"
    DATA_FAULT = "data_fault"


class AgentLossClass(Enum):
    """Why an agent was lost to its run, whichever episodes that cost."""

    IMAGE_MISSING = "image_missing"
    START_FAILED = "start_failed"
    PROTOCOL_ERROR = "protocol_error"
    AGENT_CRASH = "agent_crash"
    AGENT_OOM = "agent_oom"
    AGENT_TIMEOUT = "agent_timeout"
    AGENT_LOST = "agent_lost"


class WithdrawReason(Enum):
    """Why an agent left the run. This is not a failure, and the episode never counts."""

    MODEL_UNREACHABLE = "model_unreachable"
    MODEL_REFUSED = "model_refused"
    BUDGET_SPENT = "budget_spent"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """An agent leaves the run. ``message`` is the agent's, for the operator, one line."""

    reason: WithdrawReason
    message: str


class WorldFault(Exception):  # noqa: N818 - a fault is what the field calls it
    """The service failed an episode.

    ``collateral`` is true when another episode on the same worker caused it: such a void
    is charged neither to the task nor to the agent. ``detail`` is for operators only and
    never reaches an agent.
    """

    def __init__(self, fault: FaultClass, detail: str, *, collateral: bool = False) -> None:
        super().__init__(f"{fault.value}: {detail}")
        self.fault = fault
        self.detail = detail
        self.collateral = collateral


# --- How an agent was lost to its run


@dataclass(frozen=True, slots=True)
class EpisodePosition:
    """Where in an episode an agent was: ``step`` is the index of the step that was due."""

    episode_id: str
    task_id: str
    step: int


@dataclass(frozen=True, slots=True)
class ProtocolViolation:
    """The first of several calls in a row that the service refused as against the protocol.

    ``reason`` is a name of ``domain.reasons.Reason``; ``position`` None: no episode was open.
    """

    reason: str
    message: str
    position: EpisodePosition | None


@dataclass(frozen=True, slots=True)
class LostAgent:
    """An agent that was lost, and the sessions that it held.

    ``exit_code`` is negative for a signal, and None for an agent that was stopped or never started
    to run. ``times``: how often in a row the agent of these sessions was lost before it began an
    episode. ``position`` is its position in the run; ``offence`` how it broke the protocol.
    ``problem``: details beyond the class; may be empty. ``final``: no agent gets the sessions again
    in this process.
    """

    failure: AgentLossClass
    sessions: tuple[int, ...]
    exit_code: int | None
    times: int
    log_tail: str
    position: EpisodePosition | None = None
    offence: ProtocolViolation | None = None
    problem: str = ""
    final: bool = False

    def to_json(self) -> dict[str, Any]:
        """The failure as its line in ``logs/lost-guests.jsonl`` holds it."""
        offence = self.offence
        return {
            "failure": self.failure.value,
            "seats": list(self.sessions),
            "exit_code": self.exit_code,
            "times": self.times,
            "final": self.final,
            "first_offending_step": _position_json(offence.position if offence else self.position),
            "offence": None if offence is None else f"{offence.reason}: {offence.message}",
            "problem": self.problem,
            "log_tail": self.log_tail,
        }


def _position_json(position: EpisodePosition | None) -> dict[str, Any] | None:
    if position is None:
        return None
    return {"episode_id": position.episode_id, "task_id": position.task_id, "step": position.step}
