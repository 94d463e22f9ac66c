"""How glass covers what lies behind it.

Glass shows two things: what lies behind, tinted by its colour, and its own surface, lit and
mirroring as any other. Its opacity says how much of the own surface; towards the rim of a vessel,
where one looks along the wall, that grows (Fresnel's effect), which is what makes glass visible.
"""

from __future__ import annotations

import numpy as np

from env_service.worlds.household.render.soft.lanes import ONE, ZERO, Floats, clamp, shared

F4 = np.float32

UNDER = F4(0.35)
"""What even a black glass lets through."""

RIM = F4(0.5)


@shared
def cover(opacity: Floats, cosine: Floats) -> Floats:
    """The share of the own surface, by the (negative) cosine between normal and view direction."""
    grazing = clamp(ONE + cosine, ZERO, ONE)
    return clamp(opacity + RIM * grazing * grazing * grazing, ZERO, ONE)


@shared
def over(under: Floats, own: Floats, tint: Floats, share: Floats) -> Floats:
    """One channel of the picture with glass before it."""
    through = under * (UNDER + (ONE - UNDER) * tint)
    found: Floats = through + (own - through) * share
    return found
