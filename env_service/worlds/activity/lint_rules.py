"""The linter's checks: of declarations, openings, goals and predicates, and of whether a goal can
be reached at all.
"""

from collections.abc import Iterable, Iterator, Mapping
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
    all_bounds,
    atoms,
    evaluate,
    instances,
    within,
)
from env_service.worlds.activity.bddl.problem import AGENT, INROOM, Literal
from env_service.worlds.activity.bddl.syntax import Node, Word
from env_service.worlds.activity.bddl.wording import in_words
from env_service.worlds.activity.bddl.writer import write_expression
from env_service.worlds.activity.lint_findings import Check, Finding, Subject, inner

# --- The linter's checks of declarations and openings

_SUPPORTS = ("inside", "ontop", "onfloor")
"""A thing is in one of these relations at a time, to one other thing."""

OBJECTS, INIT = ":objects", ":init"

_ONE = "keep one of the two"


def opening_findings(subject: Subject) -> Iterator[Finding]:
    """All that is wrong with what is declared and how it begins."""
    yield from _declarations(subject)
    yield from _agents(subject)
    yield from _unplaced(subject)
    yield from _repeated(subject)
    yield from _denied(subject)
    yield from _places(subject)
    yield from _cycles(subject)


def is_support(fact: Atom) -> bool:
    """Whether a fact says in or on what a thing lies."""
    return fact.predicate in _SUPPORTS and len(fact.terms) == 2


def circle(name: str, supports: Mapping[str, str]) -> tuple[str, ...]:
    """The things from one to itself, each lying in or on the next; empty where it does not come
    back to itself."""
    chain = [name]
    while (below := supports.get(chain[-1])) is not None:
        if below == name:
            return tuple(chain)
        if below in chain:
            break
        chain.append(below)
    return ()


def _declarations(subject: Subject) -> Iterator[Finding]:
    problem = subject.problem
    for name, category in problem.objects.items():
        stem, _, number = name.rpartition("_")
        if stem != category or not number.isdecimal():
            what = f'"{name}" is declared as {category}'
            mend = f'call it "{category}_N", or declare it under its own category'
            yield subject.found(Check.WRONG_CATEGORY, name, OBJECTS, what, mend)
    seen: set[str] = set()
    for word in _declared(subject):
        if word.text in seen:
            what = f'"{word.text}" is declared twice'
            mend = "write the instance that is meant, or drop it"
            yield subject.found_at(Check.REPEATED_OBJECT, word, what, mend)
        seen.add(word.text)


def _declared(subject: Subject) -> Iterator[Word]:
    words = iter(subject.places.words(OBJECTS))
    for word in words:
        if word.text == "-":
            next(words, None)
        else:
            yield word


def _agents(subject: Subject) -> Iterator[Finding]:
    agents = [name for name, kind in subject.problem.objects.items() if kind == AGENT]
    if not _placed(subject).intersection(agents):
        mend = f"declare {AGENT}_1, and put it on a floor"
        yield subject.found(Check.NO_AGENT, "", OBJECTS, "no agent is in the house", mend)
    for name in agents[1:]:
        what = f'"{name}" is one agent more; {agents[0]} alone acts'
        yield subject.found(Check.MANY_AGENTS, name, OBJECTS, what, "declare one agent")


def _unplaced(subject: Subject) -> Iterator[Finding]:
    problem, placed = subject.problem, _placed(subject)
    goals = (problem.goal, *problem.dropped)
    named = {term for each in problem.init for term in each.atom.terms}
    named |= {term for goal in goals for each in atoms(goal) for term in each.terms}
    kinds = {bound.category for goal in goals for bound in all_bounds(goal)}
    for name, category in problem.objects.items():
        if category == AGENT or name in placed:
            continue
        if name not in named and category not in kinds:
            what = f'nothing is said of "{name}": it is nowhere, and no goal is about it'
            mend = "put it somewhere under :init, or do not declare it"
            yield subject.found(Check.UNUSED_OBJECT, name, OBJECTS, what, mend)
        else:
            what = f'"{name}" is nowhere at the opening'
            mend = "put it somewhere under :init, or do not declare it"
            yield subject.found(Check.UNPLACED, name, OBJECTS, what, mend)


def _placed(subject: Subject) -> frozenset[str]:
    """What a fact of the opening puts somewhere."""
    return frozenset(
        each.atom.terms[0]
        for each in subject.problem.init
        if each.positive and len(each.atom.terms) == 2
    )


def _facts(subject: Subject) -> Iterator[tuple[Literal, Node]]:
    """The opening's facts with their places."""
    return zip(subject.problem.init, subject.places.entries(INIT), strict=True)


def _repeated(subject: Subject) -> Iterator[Finding]:
    seen: set[Literal] = set()
    for each, node in _facts(subject):
        if each in seen:
            what = f"that {in_words(each.atom)} is {'said' if each.positive else 'denied'} twice"
            mend = "write the instance that is meant, or drop it"
            yield subject.found_at(Check.REPEATED_FACT, node, what, mend)
        seen.add(each)


def _denied(subject: Subject) -> Iterator[Finding]:
    denied = {each.atom for each in subject.problem.init if not each.positive}
    for each, node in _facts(subject):
        if each.positive and each.atom in denied:
            denied.discard(each.atom)
            name = each.atom.terms[0]
            what = f'that "{each.atom.predicate}" holds of "{name}" is both said and denied'
            yield subject.found_at(Check.CONTRADICTION, node, what, _ONE)


def _places(subject: Subject) -> Iterator[Finding]:
    """Things in two places: in or on two others, in two rooms, or in another room than what they
    are in or on."""
    supports: dict[str, Atom] = {}
    rooms: dict[str, Atom] = {}
    for each, node in _facts(subject):
        known = rooms if each.atom.predicate == INROOM else supports
        if not each.positive or (known is supports and not is_support(each.atom)):
            continue
        first = known.setdefault(each.atom.terms[0], each.atom)
        if first != each.atom:
            yield _torn(subject, node, first, each.atom)
    below = {name: atom.terms[-1] for name, atom in supports.items()}
    for each, node in _facts(subject):
        if rooms.get(each.atom.terms[0]) == each.atom and each.positive:
            under = _roomed(each.atom.terms[0], below, rooms)
            if under is not None and under.terms[1] != each.atom.terms[1]:
                yield _torn(subject, node, supports[each.atom.terms[0]], each.atom, under)


def _roomed(name: str, below: Mapping[str, str], rooms: Mapping[str, Atom]) -> Atom | None:
    """In which room the next thing below is that has one."""
    seen = {name}
    while (name := below.get(name, "")) and name not in seen:
        if name in rooms:
            return rooms[name]
        seen.add(name)
    return None


def _torn(subject: Subject, node: Node, *facts: Atom) -> Finding:
    told = ", and ".join(map(in_words, facts))
    what = f'"{facts[0].terms[0]}" is in two places: {told}'
    return subject.found_at(Check.CONTRADICTION, node, what, _ONE)


def _cycles(subject: Subject) -> Iterator[Finding]:
    supports: dict[str, str] = {}
    for each in subject.problem.init:
        if each.positive and is_support(each.atom):
            supports.setdefault(each.atom.terms[0], each.atom.terms[1])
    told: set[str] = set()
    for each, node in _facts(subject):
        name = each.atom.terms[0]
        around = circle(name, supports) if each.positive else ()
        if not around or name in told or each.atom.terms[-1] != supports[name]:
            continue
        told.update(around)
        what = f'"{name}" is in or on itself'
        if len(around) > 1:
            what += f", by way of {', '.join(around[1:])}"
        mend = "put one of them on the floor, or into something else"
        yield subject.found_at(Check.CYCLE, node, what, mend)


GOAL, INIT = ":goal", ":init"

ARITIES = {
    **dict.fromkeys(
        ("burnt", "cooked", "dusty", "frozen", "open", "perished", "sliced", "soaked", "stained"),
        1,
    ),
    "toggled_on": 1,
    **dict.fromkeys(("inside", "nextto", "onfloor", "ontop", "touching", "under", INROOM), 2),
}
"""The predicates that published definitions use, with their numbers of terms."""


def goal_findings(subject: Subject) -> Iterator[Finding]:
    """All that is wrong with a goal, and with predicates anywhere."""
    yield from _predicates(subject)
    for part in subject.problem.dropped:
        what = f"{write_expression(part)} comes after the goal's end, and is dropped"
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
            what = f'"{atom.predicate}" is not a predicate'
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
        what = f'the variable "?{variable}" is for {category}'
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
                    Check.SHADOWED_VARIABLE, name, GOAL, what, "give it another name"
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


# --- The linter's checks of whether a goal can be reached at all

_AGENTS = ("onfloor", INROOM)
"""What can be true of who acts."""

_Names = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Never:
    """A part of a goal that is never true."""

    node: Node
    what: str
    mend: str


@dataclass(frozen=True, slots=True)
class _Needed:
    """A fact that has to hold, or not to hold, for a condition to be true."""

    atom: Atom
    positive: bool
    node: Node


def reach_findings(subject: Subject) -> Iterator[Finding]:
    """What is asked for and can never be."""
    problem = subject.problem
    node = subject.places.entries(":goal")[0]
    told: set[tuple[int, int]] = set()
    for fatal, never in _Goal(problem.objects).never(problem.goal, node):
        place = never.node.line, never.node.column
        if place in told:
            continue
        told.add(place)
        check = Check.IMPOSSIBLE_GOAL if fatal else Check.IMPOSSIBLE_PART
        yield subject.found_at(check, never.node, never.what, never.mend)


@dataclass(frozen=True, slots=True)
class _Goal:
    """Looks through one goal. ``objects``: instance to category."""

    objects: _Names

    def never(
        self, part: Expression, node: Node, *, fatal: bool = True, joined: bool = False
    ) -> Iterator[tuple[bool, _Never]]:
        """The parts that are never true, each with whether the goal is therefore not either.

        Args:
            fatal: whether the goal fails where ``part`` does.
            joined: whether ``part`` was looked at as a part of what is around it.
        """
        found = () if joined else tuple(self._conflicts(part, node))
        yield from ((fatal, each) for each in found)
        if why := self._too_many(part):
            yield fatal, _Never(node, *why)
            return
        within = tuple(inner(part, node))
        carries = self._carries(part)
        blamed = carries and any(self._always(each) is False for each, _ in within)
        if fatal and self._always(part) is False and not blamed:
            yield fatal, _Never(node, *self._undeclared(part))
            return
        fatal = fatal and carries
        for each, place in within:
            yield from self.never(each, place, fatal=fatal, joined=isinstance(part, And | ForAll))

    def _carries(self, part: Expression) -> bool:
        """Whether a condition is false where what it is made of is."""
        match part:
            case And() | Exists():
                return True
            case Or(parts):
                return len(parts) == 1
            case ForAll(bound):
                return bool(instances(self.objects, bound))
            case ForN(count) | ForNPairs(count):
                return count > 0
            case ForPairs():
                return self._pairs(part)[1] > 0
        return False

    def _too_many(self, part: Expression) -> tuple[str, str] | None:
        """What is wrong with a count, and how to mend it."""
        match part:
            case Or(()):
                return "one of no conditions is asked for", "write the conditions, or drop it"
            case ForN(count, bound):
                there = len(instances(self.objects, bound))
                asked = f"of the kind {bound.category}"
            case ForPairs() | ForNPairs():
                there, count = self._pairs(part)
                asked = f"pairs of {part.first.category} and {part.second.category}"
            case _:
                return None
        if count <= there:
            return None
        what = f"{count} {asked} are asked for, and there are {there}"
        return what, "ask for fewer, or declare more"

    def _pairs(self, part: ForPairs | ForNPairs) -> tuple[int, int]:
        """How many rows and columns can hold a true cell, and how many have to."""
        least = min(len(instances(self.objects, each)) for each in (part.first, part.second))
        alone = part.first.category == part.second.category and least == 1
        asked = part.count if isinstance(part, ForNPairs) else least
        return (0 if alone else least), asked

    def _always(self, part: Expression) -> bool | None:
        """The truth of a condition whatever the facts are, as far as categories without instances
        decide it; None: the facts decide."""
        match part:
            case Atom():
                return None
            case Not(body):
                found = self._always(body)
                return None if found is None else not found
            case And(parts):
                return _all(self._always(each) for each in parts)
            case Or(parts):
                return _any(self._always(each) for each in parts)
            case Imply(premise, conclusion):
                return _any((self._always(Not(premise)), self._always(conclusion)))
            case ForAll(bound, body):
                return True if not instances(self.objects, bound) else self._always(body)
            case Exists(bound, body):
                return False if not instances(self.objects, bound) else self._always(body)
            case ForN(count, bound):
                there = len(instances(self.objects, bound))
                return count == 0 if not there else None
        return None

    def _undeclared(self, part: Expression) -> tuple[str, str]:
        """Which categories without instances make a condition untrue, and how to mend it."""
        bounds = (each for each in all_bounds(part) if not instances(self.objects, each))
        names = " or ".join(f'"{each}"' for each in dict.fromkeys(each.category for each in bounds))
        what = f"this can never be true, as no instance of {names} is declared"
        return what, "declare one, or ask for a category that has some"

    def _conflicts(self, part: Expression, node: Node) -> Iterator[_Never]:
        """Facts that a condition both needs and forbids, or that cannot be."""
        needed = tuple(self._needed(part, node, {}, positive=True))
        agent = next((name for name, kind in self.objects.items() if kind == AGENT), "")
        yield from _forbidden(needed)
        yield from _selves(needed)
        yield from _of_agent(needed, agent)
        yield from _circles(needed)

    def _needed(
        self, part: Expression, node: Node, bound: _Names, *, positive: bool
    ) -> Iterator[_Needed]:
        match part:
            case Atom(predicate, terms):
                told = Atom(predicate, tuple(bound.get(each, each) for each in terms))
                yield _Needed(told, positive, node)
                return
            case Not():
                signs: tuple[bool, ...] = (not positive,)
            case Imply() if not positive:
                signs = (True, False)
            case And(parts) if positive:
                signs = (True,) * len(parts)
            case Or(parts) if not positive:
                signs = (False,) * len(parts)
            case ForAll() | Exists() if isinstance(part, ForAll) == positive:
                ((body, place),) = inner(part, node)
                for name in instances(self.objects, part.bound):
                    inside = {**bound, part.bound.variable: name}
                    yield from self._needed(body, place, inside, positive=positive)
                return
            case _:
                return
        for (each, place), sign in zip(inner(part, node), signs, strict=True):
            yield from self._needed(each, place, bound, positive=sign)


def _all(parts: Iterable[bool | None]) -> bool | None:
    found = tuple(parts)
    if False in found:
        return False
    return None if None in found else True


def _any(parts: Iterable[bool | None]) -> bool | None:
    found = tuple(parts)
    if True in found:
        return True
    return None if None in found else False


def _forbidden(needed: tuple[_Needed, ...]) -> Iterator[_Never]:
    signs: dict[Atom, bool] = {}
    for each in needed:
        if signs.setdefault(each.atom, each.positive) != each.positive:
            what = f"that {in_words(each.atom)} is both asked for and forbidden"
            mend = "drop one of the two, or write the instance that is meant"
            yield _Never(each.node, what, mend)


def _selves(needed: tuple[_Needed, ...]) -> Iterator[_Never]:
    for each in needed:
        names = each.atom.terms
        if each.positive and len(names) == 2 and names[0] == names[1]:
            what = f"that {in_words(each.atom)} is asked for, which is itself"
            yield _Never(each.node, what, "leave the thing itself out, or write another one")


def _of_agent(needed: tuple[_Needed, ...], agent: str) -> Iterator[_Never]:
    for each in needed:
        predicate, terms = each.atom.predicate, each.atom.terms
        if each.positive and len(terms) == 2 and terms[0] == agent and predicate not in _AGENTS:
            what = f"that {in_words(each.atom)} is asked for, and who acts is only ever on a floor"
            yield _Never(each.node, what, "write onfloor, or inroom")


def _circles(needed: tuple[_Needed, ...]) -> Iterator[_Never]:
    supports: dict[str, str] = {}
    for each in needed:
        if each.positive and is_support(each.atom):
            name, other = each.atom.terms
            supports[name] = other
            around = circle(name, supports) if name != other else ()
            if around:
                what = f'"{name}" would have to be in or on itself, through {", ".join(around[1:])}'
                yield _Never(each.node, what, "ask for one of them elsewhere")
