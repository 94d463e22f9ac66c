"""The things that a plan speaks of, before it is decided which instances they are: which of its
names are names of the same thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from env_service.suites.actplan.grounding.grounded_plan import Level
from env_service.suites.actplan.grounding.lexicon import (
    Match,
    Name,
    Role,
    ThingCatalog,
    fixture_of,
    members_of,
    parse_name,
)
from env_service.worlds.activity.actions import Verb
from env_service.worlds.activity.categories import Trait, lemma_of, traits_of
from env_service.worlds.activity.observation import number_of

Ref = int | str
"""An entity by its number; or a room's name, or "" for nothing."""


@dataclass(slots=True)
class Entity:
    """One thing as a plan speaks of it, under one name or several.

    Attributes:
        category: what it is.
        index: the number that names give it; 0: none.
        spelling: its first name, as the plan spells it.
        exact: that is exactly a category's name, and a number or none.
        step: where it is first named.
        rooms: where names say that it is.
        places: the categories that names say that it is in, on or under.
        spots: of places that names number, the category and the number.
        holding: the categories that names say are in or on it.
        states: how names say that it is at the opening.
        around: the room that the agent was in when it was first named; empty: not known.
        plural: a name of it names several.
        count: how many that names; 0: not name_reading.
        kinds: the categories that a collective noun means, if more than one.
        from_place: where the agent was when it was first taken up; None: it never was.
        taken: the categories of what is taken up at it.
        carried: it is taken up, or put somewhere.
        held: it is in a hand.
        put_at: where it was put last; None: nowhere yet.
        undergone: what steps did to it.
        phantom: it is a fixture that the definition does not list.
        all_of: the instances that it means, if several.
    """

    category: str
    index: int
    spelling: str
    exact: bool
    step: int
    rooms: set[str] = field(default_factory=set)
    places: set[str] = field(default_factory=set)
    spots: set[tuple[str, int]] = field(default_factory=set)
    holding: set[str] = field(default_factory=set)
    states: set[str] = field(default_factory=set)
    around: str = ""
    plural: bool = False
    count: int = 0
    kinds: tuple[str, ...] = ()
    from_place: Ref | None = None
    taken: set[str] = field(default_factory=set)
    carried: bool = False
    held: bool = False
    put_at: Ref | None = None
    undergone: set[str] = field(default_factory=set)
    phantom: bool = False
    all_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a step, and what it means there.

    Attributes:
        spelling: as the plan spells it.
        number: of the entity; None: it means ``place``.
        index: the number that this very name gives; 0: none.
        fit: how well its words fit, 0 … 1.
        exact: its words are exactly a category's name.
        place: a room, or what is named by where it is, for people.
    """

    step: int
    spelling: str
    number: int | None
    index: int = 0
    fit: float = 1.0
    exact: bool = False
    place: str = ""


@dataclass(frozen=True, slots=True)
class EntityAction:
    """An action on entities."""

    verb: Verb
    target: Ref = ""
    item: Ref = ""
    tools: tuple[Ref, ...] = ()


def are_apart(one: Entity, other: Entity) -> bool:
    """Whether names give two entities different numbers or different origins: they are never the
    same thing. Nor are "rag" and a "second_rag" that is named later."""
    first, later = sorted((one, other), key=lambda each: each.step)
    if first.index != later.index and ((first.index and later.index) or later.index > 1):
        return True
    if one.rooms and other.rooms and not one.rooms & other.rooms:
        return True
    if one.places and other.places and not one.places & other.places:
        return True
    return any(
        kind == another and number != different
        for kind, number in one.spots
        for another, different in other.spots
    )


# --- Which names of a plan are names of the same thing, by the plan's own bookkeeping
# How plans are parsed: docs/actplan-parsing.md


class RepeatedName(Enum):
    """What a name without a number means when it is taken up again after it was put down."""

    LIKELY = "likely"
    """The next thing of its kind, unless it is a tool, or is taken up where it was put."""
    SAME = "same"
    NEXT = "next"


_TOOLS = frozenset({Trait.TOOL, Trait.SOAP, Trait.KNIFE, Trait.WATER})
_RESULTS = frozenset({"soaked", "sliced", "clean", "thawed", "cooked", "dry"})
"""States that steps bring about."""
_OPPOSITES = (
    ("soaked", "dry"),
    ("burnt", "unburnt"),
    ("stained", "clean"),
    ("dusty", "clean"),
    ("dirty", "clean"),
    ("stained", "dusty"),
    ("frozen", "thawed"),
    ("sliced", "whole"),
    ("cooked", "uncooked"),
    ("perished", "fresh"),
)
_INDEX, _PLACE, _HAND, _RESULT, _ROOM, _STATE, _USED = 3.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0
"""What speaks for two names being one thing's: the same number; the same place, or one to where
it was put; that it is in hand; a state that a step brought about; the same room, the same state; a
bare noun for what was handled before."""
_NUMBERED, _ELSEWHERE = 0.5, 1.0
"""What speaks against that: one name alone has a number; one alone a place, and the other's thing
was put somewhere else."""
_ENOUGH = 1.0
ABOUT = 0.5
"""How well a name fits a thing that it only implies: "water" the sink that it runs in, "stain" the
thing where the agent is."""


@dataclass(frozen=True, slots=True)
class NameReading:
    """A name, and the categories that it speaks of. ``spots``: places that it numbers; ``kinds``:
    what a collective noun means, if that is more than one category."""

    text: str
    name: Name
    match: Match | None
    places: frozenset[str]
    holding: frozenset[str]
    spots: frozenset[tuple[str, int]] = frozenset()
    kinds: tuple[str, ...] = ()


class EntityRegistry:
    """The entities of a plan, found by name while its steps are read in order."""

    def __init__(
        self, catalog: ThingCatalog, level: Level, repeated: RepeatedName = RepeatedName.LIKELY
    ) -> None:
        self.catalog = catalog
        self.level = level
        self.entities: list[Entity] = []
        self.around = ""
        self.at: Ref = ""
        self.mentions: list[Mention] = []
        self.doubtful = False
        self._repeated = repeated
        self._by_text: dict[str, int] = {}
        self._matches: dict[str, Match] = {}
        self._of_category: dict[str, list[int]] = {}

    def find(
        self, text: str, role: Role, step: int, at: Ref = "", spelling: str = ""
    ) -> int | None:
        """The entity that a name means where nothing is taken up; None if it means none.

        Args:
            at: where the agent is.
            spelling: what the plan says, where ``text`` is but the thing that this is about.
        """
        return self._note_mention(self._find(text, role, step, at), text, step, spelling)

    def take(self, text: str, at: Ref, step: int) -> int | None:
        """The entity that a name means, taken up where the agent is."""
        return self._note_mention(self._take(text, at, step), text, step)

    def _find(self, text: str, role: Role, step: int, at: Ref) -> int | None:
        known = self.known(text)
        if known is not None:
            return self._here_or_held(known, parse_name(text), at, role)
        reading = self._understood(text, role)
        if reading.match is None:
            return self._phantom(reading, role, step)
        if isinstance(at, int) and reading.name.bare:
            there = self.entities[at]
            if there.category == reading.match.category and role is Role.TARGET:
                return at
        return self._keep(self._likeliest(reading, taking=False), reading, step)

    def _take(self, text: str, at: Ref, step: int) -> int | None:
        name = parse_name(text)
        known = self._by_text.get(name.text)
        if known is not None and not self._is_next(known, name, at):
            return known
        reading = self._understood(text, Role.ITEM)
        if reading.match is None:
            return known if known is not None else self._phantom(reading, Role.TARGET, step)
        if known is not None:
            return self._keep(None, reading, step)
        if isinstance(at, int) and name.bare and self._is_fresh(at, reading.match.category):
            return self._keep(at, reading, step)
        return self._keep(self._likeliest(reading, taking=True), reading, step)

    def _note_mention(
        self, found: int | None, text: str, step: int, spelling: str = ""
    ) -> int | None:
        """Notes what a name means in a step."""
        if found is not None:
            name = parse_name(text)
            match = self._matches.get(name.text) or Match("", exact=False)
            if spelling:
                match = replace(match, exact=False, fit=ABOUT)
            self.mentions.append(
                Mention(step, spelling or text, found, name.index, match.fit, match.exact)
            )
        return found

    def category(self, text: str, role: Role) -> str:
        """The category that a name means; empty: none of this definition's."""
        known = self.known(text)
        if known is not None:
            return self.entities[known].category
        match = self._match(text, parse_name(text), role)
        return match.category if match else ""

    def known(self, text: str) -> int | None:
        """The entity that has this very name already. In another room a bare noun for a fixture
        is another's."""
        name = parse_name(text)
        known = self._by_text.get(name.text)
        if known is None or not name.bare or not self.around:
            return known
        entity = self.entities[known]
        if self.catalog.movable(entity.category) or not self._is_elsewhere(entity):
            return known
        return self._by_text.get(f"{name.text}@{self.around}")

    def count(self, category: str) -> int:
        """How many instances there are."""
        return len(self.catalog.instances.get(category, ()))

    def _here_or_held(self, known: int, name: Name, at: Ref, role: Role) -> int:
        """Of a bare noun's things the one in hand, or where the agent is, or else the one that was
        meant before."""
        entity = self.entities[known]
        if not name.bare or entity.held or self.count(entity.category) < 2:
            return known
        same = self._of_category[entity.category]
        if role is Role.ITEM:
            return next((each for each in reversed(same) if self.entities[each].held), known)
        return at if isinstance(at, int) and at in same else known

    def _is_fresh(self, number: int, category: str) -> bool:
        """Whether an entity is of a category, and was not taken up yet."""
        entity = self.entities[number]
        return entity.category == category and not entity.carried

    def _understood(self, text: str, role: Role) -> NameReading:
        name = parse_name(text)
        places: set[str] = set()
        holding: set[str] = set()
        spots: set[tuple[str, int]] = set()
        for hint in name.hints:
            inside = hint.relation == "with"
            match = self.catalog.lexicon.look_up(hint.words, Role.ITEM if inside else Role.TARGET)
            if match is not None and hint.relation in ("on", "in", "from", "under", "at", "with"):
                (holding if inside else places).add(match.category)
                if hint.index and not inside:
                    spots.add((match.category, hint.index))
        match = self._match(text, name, role)
        if match is not None:
            self._matches[name.text] = match
        if match is not None and self.catalog.movable(match.category):
            holding = {each for each in holding if not traits_of(each) & _TOOLS}
        if match is not None and not name.hints and self.level > Level.STRICT:
            others = self.catalog.lexicon.all(name.words, role)
            places.update(
                each.category
                for each in others
                if self.catalog.movable(match.category)
                and each.plain
                and not self.catalog.movable(each.category)
            )
        return NameReading(
            *(text, name, match, frozenset(places), frozenset(holding), frozenset(spots)),
            kinds=self._kinds(name, match),
        )

    def _kinds(self, name: Name, match: Match | None) -> tuple[str, ...]:
        members = members_of(name.words)
        if match is None or not members or name.index or self.level < Level.RELAXED:
            return ()
        others = (each for each in self.catalog.instances if lemma_of(each) in members)
        kinds = tuple(dict.fromkeys((match.category, *others)))
        return kinds if len(kinds) > 1 else ()

    def _match(self, text: str, name: Name, role: Role) -> Match | None:
        if self.level is Level.STRICT:
            return self._strict(text, name)
        match = self.catalog.lexicon.look_up(name.words, role)
        if match is not None and (name.rooms or name.states or name.hints):
            match = replace(match, exact=False)
        return match

    def _strict(self, text: str, name: Name) -> Match | None:
        """A category's own name, and a number that there is, or none."""
        bare = text.strip().lower().replace(" ", "_").rstrip("0123456789").rstrip("_")
        for category, instances in self.catalog.instances.items():
            if lemma_of(category) == bare and (
                not name.index or any(number_of(each) == name.index for each in instances)
            ):
                return Match(category, exact=True)
        return None

    def _phantom(self, reading: NameReading, role: Role, step: int) -> int | None:
        """A fixture that the definition does not list."""
        lemma = fixture_of(reading.name.words)
        if self.level < Level.RELAXED or role is Role.ITEM or not lemma:
            return None
        match = Match(f"{lemma}.n.01", exact=False)
        self._matches[reading.name.text] = match
        reading = NameReading(reading.text, reading.name, match, frozenset(), frozenset())
        for number in self._of_category.get(match.category, ()):
            entity = self.entities[number]
            if entity.phantom and not self._contradicts(number, reading):
                return self._keep(number, reading, step)
        number = self._keep(None, reading, step)
        self.entities[number].phantom = True
        return number

    def _keep(self, found: int | None, reading: NameReading, step: int) -> int:
        """Notes that a name is an entity's; None: a new one's."""
        if found is None:
            match = reading.match or Match("", exact=False)
            found = len(self.entities)
            entity = Entity(match.category, reading.name.index, reading.text, match.exact, step)
            entity.around = self.around
            self.entities.append(entity)
            self._of_category.setdefault(match.category, []).append(found)
        self._learn(self.entities[found], reading)
        self._by_text[reading.name.text] = found
        if self.around:
            self._by_text[f"{reading.name.text}@{self.around}"] = found
        return found

    def _is_in(self, category: str, room: str) -> bool:
        """Whether a room has something of a category."""
        instances = self.catalog.instances.get(category, ())
        return any(self.catalog.rooms.get(each) == room for each in instances)

    def _learn(self, entity: Entity, reading: NameReading) -> None:
        entity.index = entity.index or reading.name.index
        entity.kinds = entity.kinds or reading.kinds
        entity.plural = entity.plural or reading.name.plural or bool(reading.kinds)
        entity.count = entity.count or reading.name.count
        if entity.put_at is None and not entity.held:
            entity.rooms.update(reading.name.rooms)
            entity.places |= reading.places
            entity.spots |= reading.spots
            entity.holding |= reading.holding
            entity.states.update(set(reading.name.states) - entity.undergone)

    def _likeliest(self, reading: NameReading, *, taking: bool) -> int | None:
        """The entity that a new name is most likely another name of; None: of a new one."""
        category = reading.match.category if reading.match else ""
        numbers = self._of_category.get(category, [])
        if not numbers:
            return None
        if self.count(category) == 1:
            return next((each for each in numbers if not self._is_another(each, reading)), None)
        best, most = None, _ENOUGH
        for number in numbers:
            likelihood = self._likelihood(number, reading, taking=taking)
            if likelihood >= most:
                best, most = number, likelihood
        if best is not None or len(numbers) < self.count(category):
            return best
        return None if reading.name.index else self._free(numbers, reading)

    def _free(self, numbers: Sequence[int], reading: NameReading) -> int | None:
        """Of more names than there are things, one that does not contradict; None: all do."""
        fitting = [
            each
            for each in numbers
            if not self.entities[each].held and not self._contradicts(each, reading)
        ]
        untouched = [each for each in fitting if not self.entities[each].carried]
        return next(iter(untouched or fitting), None)

    def _likelihood(self, number: int, reading: NameReading, *, taking: bool) -> float:
        entity, name = self.entities[number], reading.name
        if self._contradicts(number, reading) or (name.index and entity.index != name.index):
            return -1.0
        likelihood = _INDEX if name.index else (-_NUMBERED if entity.index else 0.0)
        if reading.places:
            if reading.places & entity.places or self._was_put_at(entity, reading.places):
                likelihood += _PLACE
            elif entity.carried:
                likelihood -= _ELSEWHERE
        likelihood += _ROOM * bool(set(name.rooms) & entity.rooms)
        results = set(name.states) & _RESULTS
        if results & entity.undergone:
            likelihood += _RESULT
        elif set(name.states) & entity.states:
            likelihood += _STATE
        elif results and entity.carried and not self._began(entity.category, results):
            likelihood += _USED
        likelihood += _HAND * (entity.held and not taking)
        if name.bare:
            fresh = not entity.carried and not entity.index and not entity.places
            likelihood += _USED * (fresh or (entity.carried and not taking))
        likelihood += _PLACE * self._holds_too(entity, reading)
        return likelihood

    def _holds_too(self, entity: Entity, reading: NameReading) -> bool:
        """Whether what a name says to be in or on a thing was named there before, or began in the
        same place as what was."""
        if reading.holding & (entity.holding | entity.taken):
            return True
        return bool(reading.holding and entity.holding) and self._is_together(entity, reading)

    def _is_together(self, entity: Entity, reading: NameReading) -> bool:
        """Whether one thing of its kind has all at the opening that names say is in or on it."""
        wanted = reading.holding | entity.holding
        instances = self.catalog.instances.get(entity.category, ())
        return any(wanted <= self.catalog.contents.get(each, frozenset()) for each in instances)

    def _is_another(self, number: int, reading: NameReading) -> bool:
        """Whether a name gives another number or another origin than an entity's names do. The
        place where the plan itself brought it does not count as another origin."""
        entity, name = self.entities[number], reading.name
        if bool(reading.kinds) != bool(entity.kinds):
            return True
        if name.index > 1 and not entity.index:
            return True  # after "rag", "second_rag" and "rag_2" name another thing
        if name.index and entity.index and name.index != entity.index:
            return True
        moved = entity.put_at is not None or entity.held
        if reading.places and entity.places and not reading.places & entity.places:
            unnamed = moved and self._unnamed_at(entity.category, reading.places)
            return unnamed or not (moved and self._is_now_at(entity, reading.places))
        if any(self._is_other_spot(entity, *each) for each in reading.spots):
            return True
        if name.rooms and entity.rooms and not set(name.rooms) & entity.rooms:
            return not moved or not self._was_brought_to(entity, reading)
        return False

    def _was_brought_to(self, entity: Entity, reading: NameReading) -> bool:
        """Whether the room in a name is where the plan brought a thing. With a number, the name
        rather distinguishes things of two rooms: "kitchen_pad_1" and "bedroom_pad_1"."""
        if reading.name.index or self._unnamed_in(entity.category, reading.name.rooms):
            return False
        if reading.places and not self._is_now_at(entity, reading.places):
            return False
        return not self._rooms_of(entity.put_at).isdisjoint(reading.name.rooms)

    def _is_other_spot(self, entity: Entity, category: str, number: int) -> bool:
        """Whether names number two places of a category differently, and the thing was not brought
        from the one to the other."""
        known = {each for kind, each in entity.spots if kind == category}
        if not known or number in known:
            return False
        there = self.entities[entity.put_at] if isinstance(entity.put_at, int) else None
        return there is None or there.category != category or there.index not in (0, number)

    def _is_now_at(self, entity: Entity, places: frozenset[str]) -> bool:
        """Whether a thing was put at a place of these, or is held there."""
        if entity.held and isinstance(self.at, int):
            return self.entities[self.at].category in places
        return self._was_put_at(entity, places)

    def _rooms_of(self, ref: Ref | None) -> set[str]:
        """The rooms that a place may be in, as far as names or the definition tell."""
        if not isinstance(ref, int):
            return {ref} if ref else set()
        entity = self.entities[ref]
        instances = self.catalog.instances.get(entity.category, ())
        known = {self.catalog.rooms.get(each, "") for each in instances}
        return (entity.rooms or {entity.around}) | (known if len(known) == 1 else set())

    def _contradicts(self, number: int, reading: NameReading) -> bool:
        """Whether a name says what cannot be so of an entity."""
        if self._is_another(number, reading):
            return True
        entity, name = self.entities[number], reading.name
        if reading.holding and entity.holding and not reading.holding & entity.holding:
            fixture = not self.catalog.movable(entity.category)
            return fixture and not self._is_together(entity, reading)
        if name.bare and not self.catalog.movable(entity.category) and self._is_elsewhere(entity):
            return True
        states = set(name.states) - entity.undergone
        return any(
            (one in states and other in entity.states - entity.undergone)
            or (other in states and one in entity.states - entity.undergone)
            for one, other in _OPPOSITES
        )

    def _is_elsewhere(self, entity: Entity) -> bool:
        """Whether a fixture was named in another room, and this one has such a fixture too."""
        rooms = entity.rooms or {entity.around}
        return bool(
            self.around
            and rooms - {""}
            and self.around not in rooms
            and self._is_in(entity.category, self.around)
        )

    def _was_put_at(self, entity: Entity, places: frozenset[str]) -> bool:
        return isinstance(entity.put_at, int) and self.entities[entity.put_at].category in places

    def _unnamed_at(self, category: str, places: frozenset[str]) -> bool:
        """Whether things of a category began at a place of which no name spoke yet."""
        catalog = self.catalog
        there = sum(
            any(catalog.problem.objects.get(each) in places for each in catalog.around(instance))
            for instance in catalog.instances.get(category, ())
        )
        named = (self.entities[each].places for each in self._of_category.get(category, ()))
        return there > sum(bool(each & places) for each in named)

    def _unnamed_in(self, category: str, rooms: Sequence[str]) -> bool:
        """Whether things of a category began in a room of which no name spoke yet."""
        instances = self.catalog.instances.get(category, ())
        there = sum(self.catalog.rooms.get(each) in rooms for each in instances)
        named = (self.entities[each].rooms for each in self._of_category.get(category, ()))
        return there > sum(not each.isdisjoint(rooms) for each in named)

    def _began(self, category: str, states: set[str]) -> bool:
        """Whether something of a category is in one of these states at the opening."""
        return any(
            states & self.catalog.states.get(each, frozenset())
            for each in self.catalog.instances.get(category, ())
        )

    def _is_next(self, number: int, name: Name, at: Ref) -> bool:
        """Whether a name that was taken up before, and put down, is now that of the next thing of
        its kind."""
        entity = self.entities[number]
        if name.index or entity.held or entity.put_at is None or entity.phantom:
            return False
        if len(self._of_category[entity.category]) >= self.count(entity.category):
            return False
        self.doubtful = True
        if self._repeated is not RepeatedName.LIKELY:
            return self._repeated is RepeatedName.NEXT
        if at not in (number, entity.put_at):
            return True
        return at == number and not traits_of(entity.category) & _TOOLS
