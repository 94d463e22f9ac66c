"""Makes what every test process would otherwise make for itself in a fresh clone.

Processes of one run start together, find the caches empty together, and would each compile the same
loops and compute the same tables. What is in place is left alone.
"""

from __future__ import annotations

from hypothesis import strategies

from env_service.worlds.household.render.interface import Channel
from env_service.worlds.household.render.soft import kernels
from env_service.worlds.household.render.soft.renderer import SoftRenderer
from tests.support.household_scene import WIDE, kitchen

if __name__ == "__main__":
    if kernels.installed():
        SoftRenderer(compiled=True).render(kitchen(), WIDE, Channel.COLOR)
    strategies.characters(codec="utf-8").validate()
