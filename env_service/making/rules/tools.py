"""Tools that rules add, and what stands in for a tool that is gone."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from env_service.making.editing import placed, room_of, with_facts, with_things
from env_service.making.things import FLOOR
from env_service.worlds.activity.bddl.expressions import Atom
from env_service.worlds.activity.bddl.problem import Problem
from env_service.worlds.activity.categories import Trait

WIPES = ("rag.n.01", "dishtowel.n.01", "paper_towel.n.01", "towel.n.01")
"""Against dust, wet or dry."""

SUBSTITUTES = {
    Trait.KNIFE: ("carving_knife.n.01", "table_knife.n.01", "knife.n.01"),
    Trait.TOOL: ("scrub_brush.n.01", "broom.n.01", "brush.n.02", *WIPES),
}
"""By trait: categories of published activities (spec: actplan.md section 2.2) that do as well."""

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
    has no such floor. An empty ``room`` stands for any."""
    floors = [
        each
        for each, kind in problem.objects.items()
        if kind == FLOOR and room in ("", room_of(problem, each))
    ]
    if not floors:
        return None
    problem, (name,) = with_things(problem, category)
    return with_facts(problem, Atom("onfloor", (name, floors[0]))), name
