"""The things that a plan speaks of, before it is decided which instances they are."""

from __future__ import annotations

from dataclasses import dataclass, field

from env_service.worlds.activity.deed import Verb

Ref = int | str
"""An entity by its number; or a room's name, or "" for nothing."""


@dataclass(slots=True)
class Entity:
    """One thing as a plan speaks of it, under one name or several.

    Attributes:
        category: what it is.
        index: the number that names give it; 0: none.
        said: its first name, as the plan spells it.
        exact: that is exactly a category's name, and a number or none.
        step: where it is first named.
        rooms: where names say that it is.
        places: the categories that names say that it is in, on or under.
        spots: of places that names number, the category and the number.
        holding: the categories that names say are in or on it.
        states: how names say that it is at the opening.
        around: the room that the agent was in when it was first named; empty: not known.
        plural: a name of it names several.
        count: how many that names; 0: not said.
        kinds: the categories that a collective noun stands for, where it is more than one.
        from_place: where the agent was when it was first taken up; None: it never was.
        taken: the categories of what is taken up at it.
        carried: it is taken up, or put somewhere.
        held: it is in a hand.
        put_at: where it was put last; None: nowhere yet.
        undergone: what steps did to it.
        phantom: it is a fixture that the definition does not list.
        all_of: the instances that it stands for, where it stands for several.
    """

    category: str
    index: int
    said: str
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
class Heard:
    """A name in a step, and what it stands for there.

    Attributes:
        said: as the plan spells it.
        number: of the entity; None: it stands for ``place``.
        index: the number that this very name gives; 0: none.
        fit: how well its words fit, 0 … 1.
        exact: its words are exactly a category's name.
        place: a room, or what is named by where it is, for people.
    """

    step: int
    said: str
    number: int | None
    index: int = 0
    fit: float = 1.0
    exact: bool = False
    place: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A deed on entities."""

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
