"""The linter's checks of goals and predicates."""

from __future__ import annotations

from collections.abc import Iterator

from env_service.worlds.activity.bddl.evaluation import evaluate
from env_service.worlds.activity.bddl.expressions import (
    And,
    Atom,
    Bound,
    Exists,
    Expression,
    ForAll,
    ForN,
    Imply,
    Not,
    Or,
)
from env_service.worlds.activity.bddl.finding import Check, Finding
from env_service.worlds.activity.bddl.lint_subject import Subject
from env_service.worlds.activity.bddl.names import INROOM
from env_service.worlds.activity.bddl.places import inner
from env_service.worlds.activity.bddl.telling import in_words
from env_service.worlds.activity.bddl.walking import within
from env_service.worlds.activity.bddl.writing import write_expression

GOAL, INIT = ":goal", ":init"

ARITIES = {
    **dict.fromkeys(
        ("burnt", "cooked", "dusty", "frozen", "open", "perished", "sliced", "soaked", "stained"),
        1,
    ),
    "toggled_on": 1,
    **dict.fromkeys(("inside", "nextto", "onfloor", "ontop", "touching", "under", INROOM), 2),
}
"""The predicates that published definitions use (spec section 2.2), with their numbers of terms."""


def goal_findings(subject: Subject) -> Iterator[Finding]:
    """All that is wrong with a goal, and with predicates anywhere."""
    yield from _predicates(subject)
    for part in subject.problem.dropped:
        what = f"{write_expression(part)} stands after the goal's end, and is dropped"
        name = part.terms[0] if isinstance(part, Atom) else ""
        yield subject.found(Check.DROPPED_GOAL, name, GOAL, what, "move it into the goal's (and …)")
    for bound, body in _bounds(subject.problem.goal):
        yield from _bound(subject, bound, body)
    yield from _shadows(subject, subject.problem.goal, frozenset())
    yield from _conjuncts(subject)
    yield from _marks(subject)


def _predicates(subject: Subject) -> Iterator[Finding]:
    problem = subject.problem
    parts = (part for goal in (problem.goal, *problem.dropped) for part in within(goal))
    uses = [(INIT, each.atom) for each in problem.init]
    uses += [(GOAL, part) for part in parts if isinstance(part, Atom)]
    for section, atom in dict.fromkeys((where, each) for where, each in uses):
        arity = ARITIES.get(atom.predicate)
        if arity is None:
            what = f'"{atom.predicate}" is no predicate'
            mend = f"use one of {', '.join(sorted(ARITIES))}"
            yield subject.found(Check.UNKNOWN_PREDICATE, atom.predicate, section, what, mend)
        elif arity != len(atom.terms):
            what = f'"{atom.predicate}" has {len(atom.terms)} terms'
            mend = f"give it {arity}"
            yield subject.found(Check.WRONG_ARITY, atom.predicate, section, what, mend)


def _bounds(goal: Expression) -> Iterator[tuple[Bound, Expression]]:
    for part in within(goal):
        match part:
            case Atom() | Not() | And() | Or() | Imply():
                continue
            case ForAll(bound, body) | Exists(bound, body) | ForN(_, bound, body):
                yield bound, body
            case _:
                yield part.first, part.body
                yield part.second, part.body


def _bound(subject: Subject, bound: Bound, body: Expression) -> Iterator[Finding]:
    variable, category = bound.variable, bound.category
    used = {term for part in within(body) if isinstance(part, Atom) for term in part.terms}
    if variable not in used:
        what = f'the variable "?{variable}" is not used'
        mend = f'write "?{variable}" where an instance is meant to be any, or drop the quantifier'
        yield subject.found(Check.UNUSED_VARIABLE, variable, GOAL, what, mend)
    if variable != category:
        what = f'the variable "?{variable}" stands for {category}'
        yield subject.found(
            Check.MISNAMED_VARIABLE, variable, GOAL, what, "make sure that this is the category"
        )
    if category not in subject.problem.objects.values():
        what = f'no instance of "{category}" is declared'
        mend = "declare one, or quantify over a category that has some"
        yield subject.found(Check.EMPTY_CATEGORY, category, GOAL, what, mend)


def _shadows(subject: Subject, part: Expression, bound: frozenset[str]) -> Iterator[Finding]:
    match part:
        case Atom():
            return
        case Not(body):
            inner: tuple[Expression, ...] = (body,)
        case And(parts) | Or(parts):
            inner = parts
        case Imply(premise, conclusion):
            inner = (premise, conclusion)
        case _:
            own = {each.variable for each, body in _bounds(part) if body is part.body}
            for name in sorted(own & (bound | subject.problem.objects.keys())):
                what = f'the variable "?{name}" hides another one, or an instance'
                yield subject.found(
                    Check.SHADOWED_VARIABLE, name, GOAL, what, "give it a name of its own"
                )
            bound, inner = bound | own, (part.body,)
    for each in inner:
        yield from _shadows(subject, each, bound)


def _conjuncts(subject: Subject) -> Iterator[Finding]:
    problem = subject.problem
    facts = {each.atom for each in problem.init if each.positive}
    reached = [evaluate(each, problem.objects, facts.__contains__) for each in problem.conjuncts]
    goal = subject.places.entries(GOAL)[0]
    if all(reached):
        what = "the goal holds from the start" if reached else "the goal asks for nothing"
        mend = "ask for what is to be done"
        yield subject.found_at(Check.NOTHING_TO_DO, goal, what, mend)
    is_and = isinstance(problem.goal, And)
    nodes = [node for _, node in inner(problem.goal, goal)] if is_and else [goal]
    seen: set[Expression] = set()
    for part, node, holds in zip(problem.conjuncts, nodes, reached, strict=True):
        if part in seen:
            what = f"that {in_words(part)} is asked for twice"
            mend = "write the instance that is meant, or drop it"
            yield subject.found_at(Check.REPEATED_GOAL, node, what, mend)
        elif holds and not all(reached):
            what = f"that {in_words(part)} holds from the start"
            mend = "nothing, if it is to be kept so"
            yield subject.found_at(Check.REACHED_GOAL, node, what, mend)
        seen.add(part)


def _marks(subject: Subject) -> Iterator[Finding]:
    for word in subject.places.words(GOAL):
        if word.text in subject.problem.objects:
            yield Finding(
                Check.MISSING_MARK,
                subject.source,
                word.line,
                word.column,
                f'"{word.text}" lacks its "?"',
                f'write "?{word.text}"',
            )
