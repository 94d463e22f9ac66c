"""Describes an activity in English by a template, without a model: its things, its situation and
its goal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from env_service.worlds.activity.bddl.expressions import (
    Expression,
    ForN,
    ForNPairs,
    ForPairs,
    atoms,
    renamed,
)
from env_service.worlds.activity.bddl.problem import AGENT, INROOM, Literal, Problem
from env_service.worlds.activity.bddl.wording import in_words, thing_in_words
from env_service.worlds.activity.observation import number_of

INSTRUCTION = (
    "Answer with a plan alone: one step a line, each an action with what it is done to in"
    " parentheses. The actions are walk_to(object), grab(object), place_inside(container, object),"
    " place_on_top(surface, object), open(object), close(object), switch_on(object) and"
    " switch_off(object). Where these do not do, other plain verbs may be used, such as"
    " clean(object, tool), soak(object) or slice(object, knife)."
)
"""The published actions (docs/actplan.md, Task sets), the order of their arguments, and verbs that
published plans use in addition."""

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
    sentences = [f'The task is called "{activity_in_words(activity)}".', *situation(problem)]
    if circumstance:
        sentences.append(circumstance)
    goals = ";\n".join(f"- {each}" for each in goal_sentences(problem, Things(problem)))
    return (
        f"{' '.join(sentences)}\nAt the end all of this has to be true:\n{goals}.\n{INSTRUCTION}\n"
    )


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
            yield f"There {self._are(lost)} also {self._things.indefinite(lost)}."
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
                yield f"In the {room} there {self._are(there)} {self._things.indefinite(there)}."
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
            phrase = self._things.definite(items) if again else self._things.indefinite(items)
            met.update(items)
            yield f"{preposition} {place} {self._are(items)} {phrase}."

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
            phrase = self._things.definite(members)
            negation = "" if positive else "not "
            yield f"{phrase[:1].upper()}{phrase[1:]} {self._are(members)} {negation}{state}."

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


# --- A goal in English sentences

_COUNTS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def goal_sentences(problem: Problem, things: Things) -> tuple[str, ...]:
    """What is to be true at the end, a sentence for each conjunct, each once; without a full stop
    and with a small letter at the front."""
    names = {instance: things.the(instance) for instance in problem.objects}
    sentences = (_sentence(renamed(each, names)) for each in problem.conjuncts)
    return tuple(dict.fromkeys(sentences))


def _sentence(conjunct: Expression) -> str:
    match conjunct:
        case ForPairs():
            return _paired(conjunct, "as far as both go")
        case ForNPairs():
            return _paired(conjunct, f"in at least {_count(conjunct.count)} pairs")
        case ForN(count, bound, body):
            kind = thing_in_words(bound.category)
            that = in_words(renamed(body, {bound.variable: f"that {kind}"}))
            return f"this is true of exactly {_count(count)} of the {plural(kind)}: {that}"
    return in_words(conjunct)


def _paired(pairs: ForPairs | ForNPairs, many: str) -> str:
    first, second = (thing_in_words(each.category) for each in (pairs.first, pairs.second))
    named = {term for atom in atoms(pairs.body) for term in atom.terms}
    if named.isdisjoint((pairs.first.variable, pairs.second.variable)):
        return in_words(pairs.body)
    if first == second:
        names = {pairs.first.variable: f"one {first}", pairs.second.variable: "the other"}
        things = f"the {plural(first)}"
    else:
        names = {pairs.first.variable: f"the {first}", pairs.second.variable: f"the {second}"}
        things = f"the {plural(first)} and the {plural(second)}"
    body = in_words(renamed(pairs.body, names))
    return f"{things} can be paired one to one, {many}, so that in each pair {body}"


def _count(number: int) -> str:
    return _COUNTS[number] if number < len(_COUNTS) else str(number)


# --- What the things of an activity are called in English

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
        """A thing that was mentioned: "the sink", "plate 2", "the floor of the kitchen"."""
        category = self._objects.get(instance, "")
        if category == AGENT:
            return "the agent"
        if not category:
            return thing_in_words(instance)
        noun = self._nouns[category]
        if category == FLOOR and self._named_by_room(instance):
            return f"the floor of the {self.rooms[instance]}"
        return f"the {noun}" if self._kinds[noun] == 1 else thing_in_words(instance)

    def indefinite(self, instances: Iterable[str]) -> str:
        """Things that are met first, those of a kind together: "a rag and plates 1 to 3"."""
        return self._phrase(instances, first=True)

    def definite(self, instances: Iterable[str]) -> str:
        """Things that were mentioned, those of a kind together."""
        return self._phrase(instances, first=False)

    def several(self, instances: Iterable[str]) -> bool:
        """Whether "are" follows them."""
        one, *more = instances
        return bool(more) or is_plural(self._noun(one))

    def _noun(self, instance: str) -> str:
        """Of an undeclared name: all of it."""
        category = self._objects.get(instance)
        return thing_in_words(instance) if category is None else self._nouns[category]

    def _phrase(self, instances: Iterable[str], *, first: bool) -> str:
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


# --- English nouns: plurals, articles, lists

_IRREGULAR = {
    "mouse": "mice",
    "foot": "feet",
    "child": "children",
    "piece of cloth": "pieces of cloth",
}
_SAME = frozenset(("fish", "sheep", "scissors", "chives", "pliers", "trousers", "jeans", "series"))
"""Equal in the plural; those that end in "s" are plural always."""
_F_VES = {"knife": "knives", "shelf": "shelves", "leaf": "leaves", "loaf": "loaves"}
"""Also as the end of a word: "bookshelf"."""
_O_ES = ("tomato", "potato", "hero", "echo", "mango")
_HISSES = ("s", "x", "z", "ch", "sh")
_MASS = frozenset(
    (
        *("apparel", "beef", "bread", "broccoli", "canned food", "catsup", "cereal", "chicken"),
        *("chili", "chocolate", "cinnamon", "detergent", "flour", "food", "jam", "jewelry"),
        *("juice", "lettuce", "makeup", "meat", "medicine", "milk", "oatmeal", "parsley", "pasta"),
        *("plywood", "pork", "salad", "salt", "sauce", "shampoo", "snack food", "soap", "soup"),
        *("spaghetti sauce", "sugar", "sushi", "tape", "toothpaste", "underwear", "vegetable oil"),
        *("vinegar", "water", "wrapping", "yogurt", "broth", "oil", "rice", "coffee", "tea"),
    )
)
"""Nouns that take no article where they are met first, and no plural."""
_VOWELS = "aeiou"


def plural(noun: str) -> str:
    """Several of a thing: "box" gives "boxes", "table knife" gives "table knives"."""
    if noun in _MASS or noun in _SAME:
        return noun
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    before, blank, last = noun.rpartition(" ")
    if blank:
        return f"{before} {plural(last)}"
    for one, several in _F_VES.items():
        if last.endswith(one):
            return last.removesuffix(one) + several
    if last.endswith(_HISSES) or last in _O_ES:
        return f"{last}es"
    if last.endswith("y") and last[-2:-1] not in (*_VOWELS, ""):
        return f"{last[:-1]}ies"
    return f"{last}s"


def some(noun: str) -> str:
    """One of a thing that is met first: "an apple", "a rag", "soap"."""
    if noun in _MASS or is_plural(noun):
        return noun
    return f"{'an' if noun[:1] in _VOWELS else 'a'} {noun}"


def is_plural(noun: str) -> bool:
    """Whether a verb after the noun is a plural one even of one thing: scissors."""
    last = noun.rpartition(" ")[2]
    return last in _SAME and last.endswith("s")


def listed(parts: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def numbered(noun: str, numbers: Sequence[int]) -> str:
    """Several by their numbers, which ascend: "plates 1 to 4", "plates 1, 2 and 4", "plate 3"."""
    if len(numbers) == 1:
        return f"{noun} {numbers[0]}"
    whole = len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1
    range_text = (
        f"{numbers[0]} to {numbers[-1]}" if whole else listed([str(each) for each in numbers])
    )
    return f"{plural(noun)} {range_text}"
