"""Whether an action could be done: an answer that may be left open."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from env_service.suites.asgard.refusal import Reason


class Doable(StrEnum):
    """The three answers."""

    YES = "doable"
    """Every precondition is known to hold."""
    NO = "not doable"
    """A rule is known to refuse it."""
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Verdict:
    """``reason`` is the precondition that fails, or that is not known to hold; None where the
    action is doable. ``words`` say why, in a clause."""

    doable: Doable
    reason: Reason | None = None
    words: str = ""


def no(reason: Reason | None, words: str) -> Verdict:
    """A rule refuses it."""
    return Verdict(Doable.NO, reason, words)


def unsure(reason: Reason | None, words: str) -> Verdict:
    """A rule may refuse it."""
    return Verdict(Doable.UNDECIDED, reason, words)
