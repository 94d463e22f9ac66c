"""Smooth outlines: pixels on edges are sampled four more times.

A pixel lies on an edge if a neighbour shows another patch (another smooth part of a surface), be
it solid or glass, or if depth jumps. Such pixels are looked at again at four places, spread so that
level and upright edges alike have four steps. Most of these samples see the patch that the pixel's
middle sees, and take its colour; of the others only one for each patch is coloured.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.render.soft.pixel_ops import Floats
from env_service.worlds.household.render.soft.raster import Samples
from env_service.worlds.household.render.soft.visibility import Seen

F4 = np.float32

OFFSETS = (0.375, 0.875, 0.125, 0.625)
"""The rotated grid: of each of a pixel's four rows one column."""

JUMP = F4(0.006)
"""Second difference of 1/z, in shares of it, at which depth jumps."""

BAND = 32
"""Rows worked on at once."""

SAME = F4(0.015)
"""Difference of 1/z, in shares of it, up to which two samples of a patch share a colour."""


def stacks(seen: Seen, patch: NDArray[np.int32]) -> NDArray[np.int32]:
    """int32 [N], a number for the patches that each sample sees, glass and what lies behind it."""
    padded = np.append(patch, np.int32(-1))
    key = padded.take(seen.triangle)
    for weight, sheet in zip((7919, 104729, 1299709), seen.sheets, strict=False):
        key[sheet.place] += (patch.take(sheet.triangle) + np.int32(1)) * np.int32(weight)
    return key


def on_edges(key: NDArray[np.int32], inverse: Floats) -> NDArray[np.int64]:
    """The pixels on edges, ascending, from stacks and 1/z of all pixels, [H, W] each."""
    found = np.zeros(key.shape, np.bool_)
    for top in range(0, len(key), BAND):
        part = slice(top, top + BAND + 1)
        _mark(key[part], found[part])
        part = slice(max(top - 1, 0), top + BAND + 1)
        _mark_jumps(inverse[part], found[part])
    return np.flatnonzero(found)


def _mark(key: NDArray[np.int32], found: NDArray[np.bool_]) -> None:
    """Marks pixels whose neighbour to one side shows another patch."""
    across, down = key[:, 1:] != key[:, :-1], key[1:] != key[:-1]
    found[:, 1:] |= across
    found[:, :-1] |= across
    found[1:] |= down
    found[:-1] |= down


def _mark_jumps(inverse: Floats, found: NDArray[np.bool_]) -> None:
    """Marks pixels where depth does not continue evenly."""
    limit = inverse * JUMP
    twice = inverse + inverse
    bend = inverse[:, 2:] + inverse[:, :-2] - twice[:, 1:-1]
    found[:, 1:-1] |= np.abs(bend) > limit[:, 1:-1]
    bend = inverse[2:] + inverse[:-2] - twice[1:-1]
    found[1:-1] |= np.abs(bend) > limit[1:-1]


def fine(width: int, height: int, pixels: NDArray[np.int64]) -> Samples:
    """The samples of pixels on edges."""
    return Samples(width, height, OFFSETS, pixels)


@dataclass(frozen=True, eq=False)
class EdgePlan:
    """Which samples are coloured, and where each takes its colour from.

    Attributes:
        shaded: int64 [K], samples to colour.
        source: int64 [4, P], for each sample a place: p below the number of pixels P for the
            middle of the p-th pixel, P + k for the k-th coloured sample.
    """

    shaded: NDArray[np.int64]
    source: NDArray[np.int64]


def plan(
    key: NDArray[np.int32], inverse: Floats, fine_key: NDArray[np.int32], fine_inverse: Floats
) -> EdgePlan:
    """The plan for P pixels: stacks and 1/z [P] of their middles, and [4 * P] of their samples."""
    count = len(key)
    keys, depths = [key], [inverse]
    source = np.zeros((len(OFFSETS) + 1, count), np.int64)
    source[0] = np.arange(count)
    shaded: list[NDArray[np.int64]] = []
    done = count
    for turn in range(len(OFFSETS)):
        part = slice(turn * count, (turn + 1) * count)
        own, depth = fine_key[part], fine_inverse[part]
        place = np.full(count, -1, np.int64)
        for earlier, (other, at) in enumerate(zip(keys, depths, strict=True)):
            alike = (own == other) & (np.abs(depth - at) <= at * SAME) & (place < 0)
            place = np.where(alike, source[earlier], place)
        new = np.flatnonzero(place < 0)
        place[new] = done + np.arange(len(new))
        done += len(new)
        shaded.append(new + turn * count)
        source[turn + 1] = place
        keys.append(own)
        depths.append(depth)
    return EdgePlan(np.concatenate(shaded), source[1:])


def blended(middles: Floats, shaded: Floats, steps: EdgePlan) -> Floats:
    """Mean colours, float32 [3, P], of the samples of each pixel."""
    colors = np.concatenate([middles, shaded], 1)
    total = np.zeros_like(middles)
    for source in steps.source:
        total += colors[:, source]
    return total * F4(1 / len(OFFSETS))
