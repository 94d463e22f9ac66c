"""The hot loops, compiled by numba where that is installed.

Two loops take most of a frame: filling the visibility buffer, and colouring pixels. The second is
in `passes`, and compiled from the very functions that NumPy runs (`pixel_ops.SHARED`); the first is
written again here, operation by operation as in `raster`. Neither may be compiled with `fastmath`,
which would let sums be reordered or fused; numba's default keeps IEEE 754.

Compiled code is kept in the user's cache folder, under a digest of this package's sources: numba
itself would only notice changes of this file, not of the functions that it draws in. Files of other
versions are removed after a while.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_path

from env_service.worlds.household.render.soft import pixel_ops
from env_service.worlds.household.render.soft.passes import (
    BLOCK,
    INLINE,
    PASSES,
    color_loop,
    paint_loop,
    scratch,
)
from env_service.worlds.household.render.soft.pixel import Kind, Tables
from env_service.worlds.household.render.soft.pixel_ops import Floats, Ints, Longs, Three
from env_service.worlds.household.render.soft.projection import Outlines, Scales
from env_service.worlds.household.render.soft.raster import Samples, rows, touched

F4 = np.float32

OPTIONS: dict[str, Any] = {"error_model": "numpy", "_nrt": False, "forceinline": True}
"""How numba compiles: divisions as NumPy does them, no reference counts (nothing is allocated), and
small functions into what calls them, at each pixel."""

CALLED: dict[str, Any] = {**OPTIONS, "forceinline": False}
"""The same for what is called once for a block of samples: that is not worth a copy at each place
it is called from."""

KEPT = 7 * 86400.0
"""Seconds for which compiled code of other versions is kept."""


class Kernels(Protocol):
    """The hot loops."""

    def fill(self, lines: Outlines, samples: Samples, best: NDArray[np.int64]) -> None:
        """Brings all fragments into `best`, as `raster.look` does."""
        ...

    def color(
        self, tables: Tables, kind: Kind, triangle: Longs, spot: Three, open_: Floats
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """As `pixel.color`."""
        ...

    def paint(
        self,
        tables: Tables,
        kinds: NDArray[np.uint8],
        picture_of: tuple[tuple[Longs, Ints, Floats, Floats], Scales],
        clear: NDArray[np.bool_],
        picture: NDArray[np.uint32],
    ) -> None:
        """Colours pixels that are clear: that see something, and no glass before it.

        `kinds` is the place in `KINDS` of each triangle in the tables. `picture_of` holds, by
        pixel: the place of each triangle in the tables, the triangle, 1/z and occlusion; and the
        picture's scales.
        """
        ...


def installed() -> bool:
    """Whether numba is installed; costs nothing, because nothing is imported."""
    return find_spec("numba") is not None


def loaded() -> bool:
    """Whether this process has the compiled loops already."""
    return compiled.cache_info().currsize > 0


@cache
def compiled() -> Kernels | None:
    """The compiled loops; None where numba is not installed, or not for this NumPy."""
    try:
        numba: Any = import_module("numba")
    except ImportError:
        return None
    folder = user_cache_path("houseguest") / "kernels"
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder / sources_digest())
    try:
        found = _Compiled(numba)
    finally:
        numba.config.CACHE_DIR = before
    tidy(folder, sources_digest(), time.time())
    return found


def tidy(folder: Path, current: str, now: float) -> None:
    """Removes code compiled from other sources and not used for KEPT seconds before `now`, a time
    of the system's clock; marks the current code as used. Errors are ignored."""
    try:
        os.utime(folder / current, (now, now))
        for other in sorted(folder.iterdir()):
            if other.name != current and other.stat().st_mtime < now - KEPT:
                shutil.rmtree(other, ignore_errors=True)
    except OSError:  # no such folder, or another process was faster
        return


def sources_digest() -> str:
    """A digest of this package's modules and the versions they were compiled for."""
    digest = hashlib.blake2b(np.__version__.encode(), digest_size=8)
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


class _Compiled:
    """Both loops, compiled at their first use."""

    def __init__(self, numba: ModuleType) -> None:
        _teach()
        self._color: Any = _jitted(numba, color_loop)
        self._paint: Any = _jitted(numba, paint_loop)
        self._fill: Any = _jitted(numba, _fill_loop)

    def fill(self, lines: Outlines, samples: Samples, best: NDArray[np.int64]) -> None:
        first, last = rows(lines, samples)
        chosen = np.flatnonzero((last > first) & touched(lines, samples, first, last))
        sparse = samples.pixels is not None
        before = samples.before if sparse else np.zeros(1, np.int32)
        columns = samples.columns if sparse else np.zeros(1, np.int32)
        count = 0 if samples.pixels is None else len(samples.pixels)
        self._fill(
            (chosen, first, last),
            (lines.long, lines.short, lines.middle, lines.depth),
            (samples.width, sparse, count),
            (np.array(samples.offsets), before, columns),
            best,
        )

    def color(
        self, tables: Tables, kind: Kind, triangle: Longs, spot: Three, open_: Floats
    ) -> tuple[Floats, Floats, Floats, Floats]:
        out = np.empty((4, len(triangle)), F4)
        self._color(tables, kind, (triangle, *spot, open_), scratch(), out)
        return out[0], out[1], out[2], out[3]

    def paint(
        self,
        tables: Tables,
        kinds: NDArray[np.uint8],
        picture_of: tuple[tuple[Longs, Ints, Floats, Floats], Scales],
        clear: NDArray[np.bool_],
        picture: NDArray[np.uint32],
    ) -> None:
        waiting, of = np.zeros((8, BLOCK), np.int64), np.zeros(BLOCK, np.int64)
        buffers = (scratch(), waiting, np.zeros(8, np.int64), of)
        self._paint(tables, (clear, kinds), picture_of, buffers, picture)


def _jitted(numba: ModuleType, function: Any) -> Any:
    """A function compiled, from the cache where there is a place for one."""
    try:
        return numba.njit(cache=True, **OPTIONS)(function)
    except RuntimeError:  # no folder to write to
        return numba.njit(**OPTIONS)(function)


def _teach() -> None:
    """Gives numba the shared functions, and what the operations of `pixel_ops` mean for numbers."""
    extending: Any = import_module("numba.extending")
    meanings = {
        pixel_ops.take: _entry,
        pixel_ops.take_int: _entry,
        pixel_ops.take_long: _entry,
        pixel_ops.to_int: _int,
        pixel_ops.to_long: _long,
        pixel_ops.to_float: _float,
        pixel_ops.bits: _bits,
    }
    for function in (*pixel_ops.SHARED, *INLINE, *dict.fromkeys(meanings.values())):
        extending.register_jitable(**OPTIONS)(function)
    for function in PASSES:
        extending.register_jitable(**CALLED)(function)
    for function, scalar in meanings.items():
        _overload(extending, function, scalar)


def _overload(extending: Any, function: Any, scalar: Any) -> None:
    """Lets compiled code call `scalar` where it reads `function`."""

    def implementation(*_: Any) -> Any:
        return scalar

    extending.overload(function, jit_options=OPTIONS, strict=False)(implementation)


def _entry(table: Any, index: Any) -> Any:
    return table[np.uint64(index)]  # unsigned: spares the question whether it is negative


def _int(value: Any) -> Any:
    return np.int32(value)


def _long(value: Any) -> Any:
    return np.int64(value)


def _float(value: Any) -> Any:
    return np.float32(value)


def _bits(value: Any) -> Any:
    return np.float32(value).view(np.int32)


def _fill_loop(triangles: Any, planes: Any, grid: Any, tables: Any, best: Any) -> None:
    chosen, first, last = triangles
    long, short, middle, depth = planes
    width, sparse, count = grid
    offsets, before, columns = tables
    fine = len(offsets)
    for t in chosen:
        slope = np.float32(depth[1, t])
        for row in range(first[t], last[t]):
            y = (row + 0.5) / fine
            a = long[0, t] + long[1, t] * y
            part = 1 if y >= middle[t] else 0
            b = short[0, part, t] + short[1, part, t] * y
            offset = offsets[row % fine]
            left = int(min(max(np.ceil(min(a, b) - offset), 0), width))
            right = int(min(max(np.ceil(max(a, b) - offset), 0), width))
            start = np.float32(depth[0, t] + depth[2, t] * y + depth[1, t] * (left + offset))
            if sparse:
                base, shift = row // fine * width, row % fine * count
                begin, end = before[base + left] + shift, before[base + right] + shift
            else:
                begin, end = row * width + left, row * width + right
            if sparse:
                for sample in range(begin, end):
                    inverse = np.float32(slope * np.float32(columns[sample] - left) + start)
                    key = (np.int64(inverse.view(np.int32)) << 32) | (t + 1)
                    best[sample] = max(best[sample], key)
            else:
                for along in range(end - begin):
                    inverse = np.float32(slope * np.float32(along) + start)
                    key = (np.int64(inverse.view(np.int32)) << 32) | (t + 1)
                    at = np.uint64(begin + along)
                    best[at] = max(best[at], key)
