"""Washing dishes: into the sink, water on, the sponge where water is not enough, water off."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from env_service.suites.asgard.actions.fixtures import sink_of
from env_service.suites.asgard.expert.carrying import fetch, stow
from env_service.suites.asgard.expert.clearing import bring, clear
from env_service.suites.asgard.expert.house import foreign, is_dirty, running
from env_service.suites.asgard.expert.looking import act_on
from env_service.suites.asgard.expert.play import Play, StuckError
from env_service.suites.asgard.tables import tables
from env_service.suites.asgard.view import ThorObject
from env_service.suites.asgard.vocabulary import Verb

SINK, FAUCET, SPONGE = "SinkBasin", "Faucet", "DishSponge"


def wash(play: Play, kinds: Sequence[str]) -> None:
    """Cleans the objects of some types, as many as the sink takes under one run of water.

    Raises:
        StuckError: some of them stay dirty.
    """
    for _ in range(len(kinds)):
        dirty = [each for each in kinds if is_dirty(play.view, each)]
        if not dirty:
            return
        if any(map(play.is_locked, _contents(play, dirty))):
            # The water cannot be turned on over food, but food can be put under the water.
            _turn_on(play, dirty)
        _fill_sink(play, dirty)
        _run_water(play, dirty)
    if any(is_dirty(play.view, each) for each in kinds):
        raise StuckError(f"some of {', '.join(kinds)} cannot be washed")


def _fill_sink(play: Play, dirty: Sequence[str]) -> None:
    """Puts in what goes in; at least one has to."""
    order = sorted(dirty, key=lambda each: (each != play.held, _sunk(play, each) is None))
    for number, kind in enumerate(order):
        if _sunk(play, kind) is not None:
            continue
        _take_out_contents(play, kind)
        if running(play.view, FAUCET) is None:
            free_sink(play, keep=dirty)
        try:
            bring(play, kind, SINK, welcome=(SPONGE, *dirty))
        except StuckError:
            if all(_sunk(play, each) is None for each in order[:number]):
                raise


def _sunk(play: Play, kind: str) -> ThorObject | None:
    """The basin that the object of a type lies in."""
    item = play.view.first(kind)
    return None if item is None else sink_of(play.view, item)


def _contents(play: Play, kinds: Sequence[str]) -> list[ThorObject]:
    """What lies in the dishes of some types and may not come under water."""
    dishes = [each for kind in kinds for each in play.view.of_type(kind)]
    allowed = tables().may_be_in_a_running_sink
    return [each for dish in dishes for each in foreign(play.view, dish, allowed)]


def _take_out_contents(play: Play, kind: str) -> None:
    for each in _contents(play, [kind]):
        if not play.is_locked(each):
            fetch(play, each["objectType"])
            stow(play, avoid=(SINK, kind))


def free_sink(play: Play, keep: Collection[str] = ()) -> None:
    """Takes out of the sinks what keeps the water from being turned on, but nothing of the types
    to ``keep``. Raises StuckError."""
    clear(play, SINK, (*tables().may_be_in_a_running_sink, *keep))


def sink_is_free(play: Play) -> bool:
    """Whether nothing in the sinks keeps the water from being turned on."""
    allowed = tables().may_be_in_a_running_sink
    return not any(foreign(play.view, sink, allowed) for sink in play.view.of_type(SINK))


def _turn_on(play: Play, dirty: Sequence[str]) -> None:
    if running(play.view, FAUCET) is None:
        free_sink(play, keep=dirty)
        act_on(play, Verb.TOGGLE_ON, FAUCET)


def _run_water(play: Play, dirty: Sequence[str]) -> None:
    _turn_on(play, dirty)
    for kind in dirty:
        if is_dirty(play.view, kind) and _sunk(play, kind) is not None:
            fetch(play, SPONGE)
            act_on(play, Verb.CLEAN, kind)
    while running(play.view, FAUCET) is not None:
        act_on(play, Verb.TOGGLE_OFF, FAUCET)
