"""Generated pictures for scenes, in the encodings that the grant names."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from houseguest.agent.v1 import observation_pb2 as pb
from PIL import Image as Pictures

from env_service.conformance.agent.scene import EpisodeScript, ScriptedView
from env_service.domain.text import counted

STRANGE = 99
"""An enum value that this revision does not define."""

LARGE_BYTES = 16_000_000
"""Close to the limit of a message: 16,777,216 bytes."""
LARGE_HEIGHT = 2000

_UNPACKED = {pb.IMAGE_ENCODING_RAW: 3, pb.IMAGE_ENCODING_RAW_F32: 4}
"""Bytes per pixel."""

_FORMATS: dict[int, tuple[str, dict[str, Any]]] = {
    pb.IMAGE_ENCODING_PNG: ("PNG", {}),
    pb.IMAGE_ENCODING_WEBP_LOSSLESS: ("WEBP", {"lossless": True}),
    pb.IMAGE_ENCODING_JPEG: ("JPEG", {"quality": 90}),
}


class Painter:
    """Makes the pictures of one session's episodes, and records which were sent in full."""

    def __init__(self, grant: pb.ObservationRequest, *, references: bool, strange: bool) -> None:
        """
        Args:
            grant: What the session may see.
            references: Send an unchanged picture as a reference.
            strange: Add a picture of an unknown channel to every observation with pictures.
        """
        self.references = references
        self._grant, self._strange = grant, strange
        self._whole: dict[tuple[int, int, str], tuple[int, int]] = {}
        self.referred = self.sent_large = False

    def begin(self) -> None:
        """Starts a new episode: references never point into another one."""
        self._whole.clear()

    def observe(self, script: EpisodeScript, index: int, *, whole: bool = False) -> pb.Observation:
        """Observation ``index`` of an episode; ``whole`` sends no references."""
        steps = counted(index, "step is", "steps are")
        text = f"{script.text} {steps} behind you." if self._grant.text else ""
        if script.large and index:
            return self._large(index, text)
        images = list(self._images(script, index, whole=whole))
        if images and self._strange:
            other = pb.Image(encoding=pb.IMAGE_ENCODING_RAW, width=1, height=1, data=b"abc")
            other.channel = pb.Channel.ValueType(STRANGE)
            other.role = pb.ImageRole.ValueType(STRANGE)
            images.append(other)
        return pb.Observation(index=index, images=images, text=text)

    def _large(self, index: int, text: str) -> pb.Observation:
        """One raw picture, or a text, of almost a message's size; neither if neither is
        granted."""
        seen = pb.Observation(index=index, text=text)
        for asked in self._grant.images:
            if asked.encodings[0] in _UNPACKED:
                width = LARGE_BYTES // _UNPACKED[asked.encodings[0]] // LARGE_HEIGHT
                seen.images.append(_drawn(ScriptedView(width, LARGE_HEIGHT), asked, index))
                break
        else:
            if self._grant.text:
                seen.text = text.ljust(LARGE_BYTES, ".")
        self.sent_large |= seen.ByteSize() > LARGE_BYTES // 2
        return seen

    def _images(self, script: EpisodeScript, index: int, *, whole: bool) -> Iterator[pb.Image]:
        for asked in self._grant.images:
            for view in script.views:
                if view.channel in (0, asked.channel):
                    yield self._image(view, asked, 0 if script.still else index, index, whole=whole)
            if asked.previous_frame and index and script.views:
                before = ScriptedView(script.views[0].width, script.views[0].height)
                image = _drawn(before, asked, 0 if script.still else index - 1)
                image.role = pb.IMAGE_ROLE_PREVIOUS
                yield image

    def _image(
        self, view: ScriptedView, asked: pb.ImageRequest, scene: int, index: int, *, whole: bool
    ) -> pb.Image:
        image = _drawn(view, asked, scene)
        kind = (image.channel, image.role, image.view)
        known_scene, known_index = self._whole.get(kind, (-1, -1))
        if self.references and not whole and known_scene == scene:
            image.ClearField("data")
            image.same_as_observation = known_index
            self.referred = True
        elif not whole:
            self._whole[kind] = (scene, index)
        return image


def _drawn(view: ScriptedView, asked: pb.ImageRequest, scene: int) -> pb.Image:
    encoding = asked.encodings[0]
    image = pb.Image(channel=asked.channel, encoding=encoding, width=view.width, height=view.height)
    image.role = pb.ImageRole.ValueType(view.role)
    image.view = view.name
    image.data = _encoded(view.width, view.height, encoding, scene)
    return image


@lru_cache(maxsize=64)
def _encoded(width: int, height: int, encoding: int, scene: int) -> bytes:
    """A gradient that moves from scene to scene; depth in metres from 0 to 10."""
    across = np.arange(width, dtype=np.uint32)[None, :]
    down = np.arange(height, dtype=np.uint32)[:, None]
    if encoding == pb.IMAGE_ENCODING_RAW_F32:
        depth = ((across + down + scene) % 100) / 10.0
        return depth.astype("<f4").tobytes()
    samples = np.stack(
        [(across * 3 + down + scene * 16) % 256, (across + down * 3) % 256, (across ^ down) % 256],
        axis=-1,
    ).astype(np.uint8)
    if encoding not in _FORMATS:
        return samples.tobytes()
    name, options = _FORMATS[encoding]
    file = io.BytesIO()
    Pictures.fromarray(samples).save(file, name, **options)
    return file.getvalue()
