"""Ornaments: a floor vase with branches, bowls, figures."""

from __future__ import annotations

import math

import numpy as np

from env_service.worlds.household.assets import furniture_parts as fp
from env_service.worlds.household.assets import palette, shapes
from env_service.worlds.household.assets.material import Material
from env_service.worlds.household.assets.mesh import Mesh
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Model,
    Part,
    Surface,
)
from env_service.worlds.household.assets.plants import kept_inside, leaves

VASES = (
    ((0.0, 0.0), (0.55, 0.0), (0.85, 0.18), (1.0, 0.45), (0.80, 0.75), (0.42, 0.90), (0.52, 1.0),
     (0.44, 1.0), (0.34, 0.90)),
    ((0.0, 0.0), (0.78, 0.0), (0.80, 0.05), (0.62, 0.35), (0.66, 0.70), (0.85, 0.98), (0.80, 1.0),
     (0.72, 0.96), (0.5, 0.7)),
)  # fmt: skip
"""Profiles of floor vases: shares of their greatest radius and of their height."""


def room_decor(request: AssetRequest) -> Model:
    """What stands about: a floor vase with dry branches, or, when low and wide, a large bowl."""
    w, h, d = request.size.tuple()
    if h < 0.8 * max(w, d):
        return table_top_decor(request)
    r = min(w, d) / 2
    tall = min(h * 0.52, r * 4.2)
    vase_r = r * 0.72
    profile = request.choose(VASES)
    vase = shapes.lathe(
        [(x * vase_r, y * tall) for x, y in profile], sides=28, wrap=True, crease=50.0
    )
    glaze = request.choose(
        (
            Material((0.17, 0.32, 0.36), gloss=0.6),
            Material((0.55, 0.24, 0.15), gloss=0.4),
            Material((0.82, 0.79, 0.72), gloss=0.3),
        ),
        salt=1,
    )
    twigs, sprays = _branches(request, tall * 0.93, vase_r)
    straw = Material((0.80, 0.68, 0.46), gloss=0.0, two_sided=True)
    return Model(
        (
            Part("vase", vase, glaze),
            Part(
                "branches",
                twigs,
                Material((0.38, 0.27, 0.17)),
            ),
            Part("sprays", sprays, straw),
        )
    )


def _branches(request: AssetRequest, mouth: float, vase_r: float) -> tuple[Mesh, Mesh]:
    """Dry twigs that fan out of a vase's mouth, and the sprays of grass along them."""
    h, r = request.size.y, min(request.size.x, request.size.z) / 2
    generator = np.random.default_rng(400 + request.variant % 8)
    twigs: list[fp.Rod] = []
    feet = []
    for k in range(11):
        turn, lean = k * 2.4, r * (0.2 + 0.06545 * k)
        c, s = math.cos(turn), math.sin(turn)
        tip = (c * lean, h * (0.985 - 0.04 * (k % 4)), s * lean)
        mid = (tip[0] * 0.42, mouth + (tip[1] - mouth) * 0.55, tip[2] * 0.42)
        foot = (c * vase_r * 0.2, mouth * 0.84, s * vase_r * 0.2)
        twigs += [(foot, mid, 0.005, 0.004), (mid, tip, 0.004, 0.0025)]
        share = np.linspace(0.25, 0.9, 5)[:, None]
        feet.append(np.array(mid) + (np.array(tip) - np.array(mid)) * share)
    starts = np.concatenate(feet)
    n = len(starts)
    sprays = leaves(
        starts,
        generator.uniform(0, 2 * math.pi, n),
        generator.uniform(0.7, 1.3, n),
        lengths=np.full(n, h * 0.075),
        widths=np.full(n, h * 0.02),
        droops=generator.uniform(0.0, 0.8, n),
        segments=2,
    )
    return (
        kept_inside(fp.rods(twigs, sides=5), request.size, 0.0),
        kept_inside(sprays, request.size, 0.0),
    )


def table_top_decor(request: AssetRequest) -> Model:
    """A glass bowl with stone balls when low; a figure of two linked shapes when tall."""
    w, h, d = request.size.tuple()
    if h > 0.8 * max(w, d):
        return _figure(request)
    profile = [
        (0.0, 0.0),
        (0.36, 0.0),
        (0.40, h * 0.06),
        (0.75, h * 0.40),
        (1.0, h),
        (0.965, h),
        (0.72, h * 0.44),
        (0.36, h * 0.12),
        (0.0, h * 0.11),
    ]
    bowl = fp.tub(profile, w, d, power=2.4, sides=32)
    glass = request.choose(
        (
            Material((0.25, 0.52, 0.56), opacity=0.55, gloss=0.95),
            Material((0.62, 0.36, 0.22), opacity=0.6, gloss=0.95),
        )
    )
    least = min(w, d)
    r = min(h * 0.30, least * 0.12)
    places = [
        (math.cos(a) * least * 0.165, h * 0.16 + r, math.sin(a) * least * 0.165)
        for a in (0.3, 2.4, 4.5)
    ]
    stones = fp.copies(shapes.ball(r, r, r, sides=14, rings=8), [(x, y, z) for x, y, z in places])
    marble = palette.stone(request.choose(("white marble", "green slate"), salt=1))
    inner = 0.2
    surface = Surface((-w * inner, -d * inner), (w * inner, d * inner), h * 0.12, round=True)
    return Model(
        (Part("stones", stones, marble), Part("bowl", bowl, glass, casts_shadow=False)), (surface,)
    )


def _figure(request: AssetRequest) -> Model:
    """A plinth that carries a standing ring around a ball."""
    w, h, d = request.size.tuple()
    base_h = h * 0.10
    base = fp.blocks(
        [(-w * 0.36, w * 0.36, 0, base_h, -min(d * 0.45, 0.06), min(d * 0.45, 0.06))], 0.006
    )
    r = min(w / 2, (h - base_h) / 2)
    thick = min(r * 0.16, d / 2)
    turn = np.linspace(0, 2 * math.pi, 33)[:-1]
    middle = base_h + (h - base_h) / 2
    tall = (h - base_h) / 2 - thick
    ring = shapes.tube(
        [((r - thick) * math.cos(a), middle + tall * math.sin(a), 0.0) for a in turn.tolist()],
        thick,
        sides=8,
        closed=True,
    )
    ball_r = min(r * 0.42, d / 2)
    ball = shapes.ball(ball_r, ball_r, ball_r, at=(0, middle - tall * 0.35, 0))
    metal = palette.metal(request.choose(("brass", "black iron"), salt=1))
    return Model(
        (
            Part("plinth", base, palette.stone("black granite")),
            Part("ring", ring, metal),
            Part("ball", ball, palette.stone("white marble")),
        )
    )


BUILDERS: dict[str, Builder] = {"RoomDecor": room_decor, "TableTopDecor": table_top_decor}
