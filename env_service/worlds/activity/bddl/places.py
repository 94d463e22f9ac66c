"""Where in a text a name stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from env_service.worlds.activity.bddl.syntax import Group, Node, Word


@dataclass(frozen=True, slots=True)
class Places:
    """Looks names up in the sections of one definition."""

    definition: Group

    def section(self, head: str) -> Group | None:
        """The section that begins so: ":goal"."""
        for part in self.definition.parts:
            if isinstance(part, Group) and part.head == head:
                return part
        return None

    def words(self, section: str) -> tuple[Word, ...]:
        """All words of a section but its head, in order."""
        group = self.section(section)
        return tuple(_words(group))[1:] if group is not None else ()

    def of(self, name: str, section: str) -> tuple[int, int]:
        """Line and column where a name, with or without "?", first stands in a section; (0, 0)
        where it does not."""
        for word in self.words(section):
            if word.text.removeprefix("?") == name:
                return word.line, word.column
        return 0, 0


def _words(node: Node) -> Iterator[Word]:
    if isinstance(node, Word):
        yield node
        return
    for part in node.parts:
        yield from _words(part)
