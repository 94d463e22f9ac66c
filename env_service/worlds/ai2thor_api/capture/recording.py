"""Asks a simulator for everything about one scene, including pictures from chosen viewpoints.
Depends on the controller's API alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
from PIL import Image

from env_service.worlds.ai2thor_api.capture.sidecar import digest, json_bytes
from env_service.worlds.ai2thor_api.controller import ThorController, ThorEvent

MOST_PASSES = 20
"""Steps of Pass that a house may take to come to rest; then it is recorded in motion."""

SPARE = 8
"""Extra poses that replace those to which the simulator does not move the agent."""

START_KEYS = (
    "agent",
    "sceneBounds",
    "fov",
    "cameraPosition",
    "screenWidth",
    "screenHeight",
    "isSceneAtRest",
)
FRAME_KEYS = ("agent", "cameraPosition", "fov", "screenWidth", "screenHeight")
CAMERA_KEYS = ("cameraNearPlane", "cameraFarPlane")


class CaptureError(Exception):
    """A scene cannot be captured; the message says why. A further try gives the same result."""


@dataclass(frozen=True)
class Recording:
    """A scene written down.

    ``objects`` is the content of the objects' file. ``facts`` are the sidecar's keys that tell of
    the scene itself, without names of files. ``pictures`` are PNG files, as ``facts["frames"]``
    lists them.
    """

    objects: bytes
    count: int
    facts: Mapping[str, Any]
    pictures: tuple[bytes, ...]


def record(
    controller: ThorController, event: ThorEvent, house: Mapping[str, Any] | None, frames: int
) -> Recording:
    """Records a scene; the agent moves, nothing else changes.

    A scene of the simulator is recorded in its state after the reset, as in published dumps, though
    some objects may still be settling by millimetres. A house comes to rest first: its objects
    start a little above their places.

    Args:
        controller: freshly reset to the scene.
        event: the event of that reset.
        house: what the scene was built from, None for a scene of the simulator.
        frames: how many pictures to take: of the start, then of `viewpoints`.

    Raises:
        CaptureError: the simulator refuses a query, gives no picture, or returns nonsense.
        WorldFault: it breaks.
    """
    notes: list[str] = []
    planes = event.metadata.get("actionReturn")
    passes = 0
    if house is not None:
        event = _placed(controller, event, house, notes)
        event, passes = _at_rest(controller, event, notes)
    metadata = event.metadata
    objects = {item["objectId"]: dict(item) for item in metadata["objects"]}
    if len(objects) != len(metadata["objects"]):
        notes.append("the simulator lists an object id twice; the last of each is kept")
    pictures = [_picture(event)] if frames else []
    facts = {
        **{key: metadata[key] for key in START_KEYS if key in metadata},
        **_planes(planes),
        "settlingPasses": passes,
    }
    answer = _asked(controller, "GetReachablePositions")
    reachable = answer.metadata["actionReturn"] or []
    pictures += _further_pictures(controller, reachable, frames - 1, notes)
    facts |= {
        "reachablePositions": reachable,
        "frames": [described for described, _ in pictures],
        "notes": notes,
        "house": house,
    }
    try:
        written = json_bytes(objects)
    except ValueError as error:
        raise CaptureError(str(error)) from error
    return Recording(written, len(objects), facts, tuple(png for _, png in pictures))


def _further_pictures(
    controller: ThorController, reachable: Sequence[Any], count: int, notes: list[str]
) -> Iterator[tuple[dict[str, Any], bytes]]:
    """Up to ``count`` pictures from viewpoints; ``notes`` gets those that the agent cannot have."""
    taken = 0
    for pose in viewpoints(reachable, count + SPARE if count > 0 else 0):
        if taken == count:
            return
        seen = controller.step("Teleport", **pose.arguments())
        if seen:
            taken += 1
            yield _picture(seen)
        else:
            notes.append(f"no picture from {pose.arguments()}: {_words(seen)}")


def _planes(value: Any) -> dict[str, Any]:
    """The camera's planes, from what Initialize returned; nothing where it was another action."""
    described = value if isinstance(value, Mapping) else {}
    return {key: described[key] for key in CAMERA_KEYS if key in described}


def _placed(
    controller: ThorController, event: ThorEvent, house: Mapping[str, Any], notes: list[str]
) -> ThorEvent:
    """Puts the agent where a house says that it starts; AI2-THOR's CreateHouse does not."""
    if not event:
        raise CaptureError(f"the house cannot be built: {_words(event)}")
    described = house.get("metadata")
    start = described.get("agent") if isinstance(described, Mapping) else None
    if not isinstance(start, Mapping):
        notes.append("the house does not define the agent's start")
        return event
    pose = {"rotation": {"x": 0.0, "y": 0.0, "z": 0.0}, "horizon": 0.0, "standing": True}
    keys = ("position", "rotation", "horizon", "standing")
    pose |= {key: start[key] for key in keys if key in start}
    placed = controller.step("TeleportFull", **pose)
    if not placed:
        raise CaptureError(f"the agent cannot stand at the house's start: {_words(placed)}")
    return placed


def _at_rest(
    controller: ThorController, event: ThorEvent, notes: list[str]
) -> tuple[ThorEvent, int]:
    """Waits until nothing rolls or falls any more; how many steps it took."""
    for passes in range(MOST_PASSES):
        if event.metadata.get("isSceneAtRest") is not False:
            return event, passes
        event = _asked(controller, "Pass")
    if event.metadata.get("isSceneAtRest") is False:
        notes.append(f"the house was not at rest after {MOST_PASSES} steps")
    return event, MOST_PASSES


def _asked(controller: ThorController, action: str) -> ThorEvent:
    event = controller.step(action)
    if not event:
        raise CaptureError(f"{action} was refused: {_words(event)}")
    return event


def _words(event: ThorEvent) -> str:
    """Why an action was refused, without the stack trace that AI2-THOR may add."""
    return str(event.metadata.get("errorMessage", "")).split(" trace:")[0].strip()


def _picture(event: ThorEvent) -> tuple[dict[str, Any], bytes]:
    """What an event shows, in the sidecar's form, and its picture as a PNG file."""
    frame = event.frame
    if frame is None:
        raise CaptureError("the world's pictures are off; use --frames 0, or switch them on")
    stream = BytesIO()
    Image.fromarray(np.ascontiguousarray(frame)).save(stream, "PNG")
    png, metadata = stream.getvalue(), event.metadata
    described = {
        "sha256": digest(png),
        **{key: metadata[key] for key in FRAME_KEYS if key in metadata},
        "visible": [item["objectId"] for item in metadata["objects"] if item["visible"]],
        "instance_detections2D": _boxes(event),
    }
    return described, png


def _boxes(event: ThorEvent) -> dict[str, list[int]]:
    boxes = {name: event.instance_detections2D[name] for name in sorted(event.instance_masks)}
    return {name: [int(side) for side in box] for name, box in boxes.items() if box is not None}


# --- Where pictures of a scene are taken from: chosen from what the agent can reach, always
# alike

HORIZON = 20.0
"""Degrees by which the camera looks down: over furniture to the floor in the middle."""


@dataclass(frozen=True)
class Viewpoint:
    """A pose of the agent: position in metres, ``yaw`` and ``horizon`` in degrees."""

    x: float
    y: float
    z: float
    yaw: float
    horizon: float = HORIZON
    standing: bool = True

    def arguments(self) -> dict[str, Any]:
        """As AI2-THOR's Teleport takes it."""
        return {
            "position": {"x": self.x, "y": self.y, "z": self.z},
            "rotation": {"x": 0.0, "y": self.yaw, "z": 0.0},
            "horizon": self.horizon,
            "standing": self.standing,
        }


def viewpoints(reachable: Sequence[Mapping[str, float]], count: int) -> list[Viewpoint]:
    """Up to ``count`` poses at points that can be reached.

    First the points nearest to the four corners of their rectangle, then the one nearest to its
    middle, then whichever lies furthest from all before. Each looks to the middle; the middle one
    looks to the point that is furthest from it. The order of ``reachable`` does not matter.
    """
    points = sorted({(p["x"], p["z"], p["y"]) for p in reachable})
    if not points or count <= 0:
        return []
    low = [min(p[k] for p in points) for k in (0, 1)]
    high = [max(p[k] for p in points) for k in (0, 1)]
    middle = ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2)
    corners = [(x, z) for x in (low[0], high[0]) for z in (low[1], high[1])]
    chosen: list[tuple[float, float, float]] = []
    for spot in (*corners, middle):
        nearest = min(points, key=lambda p: (_apart(p, spot), p))
        if nearest not in chosen:
            chosen.append(nearest)
    while len(chosen) < min(count, len(points)):
        left = [p for p in points if p not in chosen]
        chosen.append(max(left, key=lambda p: (min(_apart(p, c) for c in chosen), p)))
    central = min(points, key=lambda p: (_apart(p, middle), p))
    furthest = max(points, key=lambda p: (_apart(p, central), p))
    return [
        Viewpoint(x, y, z, _yaw((x, z), furthest if (x, z, y) == central else middle))
        for x, z, y in chosen[:count]
    ]


def _apart(a: Sequence[float], b: Sequence[float]) -> float:
    return round(math.hypot(a[0] - b[0], a[1] - b[1]), 6)


def _yaw(start: Sequence[float], goal: Sequence[float]) -> float:
    """Whole degrees, 0 along +z, clockwise from above."""
    return float(round(math.degrees(math.atan2(goal[0] - start[0], goal[1] - start[1]))) % 360)
