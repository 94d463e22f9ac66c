"""Scripts that are made."""

from __future__ import annotations

import pytest

from env_service.worlds.ai2thor_api.controller import ThorStart
from env_service.worlds.ai2thor_api.parity.exploration import ASGARD, AVOIDED, Exploration
from env_service.worlds.ai2thor_api.parity.record_journal import explored
from env_service.worlds.ai2thor_api.parity.script_play import Script, Side
from env_service.worlds.household.controller import HouseholdController

ROOM = "household-bathroom-1"
START = ThorStart(64, 48, "High", ASGARD)


def side() -> Side:
    return Side(
        "household",
        lambda scene, start: HouseholdController(
            scene, renderer="none", width=start.width, height=start.height, **start.initialization
        ),
    )


@pytest.fixture(scope="module")
def script() -> Script:
    return explored(side(), ROOM, Exploration(seed=3, length=60, start=START))


def test_a_script_is_as_long_as_asked_for_and_says_how_it_starts(script: Script) -> None:
    assert len(script.actions) == 60
    assert (script.id, script.scene, script.start) == (f"{ROOM}/3", ROOM, START)


def test_equal_seeds_give_equal_scripts_and_others_do_not(script: Script) -> None:
    again = explored(side(), ROOM, Exploration(seed=3, length=20, start=START))
    other = explored(side(), ROOM, Exploration(seed=4, length=20, start=START))
    assert again.actions[:15] == script.actions[:15]
    assert other.actions != again.actions


def test_many_kinds_of_actions_are_played_and_what_is_by_chance_comes_late(script: Script) -> None:
    names = [action["action"] for action in script.actions]
    assert len(set(names)) >= 15
    assert names.count("InitialRandomSpawn") == 1
    assert names.index("InitialRandomSpawn") >= 60 - 60 // 8


def test_what_the_real_simulator_hangs_on_is_left_alone(script: Script) -> None:
    for action in script.actions:
        if action["action"] in ("OpenObject", "CloseObject"):
            assert action.get("objectId", "").split("|")[0] not in AVOIDED


def test_an_empty_script_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Exploration(seed=0, length=0)
