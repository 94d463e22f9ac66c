"""Computers: a desktop computer, a laptop."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from env_service.worlds.household.assets import artwork, shapes
from env_service.worlds.household.assets import furniture_parts as fp
from env_service.worlds.household.assets.electronics import BLACK, SILVER, screen_parts
from env_service.worlds.household.assets.material import Material, Texture
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Model,
    Motion,
    MotionKind,
    Part,
)
from env_service.worlds.household.geometry import Vec3

LID = 0.009
"""Thickness of a laptop's lid, metres."""


def desktop(request: AssetRequest) -> Model:
    """A computer: a monitor, its tower beside it at +x, keyboard and mouse in front."""
    w, h, d = request.size.tuple()
    tower_w = min(0.19, w * 0.24)
    wide = w - tower_w - 0.04
    left = -w / 2 + wide / 2
    tall = min(h * 0.80, wide * 0.68)
    foot, back = h - tall, -d / 2 + 0.07
    monitor = fp.blocks(
        [
            (left - wide / 2, left + wide / 2, foot, h, back - 0.04, back),
            (left - 0.03, left + 0.03, 0.01, foot + 0.1, back - 0.065, back - 0.035),
            (left - 0.12, left + 0.12, 0, 0.014, -d / 2, -d / 2 + min(0.17, d * 0.7)),
        ],
        0.008,
    )
    bezel = 0.016
    picture = artwork.desktop_screen(request.variant % 3)
    parts = [
        Part("monitor", monitor, BLACK),
        *_tower(request, w / 2 - tower_w, w / 2),
        *_keyboard(left, d),
        *screen_parts(
            request,
            picture,
            wide - 2 * bezel,
            tall - 2 * bezel,
            place=lambda mesh: mesh.moved(left, foot + bezel, back + 0.001),
        ),
    ]
    return Model(tuple(parts))


def _tower(request: AssetRequest, x0: float, x1: float) -> tuple[Part, Part]:
    """The case between two x, and its button, lit when the computer is on."""
    d, top = request.size.z, min(request.size.y * 0.82, 0.48)
    case = fp.blocks([(x0, x1, 0, top, -d / 2, d / 2 - 0.012)], 0.012)
    x = (x0 + x1) / 2
    button = fp.boards(
        [(x - 0.014, x + 0.014, top - 0.07, top - 0.042, d / 2 - 0.013, d / 2 - 0.009)]
    )
    lamp = Material((0.2, 0.75, 1.0), glow=0.9) if request.look.on else Material((0.06, 0.07, 0.08))
    return (
        Part("tower", case, request.choose((BLACK, SILVER), salt=1)),
        Part("button", button, lamp, casts_shadow=False),
    )


def _keyboard(x: float, d: float) -> tuple[Part, Part]:
    """Keyboard and mouse at the front of a box of depth d, about an x."""
    deep, front = min(0.13, d * 0.45), d / 2 - 0.004
    board = fp.blocks([(x - 0.2, x + 0.14, 0, 0.018, front - deep, front)], 0.006)
    mouse = shapes.ball(0.028, 0.018, 0.042, sides=10, rings=6, at=(x + 0.2, 0.017, d / 2 - 0.06))
    keys = fp.boards([(x - 0.19, x + 0.13, 0.0175, 0.020, front - deep + 0.008, front - 0.01)])
    return (
        Part("keyboard", join([board, mouse]), BLACK),
        Part("keys", _from_above(keys), Material((1.0, 1.0, 1.0), _keys(), gloss=0.1)),
    )


def _from_above(mesh: Mesh) -> Mesh:
    """Texture coordinates once over the mesh seen from above, its front at v = 0."""
    p = mesh.points.astype(np.float64)
    low, high = p.min(0), p.max(0)
    share = (p - low) / np.maximum(high - low, 1e-9)
    # in this left-handed frame +x is on the left of who sits at the front
    return Mesh.of(p, mesh.normals, np.stack([1 - share[:, 0], 1 - share[:, 2]], 1), mesh.faces)


@lru_cache(maxsize=2)
def _keys() -> Texture:
    """A keyboard: rows of dark keys, a space bar in the nearest row."""
    canvas = artwork.Canvas(128, 64, (0.30, 0.31, 0.33))
    rows, columns = 5, 14
    x, y = canvas.u * columns, canvas.v * rows
    shift = np.floor(y) * 0.25
    across, up = (x + shift) % 1.0, y % 1.0
    key = (across > 0.12) & (across < 0.92) & (up > 0.14) & (up < 0.88)
    canvas.paint(key, (0.07, 0.07, 0.08))
    canvas.paint(canvas.rect(0.30, 0.70, 0.03, 0.17), (0.07, 0.07, 0.08))
    mark = (across > 0.4) & (across < 0.6) & (up > 0.4) & (up < 0.65) & (y > 1)
    canvas.paint(mark * 0.7, (0.8, 0.8, 0.8))
    return canvas.texture()


def laptop(request: AssetRequest) -> Model:
    """A laptop, drawn open as AI2-THOR's start; the lid folds down onto the keys."""
    w, h, d = request.size.tuple()
    base_h = min(0.018, h * 0.08)
    rise = h - base_h - 0.003
    # base and lid are equally long, so that they meet, and together reach from front to back
    reach = d - LID
    long = min((rise * rise + reach * reach) / (2 * reach), reach)
    lean = math.degrees(math.asin(max(0.0, min(1.0, reach / long - 1))))
    hinge = Vec3(0, base_h + 0.002, d / 2 - long)
    shell = request.choose((SILVER, Material((0.16, 0.17, 0.19), gloss=0.4, metal=0.2), BLACK))
    base = fp.blocks([(-w / 2, w / 2, 0, base_h, hinge.z, d / 2)], 0.005)
    level = (base_h - 0.002, base_h + 0.0008)
    keys = fp.boards([(-w * 0.43, w * 0.43, *level, hinge.z + long * 0.08, hinge.z + long * 0.62)])
    pad = fp.boards([(-w * 0.14, w * 0.14, *level, hinge.z + long * 0.67, hinge.z + long * 0.95)])
    lid_high = min(long, rise / max(math.cos(math.radians(lean)), 0.2)) - 0.002
    return Model(
        (
            Part("base", base, shell),
            Part("keys", _from_above(keys), Material((1.0, 1.0, 1.0), _keys(), gloss=0.1)),
            Part("pad", pad, Material((0.42, 0.43, 0.45), gloss=0.4)),
            *_lid(request, shell, hinge, lean, lid_high),
        )
    )


def _lid(
    request: AssetRequest, shell: Material, hinge: Vec3, lean: float, high: float
) -> tuple[Part, ...]:
    """The lid with its screen, leant back by `lean` degrees; it closes about its hinge."""
    w = request.size.x
    motion = Motion(MotionKind.HINGE, Vec3(1, 0, 0), -(90.0 + lean), hinge, at_rest=1.0)

    def place(mesh: Mesh) -> Mesh:
        return mesh.turned(x=-lean).moved(*hinge.tuple())

    bezel = w * 0.03
    lid = fp.blocks([(-w / 2, w / 2, 0, high, -LID, 0.0)], 0.004)
    rim = fp.boards([(-w / 2 + 0.004, w / 2 - 0.004, 0.008, high - 0.004, -0.001, 0.0006)])
    drawn = screen_parts(
        request,
        artwork.desktop_screen(request.variant % 3),
        w - 2 * bezel,
        high - 2 * bezel - 0.01,
        place=lambda mesh: place(mesh.moved(0, bezel + 0.01, 0.0012)),
        motion=motion,
    )
    return (
        Part("lid", place(lid), shell, motion),
        Part("bezel", place(rim), BLACK, motion),
        *drawn,
    )


BUILDERS: dict[str, Builder] = {"Desktop": desktop, "Laptop": laptop}
