"""The ways in which a goal can be reached: which instance is for whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from env_service.suites.actplan.planner.aims import IMPOSSIBLE, Aims, Judge
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
from env_service.worlds.activity.bddl.rewriting import renamed

PATIENCE = 20_000
"""How many facts are looked at before no further way is sought."""
CHOICES = 400
"""Of so many sets of instances, where a number of them is asked for, one is tried at most."""


class Ways:
    """Finds ways, likely ones first. Each is found but once; there may be none, or very many."""

    def __init__(self, objects: Mapping[str, str], judge: Judge) -> None:
        """``objects``: instance to category."""
        self._objects, self._judge = objects, judge
        self._left = PATIENCE

    def to(self, goal: Expression, aims: Aims) -> Iterator[Aims]:
        """Aims that bring the goal about, beside those there are."""
        yield from self._to(_negated(goal) if isinstance(goal, Not) else goal, aims)

    def _to(self, goal: Expression, aims: Aims) -> Iterator[Aims]:
        match goal:
            case Atom():
                yield from self._fact(goal, aims, positive=True)
            case Not(Atom() as atom):
                yield from self._fact(atom, aims, positive=False)
            case And(parts):
                yield from self._all(parts, aims)
            case Or(parts):
                yield from self._any(parts, aims)
            case ForAll(bound, body):
                yield from self._all(self._instances(bound, body), aims)
            case Exists(bound, body):
                yield from self._any(self._instances(bound, body), aims)
            case ForN(count, bound, body):
                yield from self._exactly(count, self._instances(bound, body), aims)
            case ForPairs(first, second, body):
                sizes = (len(self._of(each.category)) for each in (first, second))
                yield from self._pairs(min(sizes), first, second, body, aims)
            case ForNPairs(count, first, second, body):
                yield from self._pairs(count, first, second, body, aims)
            case _:
                # a negated number or pairing: nobody asks for it, and the goal is checked anyway
                yield from self.to(_negated(goal), aims) if _splits(goal) else (aims,)

    def _fact(self, atom: Atom, aims: Aims, *, positive: bool) -> Iterator[Aims]:
        self._left -= 1
        if self._left < 0 or self._judge.cost(atom, aims, positive=positive) >= IMPOSSIBLE:
            return
        found = self._judge.with_fact(aims, atom, positive=positive)
        if found is not None:
            yield found

    def _all(self, parts: Sequence[Expression], aims: Aims) -> Iterator[Aims]:
        if not parts:
            yield aims
            return
        for found in self.to(parts[0], aims):
            yield from self._all(parts[1:], found)

    def _any(self, parts: Sequence[Expression], aims: Aims) -> Iterator[Aims]:
        for part in self._by_cost(parts, aims):
            yield from self.to(part, aims)

    def _exactly(self, count: int, parts: Sequence[Expression], aims: Aims) -> Iterator[Aims]:
        ordered = self._by_cost(parts, aims)
        for number, chosen in enumerate(combinations(range(len(ordered)), count)):
            if number >= CHOICES:
                return
            wanted = [part if k in chosen else Not(part) for k, part in enumerate(ordered)]
            yield from self._all(sorted(wanted, key=lambda each: isinstance(each, Not)), aims)

    def _pairs(
        self, count: int, first: Bound, second: Bound, body: Expression, aims: Aims
    ) -> Iterator[Aims]:
        table = {
            (one, other): renamed(body, {first.variable: one, second.variable: other})
            for one in self._of(first.category)
            for other in self._of(second.category)
            if one != other
        }
        yield from self._matched(count, table, aims)

    def _matched(
        self, count: int, table: Mapping[tuple[str, str], Expression], aims: Aims
    ) -> Iterator[Aims]:
        """``count`` cells of different rows and columns."""
        if count == 0:
            yield aims
            return
        costs = {pair: self.cost(part, aims) for pair, part in table.items()}
        rows = list(dict.fromkeys(one for one, _ in table))
        best = min(rows, key=lambda row: min(costs[p] for p in table if p[0] == row), default=None)
        if best is None:
            return
        for pair in sorted((p for p in table if p[0] == best), key=lambda p: costs[p]):
            left = {p: part for p, part in table.items() if p[0] != pair[0] and p[1] != pair[1]}
            for found in self.to(table[pair], aims):
                yield from self._matched(count - 1, left, found)
        if len(rows) > count:
            left = {p: part for p, part in table.items() if p[0] != best}
            yield from self._matched(count, left, aims)

    def cost(self, goal: Expression, aims: Aims) -> float:
        """What a goal will take, roughly, beside the aims there are."""
        match goal:
            case Atom():
                return self._judge.cost(goal, aims, positive=True)
            case Not(Atom() as atom):
                return self._judge.cost(atom, aims, positive=False)
            case And(parts):
                return sum(self.cost(part, aims) for part in parts)
            case Or(parts):
                return min((self.cost(part, aims) for part in parts), default=IMPOSSIBLE)
            case ForAll(bound, body):
                return sum(self.cost(part, aims) for part in self._instances(bound, body))
            case Exists(bound, body):
                parts = self._instances(bound, body)
                return min((self.cost(part, aims) for part in parts), default=IMPOSSIBLE)
            case ForN(count, bound, body):
                costs = sorted(self.cost(part, aims) for part in self._instances(bound, body))
                return sum(costs[:count])
            case _:
                return self.cost(_negated(goal), aims) if _splits(goal) else 1.0

    def _by_cost(self, parts: Sequence[Expression], aims: Aims) -> list[Expression]:
        return sorted(parts, key=lambda part: self.cost(part, aims))

    def _instances(self, bound: Bound, body: Expression) -> tuple[Expression, ...]:
        return tuple(renamed(body, {bound.variable: each}) for each in self._of(bound.category))

    def _of(self, category: str) -> list[str]:
        return [name for name, kind in self._objects.items() if kind == category]


def _splits(goal: Expression) -> bool:
    """Whether a negation can be pushed inwards, or an implication read otherwise."""
    inner = goal.body if isinstance(goal, Not) else goal
    return isinstance(inner, Imply | Not | And | Or | ForAll | Exists)


def _negated(goal: Expression) -> Expression:
    """A negated condition with the negation inside; an implication as an alternative."""
    match goal:
        case Imply(premise, conclusion):
            return Or((Not(premise), conclusion))
        case Not(Not(body)):
            return body
        case Not(And(parts)):
            return Or(tuple(Not(part) for part in parts))
        case Not(Or(parts)):
            return And(tuple(Not(part) for part in parts))
        case Not(ForAll(bound, body)):
            return Exists(bound, Not(body))
        case Not(Exists(bound, body)):
            return ForAll(bound, Not(body))
        case Not(Imply(premise, conclusion)):
            return And((premise, Not(conclusion)))
    return goal
