"""AI2-THOR's object metadata, read strictly: errors name what is missing or invalid.

Only keys that describe the scene are read. Those that depend on a camera (`visible`,
`isInteractable`, `isPickedUp`, `isMoving`) are results of a step, not facts of a scene.
Source of keys and meanings: AI2-THOR 5.0.0, object metadata.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from env_service.worlds.ai2thor_api.object_types import Trait, object_types
from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.scene.footprints import Rectangle
from env_service.worlds.household.scene.spec import UNNAMED_LIQUID, StartState, Temperature

FARTHEST = 1000.0
"""Metres from the origin; a larger distance is a broken number."""

_FLAGS: dict[str, Trait] = {
    "pickupable": Trait.PICKUPABLE,
    "moveable": Trait.MOVEABLE,
    "receptacle": Trait.RECEPTACLE,
    "openable": Trait.OPENABLE,
    "toggleable": Trait.TOGGLEABLE,
    "breakable": Trait.BREAKABLE,
    "sliceable": Trait.SLICEABLE,
    "dirtyable": Trait.DIRTYABLE,
    "canFillWithLiquid": Trait.FILLABLE,
    "cookable": Trait.COOKABLE,
    "canBeUsedUp": Trait.USABLE,
    "isHeatSource": Trait.HEAT_SOURCE,
    "isColdSource": Trait.COLD_SOURCE,
}
"""Metadata key -> the trait that it means."""

_LIQUIDS = ("water", "coffee", "wine")


@dataclass(frozen=True)
class ThorRecord:
    """One object of a metadata dump; the fields mean what they mean in `ObjectSpec`.

    `distance` is that from the agent's position to the object's, metres.
    """

    object_id: str
    name: str
    type: str
    asset_id: str
    position: Vec3
    rotation: Vec3
    bounds: Box
    oriented: Box | None
    traits: frozenset[Trait]
    mass: float
    materials: tuple[str, ...] | None
    parents: tuple[str, ...] | None
    contents: tuple[str, ...] | None
    controls: tuple[str, ...] | None
    start: StartState
    distance: float

    @cached_property
    def spot(self) -> Rectangle:
        """What its axis-aligned box covers, seen from above."""
        return Rectangle.under(self.bounds)

    @cached_property
    def low(self) -> float:
        """Height of its underside, metres."""
        return self.bounds.center.y - self.bounds.size.y / 2

    @cached_property
    def high(self) -> float:
        """Height of its top, metres."""
        return self.bounds.center.y + self.bounds.size.y / 2


def read_records(
    scene: str, objects: Mapping[str, Mapping[str, Any]] | Sequence[Mapping[str, Any]]
) -> tuple[ThorRecord, ...]:
    """The objects of a scene, in their order.

    `objects` is a list of AI2-THOR's object metadata or a mapping from object id to it.

    Raises:
        ValueError: no objects, a key that is missing or of another type, a number that is not
            finite, a box without extent, an unknown type, an id that appears twice, or a reference
            to a missing id. The message names the scene, the object, the key and the remedy.
    """
    items: Iterable[tuple[str, Any]]
    if isinstance(objects, Mapping):
        items = objects.items()
    elif isinstance(objects, Sequence) and not isinstance(objects, str | bytes):
        items = ((f"object {number}", item) for number, item in enumerate(objects))
    else:
        raise ValueError(
            f"{scene}: objects are a list or a mapping by object id, not "
            f"{type(objects).__name__}; give `event.metadata['objects']`"
        )
    records = tuple(_Reader(scene, label, item).record() for label, item in items)
    if not records:
        raise ValueError(f"{scene}: the list of objects is empty; give `event.metadata['objects']`")
    _check_ids(scene, records)
    return records


def _check_ids(scene: str, records: Sequence[ThorRecord]) -> None:
    seen: set[str] = set()
    for record in records:
        if record.object_id in seen:
            raise ValueError(
                f"{scene}: object id {record.object_id} appears twice; ids are unique in a scene: "
                "take the metadata of a single event"
            )
        seen.add(record.object_id)
    for record in records:
        named = {
            "parentReceptacles": record.parents,
            "receptacleObjectIds": record.contents,
            "controlledObjects": record.controls,
        }
        for key, ids in named.items():
            for object_id in ids or ():
                if object_id not in seen:
                    raise ValueError(
                        f"{scene}: {record.object_id}: {key} names {object_id}, which is not in "
                        "the scene; add its metadata or take the id out"
                    )


class _Reader:
    """Reads one object; every complaint names where it was found."""

    def __init__(self, scene: str, label: str, item: Any) -> None:
        if not isinstance(item, Mapping):
            raise ValueError(
                f"{scene}: {label} is {type(item).__name__}, not a mapping; give each object's "
                "metadata as AI2-THOR writes it"
            )
        self._scene, self._item = scene, item
        found = item.get("objectId")
        self._label = found if isinstance(found, str) and found else label

    def record(self) -> ThorRecord:
        type_name = self._text("objectType")
        if type_name not in object_types():
            raise self._wrong("objectType", "is not a type of AI2-THOR 5.0.0; correct its spelling")
        bounds = self._bounds()
        rotation = self._vector(self._value("rotation"), "rotation")
        traits = frozenset(trait for key, trait in _FLAGS.items() if self._flag(key))
        return ThorRecord(
            object_id=self._text("objectId"),
            name=self._text("name"),
            type=type_name,
            asset_id=self._text("assetId", empty=True),
            position=self._vector(self._value("position"), "position"),
            rotation=rotation,
            bounds=bounds,
            oriented=self._oriented(rotation),
            traits=traits,
            mass=self._number("mass", low=0.0),
            materials=self._texts("salientMaterials"),
            parents=self._texts("parentReceptacles"),
            contents=self._texts("receptacleObjectIds"),
            controls=self._texts("controlledObjects"),
            start=self._start(),
            distance=self._number("distance", low=0.0),
        )

    def _start(self) -> StartState:
        liquid = self._value("fillLiquid")
        liquid = (liquid or UNNAMED_LIQUID) if self._flag("isFilledWithLiquid") else None
        if liquid and liquid not in _LIQUIDS:
            raise self._wrong("fillLiquid", f"is not one of {', '.join(_LIQUIDS)}")
        words = [member.value for member in Temperature]
        if self._value("temperature") not in words:
            raise self._wrong("temperature", f"is not one of {', '.join(words)}")
        openness = self._number("openness", low=0.0)
        if openness > 1.0:
            raise self._wrong("openness", "is above 1; give a share of the way")
        is_open = self._flag("isOpen")
        return StartState(
            # AI2-THOR opens fully where it gives no share
            openness=(openness or 1.0) if is_open else 0.0,
            toggled=self._flag("isToggled"),
            broken=self._flag("isBroken"),
            dirty=self._flag("isDirty"),
            liquid=liquid,
            used_up=self._flag("isUsedUp"),
            cooked=self._flag("isCooked"),
            sliced=self._flag("isSliced"),
            temperature=Temperature(self._value("temperature")),
        )

    def _bounds(self) -> Box:
        key = "axisAlignedBoundingBox"
        value = self._mapping(key)
        center = self._vector(value.get("center"), f"{key}.center")
        size = self._vector(value.get("size"), f"{key}.size")
        flat = sum(extent == 0.0 for extent in size.tuple())
        # a shelf may be measured as a plane (two in FloorPlan302 and 306 are)
        if min(size.tuple()) < 0.0 or flat > 1:
            raise self._wrong(f"{key}.size", "has no extent; at least two sides are above 0")
        return Box(center, size)

    def _oriented(self, rotation: Vec3) -> Box | None:
        key = "objectOrientedBoundingBox"
        if self._value(key) is None:
            return None
        corners = self._mapping(key).get("cornerPoints")
        if not isinstance(corners, Sequence) or len(corners) != 8:
            raise self._wrong(f"{key}.cornerPoints", "is not a list of eight points")
        points = [self._point(corner, f"{key}.cornerPoints") for corner in corners]
        total = Vec3(0.0, 0.0, 0.0)
        for point in points:
            total = total + point
        # corners 0-1, 0-3 and 0-4 run along the object's -x, -z and +y
        edges = (points[0] - points[1], points[4] - points[0], points[0] - points[3])
        size = Vec3(*(edge.length() for edge in edges))
        if min(size.tuple()) <= 0.0:
            raise self._wrong(f"{key}.cornerPoints", "has no extent; all sides are above 0")
        return Box(total * 0.125, size, _frame(edges, Rotation.from_euler(rotation)))

    def _value(self, key: str) -> Any:
        if key not in self._item:
            raise ValueError(
                f"{self._scene}: {self._label}: {key} is missing; give all keys of AI2-THOR "
                "5.0.0's object metadata"
            )
        return self._item[key]

    def _wrong(self, key: str, what: str) -> ValueError:
        found: Any = self._item
        for part in key.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
        shown = repr(found)
        shown = shown if len(shown) <= 80 else f"{shown[:77]}..."
        return ValueError(f"{self._scene}: {self._label}: {key} ({shown}) {what}")

    def _text(self, key: str, *, empty: bool = False) -> str:
        value = self._value(key)
        if not isinstance(value, str) or (not value and not empty):
            raise self._wrong(key, "is not a text; give AI2-THOR's word")
        return value

    def _texts(self, key: str) -> tuple[str, ...] | None:
        value = self._value(key)
        if value is None:
            return None
        listed = isinstance(value, Sequence) and not isinstance(value, str)
        if not listed or not all(isinstance(item, str) for item in value):
            raise self._wrong(key, "is neither null nor a list of texts")
        return tuple(value)

    def _flag(self, key: str) -> bool:
        value = self._value(key)
        if not isinstance(value, bool):
            raise self._wrong(key, "is neither true nor false")
        return value

    def _number(self, key: str, *, low: float) -> float:
        value = self._value(key)
        if not _is_number(value) or value < low:
            raise self._wrong(key, f"is not a finite number from {low:g} up")
        return float(value)

    def _mapping(self, key: str) -> Mapping[str, Any]:
        value = self._value(key)
        if not isinstance(value, Mapping):
            raise self._wrong(key, "is not a mapping; give it as AI2-THOR writes it")
        return value

    def _vector(self, value: Any, key: str) -> Vec3:
        if isinstance(value, Mapping):
            return self._point([value.get(axis) for axis in "xyz"], key)
        raise self._wrong(key, "is not a mapping with x, y and z")

    def _point(self, value: Any, key: str) -> Vec3:
        if not isinstance(value, Sequence) or len(value) != 3 or not all(map(_is_number, value)):
            raise self._wrong(key, "does not have three finite numbers")
        if max(abs(number) for number in value) > FARTHEST:
            raise self._wrong(key, f"is more than {FARTHEST:g} from the origin")
        return Vec3(*(float(number) for number in value))


def _frame(edges: tuple[Vec3, Vec3, Vec3], near: Rotation) -> Rotation:
    """The rotation whose axes are the edges' directions; `near`, if they are not square to each
    other (a box so thin that its edges are rounded away)."""
    axes = [edge * (1.0 / edge.length()) for edge in edges]
    skew = max(abs(axes[a].dot(axes[b])) for a, b in ((0, 1), (1, 2), (0, 2)))
    if skew > 1e-3:
        return near
    x, y, z = axes
    return Rotation(((x.x, y.x, z.x), (x.y, y.y, z.y), (x.z, y.z, z.z)))


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    # a comparison takes integers of any size, a conversion does not; no number equals NaN
    return -sys.float_info.max <= value <= sys.float_info.max


def read_point(value: Any) -> Vec3:
    """A mapping with finite x, y and z, no further than FARTHEST from the origin; anything else
    raises ValueError."""
    numbers: list[Any] = [value.get(axis) for axis in "xyz"] if isinstance(value, Mapping) else []
    near = all(_is_number(number) and abs(number) <= FARTHEST for number in numbers)
    if not (numbers and near):
        raise ValueError(f"{value!r} has no finite x, y and z")
    x, y, z = (float(number) for number in numbers)
    return Vec3(x, y, z)


def read_angle(value: Any) -> float:
    """A finite number; anything else raises ValueError."""
    if not _is_number(value):
        raise ValueError(f"{value!r} is not a finite number")
    return float(value)
