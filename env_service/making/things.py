"""What the things of an activity are called in English."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import groupby

from env_service.making.nouns import is_plural, listed, numbered, some
from env_service.worlds.activity.bddl.names import INROOM
from env_service.worlds.activity.bddl.problem import AGENT, Problem
from env_service.worlds.activity.bddl.telling import thing_in_words
from env_service.worlds.activity.naming import number_of

FLOOR = "floor.n.01"


class Things:
    """The things of one activity. A thing that is the only one of its kind has no number; a floor
    is called by its room."""

    def __init__(self, problem: Problem) -> None:
        self._objects = problem.objects
        self._order = {each: place for place, each in enumerate(problem.objects)}
        self._nouns = {each: thing_in_words(each) for each in problem.objects.values()}
        self._kinds = Counter(
            self._nouns[category] for category in problem.objects.values() if category != AGENT
        )
        self.rooms: Mapping[str, str] = {
            each.atom.terms[0]: room_in_words(each.atom.terms[1])
            for each in problem.init
            if each.positive and each.atom.predicate == INROOM and len(each.atom.terms) == 2
        }

    def the(self, instance: str) -> str:
        """A thing that was told of: "the sink", "plate 2", "the floor of the kitchen"."""
        category = self._objects.get(instance, "")
        if category == AGENT:
            return "the agent"
        if not category:
            return thing_in_words(instance)
        noun = self._nouns[category]
        if category == FLOOR and self._named_by_room(instance):
            return f"the floor of the {self.rooms[instance]}"
        return f"the {noun}" if self._kinds[noun] == 1 else thing_in_words(instance)

    def introduced(self, instances: Iterable[str]) -> str:
        """Things that are met first, those of a kind together: "a rag and plates 1 to 3"."""
        return self._told(instances, first=True)

    def told(self, instances: Iterable[str]) -> str:
        """Things that were told of, those of a kind together."""
        return self._told(instances, first=False)

    def several(self, instances: Iterable[str]) -> bool:
        """Whether "are" follows them."""
        one, *more = instances
        return bool(more) or is_plural(self._noun(one))

    def _noun(self, instance: str) -> str:
        """Of an undeclared name: all of it."""
        category = self._objects.get(instance)
        return thing_in_words(instance) if category is None else self._nouns[category]

    def _told(self, instances: Iterable[str], *, first: bool) -> str:
        phrases = []
        ordered = sorted(instances, key=lambda each: self._order.get(each, len(self._order)))
        for noun, group in groupby(ordered, key=self._noun):
            members = list(group)
            if self._objects.get(members[0]) in (FLOOR, None):
                phrases += [self.the(each) for each in members]
            elif self._kinds[noun] == 1:
                phrases.append(some(noun) if first else f"the {noun}")
            else:
                phrases.append(numbered(noun, sorted(map(number_of, members))))
        return listed(phrases)

    def _named_by_room(self, floor: str) -> bool:
        """Whether no other floor is in this one's room."""
        room = self.rooms.get(floor)
        others = (
            self.rooms.get(each)
            for each, category in self._objects.items()
            if category == FLOOR and each != floor
        )
        return room is not None and room not in others


def room_in_words(room: str) -> str:
    """A room: "living_room" is "living room"."""
    return room.replace("_", " ")
