"""The lines of a run's three journals: final, voided and uncounted episodes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from env_service.domain.data_node import DataNode, FormatError
from env_service.domain.episode import GoalCondition, share_gained, share_met
from env_service.domain.failure import FaultClass, WithdrawReason
from env_service.domain.usage import Usage
from env_service.results.domain_json import conditions_json, failure_value, read_conditions

_EPISODE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeRecord:
    """One final episode: its score, and the digest of its transcript.

    ``failure`` is a FailureClass's value, None on success. ``fault`` is a FaultClass's value
    if the service gave up the task: such a task is unscored, and the record does not count.
    ``agent_seconds`` and ``environment_seconds`` are the two clocks, summed over the episode.
    ``exchanges`` counts the transcript's lines after its header, ``transcript_head`` (hex)
    closes its chain. ``guest`` is the agent's name, ``usage`` what it reports
    about its model. ``metrics`` and ``labels`` are the suite's, as in EpisodeResult.
    """

    episode_id: str
    task_id: str
    group: str
    cluster: str
    repeat: int
    seed: int
    success: bool
    failure: str | None
    goal_conditions: tuple[GoalCondition, ...]
    steps: int
    agent_seconds: float
    environment_seconds: float
    session: str
    guest: str
    transcript_head: str
    exchanges: int
    metrics: Mapping[str, float] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    fault: str | None = None

    @property
    def goals_met(self) -> float:
        """The share of goal conditions that hold at the end (``share_met``).

        Without any: success, as 1 or 0.
        """
        share = share_met(self.goal_conditions)
        return float(self.success) if share is None else share

    @property
    def goals_gained(self) -> float | None:
        """The share of goal conditions gained (``share_gained``)."""
        return share_gained(self.goal_conditions)

    def to_json(self) -> dict[str, Any]:
        """The record as a line of ``episodes.jsonl``; empty extras are left out."""
        extras: dict[str, Any] = {"labels": dict(self.labels)} if self.labels else {}
        if self.usage:
            extras["usage"] = self.usage.to_json()
        return extras | {
            "kind": "episode",
            "episode_id": self.episode_id,
            "task_id": self.task_id,
            "group": self.group,
            "cluster": self.cluster,
            "repeat": self.repeat,
            "seed": self.seed,
            "success": self.success,
            "failure": self.failure,
            "goal_conditions": conditions_json(self.goal_conditions),
            "steps": self.steps,
            "agent_seconds": round(self.agent_seconds, 6),
            "environment_seconds": round(self.environment_seconds, 6),
            "session": self.session,
            "guest": self.guest,
            "transcript_head": self.transcript_head,
            "exchanges": self.exchanges,
            "metrics": {name: float(value) for name, value in self.metrics.items()},
            "fault": self.fault,
        }

    @staticmethod
    def from_json(value: object) -> EpisodeRecord:
        """Reads a line. Raises FormatError, which names the error."""
        fields = DataNode(value, "episode")
        check_kind(fields, "episode")
        return EpisodeRecord(
            episode_id=episode_id(fields["episode_id"].string()),
            task_id=fields["task_id"].string(),
            group=fields["group"].string(),
            cluster=fields["cluster"].string(),
            repeat=fields["repeat"].whole(),
            seed=fields["seed"].whole(),
            success=fields["success"].flag(),
            failure=failure_value(fields),
            goal_conditions=read_conditions(fields),
            steps=fields["steps"].whole(),
            agent_seconds=fields["agent_seconds"].number(),
            environment_seconds=fields["environment_seconds"].number(),
            session=fields["session"].string(),
            guest=fields["guest"].string(),
            transcript_head=fields["transcript_head"].string(),
            exchanges=fields["exchanges"].whole(),
            metrics=fields["metrics"].mapped(DataNode.number),
            labels=fields.get("labels", {}).mapped(DataNode.string),
            usage=read_usage(fields),
            fault=None if fields["fault"].or_none(DataNode.string) is None else _fault(fields),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class VoidRecord:
    """One attempt that the service lost; its task is played again.

    ``fault`` is a FaultClass's value, ``attempt`` counts from 1. A ``collateral`` void counts
    neither against the task nor against the agent. ``transcript_head`` and ``exchanges`` are as in
    an EpisodeRecord; the run's folder fills them in if there is a transcript. ``usage`` is what the
    agent's model had used by then.
    """

    episode_id: str
    task_id: str
    repeat: int
    attempt: int
    fault: str
    detail: str
    collateral: bool
    session: str
    guest: str
    transcript_head: str = ""
    exchanges: int = 0
    usage: Usage = field(default_factory=Usage)

    def to_json(self) -> dict[str, Any]:
        """The record as a line of ``voids.jsonl``; empty usage is left out."""
        extras: dict[str, Any] = {"usage": self.usage.to_json()} if self.usage else {}
        return extras | {
            "kind": "void",
            "episode_id": self.episode_id,
            "task_id": self.task_id,
            "repeat": self.repeat,
            "attempt": self.attempt,
            "fault": self.fault,
            "detail": self.detail,
            "collateral": self.collateral,
            "session": self.session,
            "guest": self.guest,
            "transcript_head": self.transcript_head,
            "exchanges": self.exchanges,
        }

    @staticmethod
    def from_json(value: object) -> VoidRecord:
        """Reads a line. Raises FormatError, which names the error."""
        fields = DataNode(value, "void")
        check_kind(fields, "void")
        return VoidRecord(
            episode_id=episode_id(fields["episode_id"].string()),
            task_id=fields["task_id"].string(),
            repeat=fields["repeat"].whole(),
            attempt=fields["attempt"].whole(),
            fault=_fault(fields),
            detail=fields["detail"].string(),
            collateral=fields["collateral"].flag(),
            session=fields["session"].string(),
            guest=fields["guest"].string(),
            transcript_head=fields["transcript_head"].string(),
            exchanges=fields["exchanges"].whole(),
            usage=read_usage(fields),
        )


def episode_id(text: str) -> str:
    """The text, if it is valid as an episode's id, and so as a file's name. Raises FormatError."""
    if not _EPISODE_ID.fullmatch(text):
        raise FormatError(
            f"{text!r} cannot be an episode's id: up to 128 letters, digits, '_' and '-'"
        )
    return text


def check_kind(fields: DataNode, kind: str) -> None:
    """Raises FormatError if the line is of another kind."""
    if fields["kind"].string() != kind:
        raise FormatError(f"the line is not of kind {kind!r}")


def _value_of(kind: type[Enum], node: DataNode) -> str:
    """The value of a member of ``kind``. Raises FormatError for others."""
    return node.one_of(kind.__name__, [member.value for member in kind])


def read_usage(fields: DataNode) -> Usage:
    """The usage of a line; zero if it has none. Raises FormatError."""
    return Usage.from_json(fields["usage"].mapping()) if "usage" in fields else Usage()


def _fault(fields: DataNode) -> str:
    return _value_of(FaultClass, fields["fault"])


# --- The third journal of a run: episodes without a result


class Cause(Enum):
    """Why an episode that had begun has no result."""

    WITHDRAWN = "withdrawn"
    """Its agent left the run."""
    CLOSED = "closed"
    """The service closed: on request, after a spent budget, or after an error."""
    KILLED = "killed"
    """The service died; the next process found the transcript."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UncountedRecord:
    """One episode without a result; its task is played again.

    ``steps`` counts its executed steps. If the agent withdrew, ``reason`` is a WithdrawReason's
    value and ``message`` the agent's text. An agent can withdraw between two episodes; then
    ``episode_id`` and ``task_id`` are empty. The other fields are as in a VoidRecord. If the
    service was killed, they come from the episode's transcript.
    """

    cause: Cause
    session: str
    guest: str
    episode_id: str = ""
    task_id: str = ""
    repeat: int = 0
    steps: int = 0
    reason: str = ""
    message: str = ""
    transcript_head: str = ""
    exchanges: int = 0
    usage: Usage = field(default_factory=Usage)

    @property
    def withdrawn_episode(self) -> bool:
        """Whether an episode was open when the agent withdrew."""
        return self.cause is Cause.WITHDRAWN and self.episode_id != ""

    def to_json(self) -> dict[str, Any]:
        """The record as a line of ``uncounted.jsonl``; empty usage is left out."""
        extras: dict[str, Any] = {"usage": self.usage.to_json()} if self.usage else {}
        if self.cause is Cause.WITHDRAWN:
            extras |= {"reason": self.reason, "message": self.message}
        return extras | {
            "kind": "uncounted",
            "cause": self.cause.value,
            "episode_id": self.episode_id,
            "task_id": self.task_id,
            "repeat": self.repeat,
            "steps": self.steps,
            "session": self.session,
            "guest": self.guest,
            "transcript_head": self.transcript_head,
            "exchanges": self.exchanges,
        }

    @staticmethod
    def from_json(value: object) -> UncountedRecord:
        """Reads a line. Raises FormatError, which names the error."""
        fields = DataNode(value, "uncounted")
        check_kind(fields, "uncounted")
        cause = Cause(_value_of(Cause, fields["cause"]))
        withdrawn = cause is Cause.WITHDRAWN
        name = fields["episode_id"].string()
        return UncountedRecord(
            cause=cause,
            episode_id="" if withdrawn and not name else episode_id(name),
            task_id=fields["task_id"].string(),
            repeat=fields["repeat"].whole(),
            steps=fields["steps"].whole(),
            session=fields["session"].string(),
            guest=fields["guest"].string(),
            reason=_value_of(WithdrawReason, fields["reason"]) if withdrawn else "",
            message=fields["message"].string() if withdrawn else "",
            transcript_head=fields["transcript_head"].string(),
            exchanges=fields["exchanges"].whole(),
            usage=read_usage(fields),
        )
