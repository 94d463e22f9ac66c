"""What one turn of the agent came to."""

from __future__ import annotations

from dataclasses import dataclass

from env_service.domain.outcome import Outcome, OutcomeCode
from env_service.suites.asgard.doing import Doer, Done
from env_service.suites.asgard.history import PastStep, plain
from env_service.suites.asgard.limits import Turn
from env_service.suites.asgard.parsing import NOTHING, BadTurn, Command
from env_service.suites.asgard.refusal import Reason


@dataclass(frozen=True, slots=True)
class Taken:
    """One turn.

    Attributes:
        text: "ACTION Object", "None None" where nothing was understood.
        object_type: what it names; None where it names nothing.
        code: how the house took it.
        message: why not, with AI2-THOR's names in it; empty for success.
        reason: the kind of precondition that failed; None for success, and for a turn that never
            came as far as the house.
        flags_subgoal: it was a DRINK, SPRAY, SLICE or CLEAN that passed its checks.
    """

    text: str
    object_type: str | None
    code: OutcomeCode
    message: str = ""
    reason: Reason | None = None
    flags_subgoal: bool = False

    @classmethod
    def bad(cls, turn: BadTurn) -> Taken:
        """A turn that asks for nothing that can be done."""
        named = None if turn.object_type == NOTHING else turn.object_type
        return cls(turn.text, named, turn.code, turn.feedback)

    @classmethod
    def done(cls, command: Command, done: Done) -> Taken:
        """A command that the house took or refused."""
        return cls(
            text=command.text,
            object_type=command.object_type,
            code=done.code,
            message=done.message,
            reason=done.reason,
            flags_subgoal=done.flags_subgoal,
        )

    @property
    def succeeded(self) -> bool:
        """Whether the house took it."""
        return self.code is OutcomeCode.SUCCEEDED

    @property
    def outcome(self) -> Outcome:
        """The house's answer, before disclosure."""
        return Outcome(self.code, plain(self.message))

    @property
    def past(self) -> PastStep:
        """As the history tells it."""
        return PastStep(self.text, self.succeeded, self.message)

    def counted(self, *, reached_goal: bool) -> Turn:
        """As limits count it."""
        return Turn(
            text=self.text,
            object_type=self.object_type,
            succeeded=self.succeeded,
            flags_subgoal=self.flags_subgoal,
            reached_goal=reached_goal,
        )


def take(turn: Command | BadTurn, doer: Doer) -> Taken:
    """Plays one turn. Raises WorldFault if the world breaks."""
    if isinstance(turn, BadTurn):
        return Taken.bad(turn)
    return Taken.done(turn, doer.do(turn.verb, turn.object_type))
