"""Which triangle is seen where: the visibility buffer.

A row of samples crosses a triangle in one span. Spans of all triangles are found at once, one per
triangle and row; each span then becomes fragments, one per sample in it, and of all fragments that
fall on a sample the nearest stays. Nearness and name are packed into one 64-bit number, the bits
of 1/z above and the triangle below, so that "the nearest stays" is a maximum, whose result does not
depend on the order.

Samples are either a whole grid, or some samples of a grid: then a span is turned into a range of
the list of wanted samples, and only these become fragments. That makes it cheap to sample the
pixels on edges more finely than the rest.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.render.soft.projection import Outlines

F4 = np.float32
NONE = -1

ROWS = 1 << 15
"""Rows of triangles worked on at once: their arrays stay within a processor's cache."""

BATCH = 1 << 16
"""Fragments made at once."""

TILE = 4
"""Pixels of a tile's side; triangles over tiles without a pixel that matters are skipped."""

LOW = 0xFFFFFFFF

BEHIND = F4(1 - 1e-5)
"""Share of a layer's 1/z below which another one lies behind it."""


@dataclass(frozen=True, eq=False)
class Samples:
    """Where a picture is sampled.

    A grid has `rows_per_pixel` rows of samples for each row of pixels; samples of the r-th of them
    lie `offsets[r]` right of their pixel's left side. Pixels are sampled once, at their middle, or
    several times, at places spread over both axes.

    Attributes:
        width, height: pixels.
        offsets: for each row within a pixel, in [0, 1).
        pixels: int64 [P], ascending places y * width + x of the pixels that matter, None for all.

    The samples are numbered row by row where all matter. Where pixels are chosen, all first
    samples of these come first, then all second ones, and so on.
    """

    width: int
    height: int
    offsets: tuple[float, ...] = (0.5,)
    pixels: NDArray[np.int64] | None = None

    @property
    def rows(self) -> int:
        """Rows of samples."""
        return self.height * len(self.offsets)

    @property
    def count(self) -> int:
        """How many samples there are."""
        if self.pixels is None:
            return self.rows * self.width
        return len(self.pixels) * len(self.offsets)

    @cached_property
    def before(self) -> NDArray[np.int32]:
        """int32 [height * width + 1]: how many chosen pixels lie before each."""
        flags = np.zeros(self.height * self.width + 1, np.int32)
        if self.pixels is not None:
            flags[self.pixels + 1] = 1
        return np.cumsum(flags, dtype=np.int32)

    @cached_property
    def tiles(self) -> NDArray[np.int32]:
        """int32 [tile rows + 1, tile columns + 1]: chosen pixels above and to the left."""
        high, wide = -(-self.height // TILE), -(-self.width // TILE)
        pixels = np.zeros(0, np.int64) if self.pixels is None else self.pixels
        row, column = pixels // self.width, pixels % self.width
        counts = np.bincount(row // TILE * wide + column // TILE, minlength=high * wide)
        table = np.zeros((high + 1, wide + 1), np.int32)
        table[1:, 1:] = counts.reshape(high, wide).cumsum(0).cumsum(1)
        return table

    @cached_property
    def columns(self) -> NDArray[np.int32]:
        """int32 [count]: the column of each sample, where pixels are chosen."""
        pixels = np.zeros(0, np.int64) if self.pixels is None else self.pixels
        return np.tile((pixels % self.width).astype(np.int32), len(self.offsets))

    def spots(self, chosen: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Where samples lie, x and y in pixels, float32 [N]."""
        if self.pixels is None:
            row = (chosen // self.width).astype(np.int32)
            column = (chosen - row * np.int64(self.width)).astype(F4)
            return column + F4(self.offsets[0]), row.astype(F4) + F4(0.5)
        turn = (chosen // max(len(self.pixels), 1)).astype(np.int32)
        pixel = self.pixels.take(chosen - turn * np.int64(len(self.pixels)))
        row = (pixel // self.width).astype(np.int32)
        column = (pixel - row * np.int64(self.width)).astype(F4)
        fine = len(self.offsets)
        down = (turn.astype(F4) + F4(0.5)) * F4(1 / fine)
        return column + np.array(self.offsets, F4).take(turn), row.astype(F4) + down


@dataclass(frozen=True, eq=False)
class Visible:
    """What samples see.

    Attributes:
        outline: int32 [K], place in the Outlines of what is seen, NONE for nothing.
        inverse: float32 [K], its 1/z; that of the far plane where nothing is seen.
    """

    outline: NDArray[np.int32]
    inverse: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Spans:
    """Runs of samples in rows.

    Attributes:
        outline: int64 [S].
        first: int32 [S], number of the first sample.
        length: int32 [S], at least 1.
        start: float32 [S], 1/z in the grid's `column`, on the row of the span.
        slope: float32 [S], its growth from one column to the next.
        column: int32 [S], the grid's column where the span starts.
    """

    outline: NDArray[np.int64]
    first: NDArray[np.int32]
    length: NDArray[np.int32]
    start: NDArray[np.float32]
    slope: NDArray[np.float32]
    column: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Fragments:
    """Samples of triangles, hidden ones too.

    Attributes:
        sample: int32 [F].
        inverse: float32 [F], 1/z.
        outline: int64 [F].
    """

    sample: NDArray[np.int32]
    inverse: NDArray[np.float32]
    outline: NDArray[np.int64]


Fill = Callable[[Outlines, Samples, NDArray[np.int64]], None]
"""Brings all fragments into an array of the greatest keys, int64 [count]; see `fill`."""


def fill(lines: Outlines, samples: Samples, best: NDArray[np.int64]) -> None:
    """Raises `best` to the keys of all fragments: the bits of 1/z above, outline + 1 below."""
    for part in fragments(lines, samples):
        key = _key_bits(part.inverse)
        key |= part.outline + 1
        np.maximum.at(best, part.sample, key)


def look(lines: Outlines, samples: Samples, far: float, fill_: Fill = fill) -> Visible:
    """What is nearest at each sample, up to `far` metres."""
    best = np.full(samples.count, _key_bits(np.array(1.0 / far, F4)), np.int64)
    fill_(lines, samples, best)
    return Visible((best & LOW).astype(np.int32) - np.int32(1), _inverse(best))


def _key_bits(inverse: NDArray[np.float32]) -> NDArray[np.int64]:
    """1/z as the upper half of a number; positive float32 numbers rise with their bits."""
    return inverse.view(np.int32).astype(np.int64) << 32


def _inverse(key: NDArray[np.int64]) -> NDArray[np.float32]:
    return (key >> 32).astype(np.int32).view(F4)


def peel(
    lines: Outlines, samples: Samples, solid: NDArray[np.float32], layers: int
) -> list[Fragments]:
    """The nearest layers before solid surfaces, whose 1/z is float32 [count], nearest first.

    Each layer has at most one fragment for a sample, in ascending order; empty ones are left out.
    """
    found: list[Fragments] = []
    parts = list(fragments(lines, samples))
    if not parts:
        return found
    sample, inverse, outline = (
        np.concatenate(columns)
        for columns in zip(*((p.sample, p.inverse, p.outline) for p in parts), strict=True)
    )
    open_ = np.flatnonzero(inverse > solid.take(sample))
    sample, inverse, outline = sample[open_], inverse[open_], outline[open_]
    for _ in range(layers):
        if not len(sample):
            break
        flags = np.zeros(samples.count, np.bool_)
        flags[sample] = True
        hit = np.flatnonzero(flags)
        place = np.zeros(samples.count, np.int32)
        place[hit] = np.arange(len(hit), dtype=np.int32)
        best = np.zeros(len(hit), np.int64)
        at = place.take(sample)
        np.maximum.at(best, at, _key_bits(inverse) | outline)
        nearest = _inverse(best)
        found.append(Fragments(hit.astype(np.int32), nearest, best & LOW))
        behind = np.flatnonzero(inverse < (nearest * BEHIND).take(at))
        sample, inverse, outline = sample[behind], inverse[behind], outline[behind]
    return found


def fragments(lines: Outlines, samples: Samples) -> Iterator[Fragments]:
    """All fragments, by outline, in portions."""
    first, last = rows(lines, samples)
    wanted = np.flatnonzero((last > first) & touched(lines, samples, first, last))
    height = (last - first)[wanted]
    ends = np.cumsum(height)
    begin = done = 0
    while begin < len(wanted):
        end = max(int(np.searchsorted(ends, done + ROWS)), begin + 1)
        part = wanted[begin:end]
        found = spans(lines, samples, part, first[part], height[begin:end])
        yield from _filled(found, samples)
        begin, done = end, int(ends[end - 1])


def rows(lines: Outlines, samples: Samples) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The first row of samples in each outline, and the first one below it."""
    fine = len(samples.offsets)
    first = np.clip(np.ceil(lines.top * fine - 0.5), 0, samples.rows).astype(np.int32)
    last = np.clip(np.ceil(lines.bottom * fine - 0.5), 0, samples.rows).astype(np.int32)
    return first, last


def touched(
    lines: Outlines, samples: Samples, first: NDArray[np.int32], last: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Whether the tiles under outlines have any pixel that matters."""
    if samples.pixels is None:
        return np.ones(len(first), np.bool_)
    table = samples.tiles
    fine = len(samples.offsets) * TILE
    high = table.shape[0] - 1
    left = np.clip(lines.left, 0, samples.width - 1).astype(np.int64) // TILE
    right = np.clip(lines.right, 0, samples.width - 1).astype(np.int64) // TILE + 1
    top, bottom = first // fine, np.minimum((last - 1) // fine + 1, high)
    inner = table[bottom, right] - table[top, right] - table[bottom, left] + table[top, left]
    hit: NDArray[np.bool_] = inner > 0
    return hit


def spans(
    lines: Outlines,
    samples: Samples,
    chosen: NDArray[np.int64],
    first: NDArray[np.int32],
    height: NDArray[np.int32],
) -> Spans:
    """The spans of chosen outlines over the samples that matter, from their first rows on."""
    fine, width = len(samples.offsets), np.int32(samples.width)
    row = np.arange(int(height.sum()), dtype=np.int32)
    row += np.repeat((first - (np.cumsum(height) - height)).astype(np.int32), height)
    y = row.astype(np.float64)
    y += 0.5
    y /= fine
    pixel_row = row // np.int32(fine)
    turn = row - pixel_row * np.int32(fine)
    offset = np.array(samples.offsets).take(turn) if fine > 1 else np.array(samples.offsets)
    a = _along(lines.long[:, chosen], height, y)
    b = _along(*_halves(lines, chosen, first, height, fine), y)
    left = np.clip(np.ceil(np.minimum(a, b) - offset), 0, width).astype(np.int32)
    right = np.clip(np.ceil(np.maximum(a, b) - offset), 0, width).astype(np.int32)
    begin = pixel_row * width
    if samples.pixels is None:
        begin += left
        length = right - left
    else:
        right += begin
        begin += left
        begin = samples.before.take(begin)
        length = samples.before.take(right) - begin
        turn *= np.int32(len(samples.pixels))
        begin += turn
    kept = np.flatnonzero(length > 0)
    outline, left, y = np.repeat(chosen, height).take(kept), left.take(kept), y.take(kept)
    if fine > 1:
        offset = offset.take(kept)
    c, gx, gy = (plane.take(outline) for plane in lines.depth)
    start = (c + gy * y + gx * (left + offset)).astype(F4)
    return Spans(outline, begin.take(kept), length.take(kept), start, gx.astype(F4), left)


def _halves(
    lines: Outlines,
    chosen: NDArray[np.int64],
    first: NDArray[np.int32],
    height: NDArray[np.int32],
    fine: int,
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """The short edges of chosen outlines, float64 [2, 2 * N], the upper one of each before the
    lower one, and how many rows each one bounds."""
    middle = np.ceil(lines.middle.take(chosen) * fine - 0.5)  # first row not above it; exact
    upper = np.clip(middle - first, 0, height).astype(np.int32)
    counts = np.stack([upper, height - upper], 1).reshape(-1)
    return lines.short[:, :, chosen].transpose(0, 2, 1).reshape(2, -1), counts


def _along(
    edges: NDArray[np.float64], counts: NDArray[np.int32], y: NDArray[np.float64]
) -> NDArray[np.float64]:
    """x on edges (base and slope), each of which bounds so many rows, at the rows' y."""
    x = np.repeat(edges[1], counts)
    x *= y
    x += np.repeat(edges[0], counts)
    return x


def _filled(found: Spans, samples: Samples) -> Iterator[Fragments]:
    """The fragments of spans, in portions."""
    ends = np.cumsum(found.length, dtype=np.int64)
    begin = done = 0
    while begin < len(ends):
        end = max(int(np.searchsorted(ends, done + BATCH)), begin + 1)
        part = slice(begin, end)
        length = found.length[part]
        total = int(ends[end - 1]) - done
        along = np.arange(total, dtype=np.int32)
        along -= np.repeat((ends[part] - length - done).astype(np.int32), length)
        sample = np.repeat(found.first[part], length)
        sample += along
        if samples.pixels is not None:
            along = samples.columns.take(sample) - np.repeat(found.column[part], length)
        inverse = np.repeat(found.slope[part], length)
        inverse *= along.astype(F4)
        inverse += np.repeat(found.start[part], length)
        yield Fragments(sample, inverse, np.repeat(found.outline[part], length))
        begin, done = end, int(ends[end - 1])
