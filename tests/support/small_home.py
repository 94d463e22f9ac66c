"""A home made by hand: one room, 5 by 4 metres, with what a test puts into it."""

from __future__ import annotations

from dataclasses import replace

from env_service.worlds.ai2thor_api.object_types import Trait, object_types
from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.scene.spec import (
    AgentStart,
    CeilingLight,
    ObjectSpec,
    Room,
    SceneSpec,
    StartState,
    StructureSpec,
)

WIDTH, DEPTH, HEIGHT = 5.0, 4.0, 2.5
AGENT_HEIGHT = 0.901
AS_MADE = StartState()


def thing(
    kind: str,
    at: tuple[float, float, float],
    size: tuple[float, float, float],
    *,
    yaw: float = 0.0,
    start: StartState = AS_MADE,
) -> ObjectSpec:
    """An object whose box stands with the middle of its underside at a point."""
    facts = object_types()[kind]
    bottom, extent = Vec3(*at), Vec3(*size)
    body = Box(bottom + Vec3(0.0, extent.y / 2, 0.0), extent, Rotation.yaw(yaw))
    movable = bool(facts.traits & {Trait.PICKUPABLE, Trait.MOVEABLE})
    return ObjectSpec(
        object_id="|".join([kind, *(f"{value:+06.2f}" for value in at)]),
        name=f"{kind}_{abs(hash_of(kind, at)):08x}",
        type=kind,
        asset_id=f"{kind}_1" if movable else "",
        position=bottom,
        rotation=Vec3(0.0, yaw, 0.0),
        body=body,
        bounds=body.bounds(),
        oriented=body if movable else None,
        traits=facts.traits,
        mass=facts.mass[0],
        materials=facts.materials or None,
        contents=() if facts.can(Trait.RECEPTACLE) else None,
        start=start,
    )


def hash_of(kind: str, at: tuple[float, float, float]) -> int:
    """A 32-bit number that distinguishes things."""
    number = sum(ord(letter) * 31**k for k, letter in enumerate(kind))
    for k, value in enumerate(at):
        number += round(value * 100) * 7 ** (k + 5)
    return number % 2**32


def home(
    *things: ObjectSpec,
    at: tuple[float, float] = (0.0, 0.0),
    yaw: float = 0.0,
    name: str = "small-home",
) -> SceneSpec:
    """The room with some things, and the agent on a spot of its floor. The floor is one of the
    things."""
    middle = Vec3(0.0, HEIGHT / 2, 0.0)
    floor = thing("Floor", (0.0, -0.01, 0.0), (WIDTH, 0.01, DEPTH))
    return SceneSpec(
        name=name,
        room=Room.KITCHEN,
        bounds=Box(middle, Vec3(WIDTH, HEIGHT, DEPTH)),
        scene_bounds=Box(middle, Vec3(WIDTH + 0.4, HEIGHT + 0.4, DEPTH + 0.4)),
        objects=(floor, *things),
        structure=_walls(),
        lights=(CeilingLight(Vec3(0.0, 2.4, 0.0)),),
        agent=AgentStart(Vec3(at[0], AGENT_HEIGHT, at[1]), yaw),
    )


def _walls() -> tuple[StructureSpec, ...]:
    across, along = (WIDTH + 0.2, HEIGHT, 0.1), (DEPTH, HEIGHT, 0.1)
    sides = (
        (Vec3(0.0, HEIGHT / 2, DEPTH / 2 + 0.05), across, 180.0),
        (Vec3(0.0, HEIGHT / 2, -DEPTH / 2 - 0.05), across, 0.0),
        (Vec3(WIDTH / 2 + 0.05, HEIGHT / 2, 0.0), along, 270.0),
        (Vec3(-WIDTH / 2 - 0.05, HEIGHT / 2, 0.0), along, 90.0),
    )
    return tuple(
        StructureSpec(f"Wall_{k}", "Wall", Box(center, Vec3(*size), Rotation.yaw(yaw)))
        for k, (center, size, yaw) in enumerate(sides)
    )


class Homes:
    """A library of scenes made by hand."""

    def __init__(self, *scenes: SceneSpec) -> None:
        self._scenes = {scene.name: scene for scene in scenes}

    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self._scenes)

    def load(self, name: str) -> SceneSpec:
        """One of them; an unknown name raises KeyError. Each load gives another object."""
        return replace(self._scenes[name])
