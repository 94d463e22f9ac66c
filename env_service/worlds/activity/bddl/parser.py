"""Reads definitions of activities: from nested parentheses to conditions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

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
    bound_depth,
    cases_of,
)
from env_service.worlds.activity.bddl.problem import INROOM, Literal, Problem
from env_service.worlds.activity.bddl.syntax import BddlError, Group, Node, Word, read_group

MAX_BOUND = 4
"""Variables within one another; published goals bind 2."""
MAX_OBJECTS = 200
"""Instances; published definitions have up to 35."""
MAX_FACTS = 1_000
"""Of an opening; published ones have up to 35."""
MAX_CASES = 2_000
"""The limit on the size of a goal (`cases_of`), and on all that is dropped of it; published ones
have up to 112."""

_DEFINITION = "begin with (define (problem NAME) (:domain NAME) (:objects …) (:init …) (:goal …))"
_SECTIONS = (":domain", ":objects", ":init", ":goal")
_NEEDED = (":objects", ":goal")


def read_problem(text: str, source: str) -> Problem:
    """The activity that a text defines.

    Upper case, a missing "?", comments, tabs, a byte order mark and all line ends are let pass.
    Names are not looked up: `problem.check_names` does that.

    Args:
        source: what errors call the text: its path.

    Raises:
        BddlError: it is not a definition; with line and column.
    """
    return _Reader(source, ExpressionReader(source)).problem(read_group(text, source))


def read_expression(text: str, source: str) -> Expression:
    """The condition that a text is: "(inside ?cookie.n.01_1 ?ashcan.n.01_1)".

    Raises:
        BddlError: it is none.
    """
    return ExpressionReader(source).expression(read_group(text, source))


@dataclass(frozen=True, slots=True)
class _Reader:
    source: str
    expressions: ExpressionReader

    def problem(self, group: Group) -> Problem:
        name, sections = self._sections(group)
        goals = self._rest(sections[":goal"])
        if not goals:
            mend = "write (:goal (and CONDITION …))"
            raise self._error(sections[":goal"], "the goal is empty", mend)
        objects = self._objects(sections[":objects"])
        return Problem(
            name=name,
            domain=self._domain(sections.get(":domain")),
            objects=objects,
            init=self._init(sections.get(":init")),
            goal=self._goals(goals[:1], objects)[0],
            dropped=self._goals(goals[1:], objects),
        )

    def _sections(self, group: Group) -> tuple[str, Mapping[str, Group]]:
        name, found = "", dict[str, Group]()
        if group.head != "define":
            raise self._error(group, "is not a definition", _DEFINITION)
        for part in group.parts[1:]:
            if isinstance(part, Group) and part.head == "problem" and not name:
                name = self._name(part)
            elif isinstance(part, Group) and part.head in _SECTIONS and part.head not in found:
                found[part.head] = part
            else:
                head = part.head if isinstance(part, Group) else part.text
                what = f'"{head}" is not a section of a problem, or is repeated'
                raise self._error(part, what, f"keep one each of {', '.join(_SECTIONS)}")
        for missing in (each for each in _NEEDED if each not in found):
            raise self._error(group, f"the section {missing} is missing", f"add ({missing} …)")
        return name, found

    def _rest(self, section: Group | None) -> tuple[Node, ...]:
        return section.parts[1:] if section is not None else ()

    def _name(self, section: Group) -> str:
        if len(section.parts) != 2:
            raise self._error(section, "the problem has no one name", "write (problem NAME)")
        return self.expressions.word(section.parts[1])

    def _init(self, section: Group | None) -> tuple[Literal, ...]:
        nodes = self._rest(section)
        if section is not None and len(nodes) > MAX_FACTS:
            what = f"the opening has {len(nodes)} facts, and {MAX_FACTS} are the most"
            raise self._error(section, what, "leave out those that the activity does not need")
        return tuple(map(self._literal, nodes))

    def _goals(self, nodes: Sequence[Node], objects: Mapping[str, str]) -> tuple[Expression, ...]:
        found, cases = [], 0
        for node in nodes:
            goal = self.expressions.expression(node)
            cases += cases_of(goal, objects)
            if bound_depth(goal) > MAX_BOUND:
                what = f"more than {MAX_BOUND} variables are bound within one another"
                raise self._error(node, what, "ask for less at once")
            if cases > MAX_CASES:
                what = f"deciding the goal takes {cases} facts, and {MAX_CASES} are the most"
                raise self._error(node, what, "ask for less, or of fewer instances")
            found.append(goal)
        return tuple(found)

    def _domain(self, section: Group | None) -> str:
        words = self._rest(section)
        return self.expressions.word(words[0]) if words else ""

    def _objects(self, section: Group) -> Mapping[str, str]:
        found: dict[str, str] = {}
        names: list[Word] = []
        parts = iter(self._words(section))
        for word in parts:
            if word.text != "-":
                names.append(word)
                continue
            category = next(parts, None)
            if category is None or not names:
                mend = "write INSTANCE … - CATEGORY"
                raise self._error(word, 'a "-" lacks instances or a category', mend)
            for each in names:
                if found.setdefault(each.text, category.text) != category.text:
                    what = f'"{each.text}" is declared as {found[each.text]} before'
                    raise self._error(each, what, "declare it once")
            names.clear()
        if names:
            what = f'"{names[0].text}" has no category'
            raise self._error(names[0], what, 'add "- CATEGORY" after it')
        if len(found) > MAX_OBJECTS:
            what = f"{len(found)} instances are declared, and {MAX_OBJECTS} are the most"
            raise self._error(section, what, "leave out those that the activity does not need")
        return found

    def _words(self, section: Group) -> Iterator[Word]:
        for part in section.parts[1:]:
            if isinstance(part, Group):
                what = "a parenthesis among the objects"
                raise self._error(part, what, "write INSTANCE … - CATEGORY")
            yield part

    def _literal(self, node: Node) -> Literal:
        if isinstance(node, Group) and node.head == "not":
            negated = self.expressions.expression(node)
            if isinstance(negated, Not):
                return Literal(self.expressions.atom(node.parts[1]), positive=False)
        return Literal(self.expressions.atom(node))

    def _error(self, node: Node, what: str, mend: str) -> BddlError:
        return BddlError(self.source, node.line, node.column, what, mend)


# --- From nested parentheses to conditions

LONGEST_ATOM = 2
"""Terms that a predicate has at most."""
MOST_DIGITS = 4
"""Of a count; nothing has as many instances."""

_COUNT = re.compile(f"[0-9]{{1,{MOST_DIGITS}}}")


@dataclass(frozen=True, slots=True)
class ExpressionReader:
    """Reads conditions of one text. ``source`` is named in errors."""

    source: str

    def expression(self, node: Node) -> Expression:
        """The condition that a group is.

        Raises:
            BddlError: it is none.
        """
        if isinstance(node, Word):
            mend = "write (PREDICATE TERM) or (PREDICATE TERM TERM)"
            raise self.error(node, f'"{node.text}" instead of a condition', mend)
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
            raise self.error(node, "a parenthesis instead of a name", "write a name")
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


def _and(reader: ExpressionReader, node: Group) -> Expression:
    return And(tuple(reader.expression(part) for part in node.parts[1:]))


def _or(reader: ExpressionReader, node: Group) -> Expression:
    return Or(tuple(reader.expression(part) for part in node.parts[1:]))


def _not(reader: ExpressionReader, node: Group) -> Expression:
    return Not(reader.bodies(node, 1)[0])


def _imply(reader: ExpressionReader, node: Group) -> Expression:
    premise, conclusion = reader.bodies(node, 2)
    return Imply(premise, conclusion)


def _forall(reader: ExpressionReader, node: Group) -> Expression:
    _, (bound,), body = reader.quantified(node, bounds=1, counted=False)
    return ForAll(bound, body)


def _exists(reader: ExpressionReader, node: Group) -> Expression:
    _, (bound,), body = reader.quantified(node, bounds=1, counted=False)
    return Exists(bound, body)


def _forn(reader: ExpressionReader, node: Group) -> Expression:
    count, (bound,), body = reader.quantified(node, bounds=1, counted=True)
    return ForN(count, bound, body)


def _forpairs(reader: ExpressionReader, node: Group) -> Expression:
    _, (first, second), body = reader.quantified(node, bounds=2, counted=False)
    return ForPairs(first, second, body)


def _fornpairs(reader: ExpressionReader, node: Group) -> Expression:
    count, (first, second), body = reader.quantified(node, bounds=2, counted=True)
    return ForNPairs(count, first, second, body)


_OPERATORS: Mapping[str, Callable[[ExpressionReader, Group], Expression]] = {
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
