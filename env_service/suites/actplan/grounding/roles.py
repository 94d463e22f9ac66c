"""Which argument of a step is what: the item and where it goes, what is cleaned and with what
(spec: actplan.md section 1.3, argument order)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from env_service.suites.actplan.grounding.grounded import Level
from env_service.suites.actplan.grounding.home import Home
from env_service.suites.actplan.grounding.naming import parse_name
from env_service.suites.actplan.grounding.registry import Registry
from env_service.suites.actplan.grounding.words import Role, is_nothing
from env_service.suites.actplan.plans.verbs import Meaning, Order
from env_service.worlds.activity.categories import Trait, traits_of
from env_service.worlds.activity.deed import Verb

_HABIT = 2
"""So many decided steps of a plan, and none against, show in which order it has arguments."""
_IMPLEMENTS = frozenset({Trait.TOOL, Trait.SOAP, Trait.KNIFE, Trait.WATER})
_SOURCES = frozenset({Trait.BASIN, Trait.FAUCET, Trait.VESSEL, Trait.WATER, Trait.SOAP})


class Roles:
    """Tells arguments apart by what the plan did with them so far, and by what they are."""

    def __init__(self, home: Home, registry: Registry) -> None:
        self._home = home
        self._registry = registry
        self._first, self._second = 0, 0

    def of_placing(self, arguments: Sequence[str], meaning: Meaning) -> tuple[str, str, bool]:
        """Target, item, and whether these stood the other way round than the verb has them.

        The item is what is held, or was taken up before, or is of the kind of something held, or
        can be carried; where all that is so of both or neither, it stands where it mostly stood in
        this plan, or else where the verb has it.
        """
        expected = 1 if meaning.order is Order.TARGET_FIRST else 0
        tests: list[Callable[[str], bool]] = [
            self.is_held,
            self._was_carried,
            self.is_held_kind,
            self.is_movable,
        ]
        if meaning.verb is Verb.PLACE_INSIDE:
            tests.insert(0, self._holds_nothing)
        if max(self._first, self._second) >= _HABIT and not min(self._first, self._second):
            tests.insert(1, lambda said: (said == arguments[0]) == bool(self._first))
        if meaning.verb is Verb.PLACE_ON_TOP:
            tests.insert(1, self.is_implement)
        item = expected
        for test in tests:
            first, second = test(arguments[0]), test(arguments[1])
            if first != second:
                item = 0 if first else 1
                self._first += item == 0
                self._second += item == 1
                break
        else:
            if self._first != self._second and not meaning.vague:
                item = 0 if self._first > self._second else 1
        return arguments[1 - item], arguments[item], item != expected

    def of_single(self, said: str, meaning: Meaning) -> tuple[str, str]:
        """Target and item of a placing with one argument; the other is empty."""
        if self.is_held(said) or meaning.verb is Verb.PLACE_ON_FLOOR:
            return "", said
        carried = self.is_held_kind(said) and self.is_movable(said)
        return ("", said) if carried and not self.is_fixture(said) else (said, "")

    def target_first(self, arguments: list[str], meaning: Meaning) -> tuple[list[str], bool]:
        """What it is done to, and then what with; and whether they stood otherwise. What can clean
        or cut, or where things get wet, is the latter."""
        if meaning.order is Order.ITEM_FIRST:
            arguments = [arguments[-1], *arguments[:-1]]
        test = self._is_source if meaning.verb is Verb.SOAK else self.is_implement
        if test(arguments[0]) and not test(arguments[1]):
            return [arguments[1], arguments[0], *arguments[2:]], True
        return arguments, False

    def is_held(self, said: str) -> bool:
        """Whether the very name is of something in a hand."""
        known = self._registry.known(said)
        return known is not None and self._registry.entities[known].held

    def is_held_kind(self, said: str) -> bool:
        """Whether something in a hand is of the name's category."""
        category = self._category(said, Role.ITEM)
        return bool(category) and any(
            each.held and each.category == category for each in self._registry.entities
        )

    def is_movable(self, said: str) -> bool:
        """Whether it can be carried."""
        category = self._category(said, Role.ITEM)
        return bool(category) and self._home.movable(category)

    def is_fixture(self, said: str) -> bool:
        """Whether it cannot be carried."""
        category = self._category(said, Role.TARGET)
        return bool(category) and not self._home.movable(category)

    def is_water(self, said: str) -> bool:
        """Whether it is water as such, not a bottle of it that the home has."""
        name = parse_name(said)
        return is_nothing(name.words, "water") and not self._category(said, Role.ITEM)

    def is_dirt(self, said: str) -> bool:
        """Whether it is a stain, or dust, as such."""
        if self._registry.level is Level.STRICT:
            return False
        name = parse_name(said)
        return is_nothing(name.words, "dirt") and not self._category(said, Role.TARGET)

    def _category(self, said: str, role: Role) -> str:
        return self._registry.category(said, role)

    def _was_carried(self, said: str) -> bool:
        known = self._registry.known(said)
        return known is not None and self._registry.entities[known].carried

    def _holds_nothing(self, said: str) -> bool:
        category = self._category(said, Role.TARGET)
        return bool(category) and Trait.CONTAINER not in traits_of(category)

    def is_implement(self, said: str) -> bool:
        """Whether it can clean or cut."""
        category = self._category(said, Role.ITEM)
        return bool(category) and bool(traits_of(category) & _IMPLEMENTS)

    def _is_source(self, said: str) -> bool:
        category = self._category(said, Role.TARGET)
        return bool(category) and bool(traits_of(category) & _SOURCES)
