"""Tells an activity in English by a template: no model is asked.

What a description has to tell is the spec's (actplan.md section 1.2): the situation, the goal, the
actions. The words are our own.
"""

from __future__ import annotations

from collections.abc import Iterator

from env_service.making.goal_words import goal_sentences
from env_service.making.nouns import listed, some
from env_service.making.things import FLOOR, Things, room_in_words
from env_service.worlds.activity.bddl.names import INROOM
from env_service.worlds.activity.bddl.problem import AGENT, Literal, Problem

INSTRUCTION = (
    "Answer with a plan alone: one step a line, each an action with what it is done to in"
    " parentheses. The actions are walk_to(object), grab(object), place_inside(container, object),"
    " place_on_top(surface, object), open(object), close(object), switch_on(object) and"
    " switch_off(object). Where these do not do, other plain verbs may be used, such as"
    " clean(object, tool), soak(object) or slice(object, knife)."
)
"""The published actions (spec section 1.2), the order of their arguments, and verbs that published
plans use beside them (section 1.3)."""

_PLACES = {"inside": "In", "ontop": "On", "onfloor": "On", "under": "Under", "nextto": "Next to"}
_STATES = {"toggled_on": "switched on", "perished": "spoiled"}
_APOSTROPHES = {"hors d oeuvres": "hors d'oeuvres", "adult s": "adult's", "child s": "child's"}


def activity_in_words(activity: str) -> str:
    """ "packing_child_s_bag" is "packing child's bag"."""
    words = activity.replace("_", " ").strip()
    for plain, right in _APOSTROPHES.items():
        words = words.replace(plain, right)
    return words


def describe(activity: str, problem: Problem, circumstance: str = "") -> str:
    """The description of an activity: its name, every declared thing with its place and states, the
    goal, how to answer.

    Args:
        activity: its folder's name.
        circumstance: a sentence on what is out of the ordinary; empty: nothing is.
    """
    told = [f'The task is called "{activity_in_words(activity)}".', *situation(problem)]
    if circumstance:
        told.append(circumstance)
    goals = ";\n".join(f"- {each}" for each in goal_sentences(problem, Things(problem)))
    return f"{' '.join(told)}\nAt the end all of this has to be true:\n{goals}.\n{INSTRUCTION}\n"


def situation(problem: Problem) -> tuple[str, ...]:
    """Where everything is and what state it is in, in sentences."""
    return tuple(_Situation(problem).sentences())


class _Situation:
    def __init__(self, problem: Problem) -> None:
        self._problem, self._things = problem, Things(problem)
        self._facts = [each for each in problem.init if not self._of_agent(each)]

    def sentences(self) -> Iterator[str]:
        yield from self._rooms()
        yield from self._placements()
        yield from self._states()
        if lost := self._unplaced():
            yield f"There {self._are(lost)} also {self._things.introduced(lost)}."
        if room := self._start():
            yield f"You start in the {room}."

    def _of_agent(self, literal: Literal) -> bool:
        return self._problem.objects.get(literal.atom.terms[0]) == AGENT

    def _rooms(self) -> Iterator[str]:
        fixtures: dict[str, list[str]] = {}
        for instance, room in self._things.rooms.items():
            there = fixtures.setdefault(room, [])
            if self._problem.objects.get(instance) != FLOOR:
                there.append(instance)
        bare = [some(room) for room, there in fixtures.items() if not there]
        for room, there in fixtures.items():
            if there:
                yield f"In the {room} there {self._are(there)} {self._things.introduced(there)}."
        if bare:
            yield f"There is {'also ' if len(bare) < len(fixtures) else ''}{listed(bare)}."

    def _placements(self) -> Iterator[str]:
        there: dict[tuple[str, str], list[str]] = {}
        for each in self._facts:
            atom = each.atom
            if each.positive and atom.predicate in _PLACES and len(atom.terms) == 2:
                there.setdefault((_PLACES[atom.predicate], atom.terms[1]), []).append(atom.terms[0])
        met = set(self._things.rooms)
        for (preposition, target), items in there.items():
            place = self._things.the(target)
            again = met.issuperset(items)
            told = self._things.told(items) if again else self._things.introduced(items)
            met.update(items)
            yield f"{preposition} {place} {self._are(items)} {told}."

    def _states(self) -> Iterator[str]:
        stating: dict[tuple[str, bool], list[str]] = {}
        for each in self._facts:
            if len(each.atom.terms) == 1:
                key = each.atom.predicate, each.positive
                members = stating.setdefault(key, [])
                if each.atom.terms[0] not in members:
                    members.append(each.atom.terms[0])
        for (predicate, positive), members in stating.items():
            state = _STATES.get(predicate, predicate.replace("_", " "))
            told = self._things.told(members)
            negation = "" if positive else "not "
            yield f"{told[:1].upper()}{told[1:]} {self._are(members)} {negation}{state}."

    def _unplaced(self) -> list[str]:
        placed = {
            each.atom.terms[0]
            for each in self._facts
            if each.positive and (each.atom.predicate in _PLACES or each.atom.predicate == INROOM)
        }
        return [
            instance
            for instance, category in self._problem.objects.items()
            if instance not in placed and category != AGENT
        ]

    def _start(self) -> str:
        for each in self._problem.init:
            if self._of_agent(each) and len(each.atom.terms) == 2:
                target = each.atom.terms[1]
                if each.atom.predicate == INROOM:
                    return room_in_words(target)
                if target in self._things.rooms:
                    return self._things.rooms[target]
        return ""

    def _are(self, instances: list[str]) -> str:
        return "are" if self._things.several(instances) else "is"
