"""What is in the room besides, and plays no part."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from env_service.suites.actplan.builtin.jobs import Job, Put
from env_service.suites.actplan.builtin.kinds.finding import UnsuitableError
from env_service.suites.actplan.builtin.scenario import Scenario

LEAST, MOST = 1, 4


def with_others(scenario: Scenario, draw: Random) -> Scenario:
    """A scenario with a few more things that stand or lie in the open, of categories that it does
    not need. What it has already stays, unless it could be taken for something that is needed."""
    used = {each.category for each in scenario.needed}
    kept = tuple(each for each in scenario.others if each.category not in used)
    changed = replace(scenario, others=kept)
    if any(each.movable for each in kept):
        return changed
    taken = {each.category for each in (*changed.cast, *changed.gone)}
    free = {
        each.category: each
        for each in scenario.room.things
        if each.movable and each.holder and not scenario.room.hidden(each)
    }
    left = [each for kind, each in free.items() if kind not in taken]
    more = draw.sample(left, min(len(left), draw.randint(LEAST, MOST)))
    return replace(changed, others=(*kept, *more))


def widened(scenario: Scenario) -> Scenario:
    """A scenario in which no words are ambiguous: where things are to go into "the drawer" and
    another drawer takes part, that one will do as well.

    Raises UnsuitableError where a thing is in such a one already.
    """
    return scenario.doing(*(_widened(job, scenario) for job in scenario.jobs))


def _widened(job: Job, scenario: Scenario) -> Job:
    if not isinstance(job, Put) or job.places[0].movable:
        return job
    kind, there = job.places[0].kind, {each.holder for each in job.things}
    kin = [each for each in scenario.cast if each.kind == kind and each not in job.places]
    if any(each.id in there for each in kin):
        raise UnsuitableError
    return replace(job, places=(*job.places, *kin))
