"""The longest common subsequence of two plans."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Alignment:
    """How alike two plans are.

    Attributes:
        length: steps of the longest common subsequence.
        normalised: that over the longer plan's steps, 0 … 1; 0 of two empty plans.
    """

    length: int
    normalised: float


def align(equal: NDArray[np.bool_]) -> Alignment:
    """The alignment of M steps with N, of which ``equal`` [M, N] says which are taken for equal.

    Any relation will do: it need be neither symmetric nor transitive.
    """
    longer = max(equal.shape)
    length = _common(equal)
    return Alignment(length, length / longer if longer else 0.0)


def _common(equal: NDArray[np.bool_]) -> int:
    """By bit vectors (H. Hyyrö, Bit-parallel LCS-length computation revisited, 2004): one bit a
    column, which stays set as long as the column adds nothing."""
    columns: int = equal.shape[1]
    full = (1 << columns) - 1
    packed = np.packbits(equal, axis=1, bitorder="little")
    bits = full
    for row in packed:
        matched = bits & int.from_bytes(row.tobytes(), "little")
        bits = ((bits + matched) | (bits - matched)) & full
    return columns - bits.bit_count()
