"""What the linter says of a definition."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Severity(Enum):
    """How bad a finding is."""

    ERROR = "error"
    """The goal cannot be decided."""
    WARNING = "warning"
    """The definition says something else than it seems to mean."""
    NOTE = "note"
    """Harmless, or perhaps meant."""


class Check(Enum):
    """What is looked for; the values are what the linter calls it (spec: actplan.md section
    2.3)."""

    UNREADABLE = "unreadable"
    UNKNOWN_NAME = "unknown-name"
    """A name that is neither declared nor bound."""
    DROPPED_GOAL = "dropped-goal"
    """An expression after the goal's first, which BEHAVIOR's own parser drops in silence."""
    UNKNOWN_PREDICATE = "unknown-predicate"
    WRONG_ARITY = "wrong-arity"
    UNUSED_VARIABLE = "unused-variable"
    SHADOWED_VARIABLE = "shadowed-variable"
    """A variable that hides another one of the same name, or an instance."""
    EMPTY_CATEGORY = "empty-category"
    """A quantifier over a category without instances."""
    MISNAMED_VARIABLE = "misnamed-variable"
    """A variable that is called like another category than its own."""
    WRONG_CATEGORY = "wrong-category"
    """An instance that is declared under another category than its name says."""
    UNPLACED = "unplaced"
    """A thing that the opening puts nowhere."""
    CONTRADICTION = "contradiction"
    """A fact and its opposite in the opening, or a thing in two places."""
    NO_AGENT = "no-agent"
    REPEATED_GOAL = "repeated-goal"
    """A conjunct that stands twice."""
    REACHED_GOAL = "reached-goal"
    """A conjunct that holds at the opening."""
    MISSING_MARK = "missing-mark"
    """A term of the goal without "?"."""
    OTHER_NAME = "other-name"
    """A problem that is not called after its file."""
    SAME_DEFINITION = "same-definition"
    """A counterfactual that is defined as the normal task is."""
    SAME_GOAL = "same-goal"
    """A counterfactual whose goal is that of the normal task."""
    NO_DESCRIPTION = "no-description"
    SAME_DESCRIPTION = "same-description"
    """A counterfactual that agents are told of as they are of the normal task."""


_SEVERITIES = {
    Check.UNREADABLE: Severity.ERROR,
    Check.UNKNOWN_NAME: Severity.ERROR,
    Check.UNPLACED: Severity.NOTE,
    Check.REACHED_GOAL: Severity.NOTE,
    Check.MISSING_MARK: Severity.NOTE,
    Check.OTHER_NAME: Severity.NOTE,
    Check.SAME_GOAL: Severity.NOTE,
    Check.NO_DESCRIPTION: Severity.NOTE,
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding.

    Attributes:
        source: the file.
        line: from 1; 0 where no one line is to blame.
        column: from 1; 0 likewise.
        what: what is wrong.
        mend: what to do about it.
    """

    check: Check
    source: str
    line: int
    column: int
    what: str
    mend: str

    @property
    def severity(self) -> Severity:
        """How bad it is, by the check alone."""
        return _SEVERITIES.get(self.check, Severity.WARNING)
