"""How knives are held (spec section 5.6)."""

from __future__ import annotations

from env_service.suites.asgard.view import HouseView
from env_service.worlds.thor.controller import ThorController

TURNED = frozenset({"Knife", "ButterKnife"})
"""Types that the hand holds upright."""

_UPRIGHT = {"x": 0.0, "y": 0.0, "z": 90.0}


def turn_knife(world: ThorController, view: HouseView) -> None:
    """Turns a knife in the hand upright, as AsgardBench does before every picture that it takes,
    whether or not anybody sees the picture."""
    if view.held is not None and view.held["objectType"] in TURNED:
        world.step("RotateHeldObject", rotation=_UPRIGHT)
