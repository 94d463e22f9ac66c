"""The panel behind the burners of ranges whose knobs are there."""

from __future__ import annotations

from env_service.worlds.household.assets.blocks import blocks
from env_service.worlds.household.assets.displays import display
from env_service.worlds.household.assets.material import Material
from env_service.worlds.household.assets.model import AssetRequest, Builder, Model, Part
from env_service.worlds.household.assets.ranges import ENAMELS
from env_service.worlds.household.assets.shapes import panel

BLACK = Material((0.05, 0.05, 0.055), gloss=0.6)


def stove_back(request: AssetRequest) -> Model:
    """An upright panel in the enamel of the stove of the same variant, with a clock in its
    middle; knobs are objects of their own and stand on its face."""
    w, h, d = request.size.tuple()
    body = blocks([(-w / 2, 0.0, -d / 2, w / 2, h, d / 2)], bevel=min(0.006, d * 0.2))
    enamel = ENAMELS[request.variant % len(ENAMELS)]
    wide, high = min(0.16, w * 0.22), min(0.06, h * 0.4)
    field = panel(wide, high, at=(0.0, (h - high) / 2, d / 2 + 0.001))
    clock = display("10:40", (0.3, 0.95, 0.5), (0.03, 0.03, 0.03))
    window = panel(high * 1.2, high * 0.6, at=(0.0, (h - high * 0.6) / 2, d / 2 + 0.002))
    return Model(
        (
            Part("panel", body, enamel),
            Part("field", field, BLACK, casts_shadow=False),
            Part("clock", window, Material((1, 1, 1), clock, glow=0.5), casts_shadow=False),
        )
    )


BUILDERS: dict[str, Builder] = {"StoveBack": stove_back}
