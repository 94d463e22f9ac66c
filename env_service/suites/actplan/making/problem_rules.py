"""Counterfactuals by rule, by the paper's three categories; no model is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from env_service.suites.actplan.counterfactual_rule import (
    CounterfactualRule,
    UnsuitableError,
    counterfactual_rule,
)
from env_service.suites.actplan.making.description import FLOOR, Things, room_in_words
from env_service.suites.actplan.making.edits import (
    is_so,
    members,
    over_another,
    placed,
    room_of,
    with_facts,
    with_goal,
    with_names,
    with_things,
    without_things,
)
from env_service.suites.actplan.task import Circumstance
from env_service.worlds.activity.bddl.expressions import (
    Atom,
    Bound,
    Expression,
    ForAll,
    Not,
    all_bounds,
    atoms,
    parts,
)
from env_service.worlds.activity.bddl.problem import AGENT, Literal, Problem
from env_service.worlds.activity.categories import Trait, traits_of

# --- What a rule is


@dataclass(frozen=True, slots=True)
class Draft:
    """A counterfactual before it is checked. ``text``: the circumstance, for the description."""

    problem: Problem
    text: str


# --- What a goal does to things: which are moved, and to where

MOVES = ("inside", "ontop", "nextto", "under", "onfloor")
"""The predicates that a thing is carried for."""


@dataclass(frozen=True, slots=True)
class Move:
    """A fact of a goal that makes somebody carry a thing. ``item`` and ``target`` are instances, or
    categories where the goal means any or all of them."""

    predicate: str
    item: str
    target: str


def moves(problem: Problem) -> Iterator[Move]:
    """All that the goal asks for, negations aside."""
    variables = {each.variable: each.category for each in all_bounds(problem.goal)}
    for atom in _positive(problem.goal):
        if atom.predicate in MOVES and len(atom.terms) == 2:
            item, target = (variables.get(each, each) for each in atom.terms)
            yield Move(atom.predicate, item, target)


def named_in_goal(problem: Problem) -> frozenset[str]:
    """The instances that the goal names, and the categories that it ranges over."""
    found = {each.category for each in all_bounds(problem.goal)}
    for atom in atoms(problem.goal):
        found.update(atom.terms)
    return frozenset(found)


def category_of(problem: Problem, term: str) -> str:
    """Of an instance, or the category itself."""
    return problem.objects.get(term, term)


def instances_of(problem: Problem, term: str) -> tuple[str, ...]:
    """The instance itself, or those of the category."""
    if term in problem.objects:
        return (term,)
    return tuple(each for each, category in problem.objects.items() if category == term)


def _positive(expression: Expression) -> Iterator[Atom]:
    if isinstance(expression, Atom):
        yield expression
    elif not isinstance(expression, Not):
        for each in parts(expression):
            yield from _positive(each)


# --- Tools that rules add, and what replaces a removed tool

WIPES = ("rag.n.01", "dishtowel.n.01", "paper_towel.n.01", "towel.n.01")
"""Against dust, wet or dry."""

SUBSTITUTES = {
    Trait.KNIFE: ("carving_knife.n.01", "table_knife.n.01", "knife.n.01"),
    Trait.TOOL: ("scrub_brush.n.01", "broom.n.01", "brush.n.02", *WIPES),
}
"""By trait: categories of published activities that do as well."""

BOXES = ("carton.n.02", "basket.n.01", "bucket.n.01", "sack.n.01")
"""Open things that others can be put into."""


def absent(problem: Problem, categories: Sequence[str]) -> tuple[str, ...]:
    """Those of the categories of which the problem has nothing, nor anything of that name."""
    there = {each.partition(".")[0] for each in problem.objects.values()}
    return tuple(each for each in categories if each.partition(".")[0] not in there)


def tool_beside(problem: Problem, thing: str, rng: Random) -> tuple[Problem, str] | None:
    """The problem with something to wipe with where a thing is, and its name; None where the thing
    is nowhere, or where the problem has everything that could be added."""
    categories, atom = absent(problem, WIPES), placed(problem, thing)
    if not categories or atom is None:
        return None
    problem, (tool,) = with_things(problem, rng.choice(categories))
    return with_facts(problem, Atom(atom.predicate, (tool, *atom.terms[1:]))), tool


def on_floor(problem: Problem, category: str, room: str) -> tuple[Problem, str] | None:
    """The problem with one more thing on the floor of a room, and its name; None where the problem
    has no such floor. An empty ``room`` means any."""
    floors = [
        each
        for each, kind in problem.objects.items()
        if kind == FLOOR and room in ("", room_of(problem, each))
    ]
    if not floors:
        return None
    problem, (name,) = with_things(problem, category)
    return with_facts(problem, Atom("onfloor", (name, floors[0]))), name


# --- Rules on what things are like: spoiled, dusty, frozen

FOODS = ("cracker.n.01", "muffin.n.01", "apple.n.01", "sandwich.n.01", "carrot.n.03")
"""Categories of published activities that can take another food's
place."""

_SPOILED = {"burnt": "burnt", "perished": "spoiled"}
"""States in which food is of no use, and what they are called."""


@counterfactual_rule(
    Circumstance.PROPERTY,
    "Food that is wanted is burnt or spoiled; other food is added, which is to take its place.",
)
def spoiled(problem: Problem, rng: Random) -> Draft:
    categories = [each for each in _carried(problem) if _solid_food(each)]
    others = absent(problem, FOODS)
    if not categories or not others:
        raise UnsuitableError
    category, state = rng.choice(categories), rng.choice(tuple(_SPOILED))
    spoiled, instead = members(problem, category), rng.choice(others)
    places = [placed(problem, each) for each in spoiled]
    wanted = _left_alone(problem, category)
    problem, fresh = with_things(problem, instead, len(spoiled))
    beside = [
        Atom(place.predicate, (each, *place.terms[1:]))
        for each, place in zip(fresh, places, strict=True)
        if place is not None
    ]
    if len(beside) < len(spoiled):
        raise UnsuitableError
    problem = with_facts(problem, *beside, *(Atom(state, (each,)) for each in spoiled))
    problem = with_names(problem, dict(zip(spoiled, fresh, strict=True)))
    problem = replace(problem, goal=over_another(problem.goal, category, instead))
    problem, things = with_goal(problem, *wanted), Things(problem)
    are = "are" if things.several(spoiled) else "is"
    there = "are" if things.several(fresh) else "is"
    return Draft(
        problem,
        f"{_capitalised(things.definite(spoiled))} {are} {_SPOILED[state]} and must not be used;"
        f" {things.definite(fresh)} {there} there instead.",
    )


@counterfactual_rule(
    Circumstance.PROPERTY,
    "Things that are carried are dusty and have to be clean; a tool is added.",
)
def dusty(problem: Problem, rng: Random) -> Draft:
    categories = [
        each
        for each in _carried(problem)
        if traits_of(each).isdisjoint((Trait.FOOD, Trait.TOOL, Trait.SOAP, Trait.LIQUID))
        and not any(is_so(problem, "dusty", thing) for thing in members(problem, each))
    ]
    if not categories:
        raise UnsuitableError
    soiled = members(problem, rng.choice(categories))
    found = tool_beside(problem, soiled[0], rng)
    if found is None:
        raise UnsuitableError
    problem, tool = found
    problem = with_facts(problem, *(Atom("dusty", (each,)) for each in soiled))
    problem = with_goal(problem, _none_is(problem, "dusty", soiled))
    things = Things(problem)
    are, phrase = "are" if things.several(soiled) else "is", things.definite(soiled)
    return Draft(
        problem,
        f"{_capitalised(phrase)} {are} covered with dust and must be clean at the end;"
        f" {things.the(tool)} is there to wipe with.",
    )


@counterfactual_rule(
    Circumstance.PROPERTY,
    "Food that is carried is frozen and has to be thawed.",
)
def frozen(problem: Problem, rng: Random) -> Draft:
    categories = [
        each
        for each in _carried(problem)
        if _solid_food(each)
        and not any(
            is_so(problem, "frozen", thing) or _cold(problem, thing)
            for thing in members(problem, each)
        )
    ]
    if not categories:
        raise UnsuitableError
    frozen = members(problem, rng.choice(categories))
    problem = with_facts(problem, *(Atom("frozen", (each,)) for each in frozen))
    problem = with_goal(problem, _none_is(problem, "frozen", frozen))
    things = Things(problem)
    are, phrase = "are" if things.several(frozen) else "is", things.definite(frozen)
    return Draft(problem, f"{_capitalised(phrase)} {are} frozen and must be thawed at the end.")


def _none_is(problem: Problem, state: str, things: tuple[str, ...]) -> Expression:
    """That none of a category is in a state; ``things`` are all there are."""
    if len(things) == 1:
        return Not(Atom(state, things))
    category = problem.objects[things[0]]
    return ForAll(Bound(category, category), Not(Atom(state, (category,))))


def _carried(problem: Problem) -> tuple[str, ...]:
    """The categories of things that the goal has carried somewhere, and that can be carried."""
    found = (category_of(problem, each.item) for each in moves(problem))
    return tuple(
        each
        for each in dict.fromkeys(found)
        if members(problem, each) and Trait.MOVABLE in traits_of(each)
    )


def _left_alone(problem: Problem, category: str) -> list[Expression]:
    """That none of a kind is put into the places that the goal has for it, but for those that it is
    in at the start."""
    found: list[Expression] = []
    for move in moves(problem):
        if move.predicate == "inside" and category_of(problem, move.item) == category:
            away = (each for each in members(problem, category) if _away(problem, each, move))
            found += [_not_there(problem, each, move) for each in away]
    return found


def _not_there(problem: Problem, item: str, move: Move) -> Expression:
    if move.target in problem.objects:
        return Not(Atom("inside", (item, move.target)))
    bound = Bound(move.target, move.target)
    return ForAll(bound, Not(Atom("inside", (item, bound.variable))))


def _away(problem: Problem, item: str, move: Move) -> bool:
    """Whether the thing is somewhere else at the start."""
    atom = placed(problem, item)
    return atom is not None and atom.terms[1] not in instances_of(problem, move.target)


def _cold(problem: Problem, instance: str) -> bool:
    """Whether it is in something that keeps it cold: taken out, it thaws by itself."""
    atom = placed(problem, instance)
    return atom is not None and Trait.COLD in traits_of(category_of(problem, atom.terms[1]))


def _solid_food(category: str) -> bool:
    return Trait.FOOD in traits_of(category) and Trait.LIQUID not in traits_of(category)


def _capitalised(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


# --- Rules on what things are for: one is out of use, and another one serves

_KEEPING = (Trait.COLD, Trait.BASIN, Trait.WASHER, Trait.HEAT, Trait.FLOOR)
"""Containers that are chosen for what they do, so that no box serves in their place."""


@counterfactual_rule(
    Circumstance.FUNCTION,
    "A knife or a cleaning tool is not there any more; another one is, which does as well.",
)
def tool_gone(problem: Problem, rng: Random) -> Draft:
    choices = [
        (category, substitutes)
        for category in dict.fromkeys(problem.objects.values())
        for trait, every in SUBSTITUTES.items()
        if trait in traits_of(category) and (substitutes := absent(problem, every))
    ]
    if not choices:
        raise UnsuitableError
    category, substitutes = rng.choice(choices)
    gone, phrase = members(problem, category), Things(problem).definite(members(problem, category))
    instead = rng.choice(substitutes)
    before = problem
    problem, fresh = with_things(problem, instead, len(gone))
    names = dict(zip(gone, fresh, strict=True))
    copied = tuple(_renamed(each, names) for each in before.init if each.atom.terms[0] in names)
    problem = replace(problem, init=(*problem.init, *copied))
    problem = without_things(with_names(problem, names), gone)
    problem = replace(problem, goal=over_another(problem.goal, category, instead))
    problem, back = _put_back(problem, fresh)
    are = "are" if Things(before).several(gone) else "is"
    things = Things(problem)
    return Draft(
        problem,
        f"{_capitalised(phrase)} {are} worn out and thrown away; {things.definite(fresh)} can be"
        f" used instead{back}.",
    )


def _put_back(problem: Problem, tools: tuple[str, ...]) -> tuple[Problem, str]:
    """The problem whose goal has tools at their places at the end, unless it speaks of them."""
    if not named_in_goal(problem).isdisjoint((*tools, problem.objects[tools[0]])):
        return problem, ""
    places = [atom for each in tools if (atom := placed(problem, each)) is not None]
    phrase = " and must be back in place at the end" if places else ""
    return with_goal(problem, *places), phrase


@counterfactual_rule(
    Circumstance.FUNCTION,
    "What things are to be put into is out of use; another container is added for them.",
)
def container_broken(problem: Problem, rng: Random) -> Draft:
    targets = {
        each.target: category_of(problem, each.target)
        for each in moves(problem)
        if each.predicate == "inside" and instances_of(problem, each.target)
    }
    choices = [
        each
        for each, category in targets.items()
        if Trait.CONTAINER in traits_of(category)
        and traits_of(category).isdisjoint(_KEEPING)
        and not _has_states(problem, each)
    ]
    boxes = absent(problem, BOXES)
    if not choices or not boxes:
        raise UnsuitableError
    target = rng.choice(choices)
    closed = instances_of(problem, target)
    category, before = rng.choice(boxes), problem
    names: dict[str, str] = {}
    for each in closed:
        found = on_floor(problem, category, room_of(before, each)) or on_floor(
            problem, category, ""
        )
        if found is None:
            raise UnsuitableError
        problem, names[each] = found
    problem = with_names(problem, names)
    if target not in before.objects:
        problem = replace(problem, goal=over_another(problem.goal, target, category))
    things = Things(problem)
    have = "have come apart and hold" if things.several(closed) else "has come apart and holds"
    return Draft(
        problem,
        f"{_capitalised(things.definite(closed))} {have} nothing any more; what belongs there goes"
        f" into {things.definite(names.values())} instead.",
    )


def _has_states(problem: Problem, term: str) -> bool:
    """Whether the goal asks for a state of a thing, or of one of its kind: closed, clean."""
    categories = {each.variable: each.category for each in all_bounds(problem.goal)}
    meant = {term, category_of(problem, term)}
    return any(
        len(atom.terms) == 1 and categories.get(atom.terms[0], atom.terms[0]) in meant
        for atom in atoms(problem.goal)
    )


def _renamed(literal: Literal, names: dict[str, str]) -> Literal:
    terms = tuple(names.get(each, each) for each in literal.atom.terms)
    return Literal(Atom(literal.atom.predicate, terms), literal.positive)


# --- Rules on what has happened, and what follows from it

_BROOM, _LAMP = "broom.n.01", "lamp.n.02"
_OPENS = frozenset((Trait.LID, Trait.FLAP, Trait.OPENABLE))


@counterfactual_rule(
    Circumstance.CAUSALITY,
    "Somebody's shoes have made a floor dusty, which has to be clean; a broom is added.",
)
def footprints(problem: Problem, rng: Random) -> Draft:
    floors = [
        each
        for each, category in problem.objects.items()
        if category == FLOOR and room_of(problem, each) and not is_so(problem, "dusty", each)
    ]
    if not floors:
        raise UnsuitableError
    floor = rng.choice(floors)
    room = room_of(problem, floor)
    broom = ""
    if absent(problem, (_BROOM,)):
        found = on_floor(problem, _BROOM, room)
        if found is None:
            raise UnsuitableError
        problem, broom = found
    problem = with_facts(problem, Atom("dusty", (floor,)))
    problem = with_goal(problem, Not(Atom("dusty", (floor,))))
    there = f"; {Things(problem).the(broom)} is there to sweep it" if broom else ""
    return Draft(
        problem,
        f"Somebody has walked through the {room_in_words(room)} with dusty shoes, so its floor is"
        f" dusty and must be clean at the end{there}.",
    )


@counterfactual_rule(
    Circumstance.CAUSALITY,
    "A door, window or cabinet was left open and has to be closed.",
)
def left_open(problem: Problem, rng: Random) -> Draft:
    choices = [
        each
        for each, category in problem.objects.items()
        if not traits_of(category).isdisjoint(_OPENS)
        and Trait.MOVABLE not in traits_of(category)
        and not is_so(problem, "open", each)
        and Atom("open", (each,)) not in _facts_of_goal(problem)
    ]
    if not choices:
        raise UnsuitableError
    opened = rng.choice(choices)
    problem = with_goal(with_facts(problem, Atom("open", (opened,))), Not(Atom("open", (opened,))))
    return Draft(
        problem,
        f"Somebody was in a hurry and left {Things(problem).the(opened)} open; it must be closed"
        " at the end.",
    )


@counterfactual_rule(
    Circumstance.CAUSALITY,
    "The light has failed; a lamp is added, which has to be switched on.",
)
def dark(problem: Problem, rng: Random) -> Draft:
    rooms = [room_of(problem, each) for each, kind in problem.objects.items() if kind == FLOOR]
    rooms = [each for each in dict.fromkeys(rooms) if each]
    if not rooms or not absent(problem, (_LAMP,)):
        raise UnsuitableError
    room = rng.choice(rooms)
    found = on_floor(problem, _LAMP, room)
    if found is None:
        raise UnsuitableError
    problem, lamp = found
    problem = with_goal(problem, Atom("toggled_on", (lamp,)))
    return Draft(
        problem,
        f"Night is falling and the ceiling light of the {room_in_words(room)} has failed;"
        f" {Things(problem).the(lamp)} on its floor must be switched on at the end.",
    )


@counterfactual_rule(
    Circumstance.CAUSALITY,
    "An appliance was left running and has to be switched off.",
)
def left_on(problem: Problem, rng: Random) -> Draft:
    choices = [
        each
        for each, category in problem.objects.items()
        if Trait.SWITCH in traits_of(category)
        and Trait.BASIN not in traits_of(category)
        and category != AGENT
        and not is_so(problem, "toggled_on", each)
        and Atom("toggled_on", (each,)) not in _facts_of_goal(problem)
    ]
    if not choices:
        raise UnsuitableError
    running = rng.choice(choices)
    problem = with_facts(problem, Atom("toggled_on", (running,)))
    problem = with_goal(problem, Not(Atom("toggled_on", (running,))))
    return Draft(
        problem,
        f"Somebody forgot to switch off {Things(problem).the(running)}; it must be off at the end.",
    )


def _facts_of_goal(problem: Problem) -> frozenset[Atom]:
    """The conjuncts that are plain facts."""
    return frozenset(each for each in problem.conjuncts if isinstance(each, Atom))


# --- All rules

PROBLEM_RULES: Mapping[str, CounterfactualRule[Problem, Draft]] = {
    each.name: each
    for each in (
        *(spoiled, dusty, frozen),
        *(tool_gone, container_broken),
        *(footprints, left_open, dark, left_on),
    )
}
"""By name; the order is part of what `drafts` makes."""


def drafts(
    activity: str, problem: Problem, names: Iterable[str], seed: int
) -> Iterator[tuple[CounterfactualRule[Problem, Draft], Draft]]:
    """What rules make of a problem, in the order of their names; nothing of those that do not
    apply.

    A draft depends on the activity, the rule and the seed alone.
    """
    for name in names:
        rule = PROBLEM_RULES[name]
        rng = Random(f"{seed}/{activity}/{name}")  # noqa: S311 - no secret
        try:
            draft = rule.apply(problem, rng)
        except UnsuitableError:
            continue
        yield rule, draft
