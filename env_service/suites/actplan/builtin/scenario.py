"""One activity in one room, before it becomes a problem in BDDL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from env_service.suites.actplan.activity import Assertion
from env_service.suites.actplan.builtin.jobs import Job, involved
from env_service.suites.actplan.builtin.rooms import Room, Thing


@dataclass(frozen=True, slots=True)
class Fact:
    """How a thing is at the opening: "stained", "frozen"; or, with ``positive`` False, is not."""

    state: str
    thing: Thing
    positive: bool = True


@dataclass(frozen=True, slots=True)
class Scenario:
    """An activity with everything that takes part in it.

    Attributes:
        activity: its name: "laying_the_table".
        title: what is to be done, in a few words: "lay the dining table".
        jobs: what that comes to.
        facts: states at the opening, beside where things are.
        tools: what the jobs are done with, the usual ones.
        others: what is there besides and plays no part.
        gone: what is in the room's plan and is not there in this scenario.
        notes: sentences on the circumstances, for the description.
        assertions: what the circumstances ask of a plan beside the goal.
    """

    activity: str
    title: str
    room: Room
    jobs: tuple[Job, ...]
    facts: tuple[Fact, ...] = ()
    tools: tuple[Thing, ...] = ()
    others: tuple[Thing, ...] = ()
    gone: tuple[Thing, ...] = ()
    notes: tuple[str, ...] = ()
    assertions: tuple[Assertion, ...] = ()

    @property
    def needed(self) -> tuple[Thing, ...]:
        """What the jobs are about and done with, each once."""
        jobs = (thing for job in self.jobs for thing in involved(job))
        return tuple(dict.fromkeys((*jobs, *self.tools)))

    @property
    def cast(self) -> tuple[Thing, ...]:
        """All that take part: what is needed, the others, what these are in or on, the floor."""
        found = dict.fromkeys((*self.needed, *self.others))
        for thing in tuple(found):
            found |= dict.fromkeys(self._holders(thing))
        return tuple({**found, self.room.floor: None})

    def having(self, *facts: Fact) -> Scenario:
        """With more facts."""
        return replace(self, facts=(*self.facts, *facts))

    def told(self, *notes: str) -> Scenario:
        """With more sentences on the circumstances."""
        return replace(self, notes=(*self.notes, *notes))

    def under(self, *assertions: Assertion) -> Scenario:
        """With more assertions."""
        return replace(self, assertions=(*self.assertions, *assertions))

    def doing(self, *jobs: Job) -> Scenario:
        """With other jobs."""
        return replace(self, jobs=jobs)

    def using(self, *tools: Thing) -> Scenario:
        """With other tools."""
        return replace(self, tools=tools)

    def without(self, *things: Thing) -> Scenario:
        """With some things gone; they may not be among what is needed."""
        others = tuple(each for each in self.others if each not in things)
        return replace(self, others=others, gone=(*self.gone, *things))

    def state_of(self, thing: Thing) -> tuple[str, ...]:
        """The states in which a thing is at the opening."""
        return tuple(each.state for each in self.facts if each.thing == thing and each.positive)

    def _holders(self, thing: Thing) -> Iterator[Thing]:
        holder = self.room.holder(thing)
        if holder is not None:
            yield holder
            yield from self._holders(holder)
