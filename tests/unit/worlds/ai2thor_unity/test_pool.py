"""Warm players: who gets which, what is kept, what is ended."""

from __future__ import annotations

import atexit
import gc
import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from env_service.domain.failure import FaultClass, WorldFault
from env_service.worlds.ai2thor_api.controller import ThorStart
from env_service.worlds.ai2thor_unity import warm_pool as pool_module
from env_service.worlds.ai2thor_unity.settings import Lifetime, ThorSettings
from env_service.worlds.ai2thor_unity.warm_pool import LASTING, WarmPool
from tests.support.fake_thor import Starter

START = ThorStart(64, 48, "Low", {"gridSize": 0.25, "fieldOfView": 60})
CRASH = WorldFault(FaultClass.SIMULATOR_CRASH, "gone")
Make = Callable[..., WarmPool]


@pytest.fixture
def starter() -> Starter:
    return Starter()


@pytest.fixture
def make(starter: Starter) -> Iterator[Make]:
    """Makes pools, with settings by their names."""
    made: list[WarmPool] = []

    def making(**settings: Any) -> WarmPool:
        made.append(WarmPool(ThorSettings(**settings), starter))
        return made[-1]

    yield making
    for each in made:
        each.close()


def play(pool: WarmPool, scene: str = "FloorPlan1", start: ThorStart = START) -> None:
    """One episode from its opening to its end."""
    lent = pool.lend(scene, start)
    lent.step("PickupObject")
    lent.stop()


def test_a_player_that_nobody_gave_back_comes_back(make: Make, starter: Starter) -> None:
    pool = make()
    pool.lend("FloorPlan1", START).step("PickupObject")
    gc.collect()
    lent = pool.lend("FloorPlan1", START)
    assert starter.running == [0]
    lent.stop()
    del lent
    kept = pool.lend("FloorPlan1", START)
    gc.collect()
    other = pool.lend("FloorPlan1", START)
    assert starter.running == [0, 1]
    kept.stop()
    other.stop()


def test_a_player_is_used_again(make: Make, starter: Starter) -> None:
    pool = make()
    play(pool)
    assert starter.players[0].resets == []
    play(pool, "FloorPlan2")
    assert starter.running == [0]
    scene, given = starter.players[0].resets[0]
    assert scene == "FloorPlan2"
    assert given == {"gridSize": 0.25, "fieldOfView": 60, "width": 64, "height": 48}


def test_a_used_player_shows_the_new_scene_from_the_start(make: Make, starter: Starter) -> None:
    pool = make()
    play(pool)
    lent = pool.lend("FloorPlan2", START)
    assert lent.last_event is starter.players[0].last_event
    assert lent.last_event.metadata["lastAction"] == "Initialize"


def test_the_player_of_the_same_scene_is_preferred(make: Make, starter: Starter) -> None:
    pool = make(warm=2)
    first, second = pool.lend("FloorPlan1", START), pool.lend("FloorPlan2", START)
    first.stop()
    second.stop()
    again = pool.lend("FloorPlan1_physics", START)
    assert len(starter.players[0].resets) == 1
    pool.lend("FloorPlan3", START)
    assert len(starter.players[1].resets) == 1
    again.reset("FloorPlan9")
    again.stop()
    pool.lend("FloorPlan9", START)
    assert starter.players[0].resets[-1][0] == "FloorPlan9"


def test_no_more_than_so_many_are_kept(make: Make, starter: Starter) -> None:
    pool = make(warm=2)
    lent = [pool.lend(f"FloorPlan{number}", START) for number in range(1, 5)]
    for each in lent:
        each.stop()
    assert starter.running == [2, 3]


def test_none_is_kept_where_none_is_wanted(make: Make, starter: Starter) -> None:
    play(make(warm=0))
    assert starter.running == []


def test_an_idle_player_makes_room_before_a_fresh_one_starts() -> None:
    running_then: list[list[int]] = []
    watched = Starter(lambda _: running_then.append(watched.running))
    pool = WarmPool(ThorSettings(warm=1), watched)
    play(pool)
    play(pool, start=replace(START, quality="High"))
    assert running_then == [[], []]
    pool.close()


@pytest.mark.parametrize(
    "start",
    [
        replace(START, quality="Ultra"),
        replace(START, width=65),
        replace(START, height=49),
        replace(START, initialization={"gridSize": 0.25}),
    ],
    ids=["quality", "wider", "higher", "a parameter less"],
)
def test_what_a_reset_cannot_change_takes_a_fresh_player(
    make: Make, starter: Starter, start: ThorStart
) -> None:
    pool = make()
    play(pool)
    play(pool, start=start)
    assert starter.running == [1]


@pytest.mark.parametrize(
    "start",
    [
        replace(START, width=32),
        replace(START, initialization={"gridSize": 0.5, "fieldOfView": 90, "snapToGrid": False}),
    ],
    ids=["smaller", "a parameter more"],
)
def test_what_a_reset_can_change_does_not(make: Make, starter: Starter, start: ThorStart) -> None:
    pool = make()
    play(pool)
    play(pool, start=start)
    assert starter.running == [0]


def test_without_a_display_a_picture_may_grow(make: Make, starter: Starter) -> None:
    starter.platform = "CloudRendering"
    pool = make()
    play(pool)
    play(pool, start=replace(START, width=1024, height=1024))
    assert starter.running == [0]


def test_a_parameter_that_an_episode_added_stays_with_the_player(
    make: Make, starter: Starter
) -> None:
    pool = make()
    lent = pool.lend("FloorPlan1", START)
    lent.reset("FloorPlan2", renderDepthImage=True, width=32)
    lent.stop()
    play(pool)
    assert starter.running == [1]


@pytest.mark.parametrize("action", sorted(LASTING))
def test_a_player_that_was_changed_for_good_is_ended(
    make: Make, starter: Starter, action: str
) -> None:
    lent = make().lend("FloorPlan1", START)
    lent.step({"action": action})
    lent.stop()
    assert starter.running == []


@pytest.mark.parametrize("failure", [CRASH, TypeError("a slip"), KeyboardInterrupt()])
def test_a_player_that_failed_is_never_lent_again(
    make: Make, starter: Starter, failure: BaseException
) -> None:
    pool = make()
    lent = pool.lend("FloorPlan1", START)
    starter.players[0].fails = failure
    with pytest.raises(type(failure)):
        lent.step("Pass")
    lent.stop()
    assert starter.running == []
    play(pool)
    assert starter.running == [1]


@pytest.mark.parametrize("refusal", [ValueError("no such action"), RuntimeError("refused")])
def test_a_refusal_does_a_player_no_harm(make: Make, starter: Starter, refusal: Exception) -> None:
    pool = make()
    lent = pool.lend("FloorPlan1", START)
    starter.players[0].fails = refusal
    with pytest.raises(type(refusal)):
        lent.step("Fly")
    lent.stop()
    play(pool)
    assert starter.running == [0]


def test_a_warm_player_that_died_is_replaced_without_a_word(make: Make, starter: Starter) -> None:
    pool = make()
    play(pool)
    starter.players[0].alive = False
    play(pool)
    assert starter.running == [1]


def test_a_warm_player_that_breaks_when_lent_is_replaced(
    make: Make, starter: Starter, caplog: pytest.LogCaptureFixture
) -> None:
    pool = make()
    play(pool)
    starter.players[0].fails = CRASH
    with caplog.at_level(logging.WARNING):
        play(pool)
    assert starter.running == [1]
    assert "a warm player failed" in caplog.text


def test_a_fresh_player_that_does_not_start_is_a_fault() -> None:
    def fail(number: int) -> None:
        raise CRASH

    pool = WarmPool(ThorSettings(), Starter(fail))
    with pytest.raises(WorldFault, match="gone"):
        pool.lend("FloorPlan1", START)
    pool.close()


def test_a_scene_that_does_not_exist_ends_the_player_and_is_told(
    make: Make, starter: Starter
) -> None:
    pool = make()
    play(pool)
    starter.players[0].fails = ValueError("no such scene")
    with pytest.raises(ValueError, match="no such scene"):
        pool.lend("Castle", START)
    assert starter.running == []


def test_a_player_lives_for_so_many_episodes(make: Make, starter: Starter) -> None:
    pool = make(lifetime=Lifetime(episodes=2))
    for _ in range(3):
        play(pool)
    assert starter.running == [1]
    assert len(starter.players) == 2


def test_a_player_lives_for_so_many_seconds(
    make: Make, starter: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(f"{pool_module.__name__}.time.monotonic", lambda: now)
    pool = make(lifetime=Lifetime(seconds=60.0))
    play(pool)
    now += 59.0
    play(pool)
    assert starter.running == [0]
    now += 1.0
    play(pool)
    assert starter.running == [1]


def test_a_player_that_grew_too_large_is_ended(make: Make, starter: Starter) -> None:
    pool = make(lifetime=Lifetime(memory_bytes=1000))
    lent = pool.lend("FloorPlan1", START)
    starter.players[0].memory = 1000
    lent.stop()
    assert starter.running == []


def test_after_its_end_an_episode_plays_no_more(make: Make, starter: Starter) -> None:
    pool = make()
    lent = pool.lend("FloorPlan1", START)
    lent.stop()
    pool.lend("FloorPlan1", START)
    lent.stop()
    assert starter.running == [0]
    with pytest.raises(RuntimeError, match="the controller was stopped"):
        lent.step("Pass")
    with pytest.raises(RuntimeError, match="the controller was stopped"):
        lent.reset()


def test_closing_stops_all_and_lends_no_more(make: Make, starter: Starter) -> None:
    pool = make(warm=2)
    play(pool)
    lent = pool.lend("FloorPlan1", START), pool.lend("FloorPlan2", START)
    lent[0].stop()
    pool.close()
    pool.close()
    assert starter.running == []
    lent[1].stop()
    assert [player.stops for player in starter.players] == [1, 1]
    with pytest.raises(RuntimeError, match="was closed"):
        pool.lend("FloorPlan1", START)


def test_one_that_cannot_be_stopped_does_not_keep_the_others(
    make: Make, starter: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = make(warm=3)
    lent = [pool.lend("FloorPlan1", START) for _ in range(3)]

    def refuse() -> None:
        raise OSError("stuck")

    monkeypatch.setattr(starter.players[1], "stop", refuse)
    for each in lent:
        each.stop()
    with pytest.raises(OSError, match="stuck"):
        pool.close()
    assert starter.running == [1]


def test_at_the_end_of_the_process_all_are_stopped(
    make: Make, starter: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    registered: list[Callable[[], None]] = []
    monkeypatch.setattr(atexit, "register", registered.append)
    pool = make()
    play(pool)
    (end,) = registered
    monkeypatch.setattr(os, "getpid", lambda: -1)
    end()
    assert starter.running == [0]
    monkeypatch.undo()
    end()
    assert starter.running == []
