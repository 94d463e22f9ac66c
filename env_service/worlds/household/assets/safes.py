"""Safes."""

from __future__ import annotations

from env_service.worlds.household.assets import palette
from env_service.worlds.household.assets.blocks import Span, blocks
from env_service.worlds.household.assets.displays import keypad
from env_service.worlds.household.assets.joinery import case, rows, swing, word
from env_service.worlds.household.assets.material import Material
from env_service.worlds.household.assets.mesh import join
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Model,
    Motion,
    Part,
    Surface,
)
from env_service.worlds.household.assets.shapes import lathe, panel, tube

FELT = Material((0.26, 0.24, 0.22), gloss=0.0)
FINISHES = (
    Material((0.23, 0.25, 0.27), gloss=0.35, metal=0.2),
    Material((0.20, 0.27, 0.24), gloss=0.35, metal=0.2),
)

BOARD, LEAST = 0.01, 0.03
"""Thickness of an inner board, and the least room below and above one, metres."""


def safe(request: AssetRequest) -> Model:
    """A steel safe with a thick door, a keypad and a wheel; hinged at the left, with felt and a
    board inside.

    Details: "boards": ((y,), ...), heights of boards on which something lies, in place of the one
    in the middle. "drawers": "none" for a safe without the board in the middle.
    """
    w, h, d = request.size.tuple()
    finish = request.choose(FINISHES)
    wall, thick, foot = min(w, h, d) * 0.1, d * 0.1, min(0.015, h * 0.04)
    face = d / 2 - min(0.04, d * 0.1)
    shell = blocks(case(w, h - foot, face + d / 2, board=wall, back=wall), bevel=0.006)
    inner, low, high = w / 2 - wall, foot + wall, h - wall
    behind, rear, middle = face - thick, -d / 2 + wall + 0.001, (low + high) / 2
    given = sorted(y - BOARD for (y,) in rows(request, "boards") if low + LEAST < y < high - LEAST)
    bare = bool(rows(request, "boards")) or word(request, "drawers", "some") == "none"
    boards = given or ([] if bare else [middle])
    inside: list[Span] = [
        (-inner + 0.001, low, rear, inner - 0.001, low + 0.003, behind - 0.004),
        *((-inner + 0.001, y, rear, inner - 0.001, y + BOARD, behind - 0.03) for y in boards),
    ]
    ceilings = (*boards, high)
    surfaces = tuple(
        Surface((x0, z0), (x1, z1), top, above - top, inside=True)
        for (x0, _, z0, x1, top, z1), above in zip(inside, ceilings, strict=True)
    )
    motion = swing("left", x=inner - 0.002, z=face, low=low, high=high, amount=110.0)
    leaf = (-inner + 0.002, low + 0.002, behind, inner - 0.002, high - 0.002, face)
    parts = [
        Part("shell", shell.moved(y=foot, z=(face - d / 2) / 2), finish),
        Part("feet", blocks(_feet(w, d, foot)), palette.paint("black")),
        Part("inside", blocks(inside), FELT),
        Part("door", blocks([leaf], bevel=0.006), finish, motion),
        *_lock(w, face, middle, motion),
    ]
    return Model(tuple(parts), surfaces)


def _feet(w: float, d: float, high: float) -> list[Span]:
    middles = [(side * w * 0.4, end * d * 0.36) for side in (-1, 1) for end in (-1, 1)]
    return [(x - 0.02, 0, z - 0.02, x + 0.02, high, z + 0.02) for x, z in middles]


def _lock(w: float, face: float, middle: float, motion: Motion) -> list[Part]:
    """The keypad near the hinge and the wheel with three spokes at the other side of the door."""
    pad, x = min(0.13, w * 0.26), w * 0.17
    half, tall = pad * 0.58, pad * 0.72
    plate = (x - half, middle - tall, face - 0.001, x + half, middle + tall, face + 0.003)
    keys = panel(pad, pad * 1.2).moved(x, middle - pad * 0.6, face + 0.004)
    radius = min(0.055, w * 0.11)
    hub = lathe([(0, 0), (radius * 0.5, 0), (radius * 0.45, 0.03), (0, 0.034)], sides=16)
    spoke = tube([(0, 0, 0.022), (0, radius * 1.25, 0.026)], 0.006, sides=8)
    spokes = [spoke.turned(z=turn) for turn in (90.0, 210.0, 330.0)]
    wheel = join([hub.turned(x=90.0), *spokes]).moved(-w * 0.16, middle, face)
    print_of_keys = Material((1, 1, 1), keypad((0.1, 0.1, 0.1), (0.75, 0.75, 0.75)))
    return [
        Part("lock plate", blocks([plate]), palette.paint("black"), motion),
        Part("keys", keys, print_of_keys, motion),
        Part("wheel", wheel, palette.metal("steel"), motion),
    ]


BUILDERS: dict[str, Builder] = {"Safe": safe}
