"""The result of a step: the package's event, with its pictures in the usual layout.

The package's pictures are views of a message, upside down in memory and some with a fourth channel
(docs/ai2thor.md, "Platforms"). This event makes read-only copies of them on demand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Depths = NDArray[np.float32]
Masks = Mapping[str, NDArray[np.bool_]]


class Pictures:
    """The pictures of one message, by the meanings that they have in `Ai2ThorEvent`; ``other``
    are third-party cameras'. Events that change metadata alone share them."""

    def __init__(self, raw: Any) -> None:
        """``raw``: an event of the package, of one agent."""
        self._raw = raw

    @cached_property
    def frame(self) -> Bytes | None:
        return _colors(self._raw.frame)

    @cached_property
    def depth(self) -> Depths | None:
        return _depths(self._raw.depth_frame, self._raw)

    @cached_property
    def normals(self) -> Bytes | None:
        return _colors(self._raw.normals_frame)

    @cached_property
    def instances(self) -> Bytes | None:
        return _colors(self._raw.instance_segmentation_frame)

    @cached_property
    def classes(self) -> Bytes | None:
        return _colors(self._raw.semantic_segmentation_frame)

    @property
    def masks(self) -> Masks:
        masks: Masks = self._raw.instance_masks
        return masks

    @property
    def boxes(self) -> Mapping[str, Sequence[int]]:
        return self._raw.instance_detections2D or {}

    @property
    def class_masks(self) -> Masks:
        masks: Masks = self._raw.class_masks
        return masks

    @property
    def class_boxes(self) -> Mapping[str, Sequence[Sequence[int]]]:
        boxes: Mapping[str, Sequence[Sequence[int]]] = self._raw.class_detections2D
        return boxes

    @cached_property
    def other_frames(self) -> list[Bytes]:
        return _present(map(_colors, self._raw.third_party_camera_frames))

    @cached_property
    def other_depths(self) -> list[Depths]:
        return _present(_depths(each, self._raw) for each in self._raw.third_party_depth_frames)

    @cached_property
    def other_normals(self) -> list[Bytes]:
        return _present(map(_colors, self._raw.third_party_normals_frames))

    @cached_property
    def other_instances(self) -> list[Bytes]:
        return _present(map(_colors, self._raw.third_party_instance_segmentation_frames))

    @cached_property
    def other_classes(self) -> list[Bytes]:
        return _present(map(_colors, self._raw.third_party_semantic_segmentation_frames))

    @property
    def other_masks(self) -> list[Masks]:
        return list(self._raw.third_party_instance_masks)

    @property
    def other_class_masks(self) -> list[Masks]:
        return list(self._raw.third_party_class_masks)


class Ai2ThorEvent:
    """An event of AI2-THOR; true if its action succeeded. A `ThorEvent`.

    It has the attributes of `ai2thor.server.Event`. Pictures that were not asked for are None,
    their masks and boxes empty. Of several agents it shows the one that acted.
    """

    def __init__(self, raw: Any, pictures: Pictures) -> None:
        """``raw``: the package's event of one agent, which shows these pictures."""
        self._raw, self._pictures = raw, pictures

    def __bool__(self) -> bool:
        return bool(self.metadata["lastActionSuccess"])

    def __repr__(self) -> str:
        found = self.metadata
        return (
            f"<Ai2ThorEvent {found['lastAction']} success={bool(self)} "
            f"error={found['errorMessage']!r} actionReturn={str(found['actionReturn'])[:100]}>"
        )

    @property
    def events(self) -> list[Ai2ThorEvent]:
        """One event per agent: itself."""
        return [self]

    @property
    def metadata(self) -> dict[str, Any]:
        """AI2-THOR's metadata. What is inside may be shared with the next event: do not change
        it. An error's text comes without the engine's stack trace."""
        found: dict[str, Any] = self._raw.metadata
        return found

    @property
    def screen_width(self) -> int:
        """Pixels."""
        return int(self._raw.screen_width)

    @property
    def screen_height(self) -> int:
        """Pixels."""
        return int(self._raw.screen_height)

    @property
    def frame(self) -> Bytes | None:
        """See `ThorEvent`."""
        return self._pictures.frame

    @property
    def cv2img(self) -> Bytes | None:
        """The frame with blue first, as OpenCV has it."""
        return None if self.frame is None else self.frame[..., ::-1]

    @property
    def depth_frame(self) -> Depths | None:
        """See `ThorEvent`."""
        return self._pictures.depth

    @property
    def normals_frame(self) -> Bytes | None:
        """Normals as colours, uint8 [H, W, 3]; None unless Initialize asked for them."""
        return self._pictures.normals

    @property
    def instance_segmentation_frame(self) -> Bytes | None:
        """See `ThorEvent`."""
        return self._pictures.instances

    @property
    def semantic_segmentation_frame(self) -> Bytes | None:
        """See `ThorEvent`."""
        return self._pictures.classes

    @property
    def instance_masks(self) -> Masks:
        """See `ThorEvent`."""
        return self._pictures.masks

    @property
    def class_masks(self) -> Masks:
        """Class -> bool [H, W]; only classes in the picture."""
        return self._pictures.class_masks

    @property
    def instance_detections2D(self) -> Mapping[str, Sequence[int]]:  # noqa: N802 - AI2-THOR's
        """See `ThorEvent`."""
        return self._pictures.boxes

    @property
    def class_detections2D(self) -> Mapping[str, Sequence[Sequence[int]]]:  # noqa: N802 - AI2-THOR's
        """Class -> a box, as in `instance_detections2D`, for each of its objects."""
        return self._pictures.class_boxes

    @property
    def color_to_object_id(self) -> Mapping[tuple[int, int, int], str]:
        """The colour table, both ways; empty without segmentation."""
        table: Mapping[tuple[int, int, int], str] = self._raw.color_to_object_id
        return table

    @property
    def object_id_to_color(self) -> Mapping[str, tuple[int, int, int]]:
        """See `color_to_object_id`."""
        table: Mapping[str, tuple[int, int, int]] = self._raw.object_id_to_color
        return table

    @property
    def third_party_camera_frames(self) -> list[Bytes]:
        """See `ThorEvent`."""
        return self._pictures.other_frames

    @property
    def third_party_depth_frames(self) -> list[Depths]:
        """Depth, per third-party camera."""
        return self._pictures.other_depths

    @property
    def third_party_normals_frames(self) -> list[Bytes]:
        """Normals, per third-party camera."""
        return self._pictures.other_normals

    @property
    def third_party_instance_segmentation_frames(self) -> list[Bytes]:
        """Instance colours, per third-party camera."""
        return self._pictures.other_instances

    @property
    def third_party_semantic_segmentation_frames(self) -> list[Bytes]:
        """Class colours, per third-party camera."""
        return self._pictures.other_classes

    @property
    def third_party_instance_masks(self) -> list[Masks]:
        """Instance masks, per third-party camera."""
        return self._pictures.other_masks

    @property
    def third_party_class_masks(self) -> list[Masks]:
        """Class masks, per third-party camera."""
        return self._pictures.other_class_masks

    @property
    def pose(self) -> tuple[int, int, int, int]:
        """x, z, yaw and horizon of the agent, in thousandths."""
        x, z, yaw, horizon = self._raw.pose
        return (x, z, yaw, horizon)

    @property
    def pose_discrete(self) -> tuple[int, int, int, int]:
        """x and z in quarters of a metre, yaw in quarter turns, horizon in degrees."""
        x, z, yaw, horizon = self._raw.pose_discrete
        return (x, z, yaw, horizon)

    @property
    def _objects(self) -> list[dict[str, Any]]:
        return self.metadata["objects"] or []

    def get_object(self, object_id: str) -> dict[str, Any] | None:
        """See `ThorEvent`."""
        return next((o for o in self._objects if o["objectId"] == object_id), None)

    def objects_by_type(self, object_type: str) -> list[dict[str, Any]]:
        """See `ThorEvent`."""
        return [o for o in self._objects if o["objectType"] == object_type]


def _colors(view: Bytes | None) -> Bytes | None:
    if view is None:
        return None
    own = np.empty((*view.shape[:2], 3), np.uint8)
    for channel in range(3):  # five times as fast as all in one
        own[..., channel] = view[..., channel]
    own.flags.writeable = False
    return own


def _depths(view: Depths | None, raw: Any) -> Depths | None:
    if view is None:
        return None
    own = np.ascontiguousarray(view, np.float32).reshape(raw.screen_height, raw.screen_width)
    own.flags.writeable = False
    return own


def _present(pictures: Iterable[Any]) -> list[Any]:
    return [picture for picture in pictures if picture is not None]
