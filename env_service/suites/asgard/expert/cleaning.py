"""Washing dishes, wiping mirrors, and bringing switches and doors into the state that a goal
asks for.
"""

from collections.abc import Collection, Sequence

from env_service.suites.asgard.action_language import Verb
from env_service.suites.asgard.actions.handler import sink_of
from env_service.suites.asgard.expert.knowledge import foreign, is_dirty, running
from env_service.suites.asgard.expert.play import Play, StuckError
from env_service.suites.asgard.expert.transport import act_on, bring, clear, fetch, open_up, stow
from env_service.suites.asgard.object_types import object_tables
from env_service.suites.asgard.plan import RequiredEvent, State, StateGoal
from env_service.worlds.ai2thor_api.metadata_view import ThorObject

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
    """Puts in what fits; at least one must fit."""
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
    """The basin that contains the object of a type."""
    item = play.view.first(kind)
    return None if item is None else sink_of(play.view, item)


def _contents(play: Play, kinds: Sequence[str]) -> list[ThorObject]:
    """The contents of dishes of some types that must not get wet."""
    dishes = [each for kind in kinds for each in play.view.of_type(kind)]
    allowed = object_tables().may_be_in_a_running_sink
    return [each for dish in dishes for each in foreign(play.view, dish, allowed)]


def _take_out_contents(play: Play, kind: str) -> None:
    for each in _contents(play, [kind]):
        if not play.is_locked(each):
            fetch(play, each["objectType"])
            stow(play, avoid=(SINK, kind))


def free_sink(play: Play, keep: Collection[str] = ()) -> None:
    """Takes out of the sinks what keeps the water from being turned on, but nothing of the types
    to ``keep``. Raises StuckError."""
    clear(play, SINK, (*object_tables().may_be_in_a_running_sink, *keep))


def sink_is_free(play: Play) -> bool:
    """Whether nothing in the sinks keeps the water from being turned on."""
    allowed = object_tables().may_be_in_a_running_sink
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


# --- Cleaning a mirror: spray, then wipe with the cloth

MIRROR, BOTTLE, CLOTH = "Mirror", "SprayBottle", "Cloth"


def spray(play: Play) -> None:
    """Sprays the mirror. Raises StuckError."""
    if RequiredEvent.SPRAY_MIRROR not in play.events:
        fetch(play, BOTTLE)
        act_on(play, Verb.SPRAY, MIRROR)


def wipe(play: Play) -> None:
    """Wipes the mirror, sprayed before. Raises StuckError."""
    spray(play)
    if is_dirty(play.view, MIRROR):
        fetch(play, CLOTH)
        act_on(play, Verb.CLEAN, MIRROR)


# --- Switching things on and off, opening and closing them, as goals ask for it

_REMOTE = {"Television": "RemoteControl"}
_SWITCHED_FOR = {"StoveKnob": "StoveBurner"}
"""The type that an agent names in place of one that it never sees."""


def bring_about(play: Play, goal: StateGoal) -> None:
    """Switches, opens or closes objects until all of the goal's type are in the goal's state.

    Raises:
        StuckError: one does not change.
    """
    left = len(play.view.of_type(goal.object_type))
    while (odd := _odd_one(play, goal)) is not None:
        if not left:
            raise StuckError(f"{odd['name']} cannot be changed")
        left -= 1
        _change(play, goal, odd)


def _odd_one(play: Play, goal: StateGoal) -> ThorObject | None:
    found = play.view.of_type(goal.object_type)
    return next((each for each in found if each[goal.state.value] is not goal.value), None)


def _change(play: Play, goal: StateGoal, item: ThorObject) -> None:
    kind = _SWITCHED_FOR.get(goal.object_type, goal.object_type)
    if goal.state is State.OPEN:
        if goal.value:
            open_up(play, item)
        else:
            act_on(play, Verb.CLOSE, kind)
        return
    if kind in _REMOTE:
        fetch(play, _REMOTE[kind])
    act_on(play, Verb.TOGGLE_ON if goal.value else Verb.TOGGLE_OFF, kind)
