"""Which facts hold, strictly or as people read them."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from env_service.worlds.activity.bddl.expressions import Atom
from env_service.worlds.activity.state import State


class Reading(Enum):
    """How freely facts are read (docs/actplan.md, Judges)."""

    STRICT = "strict"
    """As stated."""
    RELAXED = "relaxed"
    """As people read them, too: next to is also what shares a support, is one on the other, or was
    put down in the open in the same room; what is in a bowl in a cabinet is in the cabinet; in and
    on are one of what has no lid; putting a tool on what is dirty cleans it, a knife on food slices
    it; leaving the cold thaws."""


def holds(state: State, atom: Atom, reading: Reading) -> bool:
    """Whether a fact holds. One of things that do not exist does not, nor one that nobody knows."""
    terms = atom.terms
    if len(terms) == 1:
        fact = (atom.predicate, terms[0])
        if reading is Reading.RELAXED and fact in state.relaxed:
            return state.relaxed[fact]
        return fact in state.facts
    if len(terms) != 2:
        return False
    thing, other = terms
    if atom.predicate == "inroom":
        return thing in state.scene.categories and state.room_of(thing) == other != ""
    if thing == state.scene.agent:
        return (
            atom.predicate == "onfloor"
            and other in state.scene.floor
            and state.room_of(other) == state.room
        )
    if _is_stated(state, atom.predicate, thing, other):
        return True
    if reading is Reading.STRICT:
        return False
    relaxed = _RELAXED.get(atom.predicate)
    return relaxed is not None and thing != other and relaxed(state, thing, other)


def _is_stated(state: State, predicate: str, thing: str, other: str) -> bool:
    if state.support.get(thing) == (predicate, other):
        return True
    if predicate == "ontop":
        return state.support.get(thing) == ("onfloor", other) or (
            (predicate, thing, other) in state.relations
        )
    if predicate == "under" and state.support.get(other) == ("ontop", thing):
        return True
    relations = state.relations
    if not relations:
        return False
    return (predicate, thing, other) in relations or (
        predicate in ("nextto", "touching") and (predicate, other, thing) in relations
    )


def _inside(state: State, thing: str, other: str) -> bool:
    """In it, or in or on what is; of what has no lid, on it is in it."""
    link = _link(state, thing, other)
    return link in ("inside", "poured") or (
        link == "ontop" and other in state.scene.container and other not in state.scene.lid
    )


def _ontop(state: State, thing: str, other: str) -> bool:
    """On it, or in or on what is; of what has no lid, in it is on it."""
    link = _link(state, thing, other)
    return link in ("ontop", "poured") or (link == "inside" and other not in state.scene.lid)


def _link(state: State, thing: str, other: str) -> str:
    """How a thing, or what carries it, lies in or on another; empty: it does not."""
    if ("poured", thing, other) in state.relations:
        return "poured"
    return next((link for link, target in state.chain(thing) if target == other), "")


def _onfloor(state: State, thing: str, other: str) -> bool:
    """On it, or on what lies on it; one room's floors are one floor."""
    if other not in state.scene.floor:
        return False
    for link, target in state.chain(thing):
        if link == "onfloor":
            return state.room_of(target) == state.room_of(other) != ""
        if link != "ontop":
            return False
    return False


def _nextto(state: State, thing: str, other: str) -> bool:
    if _touches(state, thing, other) or _is_stated(state, "under", thing, other):
        return True
    if not (thing in state.moved or other in state.moved):
        return False
    if state.is_held(thing) or state.is_held(other):
        return False
    room = state.room_of(thing)
    return (
        room == state.room_of(other) != ""
        and _is_in_the_open(state, thing)
        and _is_in_the_open(state, other)
    )


def _touches(state: State, thing: str, other: str) -> bool:
    """Side by side as stated, put on the floor at it, one on the other, or on the same thing."""
    if _is_by(state, thing, other) or _is_by(state, other, thing):
        return True
    if _is_stated(state, "nextto", thing, other) or _is_stated(state, "touching", thing, other):
        return True
    one, two = state.support.get(thing), state.support.get(other)
    if (one and one[1] == other) or (two and two[1] == thing):
        return True
    return bool(one and two and one[1] == two[1] and "onfloor" not in (one[0], two[0]))


def _under(state: State, thing: str, other: str) -> bool:
    """Put on the floor at it, side by side as stated, or in what nothing can be in: a table."""
    if _is_by(state, thing, other) or _is_stated(state, "nextto", thing, other):
        return True
    return state.support.get(thing) == ("inside", other) and other not in state.scene.container


def _is_by(state: State, thing: str, other: str) -> bool:
    return ("by", thing, other) in state.relations


def _is_in_the_open(state: State, thing: str) -> bool:
    return not any(
        link == "inside" and target in state.scene.lid for link, target in state.chain(thing)
    )


_RELAXED: dict[str, Callable[[State, str, str], bool]] = {
    "inside": _inside,
    "ontop": _ontop,
    "onfloor": _onfloor,
    "nextto": _nextto,
    "touching": _touches,
    "under": _under,
}
