"""What the linter's checks look at."""

from __future__ import annotations

from dataclasses import dataclass

from env_service.worlds.activity.bddl.finding import Check, Finding
from env_service.worlds.activity.bddl.places import Places
from env_service.worlds.activity.bddl.problem import Problem
from env_service.worlds.activity.bddl.syntax import Node


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
