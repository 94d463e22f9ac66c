"""Conditions: their parts, their opposites and sizes, conditions made of others, and whether they
hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate of one or two terms, in lower case: ``Atom("ontop", ("candle.n.01_1",
    "table.n.02_1"))``. The predicate ``inroom`` has a room as its second term."""

    predicate: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """True where ``body`` is false."""

    body: Expression


@dataclass(frozen=True, slots=True)
class And:
    """True where all ``parts`` are; of no parts, true."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """True where one of ``parts`` is; of no parts, false."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Imply:
    """False only where ``premise`` is true and ``conclusion`` is not."""

    premise: Expression
    conclusion: Expression


@dataclass(frozen=True, slots=True)
class Bound:
    """A variable that takes each declared instance of a category in turn."""

    variable: str
    category: str


@dataclass(frozen=True, slots=True)
class ForAll:
    """True where ``body`` is for every instance; of none, true."""

    bound: Bound
    body: Expression


@dataclass(frozen=True, slots=True)
class Exists:
    """True where ``body`` is for one instance at least."""

    bound: Bound
    body: Expression


@dataclass(frozen=True, slots=True)
class ForN:
    """True where ``body`` is for exactly ``count`` instances."""

    count: int
    bound: Bound
    body: Expression


@dataclass(frozen=True, slots=True)
class ForPairs:
    """True where, in the matrix of ``body`` over all pairs of two different instances, as many rows
    and as many columns as the smaller side has instances hold a true cell. That is weaker than a
    matching. BEHAVIOR's own package is at odds with that where both variables
    are of one category: it numbers the columns of each row anew. No published goal has such."""

    first: Bound
    second: Bound
    body: Expression


@dataclass(frozen=True, slots=True)
class ForNPairs:
    """`ForPairs` with ``count`` rows and columns instead."""

    count: int
    first: Bound
    second: Bound
    body: Expression


Expression = Atom | Not | And | Or | Imply | ForAll | Exists | ForN | ForPairs | ForNPairs


# --- All parts of a condition


def parts(expression: Expression) -> tuple[Expression, ...]:
    """What a condition is directly made of, in order; of an atom nothing."""
    match expression:
        case Atom():
            return ()
        case And(parts) | Or(parts):
            return parts
        case Imply(premise, conclusion):
            return premise, conclusion
    return (expression.body,)


def within(expression: Expression) -> Iterator[Expression]:
    """A condition and all that it is made of, outermost first."""
    yield expression
    for part in parts(expression):
        yield from within(part)


def atoms(expression: Expression) -> Iterator[Atom]:
    """All facts that a condition speaks of, in its order."""
    return (each for each in within(expression) if isinstance(each, Atom))


def bounds(expression: Expression) -> tuple[Bound, ...]:
    """The variables that a condition itself binds."""
    match expression:
        case ForAll(bound) | Exists(bound) | ForN(_, bound):
            return (bound,)
        case ForPairs() | ForNPairs():
            return expression.first, expression.second
    return ()


def all_bounds(expression: Expression) -> Iterator[Bound]:
    """The variables that a condition binds anywhere, outermost first."""
    for each in within(expression):
        yield from bounds(each)


def bound_depth(expression: Expression) -> int:
    """How many variables are bound at once where most are: deciding a condition takes time that
    grows with the number of instances to that power."""
    inner = max(map(bound_depth, parts(expression)), default=0)
    return inner + len(bounds(expression))


# --- Conditions made of other conditions


def rebuilt(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The condition with ``change`` applied to each direct part."""
    match expression:
        case Atom():
            return expression
        case Not(body):
            return Not(change(body))
        case And(inner):
            return And(tuple(map(change, inner)))
        case Or(inner):
            return Or(tuple(map(change, inner)))
        case Imply(premise, conclusion):
            return Imply(change(premise), change(conclusion))
    return replace(expression, body=change(expression.body))


def renamed(expression: Expression, names: Mapping[str, str]) -> Expression:
    """The condition with other names for instances, or instances in place of variables. What a
    quantifier binds stays."""
    if isinstance(expression, Atom):
        return Atom(expression.predicate, tuple(names.get(each, each) for each in expression.terms))
    bound = {each.variable for each in bounds(expression)}
    free = {old: new for old, new in names.items() if old not in bound} if bound else names
    return rebuilt(expression, lambda each: renamed(each, free))


# --- The opposite of a condition, with "not" as far inside as it goes


def opposite(expression: Expression) -> Expression:
    """A condition that is true exactly where ``expression`` is false: "not" is applied to facts and
    to counts (`ForN`, `ForPairs`, `ForNPairs`), whose opposite has no other form."""
    match expression:
        case Not(body):
            return body
        case And(parts):
            return Or(tuple(map(opposite, parts)))
        case Or(parts):
            return And(tuple(map(opposite, parts)))
        case Imply(premise, conclusion):
            return And((premise, opposite(conclusion)))
        case ForAll(bound, body):
            return Exists(bound, opposite(body))
        case Exists(bound, body):
            return ForAll(bound, opposite(body))
    return Not(expression)


# --- How large a definition is: the cost of deciding its goal


def cases_of(goal: Expression, objects: Mapping[str, str]) -> int:
    """How many facts and operators a goal has once its variables are instances. The time to decide
    it is proportional, and so is the memory to search for ways to reach it.

    ``objects``: the declared instances with their categories.
    """
    return _cases(goal, Counter(objects.values()))


def _cases(expression: Expression, counts: Mapping[str, int]) -> int:
    inner = sum(_cases(part, counts) for part in parts(expression))
    return 1 + inner * prod(counts[bound.category] for bound in bounds(expression))


# --- Whether conditions hold


Holds = Callable[[Atom], bool]
"""Whether a fact about instances holds."""

_Names = Mapping[str, str]


def evaluate(expression: Expression, objects: Mapping[str, str], holds: Holds) -> bool:
    """Whether a condition holds.

    Args:
        objects: instance to category: what quantifiers run over, in this order.
        holds: asked of facts whose variables are replaced by instances. A name that no quantifier
            binds is passed unchanged, declared or not.
    """
    return _truth(expression, objects, holds, {})


def _truth(expression: Expression, objects: _Names, holds: Holds, bound: _Names) -> bool:
    match expression:
        case Atom(predicate, terms):
            if bound:
                expression = Atom(predicate, tuple(bound.get(each, each) for each in terms))
            return holds(expression)
        case Not(body):
            return not _truth(body, objects, holds, bound)
        case And(parts):
            return all(_truth(part, objects, holds, bound) for part in parts)
        case Or(parts):
            return any(_truth(part, objects, holds, bound) for part in parts)
        case Imply(premise, conclusion):
            return not _truth(premise, objects, holds, bound) or _truth(
                conclusion, objects, holds, bound
            )
    return _quantified(expression, objects, holds, bound)


def _quantified(
    expression: ForAll | Exists | ForN | ForPairs | ForNPairs,
    objects: _Names,
    holds: Holds,
    bound: _Names,
) -> bool:
    if isinstance(expression, ForPairs | ForNPairs):
        return _pairs(expression, objects, holds, bound)
    variable, body = expression.bound.variable, expression.body
    cells = (
        _truth(body, objects, holds, {**bound, variable: each})
        for each in instances(objects, expression.bound)
    )
    match expression:
        case ForAll():
            return all(cells)
        case Exists():
            return any(cells)
    return sum(cells) == expression.count


def _pairs(expression: ForPairs | ForNPairs, objects: _Names, holds: Holds, bound: _Names) -> bool:
    first, second = expression.first, expression.second
    rows, columns = instances(objects, first), instances(objects, second)
    needed = expression.count if isinstance(expression, ForNPairs) else min(len(rows), len(columns))
    full = [
        (row, column)
        for row in rows
        for column in columns
        if row != column
        and _truth(
            expression.body,
            objects,
            holds,
            {**bound, first.variable: row, second.variable: column},
        )
    ]
    return len({row for row, _ in full}) >= needed and len({each for _, each in full}) >= needed


def instances(objects: Mapping[str, str], bound: Bound) -> tuple[str, ...]:
    """The instances that a variable takes, in order of declaration."""
    return tuple(name for name, category in objects.items() if category == bound.category)
