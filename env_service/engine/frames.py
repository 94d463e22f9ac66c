"""An episode's pictures, on their way from the worker to the engine through shared memory."""

from __future__ import annotations

import mmap
import os
import tempfile
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import cast

import numpy as np

from env_service.domain.observation import (
    EncodedImage,
    EncodedObservation,
    Frame,
    ImageEncoding,
    Observation,
    ObservationRequest,
)
from env_service.engine.messages import SEEN, PackedObservation, PlacedImage
from env_service.storage.frame_store import FrameStore
from env_service.wire.images import Pixels, encode

_STRIDE = 4099
"""Bytes between two that are looked at first: prime, so that no column is missed."""


@dataclass(slots=True)
class _Kept:
    """A picture of the previous observation. ``pixels`` is a copy."""

    pixels: Pixels
    encoding: ImageEncoding
    digest: bytes

    def shows(self, frame: Frame, encoding: ImageEncoding) -> bool:
        """Whether that frame is this picture."""
        if encoding is not self.encoding or not _alike(frame.pixels, self.pixels):
            return False
        theirs, ours = (each.reshape(-1).view(np.uint8) for each in (frame.pixels, self.pixels))
        return np.array_equal(theirs[::_STRIDE], ours[::_STRIDE]) and np.array_equal(theirs, ours)


class FrameSender:
    """The worker's end: encodes, hashes and hands over one episode's pictures, then stores them.

    After each ``pack``, once the answer is on its way, comes ``store``: writing a picture to
    disk takes longer than all the rest, and the agent need not wait for it.
    """

    def __init__(
        self, request: ObservationRequest, page: WritableSharedMemory, store: FrameStore | None
    ) -> None:
        self._encodings = {
            image.channel: image.encodings[0] if image.encodings else ImageEncoding.RAW
            for image in request.images
        }
        self._page = page
        self._store = store
        self._kept: list[_Kept] = []
        self._unstored: list[EncodedImage] = []
        self._problem: OSError | None = None

    def store(self) -> None:
        """Writes the pictures packed last. A failure shows in ``check_stored``."""
        if self._store is None or not self._unstored:
            return
        try:
            for image in self._unstored:
                self._store.put(image)
        except OSError as problem:
            self._problem = problem
        self._unstored.clear()

    def check_stored(self) -> None:
        """Raises the OSError with which a picture could not be stored, if there was one."""
        if self._problem is not None:
            raise self._problem

    def pack(self, observation: Observation) -> PackedObservation:
        """Makes an observation ready to travel. Valid until the page is cleared.

        Raises ValueError for a frame whose
        channel was not granted, or whose pixels do not fit the granted encoding.
        """
        if not observation.frames:
            return (observation.text, (), self._page.size)
        encodings = [self._encoding(frame) for frame in observation.frames]
        known = [
            next((kept for kept in self._kept if kept.shows(frame, encoding)), None)
            for frame, encoding in zip(observation.frames, encodings, strict=True)
        ]
        spare = [kept.pixels for kept in self._kept if all(kept is not each for each in known)]
        packed = []
        self._kept = []
        for frame, encoding, seen in zip(observation.frames, encodings, known, strict=True):
            if seen is None:
                placed, kept = self._send(frame, encoding, spare)
            else:
                placed, kept = (_image(frame, seen), SEEN, 0), seen
            packed.append(placed)
            if all(kept is not each for each in self._kept):
                self._kept.append(kept)
        return (observation.text, tuple(packed), self._page.size)

    def _encoding(self, frame: Frame) -> ImageEncoding:
        if frame.channel not in self._encodings:
            raise ValueError(
                f"the suite shows channel {frame.channel.name}, which was not requested"
            )
        return self._encodings[frame.channel]

    def _send(
        self, frame: Frame, encoding: ImageEncoding, spare: list[Pixels]
    ) -> tuple[PlacedImage, _Kept]:
        data = encode(frame.pixels, encoding)
        kept = _Kept(_copy(frame.pixels, spare), encoding, sha256(data).digest())
        image, offset = _image(frame, kept), self._page.append(data)
        if self._store is not None:
            # The store only writes the data out, so a view is as good as bytes.
            view = self._page.view(offset, len(data))
            self._unstored.append(replace(image, data=cast(bytes, view)))
        return (image, offset, len(data)), kept


class FrameReceiver:
    """The engine's end: puts one episode's observations together again."""

    def __init__(self, page: ReadableSharedMemory) -> None:
        self._page = page
        self._last: dict[tuple[bytes, ImageEncoding], bytes] = {}

    def unpack(self, packed: PackedObservation) -> EncodedObservation:
        """The observation that ``FrameSender.pack`` packed.

        Has to be called for each observation of the episode, in order, before the worker
        is given another request.
        """
        text, images, size = packed
        if not images:
            return EncodedObservation(text)
        whole = tuple(replace(placed[0], data=self._data(placed, size)) for placed in images)
        self._last = {(image.digest, image.encoding): image.data for image in whole}
        return EncodedObservation(text, whole)

    def _data(self, placed: PlacedImage, size: int) -> bytes:
        image, offset, length = placed
        if offset == SEEN:
            return self._last[image.digest, image.encoding]
        return self._page.read(offset, length, size)


def _alike(one: Pixels, other: Pixels) -> bool:
    return one.shape == other.shape and one.dtype == other.dtype


def _copy(pixels: Pixels, spare: list[Pixels]) -> Pixels:
    """A copy, in a spare array where one fits: fresh memory costs more than the copy."""
    index = next((n for n, each in enumerate(spare) if _alike(each, pixels)), None)
    if index is None:
        return pixels.copy()
    target = spare.pop(index)
    np.copyto(target, pixels)
    return target


def _image(frame: Frame, kept: _Kept) -> EncodedImage:
    """A frame, encoded as ``kept`` is, without its data."""
    height, width = frame.pixels.shape[:2]
    return EncodedImage(
        frame.channel, kept.encoding, width, height, frame.role, frame.view, kept.digest, b""
    )


# --- The shared memory in which a worker hands pictures to its engine

_BLOCK = 4096
"""Pictures start at whole blocks, so their memory can be written to a disk without a copy."""

FIRST_SIZE = 4 * 2**20
"""Bytes of a new page: several 512×512 pictures. The system provides memory only as needed."""


def make_shared_memory() -> int:
    """A descriptor of a fresh page, closed by the caller."""
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create("houseguest-frames")
    else:
        with tempfile.TemporaryFile() as file:
            fd = os.dup(file.fileno())
    os.ftruncate(fd, FIRST_SIZE)
    return fd


class WritableSharedMemory:
    """The worker's end."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._map = mmap.mmap(fd, 0)
        self._end = 0

    @property
    def size(self) -> int:
        """Bytes of the whole page. Only ever grows."""
        return len(self._map)

    def clear(self) -> None:
        """Starts the next answer: what was written before may be overwritten."""
        self._end = 0

    def view(self, offset: int, length: int) -> memoryview:
        """That part of the page itself. It changes when the page is cleared and written anew."""
        return memoryview(self._map)[offset : offset + length]

    def append(self, data: bytes | memoryview) -> int:
        """Writes ``data`` at the start of a block, and grows the page if needed.

        Returns the offset.
        """
        start = -(-self._end // _BLOCK) * _BLOCK
        self._end = start + len(data)
        if self._end > self.size:
            self._grow()
        self._map[start : self._end] = data
        return start

    def _grow(self) -> None:
        size = self.size
        while size < self._end:
            size *= 2
        os.ftruncate(self._fd, size)
        # Views of the smaller map stay good: both show the same memory.
        self._map = mmap.mmap(self._fd, size)


class ReadableSharedMemory:
    """The engine's end. Takes over the descriptor."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._map = mmap.mmap(fd, 0, access=mmap.ACCESS_READ)

    def read(self, offset: int, length: int, size: int) -> bytes:
        """A copy of that part of the page, which is now ``size`` bytes in all."""
        if size > len(self._map):
            self._map.close()
            self._map = mmap.mmap(self._fd, size, access=mmap.ACCESS_READ)
        return self._map[offset : offset + length]

    def close(self) -> None:
        """Releases the memory. May be called twice."""
        if not self._map.closed:
            self._map.close()
            os.close(self._fd)
