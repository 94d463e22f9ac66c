"""What a condition is made of.

Terms are names without "?": whether one is a variable is decided by the quantifiers around it
(spec: actplan.md section 2.1).
"""

from __future__ import annotations

from dataclasses import dataclass


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
    """A variable that stands for each declared instance of a category in turn."""

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
    matching (spec section 2.1). BEHAVIOR's own package is at odds with that where both variables
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
