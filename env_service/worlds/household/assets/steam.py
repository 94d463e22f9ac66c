"""Steam over hot things."""

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np

from env_service.worlds.household.assets.lofts import shell
from env_service.worlds.household.assets.model import AssetRequest, Material, Model, Part, join
from env_service.worlds.household.geometry import Vec3

VAPOUR = Material((0.95, 0.96, 0.97), opacity=0.35, gloss=0.0, glow=0.25, two_sided=True)

WISPS = 3
VARIANTS = 4


def with_steam(model: Model, request: AssetRequest) -> Model:
    """The model that was built for a request, under steam if its look is hot."""
    if not request.look.hot:
        return model
    return replace(model, parts=(*model.parts, steam(request.size, request.variant % VARIANTS)))


@lru_cache(maxsize=256)
def steam(size: Vec3, variant: int) -> Part:
    """Wisps that rise from the top of a thing of a size, in the asset's frame.

    They rise above the box: 6 to 14 cm high, depending on its width. The same arguments give the
    same part.
    """
    generator = np.random.default_rng([variant, 41])
    wide = min(max(min(size.x, size.z), 0.04), 0.2)
    tall = 0.05 + 0.45 * wide
    share = np.linspace(0, 1, 12)[:, None]
    edge = np.array([-1.0, 0.0, 1.0])[None]
    sheets = []
    for number in range(WISPS):
        turn = 2 * math.pi * number / WISPS + generator.uniform(-0.4, 0.4)
        phase, waves = generator.uniform(0, 6.3), generator.uniform(1.0, 1.5)
        sway = 0.10 * wide * np.sin(2 * math.pi * waves * share + phase) * (0.4 + share)
        half = 0.055 * wide * np.sin(math.pi * np.clip(share, 0.04, 0.97)) ** 0.7
        x = 0.22 * wide * math.cos(turn) + sway + half * edge
        z = 0.22 * wide * math.sin(turn) + 0.5 * half * edge * math.cos(phase)
        height = tall * generator.uniform(0.75, 1.0)
        y = size.y + 0.004 + np.broadcast_to(height * share, x.shape)
        sheet = np.stack([x, y, z], -1)
        sheets.append(shell(sheet, sheet - np.array([0.0, 0.0, 0.0004])))
    return Part("steam", join(sheets), VAPOUR, casts_shadow=False)
