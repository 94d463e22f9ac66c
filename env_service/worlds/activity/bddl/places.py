"""Where in a text a name stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from env_service.worlds.activity.bddl.expressions import Expression
from env_service.worlds.activity.bddl.syntax import Group, Node, Word
from env_service.worlds.activity.bddl.walking import parts


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
        """What stands in a section after its head, in order: of ":init" one entry a fact, of
        ":goal" the goal and what is dropped."""
        group = self.section(section)
        return group.parts[1:] if group is not None else ()

    def words(self, section: str) -> tuple[Word, ...]:
        """All words of a section but its head, in order."""
        group = self.section(section)
        return tuple(_words(group))[1:] if group is not None else ()

    def of(self, name: str, section: str) -> tuple[int, int]:
        """Line and column where a name, with or without "?", first stands in a section; (0, 0)
        where it does not."""
        if section not in self._known:
            first = self._known[section] = {}
            for word in self.words(section):
                first.setdefault(word.text.removeprefix("?"), (word.line, word.column))
        return self._known[section].get(name, (0, 0))


def inner(expression: Expression, node: Node) -> Iterator[tuple[Expression, Node]]:
    """What a condition is directly made of, each part with its place. ``node``: where the
    condition stands."""
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
