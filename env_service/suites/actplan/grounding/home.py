"""What an activity's definition knows of its things, arranged for matching names to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from env_service.suites.actplan.grounding.words import Lexicon, lexicon_of
from env_service.worlds.activity.bddl.problem import AGENT, Problem
from env_service.worlds.activity.categories import Trait, traits_of

_SUPPORTS = ("inside", "ontop", "onfloor", "under")


@dataclass(frozen=True, slots=True)
class Home:
    """One activity's things at the opening.

    Attributes:
        problem: the definition.
        instances: category to its instances, in the order of declaration; the agent is none.
        rooms: instance to its room, of everything of which that is known.
        supports: instance to what it lies in or on.
        states: instance to the predicates of one term that hold of it.
        contents: instance to the categories of what lies in or on it.
        lexicon: which words mean which of its categories.
    """

    problem: Problem
    instances: Mapping[str, tuple[str, ...]]
    rooms: Mapping[str, str]
    supports: Mapping[str, str]
    states: Mapping[str, frozenset[str]]
    contents: Mapping[str, frozenset[str]]
    lexicon: Lexicon

    def has(self, category: str, trait: Trait) -> bool:
        """Whether things of a category have a trait."""
        return trait in traits_of(category)

    def movable(self, category: str) -> bool:
        """Whether things of a category can be carried."""
        return Trait.MOVABLE in traits_of(category)

    def around(self, instance: str) -> Iterator[str]:
        """What a thing lies in or on, what that lies in or on, and so on."""
        seen = set()
        while instance in self.supports and instance not in seen:
            seen.add(instance)
            instance = self.supports[instance]
            yield instance


def home_of(problem: Problem) -> Home:
    """The home of a definition; the same for the same definition, as long as it is one of the last
    few."""
    known = _LAST.get(id(problem))
    if known is not None and known.problem is problem:
        return known
    home = _build(problem)
    while len(_LAST) >= _MOST:
        _LAST.pop(next(iter(_LAST)), None)
    _LAST[id(problem)] = home
    return home


_MOST = 256
_LAST: dict[int, Home] = {}


def _build(problem: Problem) -> Home:
    instances: dict[str, list[str]] = {}
    for name, category in problem.objects.items():
        if category != AGENT:
            instances.setdefault(category, []).append(name)
    supports: dict[str, str] = {}
    states: dict[str, set[str]] = {}
    stated: dict[str, str] = {}
    for literal in problem.init:
        terms = literal.atom.terms
        if not literal.positive:
            continue
        if literal.atom.predicate == "inroom":
            stated[terms[0]] = terms[1]
        elif len(terms) == 1:
            states.setdefault(terms[0], set()).add(literal.atom.predicate)
        elif len(terms) == 2 and literal.atom.predicate in _SUPPORTS:
            supports.setdefault(terms[0], terms[1])
    rooms = {name: _room(name, stated, supports) for name in problem.objects}
    contents: dict[str, set[str]] = {}
    for name, holder in supports.items():
        contents.setdefault(holder, set()).add(problem.objects.get(name, ""))
    return Home(
        problem,
        {category: tuple(names) for category, names in instances.items()},
        {name: room for name, room in rooms.items() if room},
        supports,
        {name: frozenset(facts) for name, facts in states.items()},
        {name: frozenset(kinds) for name, kinds in contents.items()},
        lexicon_of(tuple(instances)),
    )


def _room(name: str, stated: Mapping[str, str], supports: Mapping[str, str]) -> str:
    for _ in range(len(supports) + 1):
        if name in stated:
            return stated[name]
        if name not in supports:
            return ""
        name = supports[name]
    return ""
