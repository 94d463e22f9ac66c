"""Two pictures side by side: where objects are in them, and their colours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from env_service.parity.tolerances import Tolerances
from env_service.worlds.thor.controller import ThorEvent


@dataclass(frozen=True, slots=True)
class PictureComparison:
    """``overlaps`` is by object id the intersection over union of its two masks, 0 where only one
    picture shows it. ``colour`` is the mean difference of channels, of 255; None where a picture
    is missing or they differ in size."""

    overlaps: dict[str, float]
    colour: float | None

    def different(self, tolerances: Tolerances) -> dict[str, float]:
        """The overlaps that are too small."""
        least = tolerances.least_mask
        return {id_: round(iou, 3) for id_, iou in self.overlaps.items() if iou < least}


def compare_pictures(left: ThorEvent, right: ThorEvent) -> PictureComparison:
    """Compares the agents' views. Masks need renderInstanceSegmentation."""
    masks, others = left.instance_masks, right.instance_masks
    ids = dict.fromkeys((*masks, *others))
    overlaps = {
        id_: _overlap(masks[id_], others[id_]) if id_ in masks and id_ in others else 0.0
        for id_ in ids
    }
    return PictureComparison(overlaps, _colour_difference(left, right))


def _overlap(left: np.ndarray, right: np.ndarray) -> float:
    if left.shape != right.shape:
        return 0.0
    union = np.count_nonzero(left | right)
    return float(np.count_nonzero(left & right) / union) if union else 1.0


def _colour_difference(left: ThorEvent, right: ThorEvent) -> float | None:
    one, other = left.frame, right.frame
    if one is None or other is None or one.shape != other.shape:
        return None
    return float(np.abs(one.astype(np.int16) - other.astype(np.int16)).mean())
