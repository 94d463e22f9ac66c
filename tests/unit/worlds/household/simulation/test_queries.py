"""Questions about the picture."""

from __future__ import annotations

import pytest

from env_service.worlds.household.state import HouseholdState
from tests.support.small_home import home, thing
from tests.support.turns import Told, play

MUG = thing("Mug", (0.0, 0.9, 1.0), (0.1, 0.1, 0.1))
STATE = HouseholdState.at_start(home(MUG))
KEY = MUG.object_id


def test_an_object_in_the_picture_is_named() -> None:
    result = play(STATE, "GetObjectInFrame", sight=Told(at=KEY), x=0.5, y=0.25)
    assert result.value == KEY
    assert result.quick


def test_it_can_be_asked_to_be_visible() -> None:
    far, near = Told(at=KEY), Told(KEY, at=KEY)
    error = play(STATE, "GetObjectInFrame", sight=far, x=0.5, y=0.25, checkVisible=True).error
    assert error == f"target hit ({KEY}) at (0.5, 0.25) is not currently Visible to Agent"
    assert play(STATE, "GetObjectInFrame", sight=near, x=0.5, y=0.25, checkVisible=True).success


def test_nothing_there_is_a_refusal() -> None:
    error = play(STATE, "GetObjectInFrame", x=0.5, y=0.5).error
    assert error == "No SimObject found at (x: 0.5, y: 0.5)"


@pytest.mark.parametrize(("x", "y"), [(-0.1, 0.5), (0.5, 1.1)])
def test_points_beside_the_picture_are_refused(x: float, y: float) -> None:
    assert play(STATE, "GetObjectInFrame", x=x, y=y).error == "x/y must be in [0:1]"
