"""What is published of the commands' variety, to stand beside ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PublishedVariety:
    """A row of the table: different words, those a word, and bits."""

    unique: int
    diversity: float
    entropy: float


SOURCE = "refined-command paper, Table 2"

NOTE = (
    "The published numbers cannot be had exactly from the published commands: the numbers of words"
    " that they imply are of other texts, likely those before the last corrections by hand."
)
"""Why they differ from ours (spec: alfred.md section 2)."""

TABLE_2: Mapping[str, Mapping[str, PublishedVariety]] = {
    "valid_seen": {
        "B": PublishedVariety(129, 0.060, 5.172),
        "P1": PublishedVariety(165, 0.080, 5.689),
        "P2": PublishedVariety(171, 0.083, 5.734),
        "C": PublishedVariety(521, 0.065, 6.974),
        "K": PublishedVariety(144, 0.123, 6.137),
    },
    "valid_unseen": {
        "B": PublishedVariety(97, 0.045, 5.024),
        "P1": PublishedVariety(150, 0.071, 5.605),
        "P2": PublishedVariety(154, 0.073, 5.692),
        "C": PublishedVariety(530, 0.065, 7.136),
        "K": PublishedVariety(122, 0.102, 6.272),
    },
}
"""By task set, then wording (spec: alfred.md section 2)."""
