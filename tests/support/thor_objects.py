"""AI2-THOR's object metadata, made for tests."""

from __future__ import annotations

from typing import Any

from env_service.worlds.household.geometry import Box, Rotation, Vec3

Triple = tuple[float, float, float]


def xyz(values: Triple) -> dict[str, float]:
    return dict(zip("xyz", values, strict=True))


def thor_object(
    kind: str,
    center: Triple,
    size: Triple,
    *,
    agent: Triple = (0.0, 0.901, 0.0),
    oriented: bool = False,
    **changes: Any,
) -> dict[str, Any]:
    """One object with all the keys that describe it; `oriented` gives it an oriented box along
    its rotation with the extents of `size`. Other keys as they should read."""
    rotation = changes.pop("rotation", (0.0, 0.0, 0.0))
    position = changes.pop("position", center)
    body = Box(Vec3(*center), Vec3(*size), Rotation.from_euler(Vec3(*rotation)))
    bounds = body.bounds() if oriented else Box(Vec3(*center), Vec3(*size))
    marks = "|".join(f"{value:+06.2f}" for value in position)
    item: dict[str, Any] = {
        "name": f"{kind}_{sum(map(abs, position)):.4f}",
        "objectId": f"{kind}|{marks}",
        "objectType": kind,
        "assetId": f"{kind}_3" if oriented else "",
        "position": xyz(position),
        "rotation": xyz(rotation),
        "mass": 1.0 if oriented else 0.0,
        "salientMaterials": ["Wood"] if oriented else None,
        "temperature": "RoomTemp",
        "openness": 0.0,
        "fillLiquid": None,
        "parentReceptacles": None,
        "receptacleObjectIds": None,
        "controlledObjects": None,
        "distance": (Vec3(*position) - Vec3(*agent)).length(),
        "axisAlignedBoundingBox": {
            "center": bounds.center.to_json(),
            "size": bounds.size.to_json(),
            "cornerPoints": [list(corner.tuple()) for corner in bounds.corners()],
        },
        "objectOrientedBoundingBox": {"cornerPoints": _corners(body)} if oriented else None,
    }
    for key in FLAGS:
        item[key] = False
    item["pickupable"] = oriented
    item.update(changes)
    return item


FLAGS = (
    "pickupable",
    "moveable",
    "receptacle",
    "openable",
    "toggleable",
    "breakable",
    "sliceable",
    "dirtyable",
    "canFillWithLiquid",
    "cookable",
    "canBeUsedUp",
    "isHeatSource",
    "isColdSource",
    "isToggled",
    "isBroken",
    "isFilledWithLiquid",
    "isDirty",
    "isUsedUp",
    "isCooked",
    "isSliced",
    "isOpen",
)


def _corners(body: Box) -> list[list[float]]:
    """In AI2-THOR's order: 0 to 1 is the object's -x, 0 to 3 its -z, 0 to 4 its +y."""
    half = body.size * 0.5
    signs = [(x, y, z) for y in (-1, 1) for x, z in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    return [
        list((body.center + body.rotation.apply(Vec3(x * half.x, y * half.y, z * half.z))).tuple())
        for x, y, z in signs
    ]


def kitchen() -> list[dict[str, Any]]:
    """A kitchen of 4 by 4 metres around the origin: a counter in the shape of an L along the west
    and the south wall, a sink in it, a fridge, a light switch on the north wall."""
    top, floor = "CounterTop|-01.30|+00.90|-01.30", "Floor|+00.00|+00.00|+00.00"
    return [
        thor_object("Floor", (0, -0.05, 0), (4.2, 0.1, 4.2), position=(0, 0, 0)),
        thor_object(
            "CounterTop",
            (-0.75, 0.91, -0.6),
            (2.5, 0.02, 2.8),
            position=(-1.3, 0.9, -1.3),
            receptacle=True,
        ),
        *(
            thor_object(
                "Cabinet",
                (-1.7, 0.4, -0.9 + 0.5 * k),
                (0.56, 0.7, 0.5),
                position=(-1.43, 0.4, -1.14 + 0.5 * k),
                openable=True,
                receptacle=True,
            )
            for k in range(3)
        ),
        thor_object(
            "Cabinet",
            (-0.3, 0.4, -1.7),
            (0.6, 0.7, 0.56),
            position=(-0.01, 0.4, -1.43),
            openable=True,
            receptacle=True,
        ),
        thor_object("Sink", (-0.5, 0.85, -1.68), (0.5, 0.12, 0.4)),
        thor_object(
            "SinkBasin",
            (-0.5, 0.85, -1.68),
            (0.4, 0.1, 0.3),
            objectId="Sink|-00.50|+00.85|-01.68|SinkBasin",
        ),
        thor_object("Faucet", (-0.5, 0.98, -1.92), (0.05, 0.16, 0.12), assetId="Faucet_1"),
        thor_object(
            "Fridge", (1.6, 0.9, -1.6), (0.8, 1.8, 0.8), assetId="Fridge_2", openable=True,
            rotation=(0, 270, 0), receptacle=True,
        ),
        thor_object(
            "LightSwitch", (0.6, 1.2, 2.01), (0.1, 0.15, 0.02), rotation=(0, 180, 0),
            assetId="Light_Switch_4", toggleable=True, isToggled=True,
        ),
        thor_object("Window", (2.06, 1.5, 0.5), (0.1, 1.0, 1.2)),
        thor_object(
            "Mug", (-1.6, 0.95, 0.3), (0.1, 0.1, 0.08), oriented=True, rotation=(0, 30, 0),
            parentReceptacles=[top], assetId="Mug_3", dirtyable=True, isDirty=True,
        ),
        thor_object(
            "Knife", (-1.6, 0.91, 0.0), (0.02, 0.3, 0.04), oriented=True, rotation=(0, 40, 90),
            parentReceptacles=[top], assetId="Knife_2",
        ),
        thor_object(
            "GarbageCan", (1.7, 0.25, 1.7), (0.3, 0.5, 0.3), oriented=True,
            parentReceptacles=[floor], assetId="bin_5",
        ),
    ]  # fmt: skip
