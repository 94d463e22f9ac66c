"""Writes definitions of activities, such that `parser.read_problem` reads them again."""

from collections.abc import Iterator

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
from env_service.worlds.activity.bddl.problem import INROOM, Literal, Problem

_WIDTH = 100


def write_problem(problem: Problem) -> str:
    """A definition in the published files' layout, with a final line feed."""
    init = (_literal(each) for each in problem.init)
    goals = (write_expression(each, indent=8) for each in (problem.goal, *problem.dropped))
    return "\n".join(
        (
            f"(define (problem {problem.name})",
            f"    (:domain {problem.domain})",
            *_section("objects", _objects(problem)),
            *_section("init", init),
            *_section("goal", goals),
            ")\n",
        )
    )


def write_expression(expression: Expression, indent: int = 0) -> str:
    """A condition; one that is longer than a line has each part on a separate line, indented by
    ``indent`` spaces and more."""
    head, parts = _taken_apart(expression)
    inner = [write_expression(each, indent + 4) for each in parts]
    line = f"({' '.join((*head, *inner))})"
    if len(line) + indent <= _WIDTH or not inner:
        return line
    margin = "\n" + " " * (indent + 4)
    return f"({' '.join(head)}{margin}{margin.join(inner)})"


def _taken_apart(expression: Expression) -> tuple[tuple[str, ...], tuple[Expression, ...]]:
    match expression:
        case Atom():
            return tuple(_atom(expression, mark="?")), ()
        case Not(body):
            return ("not",), (body,)
        case And(parts):
            return ("and",), parts
        case Or(parts):
            return ("or",), parts
        case Imply(premise, conclusion):
            return ("imply",), (premise, conclusion)
        case ForAll(bound, body):
            return ("forall", _bound(bound)), (body,)
        case Exists(bound, body):
            return ("exists", _bound(bound)), (body,)
        case ForN(count, bound, body):
            return ("forn", f"({count})", _bound(bound)), (body,)
        case ForPairs(first, second, body):
            return ("forpairs", _bound(first), _bound(second)), (body,)
        case ForNPairs(count, first, second, body):
            return ("fornpairs", f"({count})", _bound(first), _bound(second)), (body,)


def _bound(bound: Bound) -> str:
    return f"(?{bound.variable} - {bound.category})"


def _atom(atom: Atom, mark: str) -> Iterator[str]:
    yield atom.predicate
    for number, term in enumerate(atom.terms):
        room = atom.predicate == INROOM and number == 1
        yield term if room else mark + term


def _literal(literal: Literal) -> str:
    fact = f"({' '.join(_atom(literal.atom, mark=''))})"
    return fact if literal.positive else f"(not {fact})"


def _objects(problem: Problem) -> Iterator[str]:
    names: list[str] = []
    declared = list(problem.objects.items())
    for number, (name, category) in enumerate(declared):
        names.append(name)
        if number + 1 == len(declared) or declared[number + 1][1] != category:
            yield f"{' '.join(names)} - {category}"
            names.clear()


def _section(name: str, lines: Iterator[str]) -> Iterator[str]:
    yield f"    (:{name}"
    yield from (" " * 8 + line for line in lines)
    yield "    )"
