"""What the linter says of a definition, what its checks look at, and where in a text a name is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from env_service.worlds.activity.bddl.expressions import Expression, parts
from env_service.worlds.activity.bddl.problem import Problem
from env_service.worlds.activity.bddl.syntax import Group, Node, Word


class Severity(Enum):
    """How bad a finding is."""

    ERROR = "error"
    """A part of the definition cannot be evaluated, or no plan can reach the goal."""
    WARNING = "warning"
    """The definition says something else than it seems to mean."""
    NOTE = "note"
    """Harmless, or perhaps meant."""


class Check(Enum):
    """What is looked for; the values are what the linter calls it (docs/actplan-making.md,
    Lint)."""

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
    """A variable that has the name of another category."""
    WRONG_CATEGORY = "wrong-category"
    """An instance that is declared under another category than its name says."""
    REPEATED_OBJECT = "repeated-object"
    """An instance that is declared twice."""
    UNUSED_OBJECT = "unused-object"
    """An instance of which nothing is said once it is declared."""
    UNPLACED = "unplaced"
    """A thing that the opening puts nowhere."""
    CONTRADICTION = "contradiction"
    """A fact and its opposite in the opening, or a thing in two places or rooms."""
    CYCLE = "cycle"
    """Things that the opening puts into or onto each other, or one into or onto itself."""
    REPEATED_FACT = "repeated-fact"
    """A fact that is twice in the opening."""
    MISFIT = "misfit"
    """Something is in what nothing can be in, or on what nothing stands on."""
    MISSPELT_ROOM = "misspelt-room"
    """A room that is called nearly as another one."""
    UNKNOWN_ROOM = "unknown-room"
    """A room of one's own: no home of the published tasks has such."""
    EMPTY_ROOM = "empty-room"
    """A room of the goal in which the opening has nothing."""
    NO_AGENT = "no-agent"
    MANY_AGENTS = "many-agents"
    """More than one agent: the first one acts."""
    IMPOSSIBLE_GOAL = "impossible-goal"
    """A goal that nothing can reach."""
    IMPOSSIBLE_PART = "impossible-part"
    """A part of the goal that is never true, among others that may be."""
    NOTHING_TO_DO = "nothing-to-do"
    """A goal that holds at the opening."""
    REPEATED_GOAL = "repeated-goal"
    """A conjunct that is twice in the goal."""
    REACHED_GOAL = "reached-goal"
    """A conjunct that holds at the opening."""
    MISSING_MARK = "missing-mark"
    """A term of the goal without "?"."""
    UNREADABLE_ASSERTION = "unreadable-assertion"
    """A comment that is meant to state a constraint, and states none."""
    OTHER_NAME = "other-name"
    """A problem that is not called after its file."""
    SAME_DEFINITION = "same-definition"
    """A counterfactual that is defined as the normal task is."""
    SAME_GOAL = "same-goal"
    """A counterfactual whose goal is that of the normal task."""
    NO_DESCRIPTION = "no-description"
    SAME_DESCRIPTION = "same-description"
    """A counterfactual with the description of the normal task."""


_SEVERITIES = {
    Check.UNREADABLE: Severity.ERROR,
    Check.UNKNOWN_NAME: Severity.ERROR,
    Check.UNKNOWN_PREDICATE: Severity.ERROR,
    Check.WRONG_ARITY: Severity.ERROR,
    Check.IMPOSSIBLE_GOAL: Severity.ERROR,
    Check.UNREADABLE_ASSERTION: Severity.ERROR,
    Check.UNUSED_OBJECT: Severity.NOTE,
    Check.UNPLACED: Severity.NOTE,
    Check.UNKNOWN_ROOM: Severity.NOTE,
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


# --- What the linter's checks look at


@dataclass(frozen=True, slots=True)
class Subject:
    """One definition. ``name``: what the problem should be called; empty: anything."""

    source: str
    name: str
    problem: Problem
    places: Places

    def found(self, check: Check, name: str, section: str, what: str, mend: str) -> Finding:
        """A finding at the first place of ``name`` in a section."""
        return Finding(check, self.source, *self.places.of(name, section), what, mend)

    def found_at(self, check: Check, node: Node, what: str, mend: str) -> Finding:
        """A finding at one place of the text."""
        return Finding(check, self.source, node.line, node.column, what, mend)


# --- The place of a name in a text


@dataclass(frozen=True, slots=True)
class Places:
    """Looks names up in the sections of one definition."""

    definition: Group
    _known: dict[str, dict[str, tuple[int, int]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def section(self, head: str) -> Group | None:
        """The section that begins so: ":goal"."""
        for part in self.definition.parts:
            if isinstance(part, Group) and part.head == head:
                return part
        return None

    def entries(self, section: str) -> tuple[Node, ...]:
        """The content of a section after its head, in order: of ":init" one entry a fact, of
        ":goal" the goal and what is dropped."""
        group = self.section(section)
        return group.parts[1:] if group is not None else ()

    def words(self, section: str) -> tuple[Word, ...]:
        """All words of a section but its head, in order."""
        group = self.section(section)
        return tuple(_words(group))[1:] if group is not None else ()

    def of(self, name: str, section: str) -> tuple[int, int]:
        """Line and column of the first use of a name, with or without "?", in a section; (0, 0)
        without any."""
        if section not in self._known:
            first = self._known[section] = {}
            for word in self.words(section):
                first.setdefault(word.text.removeprefix("?"), (word.line, word.column))
        return self._known[section].get(name, (0, 0))


def inner(expression: Expression, node: Node) -> Iterator[tuple[Expression, Node]]:
    """What a condition is directly made of, each part with its place. ``node``: that of the
    condition."""
    made_of = parts(expression)
    if made_of and isinstance(node, Group):
        # Counts and variables stand before the conditions.
        yield from zip(made_of, node.parts[-len(made_of) :], strict=True)


def _words(node: Node) -> Iterator[Word]:
    if isinstance(node, Word):
        yield node
        return
    for part in node.parts:
        yield from _words(part)
