"""Cooking in a pan on a burner: eggs, slices of potato."""

from __future__ import annotations

from env_service.suites.asgard.expert.clearing import bring
from env_service.suites.asgard.expert.house import contains, is_dirty, lies_in, running, whole
from env_service.suites.asgard.expert.looking import act_on
from env_service.suites.asgard.expert.play import Play, StuckError
from env_service.suites.asgard.expert.slicing import slice_food
from env_service.suites.asgard.expert.washing import wash
from env_service.suites.asgard.view import ThorObject
from env_service.suites.asgard.vocabulary import Verb

PAN, BURNER, KNOB = "Pan", "StoveBurner", "StoveKnob"
EGG, CRACKED = "Egg", "EggCracked"
POTATO, PIECE = "Potato", "PotatoSliced"


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
    slice_food(play, POTATO)
    _set_up_pan(play)
    _into_pan(play, PIECE)
    _heat(play, PIECE)


def _set_up_pan(play: Play) -> None:
    """A clean pan on a burner."""
    if is_dirty(play.view, PAN):
        wash(play, [PAN])
    pan = whole(play.view, PAN)
    if pan is None:
        raise StuckError("there is no pan")
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
