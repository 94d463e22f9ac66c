"""Putting food on a dish."""

from __future__ import annotations

from env_service.suites.asgard.expert.clearing import bring
from env_service.suites.asgard.expert.house import Wanted, anything, contains, is_dirty
from env_service.suites.asgard.expert.play import Play
from env_service.suites.asgard.expert.washing import wash
from env_service.suites.asgard.goals_met import serves_location_goal
from env_service.suites.asgard.view import ThorObject


def is_served(play: Play, food: str, dish: str, wanted: Wanted = anything) -> bool:
    """Whether a wanted piece of the food lies on the dish."""
    found = contains(play.view, dish, lambda each: each["objectType"] == food and wanted(each))
    return found is not None


def serve(play: Play, food: str, dish: str, wanted: Wanted = anything) -> None:
    """Puts a wanted piece of the food, not from another dish, on the dish, which is washed before
    if need be.

    Raises:
        StuckError: it cannot be had, or the dish takes it not.
    """
    if is_served(play, food, dish, wanted):
        return
    if is_dirty(play.view, dish):
        wash(play, [dish])

    def free(item: ThorObject) -> bool:
        return wanted(item) and not serves_location_goal(item, play.view, play.charge.goals)

    bring(play, food, dish, welcome=(food,), wanted=free)
