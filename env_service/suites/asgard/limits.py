"""When an episode ends (docs/asgard-rules.md, "Limits")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from env_service.domain.failure import FailureClass
from env_service.suites.asgard.rules import Rules

MOST_FAILURES = 10
"""So many failed turns in a row end the episode."""

EXTENSION = 10
"""Steps that one extension grants, and that its conditions look back on."""


class Ending(Enum):
    """Why an episode is over; the values are the release's words."""

    SUCCESS = "Success"
    MAX_REPEATS = "Max_Repeats"
    MAX_FAILURES = "Max_Failures"
    MAX_STEPS = "Max_Steps"

    @property
    def failure(self) -> FailureClass | None:
        """The code that the environment gives it; None for success."""
        return _FAILURES.get(self)


_FAILURES = {
    Ending.MAX_REPEATS: FailureClass.MAX_REPEATS,
    Ending.MAX_FAILURES: FailureClass.MAX_FAILURES,
    Ending.MAX_STEPS: FailureClass.MAX_STEPS,
}


class Extension(Enum):
    """What became of the step limit; the values are the release's words."""

    NONE = "None"
    EXTENDED = "Extended"
    HIT_HARD_LIMIT = "Hit_Hard_Limit"


@dataclass(frozen=True, slots=True)
class StepLimits:
    """``soft`` may be extended, ``hard`` may not."""

    soft: int
    hard: int

    @classmethod
    def of(cls, step_count: int) -> StepLimits:
        """Those of a task whose published solution has so many steps (at least 1)."""
        return cls(soft=max(step_count * 3 // 2, 15), hard=max(step_count * 2, 20))


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the agent, as far as limits are concerned.

    Attributes:
        text: "ACTION Object" as it was asked for, "None None" where nothing was understood.
        object_type: what it names; None where it names nothing.
        succeeded: whether the world took it.
        flags_subgoal: it was a DRINK, SPRAY, SLICE or CLEAN that passed its checks.
        reached_goal: a goal condition is met for the first time.
    """

    text: str
    object_type: str | None
    succeeded: bool
    flags_subgoal: bool = False
    reached_goal: bool = False


class Limits:
    """Counts the turns of one episode, and says when it is over."""

    def __init__(self, limits: StepLimits, rules: Rules) -> None:
        self._limits, self._rules = limits, rules
        self._soft = limits.soft
        self._turns: list[Turn] = []
        self._flagged = False
        self.extension = Extension.NONE
        """What became of the step limit so far."""

    @property
    def steps(self) -> int:
        """Turns so far."""
        return len(self._turns)

    @property
    def most_steps(self) -> int:
        """Turns after which an episode is over whatever happens."""
        return self._limits.hard + self._overrun

    @property
    def steps_left(self) -> int:
        """Turns until the next check of the step limit; 0 once the episode is over by it."""
        return max(min(self._soft, self._limits.hard) + self._overrun - self.steps, 0)

    def after(self, turn: Turn, *, all_met: bool) -> Ending | None:
        """Why the episode ends after this turn; None if it continues. ``all_met``: whether all
        goals hold now."""
        self._turns.append(turn)
        self._flagged = self._flagged or turn.flags_subgoal
        if all_met:
            return Ending.SUCCESS
        if repeats(self._texts(), 8 if self._rules.eight_repeats_end else 9):
            return Ending.MAX_REPEATS
        last = self._turns[-MOST_FAILURES:]
        if len(last) == MOST_FAILURES and not any(each.succeeded for each in last):
            return Ending.MAX_FAILURES
        return self._check_steps()

    @property
    def _overrun(self) -> int:
        return 1 if self._rules.limits_overrun_by_one else 0

    def _texts(self) -> list[str]:
        return [turn.text for turn in self._turns]

    def _check_steps(self) -> Ending | None:
        if self.steps >= self._limits.hard + self._overrun:
            self.extension = Extension.HIT_HARD_LIMIT
            return Ending.MAX_STEPS
        if self.steps < self._soft + self._overrun:
            return None
        if self._take_subgoal():
            self._extend(tagged=not self._rules.subgoal_extensions_untagged)
            return None
        if self._novel():
            self._extend(tagged=True)
            return None
        return Ending.MAX_STEPS

    def _extend(self, *, tagged: bool) -> None:
        self._soft += EXTENSION
        if tagged:
            self.extension = Extension.EXTENDED

    def _take_subgoal(self) -> bool:
        if self._rules.subgoal_flag_latches:
            flagged, self._flagged = self._flagged, False
            return flagged
        return any(turn.reached_goal for turn in self._turns[-EXTENSION:])

    def _novel(self) -> bool:
        last = EXTENSION if self._rules.novelty_by_windows else 1
        before = self._turns[:-last][-EXTENSION:]
        return bool(self._employed(self._turns[-last:]) - self._employed(before))

    def _employed(self, turns: Sequence[Turn]) -> set[str]:
        counts_failed = self._rules.failed_actions_employ_objects
        return {
            turn.object_type
            for turn in turns
            if turn.object_type is not None and (turn.succeeded or counts_failed)
        }


def repeats(texts: Sequence[str], times: int) -> bool:
    """Whether the texts end in a pattern that repeats at least so many times in a row."""
    for length in range(1, len(texts) // times + 1):
        tail = texts[-length * times :]
        if all(tail[at] == tail[at - length] for at in range(length, len(tail))):
            return True
    return False
