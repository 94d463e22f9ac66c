"""The observations that every peer carries: a page of text, or a raw picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Frame = NDArray[np.uint8]

TEXT_BYTES = 300
FRAME_SHAPE = (512, 512, 3)
FRAME_BYTES = 512 * 512 * 3
FRAMES = 4
"""Pictures that take turns: no two successive ones are equal, and together they are larger
than a processor core's own cache."""

_NUMBER_BYTES = 8
_SCENE = (
    "You are in the kitchen. In front of you there is a counter with a sink; on it you see a"
    " mug, a plate with an apple, a knife and a kettle. The fridge on the left is closed. The"
    " door behind you leads to the hall. Your hands are empty. The last action succeeded."
)


def text(step: int) -> str:
    """The observation of a text-only step: TEXT_BYTES of ASCII that name the step."""
    return f"Step {step:08d}. {_SCENE}".ljust(TEXT_BYTES)[:TEXT_BYTES]


def step_of_text(observation: str) -> int:
    """The step that ``text`` was made for."""
    return int(observation[5:13])


def number(step: int) -> bytes:
    """A step as the first bytes of a message or a picture: big-endian, 8 bytes."""
    return step.to_bytes(_NUMBER_BYTES, "big")


def step_of_bytes(observation: bytes) -> int:
    """The step whose ``number`` an observation begins with."""
    return int.from_bytes(observation[:_NUMBER_BYTES], "big")


def step_of_frame(frame: Frame) -> int:
    """The step that was written into a picture."""
    return step_of_bytes(frame.reshape(-1)[:_NUMBER_BYTES].tobytes())


class Frames:
    """FRAMES pictures, uint8 of FRAME_SHAPE, each overwritten with the step it is shown in.

    Lit surfaces, edges and a little grain: neither flat nor noise alone, since one of the
    peers compresses what it sends.
    """

    def __init__(self) -> None:
        generator = np.random.default_rng(0)
        self._frames = [_picture(generator) for _ in range(FRAMES)]

    def at(self, step: int) -> Frame:
        """The picture of a step. Valid until FRAMES steps later."""
        frame = self._frames[step % FRAMES]
        frame.reshape(-1)[:_NUMBER_BYTES] = np.frombuffer(number(step), np.uint8)
        return frame


def _picture(generator: np.random.Generator) -> Frame:
    height, width, channels = FRAME_SHAPE
    surfaces = generator.integers(30, 200, (16, 16, channels))
    picture = surfaces.repeat(height // 16, axis=0).repeat(width // 16, axis=1)
    picture += np.linspace(0, 40, width, dtype=np.int64)[None, :, None]
    picture += generator.integers(-2, 3, FRAME_SHAPE)
    return picture.clip(0, 255).astype(np.uint8)
