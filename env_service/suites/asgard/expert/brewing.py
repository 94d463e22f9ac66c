"""Coffee: brewed into a clean mug, and drunk."""

from __future__ import annotations

from env_service.suites.asgard.expert.carrying import fetch
from env_service.suites.asgard.expert.clearing import bring, clear
from env_service.suites.asgard.expert.house import COFFEE, contains, is_dirty, running
from env_service.suites.asgard.expert.looking import act_on
from env_service.suites.asgard.expert.play import Play, StuckError
from env_service.suites.asgard.expert.washing import wash
from env_service.suites.asgard.plan import Deed
from env_service.suites.asgard.vocabulary import Verb

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
    if Deed.DRINK_COFFEE in play.deeds:
        return
    brew(play)
    fetch(play, MUG)
    act_on(play, Verb.DRINK, MUG)
