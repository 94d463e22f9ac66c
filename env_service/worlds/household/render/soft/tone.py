"""Colour spaces, and how light becomes a byte.

Light is computed in linear numbers without an upper end; a white plate under a near lamp may
receive several times what the same plate does across the room. The tone curve keeps the lower half
unchanged and bends the rest towards one, which it never reaches: y = x up to 1/2, then 1 - 1 /
(4x). Value and slope agree where the two meet. So white things keep their shading.
"""

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.render.soft.pixel_ops import (
    HALF,
    Floats,
    Longs,
    shared,
    take_long,
    to_long,
)

F4 = np.float32
QUARTER = F4(0.25)

STEPS = 8192
"""Entries of the table from linear to sRGB; one is less than one level everywhere."""

TOP = F4(STEPS - 1)
BYTE, TWO_BYTES = np.int64(8), np.int64(16)


def _encode_table() -> NDArray[np.int64]:
    x = np.arange(STEPS) / (STEPS - 1)
    # IEC 61966-2-1; rounded before it is cut to bytes, so that all mathematics libraries agree
    y = np.where(x <= 0.0031308, 12.92 * x, 1.055 * x ** (1 / 2.4) - 0.055)
    table: NDArray[np.int64] = np.floor(np.round(y, 9) * 255 + 0.5).astype(np.int64)
    return table


def _decode_table() -> NDArray[np.float32]:
    x = np.arange(256) / 255
    return np.round(np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4), 9).astype(F4)


ENCODE = _encode_table()
DECODE = _decode_table()
"""Linear strength of the 256 sRGB levels."""


def linear(srgb: float) -> float:
    """The linear strength of an sRGB value in [0, 1]."""
    return round(srgb / 12.92 if srgb <= 0.04045 else ((srgb + 0.055) / 1.055) ** 2.4, 7)


@shared
def curve(light: Floats) -> Floats:
    """Linear light, at least 0, brought into [0, 1)."""
    low: Floats = np.minimum(light, HALF)
    high: Floats = np.maximum(light, HALF)
    return low + (HALF - QUARTER / high)


@shared
def packed(red: Floats, green: Floats, blue: Floats) -> Longs:
    """Linear light as sRGB bytes in one number, red lowest."""
    return packed_toned(curve(red), curve(green), curve(blue))


@shared
def packed_toned(red: Floats, green: Floats, blue: Floats) -> Longs:
    """The same for what `curve` gave."""
    return _encoded(red) | (_encoded(green) << BYTE) | (_encoded(blue) << TWO_BYTES)


@shared
def _encoded(toned: Floats) -> Longs:
    """sRGB levels of what `curve` gave."""
    return take_long(ENCODE, to_long(toned * TOP + HALF))


def unpacked(picture: NDArray[np.uint32]) -> Floats:
    """What `curve` gave for packed bytes, float32 [3, N], to within half a level."""
    return np.stack([DECODE.take(picture >> np.uint32(8 * k) & np.uint32(255)) for k in range(3)])
