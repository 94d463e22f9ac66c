"""Work in the kitchen: coffee, toast, eggs and potatoes, slicing, serving, and setting the
table.
"""

from __future__ import annotations

from env_service.suites.asgard.action_language import Verb
from env_service.suites.asgard.actions.handlers import LOWEST
from env_service.suites.asgard.expert.cleaning import wash
from env_service.suites.asgard.expert.knowledge import (
    COFFEE,
    Wanted,
    anything,
    contains,
    foreign,
    is_dirty,
    lies_in,
    running,
    slices_of,
    whole,
)
from env_service.suites.asgard.expert.play import Play, StuckError
from env_service.suites.asgard.expert.transport import act_on, bring, clear, fetch, put, stow
from env_service.suites.asgard.goals import serves_location_goal
from env_service.suites.asgard.object_types import object_tables
from env_service.suites.asgard.plan import ContentsGoal, RequiredEvent
from env_service.worlds.ai2thor_api.metadata_view import ThorObject

MUG, MACHINE = "Mug", "CoffeeMachine"


def has_coffee(play: Play) -> bool:
    """Whether the mug is filled with coffee."""
    mug = play.view.first(MUG)
    return mug is not None and bool(mug["isFilledWithLiquid"]) and mug["fillLiquid"] == COFFEE


def brew(play: Play) -> None:
    """Fills the mug with coffee, washed and emptied before if need be. Raises StuckError."""
    if has_coffee(play):
        return
    if is_dirty(play.view, MUG):
        wash(play, [MUG])
    mug = play.view.first(MUG)
    if mug is not None and mug["isFilledWithLiquid"]:
        act_on(play, Verb.EMPTY, MUG)
    if contains(play.view, MACHINE, lambda each: each["objectType"] == MUG) is None:
        clear(play, MACHINE, (MUG,))
        bring(play, MUG, MACHINE)
    if running(play.view, MACHINE) is None:
        act_on(play, Verb.TOGGLE_ON, MACHINE)
    while running(play.view, MACHINE) is not None:
        act_on(play, Verb.TOGGLE_OFF, MACHINE)
    if not has_coffee(play):
        raise StuckError("the coffee machine gave no coffee")


def drink(play: Play) -> None:
    """Drinks coffee, brewed before if there is none. Raises StuckError."""
    if RequiredEvent.DRINK_COFFEE in play.events:
        return
    brew(play)
    fetch(play, MUG)
    act_on(play, Verb.DRINK, MUG)


# --- Cooking in a machine: bread in the toaster, a potato in the microwave

BREAD, TOAST, TOASTER = "Bread", "BreadSliced", "Toaster"
POTATO, MICROWAVE = "Potato", "Microwave"


def toast(play: Play) -> None:
    """Toasts a slice of bread. Raises StuckError."""
    if any(map(is_cooked, play.view.of_type(TOAST))):
        return
    slice_food(play, BREAD)
    _insert(play, TOAST, TOASTER)
    _run(play, TOASTER)
    _check(play, TOAST)


def microwave(play: Play) -> None:
    """Cooks the potato in the microwave, which stays closed on it. Raises StuckError."""
    if any(map(is_cooked, play.view.of_type(POTATO))):
        return
    _insert(play, POTATO, MICROWAVE)
    oven = play.view.first(MICROWAVE)
    if oven is not None and oven["isOpen"]:
        act_on(play, Verb.CLOSE, MICROWAVE)
    _run(play, MICROWAVE)
    _check(play, POTATO)


def _insert(play: Play, food: str, machine: str) -> None:
    """Puts raw food in, after what else may be in the way if it finds no room."""
    if contains(play.view, machine, lambda each: each["objectType"] == food and is_raw(each)):
        return
    raw = next((each for each in play.view.of_type(food) if is_raw(each)), None)
    dish = play.view.container(raw) if raw is not None and play.is_locked(raw) else None
    if dish is None:
        bring(play, food, machine, wanted=is_raw)
    elif not lies_in(play.view, dish, machine):
        bring(play, dish["objectType"], machine)


def _run(play: Play, machine: str) -> None:
    if running(play.view, machine) is None:
        act_on(play, Verb.TOGGLE_ON, machine)
    while running(play.view, machine) is not None:
        act_on(play, Verb.TOGGLE_OFF, machine)


def _check(play: Play, food: str) -> None:
    if not any(map(is_cooked, play.view.of_type(food))):
        raise StuckError(f"{food} is still raw")


# --- Cooking in a pan on a burner: eggs, slices of potato

PAN, BURNER, KNOB = "Pan", "StoveBurner", "StoveKnob"
EGG, CRACKED = "Egg", "EggCracked"
WHOLE_POTATO, PIECE = "Potato", "PotatoSliced"


def is_cooked(item: ThorObject) -> bool:
    """Whether heat has been at it."""
    return bool(item["isCooked"])


def is_raw(item: ThorObject) -> bool:
    """Whether it has still to be cooked."""
    return not item["isCooked"]


def cook_egg(play: Play) -> None:
    """Cracks the egg into a clean pan, and fries it. Raises StuckError."""
    if any(map(is_cooked, play.view.of_type(CRACKED))):
        return
    _set_up_pan(play)
    if not play.view.of_type(CRACKED):
        if contains(play.view, PAN, lambda each: each["objectType"] == EGG) is None:
            bring(play, EGG, PAN)
        act_on(play, Verb.SLICE, EGG)
    _into_pan(play, CRACKED)
    _heat(play, CRACKED)


def fry_potato(play: Play) -> None:
    """Fries a slice of potato in a clean pan. Raises StuckError."""
    if any(map(is_cooked, play.view.of_type(PIECE))):
        return
    slice_food(play, WHOLE_POTATO)
    _set_up_pan(play)
    _into_pan(play, PIECE)
    _heat(play, PIECE)


def _set_up_pan(play: Play) -> None:
    """A clean pan on a burner."""
    if is_dirty(play.view, PAN):
        wash(play, [PAN])
    pan = whole(play.view, PAN)
    if pan is None:
        raise StuckError("the scene has no pan")
    if not lies_in(play.view, pan, BURNER):
        bring(play, PAN, BURNER)


def _into_pan(play: Play, food: str) -> None:
    if contains(play.view, PAN, lambda each: each["objectType"] == food) is None:
        bring(play, food, PAN)


def _heat(play: Play, food: str) -> None:
    if running(play.view, KNOB) is None:
        if play.expected(Verb.TOGGLE_ON, BURNER) is None:
            play.do(Verb.FIND, PAN)  # FIND StoveBurner would go to any of them
        act_on(play, Verb.TOGGLE_ON, BURNER)
    while running(play.view, KNOB) is not None:
        act_on(play, Verb.TOGGLE_OFF, BURNER)
    if not any(map(is_cooked, play.view.of_type(food))):
        raise StuckError(f"{food} is still raw")


# --- Slicing food on a surface with the knife

KNIFE = "Knife"
_BOARDS = ("CounterTop", "DiningTable", "SideTable")


def slice_food(play: Play, kind: str) -> None:
    """Cuts a food unless it is cut already. The knife stays in the hand.

    Raises:
        StuckError: it cannot be put on a surface, or the knife cannot be taken.
    """
    if play.view.of_type(slices_of(kind)):
        return
    food = whole(play.view, kind)
    if food is None:
        raise StuckError(f"no {kind} found")
    if not on_a_board(play, food):
        fetch(play, kind)
        _lay_down(play, kind)
    fetch(play, KNIFE)
    act_on(play, Verb.SLICE, kind)


def on_a_board(play: Play, food: ThorObject) -> bool:
    """Whether a food lies where it may be sliced (docs/asgard-rules.md, "Actions", SLICE)."""
    if play.view.is_held(food):
        return False
    parents = {each["objectType"] for each in play.view.parents(food)}
    return parents <= object_tables().surfaces and food["position"]["y"] >= LOWEST


def _lay_down(play: Play, kind: str) -> None:
    here = [each for each in _BOARDS if play.expected(Verb.PUT, each) is not None]
    for board in dict.fromkeys((*here, *_BOARDS)):
        try:
            put(play, board)
        except StuckError:
            continue
        food = whole(play.view, kind)
        if food is not None and on_a_board(play, food):
            return
        fetch(play, kind)
    raise StuckError(f"the scene has no surface to slice {kind} on")


# --- Putting food on a dish


def is_served(play: Play, food: str, dish: str, wanted: Wanted = anything) -> bool:
    """Whether a wanted piece of the food lies on the dish."""
    found = contains(play.view, dish, lambda each: each["objectType"] == food and wanted(each))
    return found is not None


def serve(play: Play, food: str, dish: str, wanted: Wanted = anything) -> None:
    """Puts a wanted piece of the food, not from another dish, on the dish, which is washed before
    if need be.

    Raises:
        StuckError: it cannot be taken, or the dish does not take it.
    """
    if is_served(play, food, dish, wanted):
        return
    if is_dirty(play.view, dish):
        wash(play, [dish])

    def free(item: ThorObject) -> bool:
        return wanted(item) and not serves_location_goal(item, play.view, play.objective.goals)

    bring(play, food, dish, welcome=(food,), wanted=free)


# --- Setting the table: a mug of coffee, toast on a plate, and nothing else

PLATE = "Plate"


def table_to_set(play: Play, goal: ContentsGoal) -> ThorObject:
    """The table that takes the least clearing; the first one where only that counts.

    Raises:
        StuckError: there is none.
    """
    tables = play.view.of_type(goal.container_type)
    if not tables:
        raise StuckError(f"the scene has no {goal.container_type}")
    if play.objective.rules.first_instance_only:
        return tables[0]
    return min(tables, key=lambda each: len(_in_the_way(play, each, goal)))


def clear_table(play: Play, goal: ContentsGoal) -> None:
    """Takes away what does not belong on the table. Raises StuckError."""
    for each in _in_the_way(play, table_to_set(play, goal), goal):
        fetch(play, each["objectType"])
        stow(play)


def is_clear(play: Play, goal: ContentsGoal) -> bool:
    """Whether nothing is on the table that does not belong there."""
    return not _in_the_way(play, table_to_set(play, goal), goal)


def make_coffee(play: Play, goal: ContentsGoal) -> None:
    """Coffee on the table. Raises StuckError."""
    brew(play)
    _to_table(play, MUG, goal)


def coffee_is_served(play: Play, goal: ContentsGoal) -> bool:
    """Whether a mug of coffee is on the table."""
    return has_coffee(play) and on_table(play, MUG, goal)


def lay_plate(play: Play, goal: ContentsGoal) -> None:
    """A clean plate on the table. Raises StuckError."""
    wash(play, [PLATE])
    _to_table(play, PLATE, goal)


def on_table(play: Play, kind: str, goal: ContentsGoal) -> bool:
    """Whether an object of a type is on the table."""
    table = table_to_set(play, goal)
    return any(each["objectType"] == kind for each in play.view.contents(table))


def serve_toast(play: Play, *, toasted: bool) -> None:
    """A slice of bread, toasted if it has to be, on the plate. Raises StuckError."""
    if toasted:
        toast(play)
        serve(play, TOAST, PLATE, is_cooked)
    else:
        serve(play, TOAST, PLATE)


def toast_is_served(play: Play, *, toasted: bool) -> bool:
    """Whether a slice of bread lies on the plate, a toasted one if it has to be."""
    return is_served(play, TOAST, PLATE, is_cooked if toasted else lambda _: True)


def _in_the_way(play: Play, table: ThorObject, goal: ContentsGoal) -> list[ThorObject]:
    return foreign(play.view, table, goal.contents)


def _to_table(play: Play, kind: str, goal: ContentsGoal) -> None:
    if on_table(play, kind, goal):
        return
    table = table_to_set(play, goal)
    fetch(play, kind)
    put(play, goal.container_type, onto=table["name"])
