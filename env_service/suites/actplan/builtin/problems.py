"""Scenarios as problems in BDDL."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from env_service.suites.actplan.builtin.assertions import written
from env_service.suites.actplan.builtin.jobs import Be, Cast, conditions, joined, relation_to
from env_service.suites.actplan.builtin.rooms import Thing
from env_service.suites.actplan.builtin.scenario import Fact, Scenario
from env_service.suites.actplan.task import Variant
from env_service.worlds.activity.bddl.expressions import Atom
from env_service.worlds.activity.bddl.problem import AGENT, Literal, Problem
from env_service.worlds.activity.bddl.writing import write_problem

DOMAIN = "igibson"
"""Published problems name it, and BDDL's readers want one that they know."""

LEAST, MOST = 4, 35
"""Objects of a problem (spec: actplan.md section 2.2)."""


@dataclass(frozen=True, slots=True)
class Written:
    """A scenario's problem. ``names``: its instances by the things' identities."""

    problem: Problem
    text: str
    names: dict[str, str]


def problem_of(scenario: Scenario, variant: Variant) -> Written:
    """A scenario's problem, and its text with the assertions as comments."""
    names = _names(scenario.cast)
    objects = {names[each.id]: each.category for each in _by_category(scenario.cast)}
    agent = f"{AGENT}_1"
    problem = Problem(
        name=f"{scenario.activity}_{variant.number}",
        domain=DOMAIN,
        objects={**objects, agent: AGENT},
        init=tuple(_init(scenario, names, agent)),
        goal=joined([part for job in scenario.jobs for part in conditions(job, _cast(scenario))]),
    )
    text = written(scenario.assertions) + write_problem(problem)
    return Written(problem, text, names)


def fits(problem: Problem) -> bool:
    """Whether it has as many objects as published ones have."""
    return LEAST <= len(problem.objects) <= MOST


def _names(things: tuple[Thing, ...]) -> dict[str, str]:
    """Instances by identity, numbered within each category in order."""
    numbers: Counter[str] = Counter()
    names = {}
    for each in things:
        numbers[each.category] += 1
        names[each.id] = f"{each.category}_{numbers[each.category]}"
    return names


def _by_category(things: tuple[Thing, ...]) -> list[Thing]:
    order = {kind: number for number, kind in enumerate(dict.fromkeys(t.category for t in things))}
    return sorted(things, key=lambda each: order[each.category])


def _cast(scenario: Scenario) -> Cast:
    names = _names(scenario.cast)
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for each in scenario.cast:
        groups[each.category].add(names[each.id])
    return Cast(names, lambda category: frozenset(groups[category]))


def _init(scenario: Scenario, names: dict[str, str], agent: str) -> Iterator[Literal]:
    room = scenario.room
    for each in scenario.cast:
        holder = room.holder(each)
        if holder is None or (holder is room.floor and not each.movable):
            continue
        relation = "onfloor" if holder is room.floor else relation_to(holder)
        yield Literal(Atom(relation, (names[each.id], names[holder.id])))
    for fact in scenario.facts:
        yield Literal(Atom(fact.state, (names[fact.thing.id],)), fact.positive)
    for missing in _not_yet(scenario):
        yield Literal(Atom(missing.state, (names[missing.thing.id],)), positive=False)
    for each in scenario.cast:
        if room.holder(each) is None or not each.movable:
            yield Literal(Atom("inroom", (names[each.id], room.kind)))
    yield Literal(Atom("onfloor", (agent, names[room.floor.id])))


def _not_yet(scenario: Scenario) -> Iterator[Fact]:
    """What things are to become: published problems say that they are not yet."""
    for job in scenario.jobs:
        if isinstance(job, Be) and job.positive:
            yield from (Fact(job.state, each, positive=False) for each in job.things)
