"""AI2-THOR's FIFO protocol, the player's side: the pipes, their framing, and events as messages
as `ai2thor.fifo_server` of ai2thor 5.0.0 reads them.
"""

import errno
import fcntl
import json
import os
import struct
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from functools import cache
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

HEADER = struct.Struct("!BI")
PIPE_SIZE = 1 << 20
"""Bytes that a pipe may hold; Linux's default of 64 KiB costs a switch of process per chunk."""
OPEN_PAUSE = 0.005
"""Seconds between two looks for the controller at the other end."""


class Field(IntEnum):
    """The types of fields, by their byte."""

    METADATA = 1
    ACTION = 2
    COLOR = 4
    DEPTH = 5
    NORMALS = 6
    CLASSES = 8
    INSTANCES = 9
    THIRD_PARTY_COLOR = 10
    METADATA_PATCH = 11
    THIRD_PARTY_DEPTH = 12
    THIRD_PARTY_NORMALS = 13
    THIRD_PARTY_INSTANCES = 14
    THIRD_PARTY_CLASSES = 15
    END = 255


class ControllerGoneError(Exception):
    """The controller closed its end of a pipe."""


class ProtocolError(Exception):
    """The received bytes are not a message of the protocol."""


def encode(fields: Iterable[tuple[Field, bytes]]) -> list[bytes]:
    """A message as pieces to write one after the other."""
    pieces: list[bytes] = []
    for kind, body in fields:
        pieces += (HEADER.pack(kind, len(body)), body)
    return [*pieces, HEADER.pack(Field.END, 0)]


class Pipes:
    """Both pipes, opened at first use in the order that the controller expects."""

    def __init__(self, to_controller: str, from_controller: str) -> None:
        self._to_path, self._from_path = to_controller, from_controller
        self._to: int | None = None
        self._from: int | None = None

    def send(self, pieces: Iterable[bytes]) -> None:
        """Writes the pieces of a message, all of them.

        Raises:
            ControllerGoneError: the controller closed its end.
        """
        out = self.open_for_sending()
        for piece in pieces:
            view = memoryview(piece)
            while view:
                try:
                    view = view[os.write(out, view) :]
                except BrokenPipeError:
                    raise ControllerGoneError from None

    def open_for_sending(self) -> int:
        """The descriptor of the pipe to the controller; waits until the controller opens it for
        reading."""
        while self._to is None:
            try:
                descriptor = os.open(self._to_path, os.O_WRONLY | os.O_NONBLOCK)
            except FileNotFoundError:
                raise ControllerGoneError from None
            except OSError as error:
                if error.errno != errno.ENXIO:
                    raise
                time.sleep(OPEN_PAUSE)
                continue
            os.set_blocking(descriptor, True)
            _widen(descriptor)
            self._to = descriptor
        return self._to

    def receive(self) -> Mapping[str, Any]:
        """The next action.

        Raises:
            ControllerGoneError: the controller closed its end.
            ProtocolError: the message is not an action.
        """
        if self._from is None:
            self._from = os.open(self._from_path, os.O_RDONLY)
            _widen(self._from)
        action: Mapping[str, Any] | None = None
        while True:
            kind, length = HEADER.unpack(self._read(self._from, HEADER.size))
            if kind == Field.END:
                break
            if kind != Field.ACTION:
                raise ProtocolError(f"a field of type {kind} where an action was expected")
            action = _action(self._read(self._from, length))
        if action is None:
            raise ProtocolError("a message without an action")
        return action

    def close(self) -> None:
        """Closes both pipes."""
        for descriptor in (self._to, self._from):
            if descriptor is not None:
                os.close(descriptor)
        self._to = self._from = None

    @staticmethod
    def _read(descriptor: int, count: int) -> bytes:
        chunks: list[bytes] = []
        while count:
            chunk = os.read(descriptor, count)
            if not chunk:
                raise ControllerGoneError
            chunks.append(chunk)
            count -= len(chunk)
        return b"".join(chunks)


def _action(body: bytes) -> Mapping[str, Any]:
    try:
        action = json.loads(body)
    except ValueError as error:
        raise ProtocolError(f"an action that is not JSON: {error}") from None
    if not isinstance(action, dict):
        raise ProtocolError(f"an action that is not a mapping: {type(action).__name__}")
    return action


def _widen(descriptor: int) -> None:
    """Asks for a larger pipe; if the kernel refuses, the size stays."""
    request = getattr(fcntl, "F_SETPIPE_SZ", None)
    if request is not None:
        try:
            fcntl.fcntl(descriptor, request, PIPE_SIZE)
        except OSError:
            return


# --- An event of the household world as a message of AI2-THOR's FIFO protocol

PATCH_KEYS = (
    "lastAction",
    "errorMessage",
    "errorCode",
    "lastActionSuccess",
    "agentId",
    "actionReturn",
)
"""What a metadata patch holds (`MetadataWrapper` of ai2thor 5.0.0)."""

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
    """Imported at first use, so that a player without it can say what is missing."""
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
