"""The leathers of seats."""

from __future__ import annotations

from env_service.worlds.household.assets.material import Material

LEATHER: dict[str, Material] = {
    "brown": Material((0.30, 0.17, 0.10), gloss=0.35),
    "black": Material((0.07, 0.07, 0.07), gloss=0.4),
    "tan": Material((0.55, 0.36, 0.20), gloss=0.3),
    "cream": Material((0.82, 0.77, 0.68), gloss=0.3),
}
