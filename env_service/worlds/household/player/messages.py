"""An event of the household world as a message of AI2-THOR's FIFO protocol.

Pictures go bottom row first, as Unity reads them back; colours have four bytes a pixel like the
real player's, unless told otherwise. What did not change since the last message is not encoded
again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.player.fifo import Field

PATCH_KEYS = (
    "lastAction",
    "errorMessage",
    "errorCode",
    "lastActionSuccess",
    "agentId",
    "actionReturn",
)
"""What a metadata patch holds (spec: ai2thor.md section 3.1)."""

Picture = NDArray[Any]


class Shown(Protocol):
    """What a message is made of: the part of an event that the protocol carries."""

    @property
    def metadata(self) -> Mapping[str, Any]: ...

    @property
    def frame(self) -> Picture | None: ...

    @property
    def depth_frame(self) -> Picture | None: ...

    @property
    def normals_frame(self) -> Picture | None: ...

    @property
    def instance_segmentation_frame(self) -> Picture | None: ...

    @property
    def semantic_segmentation_frame(self) -> Picture | None: ...

    @property
    def third_party_camera_frames(self) -> Sequence[Picture]: ...

    @property
    def third_party_depth_frames(self) -> Sequence[Picture]: ...

    @property
    def third_party_normals_frames(self) -> Sequence[Picture]: ...

    @property
    def third_party_instance_segmentation_frames(self) -> Sequence[Picture]: ...

    @property
    def third_party_semantic_segmentation_frames(self) -> Sequence[Picture]: ...


class Messages:
    """Writes messages; one per player, since it remembers the pictures it wrote last."""

    def __init__(self, channels: int = 4) -> None:
        self._channels = channels
        self._written: dict[tuple[Field, int], tuple[Picture, bytes]] = {}

    def full(
        self, event: Shown, sequence: int, *, pictures: bool = True
    ) -> list[tuple[Field, bytes]]:
        """Metadata and all pictures of an event, as fields in the real player's order."""
        metadata = event.metadata
        top = {
            "agents": [metadata],
            "thirdPartyCameras": metadata["thirdPartyCameras"],
            "activeAgentId": 0,
            "sequenceId": sequence,
        }
        fields = [(Field.METADATA, pack(top))]
        if not pictures:
            return fields
        views: tuple[tuple[Field, Sequence[Picture], Callable[[Picture], bytes]], ...] = (
            (Field.THIRD_PARTY_COLOR, event.third_party_camera_frames, self._colors),
            (Field.THIRD_PARTY_DEPTH, event.third_party_depth_frames, _depths),
            (Field.THIRD_PARTY_NORMALS, event.third_party_normals_frames, self._colors),
            (
                Field.THIRD_PARTY_INSTANCES,
                event.third_party_instance_segmentation_frames,
                _with_alpha,
            ),
            (
                Field.THIRD_PARTY_CLASSES,
                event.third_party_semantic_segmentation_frames,
                self._colors,
            ),
            (Field.COLOR, _listed(event.frame), self._colors),
            (Field.DEPTH, _listed(event.depth_frame), _depths),
            (Field.NORMALS, _listed(event.normals_frame), self._colors),
            (Field.INSTANCES, _listed(event.instance_segmentation_frame), _with_alpha),
            (Field.CLASSES, _listed(event.semantic_segmentation_frame), self._colors),
        )
        for kind, shown, write in views:
            fields += [(kind, self._body(kind, k, view, write)) for k, view in enumerate(shown)]
        return fields

    @staticmethod
    def patch(metadata: Mapping[str, Any]) -> list[tuple[Field, bytes]]:
        """The short answer to an action that changed nothing that can be seen."""
        return [(Field.METADATA_PATCH, pack({key: metadata[key] for key in PATCH_KEYS}))]

    def _body(
        self, kind: Field, place: int, view: Picture, write: Callable[[Picture], bytes]
    ) -> bytes:
        before = self._written.get((kind, place))
        if before is not None and before[0] is view:
            return before[1]
        body = write(view)
        self._written[kind, place] = (view, body)
        return body

    def _colors(self, view: Picture) -> bytes:
        return _with_alpha(view) if self._channels == 4 else view[::-1].tobytes()


def pack(value: object) -> bytes:
    """Msgpack, as the controller reads it. ModuleNotFoundError where msgpack is not installed."""
    packed: bytes = _packer()(value, use_bin_type=True)
    return packed


@cache
def _packer() -> Callable[..., bytes]:
    """Found when it is first used, so that a player without it can say what is missing."""
    packer: Callable[..., bytes] = import_module("msgpack").packb
    return packer


def _listed(view: Picture | None) -> tuple[Picture, ...]:
    return () if view is None else (view,)


def _with_alpha(view: Picture) -> bytes:
    """uint8 [H, W, 3] as rows of RGBA, bottom row first."""
    height, width = view.shape[:2]
    wide = np.full((height, width, 4), 255, np.uint8)
    wide[:, :, :3] = view[::-1]
    return wide.tobytes()


def _depths(view: Picture) -> bytes:
    """float32 [H, W], bottom row first."""
    return view[::-1].astype("<f4", copy=False).tobytes()
