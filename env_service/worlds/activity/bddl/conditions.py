"""From nested parentheses to conditions (spec: actplan.md section 2.1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from env_service.worlds.activity.bddl.errors import BddlError
from env_service.worlds.activity.bddl.expressions import (
    And,
    Atom,
    Bound,
    Exists,
    Expression,
    ForAll,
    ForN,
    ForNPairs,
    ForPairs,
    Imply,
    Not,
    Or,
)
from env_service.worlds.activity.bddl.names import INROOM
from env_service.worlds.activity.bddl.syntax import Group, Node, Word

LONGEST_ATOM = 2
"""Terms that a predicate has at most."""
MOST_DIGITS = 4
"""Of a count; nothing has as many instances."""

_COUNT = re.compile(f"[0-9]{{1,{MOST_DIGITS}}}")


@dataclass(frozen=True, slots=True)
class ConditionReader:
    """Reads conditions of one text. ``source`` is named in errors."""

    source: str

    def expression(self, node: Node) -> Expression:
        """The condition that a group is.

        Raises:
            BddlError: it is none.
        """
        if isinstance(node, Word):
            mend = "write (PREDICATE TERM) or (PREDICATE TERM TERM)"
            raise self.error(node, f'"{node.text}" stands where a condition is due', mend)
        read = _OPERATORS.get(node.head)
        return read(self, node) if read is not None else self.atom(node)

    def atom(self, node: Node) -> Atom:
        """A predicate with its terms; "?" before a term may be missing.

        Raises:
            BddlError: it is none.
        """
        if isinstance(node, Word) or not node.head:
            raise self.error(node, "a fact is due here", "write (PREDICATE TERM [TERM])")
        terms = tuple(self.word(part) for part in node.parts[1:])
        if not 1 <= len(terms) <= LONGEST_ATOM:
            what = f'"{node.head}" has {len(terms)} terms'
            raise self.error(node, what, "give it one or two")
        if node.head == INROOM and len(terms) != LONGEST_ATOM:
            raise self.error(node, f'"{INROOM}" has no room', f"write ({INROOM} TERM ROOM)")
        return Atom(node.head, terms)

    def word(self, node: Node) -> str:
        """A term's name, without "?".

        Raises:
            BddlError: it is a group.
        """
        if isinstance(node, Group):
            raise self.error(node, "a parenthesis stands where a name is due", "write a name")
        name = node.text.removeprefix("?")
        if not name:
            raise self.error(node, '"?" has no name', "write the name right after it")
        return name

    def bodies(self, node: Group, count: int) -> tuple[Expression, ...]:
        """The ``count`` conditions after an operator.

        Raises:
            BddlError: there are more or fewer.
        """
        parts = node.parts[1:]
        if len(parts) != count:
            what = f'"{node.head}" has {len(parts)} conditions'
            raise self.error(node, what, f"give it exactly {count}")
        return tuple(self.expression(part) for part in parts)

    def quantified(
        self, node: Group, *, bounds: int, counted: bool
    ) -> tuple[int, tuple[Bound, ...], Expression]:
        """A quantifier's count (0 where it has none), variables and body.

        Raises:
            BddlError: something of it is missing or too much.
        """
        count = "(N) " * counted
        shape = f"({node.head} {count}{'(?NAME - CATEGORY) ' * bounds}CONDITION)"
        parts = node.parts[1:]
        if len(parts) != counted + bounds + 1:
            raise self.error(node, f'"{node.head}" is not complete', f"write {shape}")
        number = self._count(parts[0], shape) if counted else 0
        variables = tuple(self._bound(part, shape) for part in parts[counted:-1])
        return number, variables, self.expression(parts[-1])

    def _count(self, node: Node, shape: str) -> int:
        words = node.parts if isinstance(node, Group) else (node,)
        if len(words) == 1 and isinstance(words[0], Word) and _COUNT.fullmatch(words[0].text):
            return int(words[0].text)
        what = f"a whole number of at most {MOST_DIGITS} digits is due here"
        raise self.error(node, what, f"write {shape}")

    def _bound(self, node: Node, shape: str) -> Bound:
        if isinstance(node, Group) and len(node.parts) == 3:
            variable, dash, category = node.parts
            if isinstance(dash, Word) and dash.text == "-":
                return Bound(self.word(variable), self.word(category))
        raise self.error(node, "a variable with its category is due here", f"write {shape}")

    def error(self, node: Node, what: str, mend: str) -> BddlError:
        """What is wrong at a place."""
        return BddlError(self.source, node.line, node.column, what, mend)


def _and(reader: ConditionReader, node: Group) -> Expression:
    return And(tuple(reader.expression(part) for part in node.parts[1:]))


def _or(reader: ConditionReader, node: Group) -> Expression:
    return Or(tuple(reader.expression(part) for part in node.parts[1:]))


def _not(reader: ConditionReader, node: Group) -> Expression:
    return Not(reader.bodies(node, 1)[0])


def _imply(reader: ConditionReader, node: Group) -> Expression:
    premise, conclusion = reader.bodies(node, 2)
    return Imply(premise, conclusion)


def _forall(reader: ConditionReader, node: Group) -> Expression:
    _, (bound,), body = reader.quantified(node, bounds=1, counted=False)
    return ForAll(bound, body)


def _exists(reader: ConditionReader, node: Group) -> Expression:
    _, (bound,), body = reader.quantified(node, bounds=1, counted=False)
    return Exists(bound, body)


def _forn(reader: ConditionReader, node: Group) -> Expression:
    count, (bound,), body = reader.quantified(node, bounds=1, counted=True)
    return ForN(count, bound, body)


def _forpairs(reader: ConditionReader, node: Group) -> Expression:
    _, (first, second), body = reader.quantified(node, bounds=2, counted=False)
    return ForPairs(first, second, body)


def _fornpairs(reader: ConditionReader, node: Group) -> Expression:
    count, (first, second), body = reader.quantified(node, bounds=2, counted=True)
    return ForNPairs(count, first, second, body)


_OPERATORS: Mapping[str, Callable[[ConditionReader, Group], Expression]] = {
    "and": _and,
    "or": _or,
    "not": _not,
    "imply": _imply,
    "forall": _forall,
    "exists": _exists,
    "forn": _forn,
    "forpairs": _forpairs,
    "fornpairs": _fornpairs,
}
