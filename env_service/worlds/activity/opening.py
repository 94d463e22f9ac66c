"""How an activity begins."""

from __future__ import annotations

from env_service.worlds.activity.bddl.expressions import Atom
from env_service.worlds.activity.bddl.problem import Problem
from env_service.worlds.activity.house import House
from env_service.worlds.activity.state import State

_SUPPORTS = ("inside", "ontop", "onfloor")


def open_state(problem: Problem, house: House) -> State:
    """The state that a definition's opening tells. Names that are not declared are passed over, and
    so is a fact with too few or too many terms: BDDL's checks tell of them."""
    state = State(house)
    for literal in problem.init:
        if literal.positive:
            _begin(state, literal.atom)
        elif literal.atom.predicate == "open" and len(literal.atom.terms) == 1:
            state.shut.update(house.openable.intersection(literal.atom.terms))
    _settle(state)
    return state


def _begin(state: State, atom: Atom) -> None:
    house, terms = state.house, atom.terms
    if len(terms) == 1 and terms[0] in house.categories:
        state.facts.add((atom.predicate, terms[0]))
    elif len(terms) == 2 and all(each in house.categories for each in terms):
        thing, other = terms
        if thing == house.agent:
            state.room = state.room_of(other)
        elif atom.predicate in _SUPPORTS and thing != other:
            _lay(state, atom.predicate, thing, other)
        else:
            state.relations.add((atom.predicate, thing, other))


def _lay(state: State, predicate: str, thing: str, other: str) -> None:
    """Of two supports that a definition gives a thing, the floor is the further one."""
    house = state.house
    relation = "onfloor" if other in house.floor else predicate
    before = state.support.get(thing)
    if before is not None:
        if relation == "onfloor" or before[0] != "onfloor":
            state.relations.add((predicate, thing, other))
            return
        state.relations.add((before[0], thing, before[1]))
    state.support[thing] = (relation, other)


def _settle(state: State) -> None:
    """Containers that begin open are seen into, and who acts in no room acts in the only one."""
    state.seen.update(name for name in state.house.lid if ("open", name) in state.facts)
    if not state.room and len(state.house.room_names) == 1:
        (state.room,) = state.house.room_names
