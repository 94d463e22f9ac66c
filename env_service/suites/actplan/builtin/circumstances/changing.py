"""What the rules have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from env_service.suites.actplan.activity import Assertion, AssertionKind, Pattern
from env_service.suites.actplan.builtin.jobs import Be, Job, Pair, Put, relation_to
from env_service.suites.actplan.builtin.kinds.finding import UnsuitableError
from env_service.suites.actplan.builtin.rooms import SHUT, Room, Thing
from env_service.suites.actplan.builtin.scenario import Scenario
from env_service.worlds.activity.deed import Verb

Rule = Callable[[Scenario, Random], Scenario]
"""Makes a scenario's counterfactual. Raises UnsuitableError where it does not apply."""

SOAPS = ("SoapBottle", "SprayBottle", "SoapBar")
FOOD = ("Apple", "Bread", "Egg", "Lettuce", "Potato", "Tomato")


def never(text: str, *verbs: Verb, targets: Sequence[Thing] = ()) -> Assertion:
    """No deed of these verbs is done to things of these categories."""
    kinds = tuple(dict.fromkeys(each.category for each in targets))
    return Assertion(AssertionKind.NEVER, text, first=Pattern(verbs, kinds))


def does(text: str, verb: Verb, targets: Sequence[Thing], tools: Sequence[Thing]) -> Assertion:
    """A deed of the verb is done to things of these categories, with tools of these."""
    wanted, used = (tuple(dict.fromkeys(t.category for t in group)) for group in (targets, tools))
    return Assertion(AssertionKind.DOES, text, first=Pattern((verb,), wanted, tools=used))


def stained(scenario: Scenario) -> tuple[Thing, ...]:
    """What has to be cleaned of stains."""
    return tuple(
        thing
        for job in scenario.jobs
        if isinstance(job, Be) and job.state == "stained"
        for thing in job.things
    )


def swapped(job: Job, old: Thing, new: Thing) -> Job:
    """A job with a thing in place of another one, as item or as place."""

    def of(things: tuple[Thing, ...]) -> tuple[Thing, ...]:
        return tuple(new if each == old else each for each in things)

    match job:
        case Put(things, places, relation, count):
            fits = relation if old not in places else relation_to(new)
            return Put(of(things), of(places), fits, count)
        case Pair(things, others, relation):
            return Pair(of(things), of(others), relation)
    return Be(of(job.things), job.state, job.positive)


def exchanged(scenario: Scenario, old: Thing, new: Thing) -> Scenario:
    """A scenario whose jobs are about another thing, and which uses that one.

    Raises UnsuitableError where something that is to be put there is there already.
    """
    tools = tuple(new if each == old else each for each in scenario.tools)
    swaps = (swapped(job, old, new) for job in scenario.jobs)
    jobs = tuple(job for job in swaps if not _shuts(job, new) or new.kind in SHUT)
    if any(_is_done(job, new) for job in jobs):
        raise UnsuitableError
    facts = tuple(
        replace(fact, thing=new) if fact.thing == old else fact for fact in scenario.facts
    )
    return replace(scenario, jobs=jobs, tools=tools, facts=facts)


def _shuts(job: Job, thing: Thing) -> bool:
    return isinstance(job, Be) and job.state == "open" and thing in job.things


def _is_done(job: Job, place: Thing) -> bool:
    there = isinstance(job, Put) and place in job.places
    return there and any(each.holder == place.id for each in job.things)


def spare(scenario: Scenario, *kinds: str) -> tuple[Thing, ...]:
    """The room's things of some types that the scenario does not need, type by type, such as can
    be had: movable ones that lie somewhere, and what is built in."""
    needed = scenario.needed
    return tuple(
        each
        for each in scenario.room.of(*kinds)
        if each not in needed and (each.holder or not each.movable)
    )


def require(things: Sequence[Thing]) -> Thing:
    """The first of them. Raises UnsuitableError where there is none."""
    if not things:
        raise UnsuitableError
    return things[0]


def holds_nothing(room: Room, thing: Thing) -> bool:
    """Whether it can go without taking anything along."""
    return not room.in_or_on(thing)
