"""A scene as data: the room, its objects at the start, its structure and light.

A specification never changes. What happens in an episode is in `state`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.assets.model import AssetRequest, Color, Detail, Look, Palette
from env_service.worlds.household.geometry import Box, Transform, Vec3


class Room(Enum):
    """The kind of a room, by AI2-THOR's grouping of its floor plans."""

    KITCHEN = "kitchen"
    LIVING_ROOM = "living_room"
    BEDROOM = "bedroom"
    BATHROOM = "bathroom"


class Temperature(Enum):
    """AI2-THOR's three temperatures; the value is its word."""

    ROOM = "RoomTemp"
    HOT = "Hot"
    COLD = "Cold"


FLOOR_BOX = 0.4
"""Metres: the height of the floor's trigger box in most of AI2-THOR's scenes."""

UNNAMED_LIQUID = ""
"""What AI2-THOR's wine bottles are full of: it names no liquid."""


@dataclass(frozen=True)
class StartState:
    """The changeable properties of an object at the start, by AI2-THOR's meaning of each."""

    openness: float = 0.0
    toggled: bool = False
    broken: bool = False
    dirty: bool = False
    liquid: str | None = None
    used_up: bool = False
    cooked: bool = False
    sliced: bool = False
    temperature: Temperature = Temperature.ROOM


@dataclass(frozen=True)
class ObjectSpec:
    """One object in its state when the scene loads.

    Attributes:
        object_id: AI2-THOR's id, `Type|±x|±y|±z`, unique in the scene.
        name: AI2-THOR's name, such as "Mug_a529cf46"; stable across resets.
        type: its object type.
        asset_id: AI2-THOR's asset, "" for structural objects.
        position: of its origin, metres; rotation: Euler degrees.
        body: the oriented box that the asset fills, in the asset's frame (y up, +z the front):
            its centre and turn in the room, its size along the asset's axes.
        variant: number of the look among those of its type.
        details: additional facts for the asset builder; see `AssetRequest`.
        traits: what this instance can do.
        mass: kg, 0 for what never moves.
        materials: salient materials; None for what never moves.
        parents: ids of the receptacles that hold it; None where AI2-THOR says null.
        contents: ids of what it holds, for a receptacle; None for any other.
        controls: ids of what its switch controls (a stove knob's burner); None where null.
        bounds: its axis-aligned box as AI2-THOR measures it.
        oriented: its oriented box as AI2-THOR measures it, along the object's axes; None for what
            can be neither picked up nor moved.
        start: its changeable properties.
    """

    object_id: str
    name: str
    type: str
    asset_id: str
    position: Vec3
    rotation: Vec3
    body: Box
    bounds: Box
    oriented: Box | None
    traits: frozenset[Trait]
    variant: int = 0
    details: tuple[tuple[str, Detail], ...] = ()
    mass: float = 0.0
    materials: tuple[str, ...] | None = None
    parents: tuple[str, ...] | None = None
    contents: tuple[str, ...] | None = None
    controls: tuple[str, ...] | None = None
    start: StartState = StartState()

    def can(self, trait: Trait) -> bool:
        """Whether this instance has a trait."""
        return trait in self.traits

    @cached_property
    def pose(self) -> Transform:
        """The pose of the object's local frame at the start."""
        return Transform.at(self.position, self.rotation)

    @cached_property
    def asset_frame(self) -> Transform:
        """The asset's frame (origin: middle of its underside) in the object's local frame. It stays
        the same wherever the object goes."""
        half = self.body.rotation.apply(Vec3(0.0, self.body.size.y / 2, 0.0))
        return self.pose.inverse() @ Transform(self.body.rotation, self.body.center - half)


@dataclass(frozen=True)
class StructureSpec:
    """A fixed part of the room that AI2-THOR does not list as an object: a wall, the ceiling, the
    stove under the burners, the carcass under a counter.

    Attributes:
        name: unique in the scene; such as "Wall_2".
        type: the builder's name in the asset catalogue.
        body: the box that it fills, like `ObjectSpec.body`.
        solid: whether an agent cannot walk through it.
    """

    name: str
    type: str
    body: Box
    variant: int = 0
    details: tuple[tuple[str, Detail], ...] = ()
    solid: bool = True


@dataclass(frozen=True)
class CeilingLight:
    """A light of the room itself, switched by its light switches."""

    position: Vec3
    color: Color = (1.0, 0.95, 0.86)
    power: float = 4.0


@dataclass(frozen=True)
class AgentStart:
    """The agent's pose when the scene loads."""

    position: Vec3
    yaw: float = 0.0
    horizon: float = 0.0
    standing: bool = True


@dataclass(frozen=True)
class Appearance:
    """Measured colours of a scene's surfaces, shown in plain light; see `looks`.

    Attributes:
        surfaces: sRGB by type and part, such as "Wall/wall".
        parts: sRGB by name or object id and part, such as "Wall_2/wall"; they go first.
        band: height, metres, up to which walls have the colour of "Wall/below"; None without one.
    """

    surfaces: Mapping[str, Color]
    parts: Mapping[str, Color]
    band: float | None = None


@dataclass(frozen=True)
class Survey:
    """Where the agent could go in the simulator that a scene was captured from, everything as it
    was at the start: ``positions`` of the agent's origin, metres, on a grid of ``grid_size``."""

    grid_size: float
    positions: tuple[Vec3, ...]


@dataclass(frozen=True)
class SceneSpec:
    """A whole scene.

    Attributes:
        name: "FloorPlan12_physics", "household-kitchen-7".
        room: its kind.
        bounds: the free space between walls, floor and ceiling, axis-aligned.
        scene_bounds: AI2-THOR's sceneBounds: around everything.
        objects: in the order in which AI2-THOR lists them.
        structure: walls, ceiling, carcasses.
        lights: ceiling lights.
        agent: the start.
        palette: the room's colours.
        daylight: strength of the light from the windows, 0 for none.
        survey: where the agent can go at the start; None where it is computed.
        appearance: measured colours; None in the look `clear`.
    """

    name: str
    room: Room
    bounds: Box
    scene_bounds: Box
    objects: tuple[ObjectSpec, ...]
    structure: tuple[StructureSpec, ...]
    lights: tuple[CeilingLight, ...]
    agent: AgentStart
    palette: Palette = Palette()
    daylight: float = 1.0
    notes: tuple[str, ...] = field(default=())
    survey: Survey | None = None
    appearance: Appearance | None = None

    @cached_property
    def floor_reach(self) -> tuple[str, float] | None:
        """The floor's id, and the height, metres, below which it counts as a parent of what is in
        a receptacle on it; None without a floor.

        The floor's trigger box is FLOOR_BOX high as far as the scene's own objects agree.
        """
        floor = next((each for each in self.objects if each.type == "Floor"), None)
        if floor is None:
            return None
        listed: list[float] = []
        others: list[float] = []
        for each in self.objects:
            parents = [self.by_id[key] for key in each.parents or () if key in self.by_id]
            if any(floor.object_id in (p.parents or ()) for p in parents if p is not floor):
                lows = listed if floor in parents else others
                lows.append(each.bounds.bottom)
        height = max([floor.bounds.top + FLOOR_BOX, *(low + 0.001 for low in listed)])
        above = [low for low in others if low > max(listed, default=floor.bounds.top + 0.1)]
        return floor.object_id, min([height, *above])

    @cached_property
    def by_id(self) -> Mapping[str, ObjectSpec]:
        """Objects by id."""
        return {spec.object_id: spec for spec in self.objects}


def request_for(
    spec: ObjectSpec | StructureSpec, palette: Palette, look: Look = Look()
) -> AssetRequest:
    """The order to the asset catalogue for a part of a scene. The detail "builder" names another
    builder than that of its type."""
    named = dict(spec.details).get("builder", spec.type)
    builder = named if isinstance(named, str) else spec.type
    return AssetRequest(builder, spec.variant, spec.body.size, look, palette, spec.details)
