"""From a plan's steps to actions on entities: which argument of a step is what."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from env_service.suites.actplan.grounding.entities import (
    ABOUT,
    Entity,
    EntityAction,
    EntityRegistry,
    Mention,
    Ref,
    RepeatedName,
)
from env_service.suites.actplan.grounding.grounded_plan import Level
from env_service.suites.actplan.grounding.lexicon import (
    ROOMS,
    Role,
    ThingCatalog,
    is_nothing,
    parse_name,
)
from env_service.suites.actplan.plans.plan_reader import PlanStep, Repair, RepairKind
from env_service.suites.actplan.plans.verbs import PLACING, Meaning, Order, fold, meaning_of
from env_service.worlds.activity.actions import Verb
from env_service.worlds.activity.categories import Trait, traits_of

_WIELDED = frozenset({Verb.CLEAN, Verb.SOAK, Verb.DRY, Verb.SLICE, Verb.COOK, Verb.DEFROST})
_SWITCHED = frozenset({Verb.SWITCH_ON, Verb.SWITCH_OFF, Verb.OPEN, Verb.CLOSE})
_EFFECTS = {
    Verb.CLEAN: "clean",
    Verb.SOAK: "soaked",
    Verb.DRY: "dry",
    Verb.SLICE: "sliced",
    Verb.COOK: "cooked",
    Verb.DEFROST: "thawed",
}
_PLACES = {"nextto": Verb.PLACE_NEXT_TO, "under": Verb.PLACE_UNDER}
_SPLITS = {each: re.compile(f"[ _-]{each}[ _-]") for each in ("on", "with")}
_MOST_TOOLS = 3
_ROOM_WORD = 0.85
"""How well another word for a room fits it."""


@dataclass(slots=True)
class InterpretedStep:
    """One step: its actions on entities, and its names that stand for nothing."""

    step: PlanStep
    actions: list[EntityAction] = field(default_factory=list)
    unresolved: list[str] = field(default_factory=list)


class StepInterpreter:
    """Interprets a plan step by step, and remembers what is held and where the agent is."""

    def __init__(
        self,
        catalog: ThingCatalog,
        level: Level,
        carried: Collection[str] = (),
        repeated: RepeatedName = RepeatedName.LIKELY,
    ) -> None:
        """``carried``: the texts of names that are taken up anywhere in the plan."""
        self.registry = EntityRegistry(catalog, level, repeated)
        self.repairs: list[Repair] = []
        self._catalog = catalog
        self._roles = Roles(catalog, self.registry)
        self._rooms = frozenset(catalog.rooms.values())
        self._carried = frozenset(carried)
        self._held: list[int] = []
        self._at: Ref = ""
        self._last_put: Ref = ""
        self._place_at: Verb | None = None

    @property
    def entities(self) -> list[Entity]:
        """All that were spoken of so far."""
        return self.registry.entities

    def recall(self, held: Sequence[int], moved: Collection[int]) -> None:
        """Takes over what is really held, and what was really put somewhere, where steps may have
        been refused."""
        self._held = list(held)
        for number, entity in enumerate(self.entities):
            entity.held = number in held
            if number not in moved:
                entity.put_at = None

    def interpret(self, step: PlanStep, following: PlanStep | None = None) -> InterpretedStep:
        """The step's actions. ``following``: the step after it, which shows what one walks to."""
        interpreted = InterpretedStep(step)
        meaning = meaning_of(step.word)
        if meaning is None or step.verb is None:
            return interpreted
        verb = meaning.verb
        if verb in PLACING:
            self._place(interpreted, meaning)
        elif verb is Verb.POUR:
            self._pour(interpreted, meaning)
        elif verb is Verb.GRAB:
            for argument in step.arguments:
                self._grab(interpreted, argument)
        elif verb is Verb.WALK_TO:
            self._walk(interpreted, following)
        elif verb in _WIELDED:
            self._wield(interpreted, meaning)
        elif verb in _SWITCHED:
            self._switch(interpreted, verb)
        else:
            interpreted.actions.append(EntityAction(verb))
        return interpreted

    def _walk(self, interpreted: InterpretedStep, following: PlanStep | None) -> None:
        for argument in interpreted.step.arguments[:1]:
            room = self._room(argument)
            target: Ref = room
            if not room and _takes(following, argument):
                target = self._taken(interpreted, argument)
            elif not room:
                target = self._thing(interpreted, argument, self._role(argument))
            if room:
                self._note_room_mention(interpreted, argument, room)
            if target != "":
                interpreted.actions.append(EntityAction(Verb.WALK_TO, target))
                self._at = self.registry.at = target
                self._place_at = _PLACES.get(parse_name(argument).place)
                self.registry.around = room or self._room_of(target)

    def _grab(self, interpreted: InterpretedStep, argument: str) -> None:
        found = self._taken(interpreted, argument)
        if isinstance(found, str):
            return
        entity = self.entities[found]
        interpreted.actions.append(EntityAction(Verb.GRAB, found))
        if not entity.carried:
            entity.from_place = self._at
        if isinstance(self._at, int) and self._at != found:
            self.entities[self._at].taken.add(entity.category)
        entity.carried, entity.held = True, True
        if found in self._held:
            self._held.remove(found)
        self._held.append(found)

    def _place(self, interpreted: InterpretedStep, meaning: Meaning) -> None:
        target, item = self._sides(interpreted, meaning)
        thing: Ref = self._held[-1] if self._held else self._last_put
        if item:
            thing = self._thing(interpreted, item, Role.ITEM)
        elif thing == self._last_put != "" and not self._held:
            interpreted.actions.append(EntityAction(Verb.GRAB, thing))
        verb, place = self._place_at or meaning.verb, self._at if self._at != thing else ""
        if target:
            verb, place = self._target(interpreted, target, meaning)
            if verb is not meaning.verb and verb in _PLACES.values():
                self._repair(interpreted, RepairKind.PLACE_READ)
        elif verb is Verb.PLACE_ON_FLOOR:
            place = ""
        if interpreted.unresolved:
            return
        if thing == "" or (place == "" and verb is not Verb.PLACE_ON_FLOOR):
            interpreted.unresolved.extend(interpreted.step.arguments)
            interpreted.actions.clear()
            return
        interpreted.actions.append(EntityAction(verb, place, thing))
        self._put(thing, place if place != "" else self._at)

    def _sides(self, interpreted: InterpretedStep, meaning: Meaning) -> tuple[str, str]:
        """Target and item of a placing, as they are said; empty where they are not."""
        arguments = interpreted.step.arguments
        if meaning.target and len(arguments) == 1:
            arguments = (meaning.target, arguments[0])
        if len(arguments) >= 2:
            target, item, swapped = self._roles.of_placing(arguments[:2], meaning)
            if swapped:
                self._repair(interpreted, RepairKind.ARGUMENTS_SWAPPED)
            return target, item
        if not arguments:
            self._repair(interpreted, RepairKind.ARGUMENT_MISSING)
            return "", ""
        if meaning.verb is not Verb.PLACE_ON_FLOOR:
            self._repair(interpreted, RepairKind.ARGUMENT_MISSING)
        if self._room(arguments[0]):
            return arguments[0], ""
        target, item = self._roles.of_single(arguments[0], meaning)
        hints = [each for each in parse_name(item).hints if each.relation in _PLACES]
        if hints and self._roles.is_held_kind(item):
            words = "_".join(hints[0].words)
            return f"{'next_to' if hints[0].relation == 'nextto' else 'under'}_{words}", item
        return target, item

    def _target(
        self, interpreted: InterpretedStep, argument: str, meaning: Meaning
    ) -> tuple[Verb, Ref]:
        """Where something goes: "next_to_sink" and "floor_near_bed" are next to a thing."""
        name, verb = parse_name(argument), meaning.verb
        if name.place:
            verb = _PLACES[name.place]
        beside = [hint for hint in name.hints if hint.relation in _PLACES]
        if beside and self.registry.level > Level.STRICT:
            found = self.registry.find(
                "_".join(beside[0].words), Role.TARGET, interpreted.step.number
            )
            if found is not None and not self.entities[found].phantom:
                return _PLACES[beside[0].relation], found
        room = self._room(argument)
        if room:
            self._note_room_mention(interpreted, argument, room)
            return Verb.PLACE_ON_FLOOR, room
        place = self._thing(interpreted, argument, Role.TARGET)
        if meaning.vague and Trait.CONTAINER in self._traits(place):
            verb = Verb.PLACE_INSIDE
        return verb, place

    def _pour(self, interpreted: InterpretedStep, meaning: Meaning) -> None:
        arguments = interpreted.step.arguments[:2]
        item, target = "", "".join(arguments[:1])
        if len(arguments) == 2:
            target, item, swapped = self._roles.of_placing(arguments, meaning)
            if swapped:
                self._repair(interpreted, RepairKind.ARGUMENTS_SWAPPED)
        elif target and self._roles.is_held(target):
            item, target = target, ""
        thing: Ref = self._held[-1] if not item and self._held else ""
        if item and not self._roles.is_water(item):
            thing = self._thing(interpreted, item, Role.ITEM)
        place = self._thing(interpreted, target, Role.TARGET) if target else self._at
        if place == "":
            return
        wets = thing == ""
        interpreted.actions.append(
            EntityAction(Verb.SOAK, place) if wets else EntityAction(Verb.POUR, place, thing)
        )
        self._undergo(place, "soaked")

    def _wield(self, interpreted: InterpretedStep, meaning: Meaning) -> None:
        arguments = list(interpreted.step.arguments)
        if meaning.target and not any(map(self._roles.is_fixture, arguments)):
            arguments.insert(0, meaning.target)
        arguments = [each for each in arguments if not self._roles.is_water(each)]
        if len(arguments) == 1:
            arguments = self._taken_apart(arguments[0], meaning)
        if len(arguments) > 1:
            arguments, swapped = self._roles.target_first(arguments, meaning)
            if swapped:
                self._repair(interpreted, RepairKind.ARGUMENTS_SWAPPED)
        target: Ref = self._held[-1] if meaning.verb is Verb.SOAK and self._held else self._at
        if arguments:
            target = self._patient(interpreted, arguments[0])
            if target == "":
                return
        tools = [
            self._thing(interpreted, each, Role.ITEM) for each in arguments[1 : 1 + _MOST_TOOLS]
        ]
        kept = tuple(each for each in tools if each not in ("", target))
        verb = self._meant(meaning, target, kept)
        interpreted.actions.append(EntityAction(verb, target, "", kept))
        self._undergo(target, _EFFECTS.get(verb, ""))

    def _taken_apart(self, argument: str, meaning: Meaning) -> list[str]:
        """What it is done to and with, in the verb's order, where one name contains both:
        "scissors_on_package_1", "table_with_soaked_rag"."""
        word = "on" if meaning.order is Order.ITEM_FIRST else "with"
        first, second = [*_SPLITS[word].split(argument, maxsplit=1), ""][:2]
        tool = first if word == "on" else second
        return [first, second] if second and self._roles.is_implement(tool) else [argument]

    def _meant(self, meaning: Meaning, target: Ref, tools: Sequence[Ref]) -> Verb:
        """Using a knife is slicing; scissors open packages; washing cleans dishes and soaks
        cloth."""
        traits = self._traits(target)
        blade = any(Trait.KNIFE in self._traits(each) for each in tools)
        if meaning.verb is Verb.CLEAN and meaning.order is Order.ITEM_FIRST and blade:
            return Verb.SLICE if Trait.FOOD in traits else Verb.OPEN
        if meaning is _WASH and traits and Trait.ABSORBENT not in traits:
            return Verb.CLEAN
        return meaning.verb

    def _patient(self, interpreted: InterpretedStep, argument: str) -> Ref:
        """What it is done to."""
        if self._roles.is_dirt(argument):
            return self._where_dirt_is(interpreted, argument)
        room = self._room(argument)
        if room:
            self._note_room_mention(interpreted, argument, room)
        return room or self._thing(interpreted, argument, Role.ITEM)

    def _where_dirt_is(self, interpreted: InterpretedStep, argument: str) -> Ref:
        """A stain by itself is on the thing where the agent is, or else on the floor."""
        place = self._at
        if place == "":
            return self._thing(interpreted, "floor", Role.TARGET, argument)
        self._note_mention(interpreted, argument, place, ABOUT)
        return place

    def _note_room_mention(self, interpreted: InterpretedStep, argument: str, room: str) -> None:
        if fold(argument) != room:
            self._note_mention(interpreted, argument, room, _ROOM_WORD)

    def _note_mention(
        self, interpreted: InterpretedStep, argument: str, ref: Ref, fit: float
    ) -> None:
        """Notes a name that was understood by what it is about, not by a thing's name."""
        number, place = (ref, "") if isinstance(ref, int) else (None, ref.replace("_", " "))
        if ref != "":
            mention = Mention(interpreted.step.number, argument, number, fit=fit, place=place)
            self.registry.mentions.append(mention)

    def _switch(self, interpreted: InterpretedStep, verb: Verb) -> None:
        if not interpreted.step.arguments:
            interpreted.actions.append(EntityAction(verb, self._at))
            return
        argument, *others = interpreted.step.arguments
        if self._roles.is_water(argument):
            sink = "_".join([*parse_name(argument).rooms[:1], "sink"])
            target = self._thing(interpreted, sink, self._role(sink), argument)
        else:
            target = self._thing(interpreted, argument, self._role(argument))
        tools = [self._thing(interpreted, each, Role.ITEM) for each in others[:_MOST_TOOLS]]
        if target != "":
            kept = tuple(each for each in tools if each != "")
            interpreted.actions.append(EntityAction(verb, target, "", kept))

    def _thing(
        self, interpreted: InterpretedStep, argument: str, role: Role, about: str = ""
    ) -> Ref:
        """``about``: what the plan says, where ``argument`` is but the thing that this is about."""
        if role is Role.TARGET and self._roles.is_dirt(argument):
            return self._where_dirt_is(interpreted, argument)
        found = self.registry.find(argument, role, interpreted.step.number, self._at, about)
        if found is None:
            interpreted.unresolved.append(about or argument)
            return ""
        return found

    def _taken(self, interpreted: InterpretedStep, argument: str) -> Ref:
        found = self.registry.take(argument, self._at, interpreted.step.number)
        if found is None:
            interpreted.unresolved.append(argument)
            return ""
        return found

    def _room(self, argument: str) -> str:
        """The room that a whole name means; empty: it means a thing. A definition's own name for a
        room is that room's."""
        own = fold(argument)
        room = own if own in self._rooms else parse_name(argument).room
        if not room or self.registry.known(argument) is not None:
            return ""
        if room not in self._rooms and self.registry.category(argument, Role.TARGET):
            return ""
        if self.registry.level > Level.STRICT or own in self._rooms:
            return room
        return own if own in ROOMS.values() else ""

    def _room_of(self, target: Ref) -> str:
        rooms = self.entities[target].rooms if isinstance(target, int) else set()
        return min(rooms, default="")

    def _traits(self, ref: Ref) -> frozenset[Trait]:
        return traits_of(self.entities[ref].category) if isinstance(ref, int) else frozenset()

    def _put(self, thing: Ref, place: Ref) -> None:
        if isinstance(thing, int):
            entity = self.entities[thing]
            entity.held, entity.carried, entity.put_at = False, True, place
            self._last_put = thing
            if thing in self._held:
                self._held.remove(thing)

    def _undergo(self, target: Ref, effect: str) -> None:
        if isinstance(target, int) and effect:
            self.entities[target].undergone.add(effect)

    def _repair(self, interpreted: InterpretedStep, kind: RepairKind) -> None:
        self.repairs.append(Repair(kind, interpreted.step.number, interpreted.step.spelling))

    def _role(self, argument: str) -> Role:
        return Role.ITEM if parse_name(argument).text in self._carried else Role.TARGET


_WASH = meaning_of("wash")


def _takes(step: PlanStep | None, argument: str) -> bool:
    """Whether a step takes up what this very name names."""
    return (
        step is not None
        and step.verb is Verb.GRAB
        and any(parse_name(each).text == parse_name(argument).text for each in step.arguments)
    )


# --- Which argument of a step is what: the item and where it goes, what is cleaned and with what
# How plans are parsed: docs/actplan-parsing.md

_HABIT = 2
"""So many decided steps of a plan, and none against, show in which order it has arguments."""
_IMPLEMENTS = frozenset({Trait.TOOL, Trait.SOAP, Trait.KNIFE, Trait.WATER})
_SOURCES = frozenset({Trait.BASIN, Trait.FAUCET, Trait.VESSEL, Trait.WATER, Trait.SOAP})


class Roles:
    """Assigns arguments to roles by what the plan did with them so far, and by what they are."""

    def __init__(self, catalog: ThingCatalog, registry: EntityRegistry) -> None:
        self._catalog = catalog
        self._registry = registry
        self._first, self._second = 0, 0

    def of_placing(self, arguments: Sequence[str], meaning: Meaning) -> tuple[str, str, bool]:
        """Target, item, and whether these stood the other way round than the verb has them.

        The item is what is held, or was taken up before, or is of the kind of something held, or
        can be carried; if all that is true of both or neither, it is in the position where this
        plan mostly had it, or else where the verb has it.
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
            tests.insert(1, lambda argument: (argument == arguments[0]) == bool(self._first))
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

    def of_single(self, argument: str, meaning: Meaning) -> tuple[str, str]:
        """Target and item of a placing with one argument; the other is empty."""
        if self.is_held(argument) or meaning.verb is Verb.PLACE_ON_FLOOR:
            return "", argument
        carried = self.is_held_kind(argument) and self.is_movable(argument)
        return ("", argument) if carried and not self.is_fixture(argument) else (argument, "")

    def target_first(self, arguments: list[str], meaning: Meaning) -> tuple[list[str], bool]:
        """What it is done to, and then what with; and whether they stood otherwise. What can clean
        or cut, or where things get wet, is the latter."""
        if meaning.order is Order.ITEM_FIRST:
            arguments = [arguments[-1], *arguments[:-1]]
        test = self._is_source if meaning.verb is Verb.SOAK else self.is_implement
        if test(arguments[0]) and not test(arguments[1]):
            return [arguments[1], arguments[0], *arguments[2:]], True
        return arguments, False

    def is_held(self, argument: str) -> bool:
        """Whether the very name is of something in a hand."""
        known = self._registry.known(argument)
        return known is not None and self._registry.entities[known].held

    def is_held_kind(self, argument: str) -> bool:
        """Whether something in a hand is of the name's category."""
        category = self._category(argument, Role.ITEM)
        return bool(category) and any(
            each.held and each.category == category for each in self._registry.entities
        )

    def is_movable(self, argument: str) -> bool:
        """Whether it can be carried."""
        category = self._category(argument, Role.ITEM)
        return bool(category) and self._catalog.movable(category)

    def is_fixture(self, argument: str) -> bool:
        """Whether it cannot be carried."""
        category = self._category(argument, Role.TARGET)
        return bool(category) and not self._catalog.movable(category)

    def is_water(self, argument: str) -> bool:
        """Whether it is water as such, not a bottle of it that the definition lists."""
        name = parse_name(argument)
        return is_nothing(name.words, "water") and not self._category(argument, Role.ITEM)

    def is_dirt(self, argument: str) -> bool:
        """Whether it is a stain, or dust, as such."""
        if self._registry.level is Level.STRICT:
            return False
        name = parse_name(argument)
        return is_nothing(name.words, "dirt") and not self._category(argument, Role.TARGET)

    def _category(self, argument: str, role: Role) -> str:
        return self._registry.category(argument, role)

    def _was_carried(self, argument: str) -> bool:
        known = self._registry.known(argument)
        return known is not None and self._registry.entities[known].carried

    def _holds_nothing(self, argument: str) -> bool:
        category = self._category(argument, Role.TARGET)
        return bool(category) and Trait.CONTAINER not in traits_of(category)

    def is_implement(self, argument: str) -> bool:
        """Whether it can clean or cut."""
        category = self._category(argument, Role.ITEM)
        return bool(category) and bool(traits_of(category) & _IMPLEMENTS)

    def _is_source(self, argument: str) -> bool:
        category = self._category(argument, Role.TARGET)
        return bool(category) and bool(traits_of(category) & _SOURCES)
