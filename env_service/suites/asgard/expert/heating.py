"""Cooking in a machine: bread in the toaster, a potato in the microwave."""

from __future__ import annotations

from env_service.suites.asgard.expert.clearing import bring
from env_service.suites.asgard.expert.frying import is_cooked, is_raw
from env_service.suites.asgard.expert.house import contains, lies_in, running
from env_service.suites.asgard.expert.looking import act_on
from env_service.suites.asgard.expert.play import Play, StuckError
from env_service.suites.asgard.expert.slicing import slice_food
from env_service.suites.asgard.vocabulary import Verb

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
