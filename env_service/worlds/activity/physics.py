"""What water, heat and cold do by themselves (docs/actplan.md, Judges).

What is perished or burnt stays so: nothing here undoes it.
"""

from collections.abc import Iterable

from env_service.worlds.activity.state import State


def basins_of(state: State, thing: str) -> tuple[str, ...]:
    """Where the water of a basin or a faucet runs: the basin itself; of a faucet the basin that it
    belongs to, or else those of its room."""
    scene = state.scene
    if thing in scene.basin:
        return (thing,)
    under = next((each for _, each in state.chain(thing) if each in scene.basin), "")
    if under:
        return (under,)
    room = state.room_of(thing)
    return tuple(sorted(each for each in scene.basin if state.room_of(each) == room))


def is_running(state: State, thing: str) -> bool:
    """Whether a thing is a basin with water running."""
    return thing in state.scene.basin and ("toggled_on", thing) in state.facts


def running_around(state: State, thing: str) -> bool:
    """Whether water runs over a thing: it is in a running basin, or is one."""
    around = (thing, *(each for _, each in state.chain(thing)))
    return any(is_running(state, each) for each in around)


def here(state: State) -> tuple[str, ...]:
    """The thing that the agent is at, and what that is in or on."""
    return (state.at, *(each for _, each in state.chain(state.at))) if state.at else ()


def run_water(state: State, basin: str) -> None:
    """A basin begins to run: what is in it gets wet, its vessels fill, its ice thaws. What is held
    at it gets wet too, as people read it; and so are dishes clean with a brush or soap at hand."""
    inside = state.below(basin)
    drench(state, inside)
    held = [each for each in state.held if basin in here(state)]
    scene = state.scene
    for thing in held:
        if thing in scene.absorbent:
            state.mark_relaxed("soaked", thing)
        if thing in scene.vessel and not state.is_shut(thing):
            state.mark("filled", thing)
    if any(each in scene.tool or each in scene.soap for each in (*inside, *held)):
        for thing in inside:
            clean_relaxed(state, thing)


def drench(state: State, things: Iterable[str]) -> None:
    """Water runs over things."""
    scene = state.scene
    for thing in things:
        state.unmark("frozen", thing)
        if thing in scene.absorbent:
            state.mark("soaked", thing)
        if thing in scene.vessel and not state.is_shut(thing):
            state.mark("filled", thing)


def cook(state: State, things: Iterable[str]) -> None:
    """Food among the things becomes cooked; all thaw. A tea bag steeps in hot water, as people read
    it: a heated pot is never empty."""
    for thing in things:
        state.unmark("frozen", thing)
        if thing in state.scene.food:
            state.mark("cooked", thing)
        if thing in state.scene.food and thing in state.scene.absorbent:
            state.mark_relaxed("soaked", thing)


def wash(state: State, things: Iterable[str]) -> None:
    """A machine washes things."""
    for thing in things:
        clean(state, thing)
        if thing in state.scene.absorbent:
            state.mark("soaked", thing)


def clean(state: State, thing: str) -> None:
    """Takes stains and dust away."""
    state.unmark("stained", thing)
    state.unmark("dusty", thing)


def clean_relaxed(state: State, thing: str) -> None:
    """Takes stains and dust away as people read it."""
    state.unmark_relaxed("stained", thing)
    state.unmark_relaxed("dusty", thing)


def leave(state: State, thing: str) -> None:
    """What is taken out of the cold thaws, as people read it."""
    scene = state.scene
    if scene.cold and any(each in scene.cold for _, each in state.chain(thing)):
        for each in (thing, *state.below(thing)):
            state.unmark_relaxed("frozen", each)


def arrive(state: State, thing: str) -> None:
    """What a thing, and all in or on it, undergoes where it was just put."""
    scene, facts = state.scene, state.facts
    for relation, place in state.chain(thing):
        if place in scene.basin and is_running(state, place):
            drench(state, (thing, *state.below(thing)))
        elif place in scene.heat and ("toggled_on", place) in facts:
            cook(state, (thing, *state.below(thing)))
        elif place in scene.cold and relation == "inside":
            for each in (thing, *state.below(thing)):
                if each in scene.freezable:
                    state.mark("frozen", each)
        elif relation == "inside" and ("filled", place) in facts and thing in scene.absorbent:
            state.mark("soaked", thing)


def thaw(state: State) -> None:
    """Time passes: what is not in the cold thaws."""
    frozen = [thing for predicate, thing in state.facts if predicate == "frozen"]
    for thing in sorted(frozen):
        if not any(each in state.scene.cold for _, each in state.chain(thing)):
            state.unmark("frozen", thing)
