"""Rules on what has happened, and what follows from it."""

from __future__ import annotations

from random import Random

from env_service.making.editing import is_so, room_of, with_facts, with_goal
from env_service.making.rules.rule import Draft, Rule
from env_service.making.rules.tools import absent, on_floor
from env_service.making.things import FLOOR, Things, room_in_words
from env_service.suites.actplan.task import Circumstance
from env_service.worlds.activity.bddl.expressions import Atom, Not
from env_service.worlds.activity.bddl.problem import AGENT, Problem
from env_service.worlds.activity.categories import Trait, traits_of

_BROOM, _LAMP = "broom.n.01", "lamp.n.02"
_OPENS = frozenset((Trait.LID, Trait.FLAP, Trait.OPENABLE))


def _footprints(problem: Problem, rng: Random) -> Draft | None:
    floors = [
        each
        for each, category in problem.objects.items()
        if category == FLOOR and room_of(problem, each) and not is_so(problem, "dusty", each)
    ]
    if not floors:
        return None
    floor = rng.choice(floors)
    room = room_of(problem, floor)
    broom = ""
    if absent(problem, (_BROOM,)):
        found = on_floor(problem, _BROOM, room)
        if found is None:
            return None
        problem, broom = found
    problem = with_facts(problem, Atom("dusty", (floor,)))
    problem = with_goal(problem, Not(Atom("dusty", (floor,))))
    there = f"; {Things(problem).the(broom)} is there to sweep it" if broom else ""
    return Draft(
        problem,
        f"Somebody has walked through the {room_in_words(room)} with dusty shoes, so its floor is"
        f" dusty and must be clean at the end{there}.",
    )


def _left_open(problem: Problem, rng: Random) -> Draft | None:
    choices = [
        each
        for each, category in problem.objects.items()
        if not traits_of(category).isdisjoint(_OPENS)
        and Trait.MOVABLE not in traits_of(category)
        and not is_so(problem, "open", each)
        and Atom("open", (each,)) not in _facts_of_goal(problem)
    ]
    if not choices:
        return None
    opened = rng.choice(choices)
    problem = with_goal(with_facts(problem, Atom("open", (opened,))), Not(Atom("open", (opened,))))
    return Draft(
        problem,
        f"Somebody was in a hurry and left {Things(problem).the(opened)} open; it must be closed"
        " at the end.",
    )


def _dark(problem: Problem, rng: Random) -> Draft | None:
    rooms = [room_of(problem, each) for each, kind in problem.objects.items() if kind == FLOOR]
    rooms = [each for each in dict.fromkeys(rooms) if each]
    if not rooms or not absent(problem, (_LAMP,)):
        return None
    room = rng.choice(rooms)
    found = on_floor(problem, _LAMP, room)
    if found is None:
        return None
    problem, lamp = found
    problem = with_goal(problem, Atom("toggled_on", (lamp,)))
    return Draft(
        problem,
        f"Night is falling and the ceiling light of the {room_in_words(room)} has failed;"
        f" {Things(problem).the(lamp)} on its floor must be switched on at the end.",
    )


def _left_on(problem: Problem, rng: Random) -> Draft | None:
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
        return None
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


RULES = (
    Rule(
        "footprints",
        Circumstance.CAUSALITY,
        "Somebody's shoes have made a floor dusty, which has to be clean; a broom is added.",
        _footprints,
    ),
    Rule(
        "left_open",
        Circumstance.CAUSALITY,
        "A door, window or cabinet was left open and has to be closed.",
        _left_open,
    ),
    Rule(
        "dark",
        Circumstance.CAUSALITY,
        "The light has failed; a lamp is added, which has to be switched on.",
        _dark,
    ),
    Rule(
        "left_on",
        Circumstance.CAUSALITY,
        "An appliance was left running and has to be switched off.",
        _left_on,
    ),
)
