"""The subgoals of a task, in the order in which the expert works on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from env_service.suites.asgard.action_language import Verb
from env_service.suites.asgard.expert import cleaning, cooking, transport
from env_service.suites.asgard.expert import cooking as table
from env_service.suites.asgard.expert.cleaning import MIRROR, free_sink, sink_is_free, wash, wipe
from env_service.suites.asgard.expert.cooking import is_cooked, is_served, serve, slice_food
from env_service.suites.asgard.expert.knowledge import Wanted, anything, slices_of
from env_service.suites.asgard.expert.play import Play
from env_service.suites.asgard.expert.transport import act_on
from env_service.suites.asgard.goals import is_met
from env_service.suites.asgard.object_types import whole_type
from env_service.suites.asgard.plan import (
    ContentsGoal,
    EventGoal,
    Goal,
    LocationGoal,
    PutAwayGoal,
    RequiredEvent,
    State,
    StateGoal,
)


@dataclass(frozen=True, slots=True)
class Subgoal:
    """One thing to bring about. ``perform`` may raise StuckError, and does nothing that is done
    already."""

    name: str
    is_done: Callable[[Play], bool]
    perform: Callable[[Play], None]


_COOKS: dict[str, Callable[[Play], None]] = {
    "Egg": cooking.cook_egg,
    "PotatoSliced": cooking.fry_potato,
    "Potato": cooking.microwave,
    "Bread": cooking.toast,
}
_PIECES = {"Egg": "EggCracked", "Bread": "BreadSliced"}


def subgoals(goals: Sequence[Goal]) -> list[Subgoal]:
    """The subgoals of a task's goals, in the order in which they are best done."""
    return [
        *_washing(goals),
        *_table(goals),
        *_cooking(goals),
        *_serving(goals),
        *_drinking(goals),
        *_storing(goals),
        *_mirror(goals),
        *_leaving(goals),
    ]


def _subgoal_of(name: str, goal: Goal, perform: Callable[[Play], None]) -> Subgoal:
    def is_done(play: Play) -> bool:
        return is_met(goal, play.view, play.events, play.objective.rules)

    return Subgoal(name, is_done, perform)


def _states(goals: Sequence[Goal], state: State) -> Iterator[StateGoal]:
    for goal in goals:
        if isinstance(goal, StateGoal) and goal.state is state:
            yield goal


def _washing(goals: Sequence[Goal]) -> Iterator[Subgoal]:
    """All that is to be clean, under one run of water; of a mug it is asked after it is drunk
    from."""
    later = {MIRROR, cooking.MUG} if EventGoal(RequiredEvent.DRINK_COFFEE) in goals else {MIRROR}
    clean = [goal for goal in _states(goals, State.DIRTY) if goal.object_type not in later]
    kinds = [goal.object_type for goal in clean]
    if not kinds:
        return

    def is_done(play: Play) -> bool:
        return all(is_met(goal, play.view, (), play.objective.rules) for goal in clean)

    yield Subgoal(f"wash {', '.join(kinds)}", is_done, partial(wash, kinds=kinds))


def _table(goals: Sequence[Goal]) -> Iterator[Subgoal]:
    toasted = StateGoal("Bread", State.COOKED, value=True) in goals
    for goal in goals:
        if not isinstance(goal, ContentsGoal):
            continue
        yield Subgoal("slice Bread", _is_sliced("Bread"), partial(slice_food, kind="Bread"))
        yield Subgoal(
            "make coffee",
            partial(table.coffee_is_served, goal=goal),
            partial(table.make_coffee, goal=goal),
        )
        yield Subgoal(
            "lay the plate",
            partial(table.on_table, kind=table.PLATE, goal=goal),
            partial(table.lay_plate, goal=goal),
        )
        yield Subgoal(
            "serve toast",
            partial(table.toast_is_served, toasted=toasted),
            partial(table.serve_toast, toasted=toasted),
        )
        yield Subgoal(
            "clear the table",
            partial(table.is_clear, goal=goal),
            partial(table.clear_table, goal=goal),
        )


def _is_sliced(kind: str) -> Callable[[Play], bool]:
    return lambda play: bool(play.view.of_type(slices_of(kind)))


def _cooking(goals: Sequence[Goal]) -> Iterator[Subgoal]:
    for goal in _states(goals, State.COOKED):
        if goal.object_type in _COOKS:
            yield _subgoal_of(f"cook {goal.object_type}", goal, _COOKS[goal.object_type])


def _serving(goals: Sequence[Goal]) -> Iterator[Subgoal]:
    cooked = {
        _PIECES.get(goal.object_type, goal.object_type) for goal in _states(goals, State.COOKED)
    }
    for goal in goals:
        if not isinstance(goal, LocationGoal):
            continue
        food, dish = goal.object_type, goal.destination_type
        wanted: Wanted = is_cooked if food in cooked else anything
        source = whole_type(food)
        if source is not None and food not in cooked:
            yield Subgoal(f"slice {source}", _is_sliced(source), partial(slice_food, kind=source))
        yield Subgoal(
            f"serve {food} on {dish}",
            partial(_holds, goal=goal, wanted=wanted),
            partial(serve, food=food, dish=dish, wanted=wanted),
        )


def _holds(play: Play, goal: LocationGoal, wanted: Wanted) -> bool:
    met = is_met(goal, play.view, play.events, play.objective.rules)
    return met and is_served(play, goal.object_type, goal.destination_type, wanted)


def _drinking(goals: Sequence[Goal]) -> Iterator[Subgoal]:
    goal = EventGoal(RequiredEvent.DRINK_COFFEE)
    if goal in goals:
        # The mug is washed afterwards: cheaper made ready with an empty hand.
        yield Subgoal("free the sink", sink_is_free, free_sink)
        yield _subgoal_of("drink coffee", goal, cooking.drink)
        clean = StateGoal(cooking.MUG, State.DIRTY, value=False)
        yield _subgoal_of("wash Mug", clean, partial(wash, kinds=[cooking.MUG]))


def _storing(goals: Sequence[Goal]) -> Iterator[Subgoal]:
    for goal in goals:
        if isinstance(goal, PutAwayGoal):
            kind = goal.object_type
            yield _subgoal_of(f"put away {kind}", goal, partial(transport.store, kind=kind))


def _mirror(goals: Sequence[Goal]) -> Iterator[Subgoal]:
    for goal in goals:
        if goal in (
            EventGoal(RequiredEvent.SPRAY_MIRROR),
            StateGoal(MIRROR, State.DIRTY, value=False),
        ):
            yield _subgoal_of("wipe the mirror", goal, wipe)


def _leaving(goals: Sequence[Goal]) -> Iterator[Subgoal]:
    """What is to be on or off, open or closed, full or empty in the end."""
    for state in (State.TOGGLED, State.OPEN):
        for goal in _states(goals, state):
            name = f"leave {goal.object_type} as it should be"
            yield _subgoal_of(name, goal, partial(cleaning.bring_about, goal=goal))
    for goal in _states(goals, State.FILLED):
        if not goal.value:
            yield _subgoal_of(f"empty {goal.object_type}", goal, _emptying(goal.object_type))


def _emptying(kind: str) -> Callable[[Play], None]:
    return lambda play: act_on(play, Verb.EMPTY, kind)
