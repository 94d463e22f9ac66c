"""Sessions that were recorded in AI2-THOR: reading them, and playing one back as a controller.

A session is a folder (docs/parity.md, "Recorded sessions"): ``actions.json``, a list of actions;
``events.json.gz`` or ``events.json``, a list with one event per action, each an object with the
event's "metadata"; and, if there are pictures, the agent's view after action 0, 1 … as
``000.png``, ``001.png`` ….
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from env_service.storage.plain_files import MOST_GIVEN, read_plain
from env_service.worlds.ai2thor_api.controller import ThorStart
from env_service.worlds.ai2thor_api.object_types import object_types
from env_service.worlds.ai2thor_api.parity.script_play import Script

if TYPE_CHECKING:
    from numpy.typing import NDArray

Metadata = Mapping[str, Any]

ACTIONS, EVENTS, EVENTS_PLAIN = "actions.json", "events.json.gz", "events.json"

MOST_SESSIONS, MOST_EVENTS, MOST_OBJECTS = 1000, 10_000, 5000
MOST_TEXT = 512 * 2**20
"""Bytes of a session's events, unpacked."""
MOST_PICTURE, MOST_PIXELS = 32 * 2**20, 4096 * 4096

_NEEDED = ("objectId", "objectType", "position", "rotation", "axisAlignedBoundingBox")

_FLAGS = (
    "receptacle", "toggleable", "isToggled", "breakable", "isBroken", "canFillWithLiquid",
    "isFilledWithLiquid", "dirtyable", "isDirty", "canBeUsedUp", "isUsedUp", "cookable",
    "isCooked", "isHeatSource", "isColdSource", "sliceable", "isSliced", "openable", "isOpen",
    "pickupable", "isPickedUp", "moveable", "visible", "isInteractable",
)  # fmt: skip

_DEFAULTS: Mapping[str, Any] = {
    **dict.fromkeys(_FLAGS, False),
    "fillLiquid": None,
    "temperature": "RoomTemp",
    "openness": 0.0,
    "mass": 0.0,
    "salientMaterials": None,
    "receptacleObjectIds": None,
    "parentReceptacles": None,
    "controlledObjects": None,
    "assetId": "",
    "distance": 0.0,
    "objectOrientedBoundingBox": None,
}
"""What stands in for a key that the session's version of AI2-THOR does not write. Quantities with
such a key are not compared."""

_LISTS = ("receptacleObjectIds", "parentReceptacles", "controlledObjects")


class SessionError(ValueError):
    """A folder is not a recorded session; the message says why, and names the file."""


@dataclass(frozen=True)
class RecordedSession:
    """A session: one event's metadata and one action for each step, as recorded.

    ``lacking`` are the keys that no object has, ``unknown`` the types that this version of
    AI2-THOR's object table lacks; objects of those are left out of ``events``. ``notes`` say what
    else is left out.
    """

    name: str
    folder: Path
    actions: tuple[Mapping[str, Any], ...]
    events: tuple[Metadata, ...]
    lacking: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()
    notes: tuple[str, ...] = field(default=())

    @property
    def scene(self) -> str:
        """The scene's name, in full."""
        return str(self.events[0].get("sceneName") or "recorded")

    @cached_property
    def script(self) -> Script:
        """The actions after the first, from the state that the first event shows."""
        first = self.events[0]
        size = first.get("screenWidth"), first.get("screenHeight")
        width, height = (n if isinstance(n, int) and 0 < n <= 4096 else 300 for n in size)
        initial = dict(self.actions[0])
        begun = initial.pop("action") == "Initialize"
        start = ThorStart(width, height, initialization=initial if begun else {})
        return Script(self.name, self.scene, start, self.actions[1:])

    def frame(self, index: int) -> NDArray[np.uint8] | None:
        """The view after an action, uint8 [H, W, 3]; None if there is no picture.

        Raises:
            SessionError: the picture cannot be read.
        """
        path = self.folder / f"{index:03}.png"
        if not path.exists():
            return None
        try:
            with Image.open(BytesIO(read_plain(path, MOST_PICTURE)), formats=["PNG"]) as picture:
                if picture.width * picture.height > MOST_PIXELS:
                    raise SessionError(f"{path}: the picture has more than {MOST_PIXELS} pixels")
                return np.asarray(picture.convert("RGB"))
        except (OSError, ValueError, SyntaxError) as error:
            raise SessionError(f"{path}: not a readable PNG picture: {error}") from None


# --- Reading


def read_sessions(folder: Path) -> list[RecordedSession]:
    """The sessions in a folder, by name; or the folder itself, if it is a session.

    Raises:
        SessionError: there is none, or one is not as documented.
    """
    if (folder / ACTIONS).is_file():
        return [read_session(folder)]
    found = sorted(path.parent for path in folder.glob(f"*/{ACTIONS}"))
    if not found:
        raise SessionError(
            f"{folder} has no recorded sessions: none of its folders contains {ACTIONS}"
        )
    if len(found) > MOST_SESSIONS:
        raise SessionError(f"{folder} has {len(found)} sessions; at most {MOST_SESSIONS} are read")
    return [read_session(each) for each in found]


def read_session(folder: Path) -> RecordedSession:
    """One session.

    Raises:
        SessionError: a file is missing, too large, or not as documented.
    """
    actions = _actions(folder / ACTIONS, _json(folder / ACTIONS))
    packed = folder / EVENTS
    path = packed if packed.exists() else folder / EVENTS_PLAIN
    events = _events(path, _json(path))
    notes = []
    if len(actions) != len(events):
        notes.append(
            f"{len(actions)} actions and {len(events)} events: only the first"
            f" {min(len(actions), len(events))} are compared"
        )
    both = min(len(actions), len(events))
    objects = [each for event in events for each in event["objects"]]
    lacking = frozenset(key for key in _DEFAULTS if not any(key in each for each in objects))
    unknown = frozenset(str(each["objectType"]) for each in objects) - object_types().keys()
    return RecordedSession(
        folder.name,
        folder,
        actions[:both],
        tuple(_completed(event, unknown) for event in events[:both]),
        lacking,
        unknown,
        tuple(notes),
    )


def _json(path: Path) -> Any:
    try:
        data = read_plain(path, MOST_GIVEN)
        if data[:2] == b"\x1f\x8b":
            with gzip.GzipFile(fileobj=BytesIO(data)) as file:
                data = file.read(MOST_TEXT + 1)
            if len(data) > MOST_TEXT:
                raise SessionError(f"{path}: more than {MOST_TEXT} bytes, unpacked")
        return json.loads(data)
    except SessionError:
        raise
    except OSError as error:
        raise SessionError(f"{path}: {error.strerror or error}") from None
    except (ValueError, EOFError, RecursionError) as error:
        raise SessionError(f"{path} is not JSON text: {error}") from None


def _actions(path: Path, value: Any) -> tuple[Mapping[str, Any], ...]:
    if not isinstance(value, list) or not 0 < len(value) <= MOST_EVENTS:
        raise SessionError(f"{path} is not a list of 1 to {MOST_EVENTS} actions")
    for index, each in enumerate(value):
        if not isinstance(each, dict) or not isinstance(each.get("action"), str):
            raise SessionError(f'{path}: action {index} is not an object with a text "action"')
    # The controller numbers its messages; the number is no argument of the action.
    return tuple({k: v for k, v in each.items() if k != "sequenceId"} for each in value)


def _events(path: Path, value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not 0 < len(value) <= MOST_EVENTS:
        raise SessionError(f"{path} is not a list of 1 to {MOST_EVENTS} events")
    found: list[dict[str, Any]] = []
    for index, each in enumerate(value):
        metadata: Any = each.get("metadata") if isinstance(each, dict) else None
        problem = _problem(metadata)
        if problem:
            raise SessionError(f"{path}: event {index}: {problem}")
        found.append(metadata)
    return found


def _problem(metadata: Any) -> str:
    """What is wrong with an event's metadata; "" for nothing."""
    if not isinstance(metadata, dict):
        return 'it has no object "metadata"'
    objects = metadata.get("objects")
    if not isinstance(objects, list) or len(objects) > MOST_OBJECTS:
        return f'"objects" is not a list of at most {MOST_OBJECTS} objects'
    agent = metadata.get("agent")
    if not isinstance(agent, dict) or not _points(agent, ("position", "rotation")):
        return '"agent" has no position and rotation'
    for each in objects:
        if not isinstance(each, dict) or any(key not in each for key in _NEEDED):
            return f"an object lacks one of {', '.join(_NEEDED)}"
        if not _points(each, ("position", "rotation")):
            return f"{each['objectId']}: position and rotation are not numbers x, y and z"
        box = each["axisAlignedBoundingBox"]
        if not isinstance(box, dict) or not _points(box, ("center", "size")):
            return f"{each['objectId']}: its box has no center and size"
    return ""


def _points(value: Mapping[str, Any], keys: Iterable[str]) -> bool:
    points = [value.get(key) for key in keys]
    return all(
        isinstance(point, dict) and all(isinstance(point.get(axis), int | float) for axis in "xyz")
        for point in points
    )


def _completed(metadata: dict[str, Any], unknown: frozenset[str]) -> dict[str, Any]:
    """Without the objects of unknown types, with a value under each key of AI2-THOR 5."""
    kept = [each for each in metadata["objects"] if each["objectType"] not in unknown]
    ids = {each["objectId"] for each in kept}
    return {
        "inventoryObjects": [],
        **metadata,
        "lastActionSuccess": bool(metadata.get("lastActionSuccess", True)),
        "objects": [_object(each, ids) for each in kept],
        "agent": {"cameraHorizon": 0.0, "isStanding": True, **metadata["agent"]},
    }


def _object(item: dict[str, Any], ids: set[str]) -> dict[str, Any]:
    full = {**_DEFAULTS, "name": item["objectId"], **item}
    if "openness" not in item:
        full["openness"] = 1.0 if full["isOpen"] else 0.0
    for key in _LISTS:
        if isinstance(full[key], Sequence):
            full[key] = [each for each in full[key] if each in ids]
    return full


# --- Playing one back


@dataclass(frozen=True)
class RecordedEvent:
    """A `ThorEvent` that was recorded: metadata and the agent's view."""

    session: RecordedSession
    index: int

    @property
    def metadata(self) -> Metadata:
        """As recorded."""
        return self.session.events[self.index]

    @cached_property
    def frame(self) -> NDArray[np.uint8] | None:
        """See `RecordedSession.frame`."""
        return self.session.frame(self.index)

    def __bool__(self) -> bool:
        return bool(self.metadata["lastActionSuccess"])

    depth_frame = None
    instance_segmentation_frame = None
    semantic_segmentation_frame = None

    @property
    def instance_masks(self) -> Mapping[str, NDArray[np.bool_]]:
        """None were recorded."""
        return {}

    @property
    def instance_detections2D(self) -> Mapping[str, Sequence[int]]:  # noqa: N802
        """None were recorded."""
        return {}

    @property
    def third_party_camera_frames(self) -> Sequence[NDArray[np.uint8]]:
        """None were recorded."""
        return ()

    def get_object(self, object_id: str) -> Mapping[str, Any] | None:
        """See `ThorEvent`."""
        return next((o for o in self.metadata["objects"] if o["objectId"] == object_id), None)

    def objects_by_type(self, object_type: str) -> Sequence[Mapping[str, Any]]:
        """See `ThorEvent`."""
        return [o for o in self.metadata["objects"] if o["objectType"] == object_type]


class RecordedController:
    """A `ThorController` that answers with a session's events, one after the other; ``at`` is the
    first of them."""

    def __init__(self, session: RecordedSession, at: int = 0) -> None:
        self._last = RecordedEvent(session, at)

    @property
    def last_event(self) -> RecordedEvent:
        """See `ThorController`."""
        return self._last

    def reset(self, scene: str | Mapping[str, Any] | None = None, **initial: Any) -> RecordedEvent:
        """Back to the first event."""
        del scene, initial
        self._last = RecordedEvent(self._last.session, 0)
        return self._last

    def step(self, action: str | Mapping[str, Any], **arguments: Any) -> RecordedEvent:
        """The next event, whatever the action. Raises ValueError after the last."""
        del action, arguments
        session, following = self._last.session, self._last.index + 1
        if following == len(session.events):
            raise ValueError(f"the session {session.name} ends after {following} events")
        self._last = RecordedEvent(session, following)
        return self._last

    def stop(self) -> None:
        """See `ThorController`."""
