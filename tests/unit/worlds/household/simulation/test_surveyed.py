"""Scenes that were surveyed: where one could go there, one can go here."""

from __future__ import annotations

from dataclasses import replace

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.spec import SceneSpec, Survey
from env_service.worlds.household.simulation.actions.reachable_positions import reachable
from env_service.worlds.household.simulation.space.walkable_floor import floor_of
from env_service.worlds.household.state import HouseholdState
from tests.support.small_home import home, thing

TABLE = thing("DiningTable", (1.0, 0.0, 0.0), (1.0, 0.75, 1.0))
HIGH = 0.901


def row(*xs: float, z: float = 0.0) -> tuple[Vec3, ...]:
    return tuple(Vec3(x, HIGH, z) for x in xs)


def surveyed(*positions: Vec3) -> SceneSpec:
    return replace(home(TABLE, at=(0.0, 0.0)), survey=Survey(0.25, positions))


def start(scene: SceneSpec) -> HouseholdState:
    return HouseholdState.at_start(scene)


def test_the_survey_is_the_answer_at_the_start() -> None:
    points = (*row(0.25, 0.0, -0.25), *row(0.25, 0.0, z=0.25))
    assert reachable(start(surveyed(*points)), 0.25) == points


def test_another_grid_is_worked_out() -> None:
    state = start(surveyed(*row(0.0, 0.25)))
    assert len(reachable(state, 0.5)) > 20
    aside = replace(state.agent, position=Vec3(0.1, HIGH, 0.0))
    assert len(reachable(replace(state, agent=aside), 0.25)) > 20


def test_what_was_walked_on_is_free() -> None:
    into = row(0.0, 0.25, 0.5)
    bare, known = start(home(TABLE)), start(surveyed(*into))
    assert not floor_of(bare).fits(0.5, 0.0)
    assert floor_of(known).fits(0.5, 0.0)
    assert not floor_of(known).fits(1.0, 0.0)


def test_what_moves_frees_and_blocks() -> None:
    points = (*row(0.0, 0.25), *row(0.0, 0.25, z=1.0))
    state = start(surveyed(*points))
    table = state.objects[TABLE.object_id]
    there = replace(table, pose=replace(table.pose, position=Vec3(0.5, 0.0, 1.25)))
    found = reachable(state.having(there), 0.25)
    assert Vec3(0.25, HIGH, 1.0) not in found
    assert Vec3(0.0, HIGH, 0.0) in found
    assert Vec3(1.0, HIGH, 0.0) in {replace(point, y=HIGH) for point in found}
    assert reachable(state, 0.25) == points
