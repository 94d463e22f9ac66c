"""The third journal of a run: episodes that came to no end."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from env_service.domain.failure import WithdrawReason
from env_service.results.fields import Fields
from env_service.results.records import check_kind, episode_id, one_of, read_usage
from env_service.results.usage import Usage


class Cause(Enum):
    """Why an episode that had begun came to no end."""

    WITHDRAWN = "withdrawn"
    """Its guest left the run."""
    CLOSED = "closed"
    """The house closed: it was told to, a budget was spent, or it could not go on."""
    KILLED = "killed"
    """The house died; the next process found the transcript."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UncountedRecord:
    """One episode that came to no end; its task is played another time.

    ``steps`` counts what the agent had done in it. Where the guest withdrew, ``reason`` is a
    WithdrawReason's value and ``message`` the guest's own words; it may have done so between
    two episodes, and then ``episode_id`` and ``task_id`` are empty. The other fields are as
    in a VoidRecord. Those of a killed house's episode are what its transcript shows.
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
        """Whether an episode was open when the guest withdrew."""
        return self.cause is Cause.WITHDRAWN and self.episode_id != ""

    def to_json(self) -> dict[str, Any]:
        """The record as its line in ``uncounted.jsonl`` holds it; no usage is left out."""
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
        """Reads a line. Raises FormatError naming what is wrong."""
        fields = Fields(value, "uncounted")
        check_kind(fields, "uncounted")
        cause = Cause(one_of(fields, "cause", Cause, "a cause"))
        withdrawn = cause is Cause.WITHDRAWN
        name = fields.text("episode_id")
        return UncountedRecord(
            cause=cause,
            episode_id="" if withdrawn and not name else episode_id(name),
            task_id=fields.text("task_id"),
            repeat=fields.integer("repeat"),
            steps=fields.integer("steps"),
            session=fields.text("session"),
            guest=fields.text("guest"),
            reason=one_of(fields, "reason", WithdrawReason, "a reason") if withdrawn else "",
            message=fields.text("message") if withdrawn else "",
            transcript_head=fields.text("transcript_head"),
            exchanges=fields.integer("exchanges"),
            usage=read_usage(fields),
        )
