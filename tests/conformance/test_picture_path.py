"""How many forms a picture takes between the renderer and the wire."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.picture_path import Handover, record

PLAIN = ("array", "bytes")
"""Pixels, or the bytes of a picture, in nothing of ours."""
KEPT = "_Kept"
"""What the worker compares the next picture with: it goes nowhere."""


def test_a_picture_takes_three_forms_and_then_that_of_the_wire() -> None:
    worker, service = record()
    assert forms(worker) == ["CameraPictures", "Frame"]
    assert forms(service) == ["EncodedImage", "StepAnswer"]


def forms(handovers: Sequence[Handover]) -> list[str]:
    """The types that held the picture, in order."""
    held = dict.fromkeys(each.holder for each in handovers)
    return [name for name in held if name not in (*PLAIN, KEPT)]
