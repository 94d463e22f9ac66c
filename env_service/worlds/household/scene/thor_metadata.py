"""Scenes from AI2-THOR's object metadata, from a floor plan's dump or a capture."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from env_service.storage.plain_files import MOST_GIVEN, read_plain
from env_service.worlds.ai2thor_api.capture.sidecar import digest, read_sidecar, sidecar_path
from env_service.worlds.household.geometry import ZERO, Box, Vec3, box_around
from env_service.worlds.household.scene.asset_details import Detailer
from env_service.worlds.household.scene.counters import counters_of
from env_service.worlds.household.scene.facing import cabinet_front
from env_service.worlds.household.scene.fitted_furniture import (
    bases,
    hutches,
    missing_hollows,
    towers,
    wall_cases,
)
from env_service.worlds.household.scene.footprints import YAWS, Rectangle
from env_service.worlds.household.scene.import_context import ImportContext
from env_service.worlds.household.scene.ithor_starts import bounds_of, start_yaw
from env_service.worlds.household.scene.oriented_boxes import body_of
from env_service.worlds.household.scene.plumbing import owner_of, within_owner
from env_service.worlds.household.scene.procthor_houses import ProcthorPlan, read_house
from env_service.worlds.household.scene.room_colors import ceiling_lights, palette_of
from env_service.worlds.household.scene.room_shape import RoomShape, shape_of, with_hung_cabinets
from env_service.worlds.household.scene.spec import (
    AgentStart,
    ObjectSpec,
    Room,
    SceneSpec,
    StructureSpec,
    Survey,
)
from env_service.worlds.household.scene.stoves import stove_of, stove_parts
from env_service.worlds.household.scene.surroundings import FloorMap, Surroundings
from env_service.worlds.household.scene.thor_records import (
    ThorRecord,
    read_angle,
    read_point,
    read_records,
)
from env_service.worlds.household.scene.walls import ceiling_height, enclosure, splashes_of

# --- A capture's additional facts about a scene, read for the household world


@dataclass(frozen=True)
class Capture:
    """AI2-THOR's metadata of the agent and the scene's bounds at the start, where the agent can
    go, and the ProcTHOR house that the scene was built from, if it was."""

    agent: Mapping[str, Any] | None = None
    scene_bounds: Mapping[str, Any] | None = None
    survey: Survey | None = None
    house: Mapping[str, Any] | None = None


NOTHING = Capture()


def capture_of(objects_file: Path) -> Capture:
    """The additional facts captured with an objects' file: none if the file has no sidecar, like a
    published dump.

    Raises:
        ValueError: the sidecar is broken, has a newer schema, or belongs to other objects. The
            message names the file and the remedy.
    """
    path = sidecar_path(objects_file)
    if not path.is_file():
        return NOTHING
    sidecar = read_sidecar(path)
    listed = sidecar.get("objects")
    written = listed.get("sha256") if isinstance(listed, Mapping) else None
    if written != digest(read_plain(objects_file, MOST_GIVEN)):
        raise ValueError(
            f"{path.name} does not belong to {objects_file.name}, which was changed since it was "
            "captured; capture the scene again, or delete the former to use the objects alone"
        )
    for key in ("agent", "sceneBounds", "house"):
        if not isinstance(sidecar.get(key), Mapping | None):
            raise ValueError(f"{path.name}: {key} is not a JSON object; capture the scene again")
    return Capture(
        sidecar.get("agent"),
        sidecar.get("sceneBounds"),
        _survey(path.name, sidecar),
        sidecar.get("house"),
    )


def _survey(name: str, sidecar: Mapping[str, Any]) -> Survey | None:
    """Where the agent can go; None if the capture says nothing of it."""
    listed, size = sidecar.get("reachablePositions"), sidecar.get("gridSize")
    if not listed:
        return None
    number = isinstance(size, int | float) and not isinstance(size, bool)
    if not isinstance(listed, Sequence) or not number or not 0 < float(size or 0) < 10:
        raise ValueError(
            f"{name}: gridSize ({size!r}) and reachablePositions are not metres and a list; "
            "capture the scene again"
        )
    try:
        return Survey(float(size or 0), tuple(read_point(point) for point in listed))
    except ValueError as error:
        raise ValueError(f"{name}: reachablePositions: {error}; capture it again") from error


STANDING = 0.901
"""Height of the agent's origin over the floor, metres (docs/household.md, The agent's body)."""

_NO_OBSTACLES = frozenset(
    {"BathtubBasin", "Blinds", "Curtains", "Floor", "Mirror", "Painting", "Poster", "SinkBasin",
     "Window"}
)  # fmt: skip
"""Types that hang, are flat, or lie in another object (and have wrong boxes in FloorPlan419)."""

_FLOOR_PLAN = re.compile(r"FloorPlan(\d+)")
_HUNDREDS = {0: Room.KITCHEN, 2: Room.LIVING_ROOM, 3: Room.BEDROOM, 4: Room.BATHROOM}


def scene_from_metadata(
    name: str,
    objects: Mapping[str, Mapping[str, Any]] | Sequence[Mapping[str, Any]],
    capture: Capture = NOTHING,
) -> SceneSpec:
    """A scene from AI2-THOR's object metadata, with all that the metadata lacks inferred.

    Args:
        name: the scene's name; "FloorPlan12_physics" gives the kind of room by its number.
        objects: `event.metadata["objects"]` right after a reset, or a mapping from object id to
            the same.
        capture: the capture's additional facts, taken over without changes: where the agent started
            and can go, the walls of a house. Without the agent, its position follows from the
            objects' distances, else from the free floor, and its yaw from a table of floor plans,
            else from the open view. Without bounds, they are those of the same table, else the
            box around all objects, up to the ceiling.

    Raises:
        ValueError: the metadata is incomplete or invalid; the message names the scene, the object,
            the key and the remedy.
    """
    house: ProcthorPlan | None = None
    if capture.house is not None:
        house, objects = read_house(name, capture.house, objects)
    records = read_records(name, objects)
    start = _agent_position(name, records, capture.agent)
    room = room_of(name, records)
    around = _around(records, start, house, capture)
    shape = around.shape
    bodies = _bodies(records, around)
    counters = counters_of(records, bodies, around)
    palette = palette_of(name, room)
    ceiling = house.ceiling if house else ceiling_height(records, shape.floor)
    plan = ImportContext(name, room, records, around, bodies, counters, ceiling)
    detailer = Detailer(plan, palette)
    specs = tuple(_spec(record, bodies, detailer) for record in records)
    if start is None:
        start = _open_spot(around)
    return SceneSpec(
        name=name,
        room=room,
        bounds=shape.inside.box(shape.floor, ceiling),
        scene_bounds=_scene_bounds(plan, capture.scene_bounds),
        objects=specs,
        structure=_structure(plan, house),
        lights=house.lights() if house else ceiling_lights(shape.inside, ceiling, room),
        agent=_agent_start(name, start, capture.agent, around),
        palette=palette,
        daylight=1.0 if any(r.type == "Window" for r in records) else 0.0,
        survey=capture.survey,
    )


def _around(
    records: Sequence[ThorRecord], start: Vec3 | None, house: ProcthorPlan | None, capture: Capture
) -> Surroundings:
    """The objects and the room's shape; hung cabinets move the walls that are not a house's."""
    if house is not None:
        return _surroundings(records, house.shape(), start)
    shape = shape_of(records, start, capture.survey)
    around = _surroundings(records, shape, start)
    hung = [(r, cabinet_front(r, around).yaw) for r in around.of("Cabinet")]
    fronts = [(r, yaw) for r, yaw in hung if yaw in YAWS]
    return replace(around, shape=with_hung_cabinets(shape, fronts, records))


def _bodies(records: Sequence[ThorRecord], around: Surroundings) -> dict[str, Box]:
    """The box that each object's asset fills, by id."""
    bodies = {record.object_id: body_of(record, around) for record in records}
    for record in records:
        owner = owner_of(record, around)
        if owner is not None:
            box = bodies[record.object_id]
            bodies[record.object_id] = within_owner(box, bodies[owner.object_id])
    return bodies


def room_of(name: str, records: Sequence[ThorRecord]) -> Room:
    """The kind of a room: by the hundreds of a floor plan's number, else by its furniture."""
    found = _FLOOR_PLAN.match(name)
    if found is not None and int(found[1]) // 100 in _HUNDREDS:
        return _HUNDREDS[int(found[1]) // 100]
    types = {record.type for record in records}
    if types & {"Fridge", "StoveBurner", "Microwave"}:
        return Room.KITCHEN
    if types & {"Toilet", "Bathtub", "ShowerHead"}:
        return Room.BATHROOM
    return Room.BEDROOM if "Bed" in types else Room.LIVING_ROOM


def _spec(record: ThorRecord, bodies: Mapping[str, Box], detailer: Detailer) -> ObjectSpec:
    return ObjectSpec(
        object_id=record.object_id,
        name=record.name,
        type=record.type,
        asset_id=record.asset_id,
        position=record.position,
        rotation=record.rotation,
        body=bodies[record.object_id],
        bounds=record.bounds,
        oriented=record.oriented,
        traits=record.traits,
        variant=detailer.variant(record),
        details=detailer.of(record),
        mass=record.mass,
        materials=record.materials,
        parents=record.parents,
        contents=record.contents,
        controls=record.controls,
        start=record.start,
    )


def _surroundings(
    records: Sequence[ThorRecord], shape: RoomShape, agent: Vec3 | None
) -> Surroundings:
    by_type: dict[str, list[ThorRecord]] = {}
    for record in records:
        by_type.setdefault(record.type, []).append(record)
    standing = [r.spot for r in records if _blocks(r, shape.floor)]
    start = (agent.x, agent.z) if agent is not None else None
    return Surroundings(shape, FloorMap(shape.inside, standing, start), by_type)


def _blocks(record: ThorRecord, floor: float) -> bool:
    """Whether a thing blocks the floor. Wide counters do not count: their boxes include free
    floor."""
    spot = record.spot
    if record.type in _NO_OBSTACLES or max(spot.width, spot.depth) < 0.25:
        return False
    if record.type == "CounterTop":
        return min(spot.width, spot.depth) < 1.05
    return record.low < floor + 0.7 or record.type in {"Sink", "StoveBurner"}


def _agent_position(
    name: str, records: Sequence[ThorRecord], agent: Mapping[str, Any] | None
) -> Vec3 | None:
    if agent is None:
        return position_from_distances([(r.position, r.distance) for r in records])
    try:
        return read_point(agent["position"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"{name}: the agent's position is not a mapping with x, y and z; give "
            "`event.metadata['agent']`"
        ) from error


def _agent_start(
    name: str, position: Vec3, agent: Mapping[str, Any] | None, around: Surroundings
) -> AgentStart:
    """The agent's start as captured. A dump without the agent gives no yaw: it is the floor plan's
    own, or else the agent looks where the floor is open."""
    if agent is not None:
        try:
            rotation = read_point(agent["rotation"]) if "rotation" in agent else ZERO
            horizon = read_angle(agent.get("cameraHorizon", 0.0))
        except ValueError as error:
            raise ValueError(
                f"{name}: the agent's rotation and cameraHorizon are not a mapping with x, y and "
                f"z and a number: {error}; give `event.metadata['agent']`"
            ) from error
        return AgentStart(position, rotation.y, horizon, agent.get("isStanding") is not False)
    spot = (position.x, position.z)
    yaw = start_yaw(name, position)
    if yaw is None:
        yaw = max(YAWS, key=lambda y: around.floor.run(spot, y))
    return AgentStart(position, yaw)


def _open_spot(around: Surroundings) -> Vec3:
    """The point of the free floor on AI2-THOR's grid from which one can go furthest, all ways
    taken together."""
    points = around.floor.points()
    x, z = around.shape.inside.center
    if points:
        grid = [(round(px * 4) / 4, round(pz * 4) / 4) for px, pz in points]
        x, z = max(
            sorted(set(grid)),
            key=lambda p: sum(min(around.floor.run(p, yaw), 3.0) for yaw in YAWS),
        )
    return Vec3(x, around.shape.floor + STANDING, z)


UNDER_FLOOR = 0.2
"""Metres from the floor down to the lower end of the scene's bounds: the mean of four scenes."""


def _scene_bounds(plan: ImportContext, given: Mapping[str, Any] | None) -> Box:
    name = plan.name
    measured = bounds_of(name)
    if given is None and measured is not None:
        return box_around(measured)
    if given is None:
        around = box_around(tuple(p for r in plan.records for p in r.bounds.corners()))
        low, high = around.center - around.size * 0.5, around.center + around.size * 0.5
        bottom = max(low.y, plan.floor - UNDER_FLOOR)
        return box_around((Vec3(low.x, bottom, low.z), Vec3(high.x, plan.ceiling, high.z)))
    try:
        center, size = read_point(given["center"]), read_point(given["size"])
        if min(size.tuple()) <= 0:
            raise ValueError(f"the size {size.tuple()} is not above 0")
        return Box(center, size)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"{name}: the scene's bounds have no centre and size; give "
            "`event.metadata['sceneBounds']`"
        ) from error


def _structure(plan: ImportContext, house: ProcthorPlan | None) -> tuple[StructureSpec, ...]:
    around = plan.around
    stove = stove_of(around, plan.counters)
    parts: list[StructureSpec] = []
    ranges: list[Rectangle] = []
    if stove is not None:
        parts += stove_parts(stove, around, plan.name)
        ranges = [] if stove.hob else [stove.spot]
    parts += bases(plan, ranges)
    parts += wall_cases(plan)
    parts += missing_hollows(plan)
    parts += hutches(plan)
    parts += towers(plan)
    if house is not None:
        return (*house.enclosure(plan.name), *parts)
    standing = [
        Rectangle.under(part.body.bounds()) for part in parts if part.body.bottom < plan.floor + 0.1
    ]
    splashes = splashes_of(around, plan.counters, stove, plan.room)
    return (*enclosure(plan, standing, splashes), *parts)


# --- The agent's position when a scene was dumped

_Row = list[float]

WORST_MISS = 0.02
"""Metres by which a distance may miss the position found. In the 120 scenes all agree to 1e-4."""


def position_from_distances(known: Sequence[tuple[Vec3, float]]) -> Vec3 | None:
    """The point that has the given distance from each of the given points, by least squares.

    None if no point fits within WORST_MISS, or too few points are given: the distances were not
    measured, or objects moved since.
    """
    if len(known) < 4:
        return None
    total = Vec3(0.0, 0.0, 0.0)
    for point, _ in known:
        total = total + point
    middle = total * (1.0 / len(known))
    # |p - x|^2 = d^2 is linear in x and |x|^2: 2 p.x - |x|^2 = |p|^2 - d^2
    normal = [[0.0] * 5 for _ in range(4)]
    for point, distance in known:
        local = point - middle
        row = [2 * local.x, 2 * local.y, 2 * local.z, -1.0, local.dot(local) - distance**2]
        for i in range(4):
            for j in range(5):
                normal[i][j] += row[i] * row[j]
    solution = _solve(normal)
    if solution is None:
        return None
    found = Vec3(solution[0], solution[1], solution[2]) + middle
    misses = sorted(abs((point - found).length() - distance) for point, distance in known)
    if misses[len(misses) // 2] > WORST_MISS:
        return None
    return Vec3(*(round(value, 4) + 0.0 for value in found.tuple()))


def _solve(rows: list[_Row]) -> _Row | None:
    """Gauss's elimination with pivots; rows hold the right side last. None if it is singular."""
    size = len(rows)
    for column in range(size):
        best = max(range(column, size), key=lambda k: abs(rows[k][column]))
        if abs(rows[best][column]) < 1e-9:
            return None
        rows[column], rows[best] = rows[best], rows[column]
        for k in range(size):
            if k != column:
                share = rows[k][column] / rows[column][column]
                rows[k] = [a - share * b for a, b in zip(rows[k], rows[column], strict=True)]
    return [rows[k][size] / rows[k][k] for k in range(size)]
