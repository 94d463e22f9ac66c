"""Pieces of food: slabs cut off a body, wedges, bodies cut into rows of slabs."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.lofts import Stance, face, filling, grid_faces, loft
from env_service.worlds.household.assets.material import Material
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import Model, Part
from env_service.worlds.household.geometry import Vec3

Array = NDArray[np.float64]


def slab(outline: Array, *, bevel: float = 0.06) -> tuple[Mesh, Mesh]:
    """Rim and cut faces of a slab, lying flat, one unit thick.

    Args:
        outline: (x, z) corners, [corners, 2].
        bevel: by which share the faces are smaller than the middle.
    """
    heights, shares = (0.0, 0.25, 0.75, 1.0), (1 - bevel, 1.0, 1.0, 1 - bevel)
    rings = np.stack(
        [
            np.stack([outline[:, 0] * s, np.full(len(outline), y), outline[:, 1] * s], 1)
            for y, s in zip(heights, shares, strict=True)
        ]
    )
    up = np.array([0.0, 1.0, 0.0])
    return loft(rings, caps=False), join([face(rings[-1], up), face(rings[0], -up)])


def wedge(*, steps: int = 12, sides: int = 7) -> tuple[Mesh, Mesh]:
    """Skin and cut faces of a quarter of a ball, lying on its skin, its edge upwards along z."""
    along = np.linspace(-math.pi / 2, math.pi / 2, steps)
    around = np.linspace(-0.25 * math.pi, 0.25 * math.pi, sides)
    radius, z = np.cos(along)[:, None], np.sin(along)[:, None]
    x, y = radius * np.sin(around), -radius * np.cos(around)
    arc = np.stack([x, y, np.broadcast_to(z, x.shape)], -1)
    core = np.stack([np.zeros(steps), np.zeros(steps), np.sin(along)], 1)
    points = arc.reshape(-1, 3)
    u, v = np.meshgrid(np.linspace(0, 1, sides), np.linspace(0, 1, steps))
    uv = np.stack([u.ravel(), v.ravel()], 1)
    skin = Mesh.of(points, points, uv, grid_faces(steps, sides)[:, ::-1])
    faces = []
    for side in (0, -1):
        ring = np.concatenate([arc[:, side], core[::-1]])
        outward = np.array([-1.0 if side == 0 else 1.0, 1.0, 0.0])
        faces.append(face(ring, outward))
    return skin, join(faces)


def piece(size: Vec3, outline: Array, skin: Material, flesh: Material) -> Model:
    """One piece of something cut: a slab across the box's shortest side, the outline's +z up if it
    stands; a wedge if the box is nearly as thick as wide."""
    stance = Stance.flat(size)
    if stance.thickness > 0.62 * min(stance.width, stance.length):
        stance, meshes = Stance.of(size), wedge()
    else:
        meshes = slab(outline)
    box = Vec3(stance.width, stance.thickness, stance.length)
    rim, cut = (stance.lay(mesh) for mesh in filling(meshes, box))
    return Model((Part("skin", rim, skin), Part("flesh", cut, flesh)))


def row(rings: Array, count: int, *, gap: float = 0.32) -> tuple[Mesh, Mesh]:
    """Skin and cut faces of a body, given by rings along z, that is cut into `count` slabs with
    gaps; `gap` is the share of the length that they take."""
    z = rings[:, :, 2].mean(1)
    low, high = float(z[0]), float(z[-1])
    pitch = (high - low) / count
    skins, faces = [], []
    for k in range(count):
        start, end = low + k * pitch, low + (k + 1) * pitch
        within = [ring for ring, at in zip(rings, z, strict=True) if start < at < end]
        part = np.stack([ring_at(rings, start), *within, ring_at(rings, end)])
        middle = (start + end) / 2
        part[:, :, 2] = middle + (part[:, :, 2] - middle) * (1 - gap)
        skins.append(loft(part, caps=False))
        for end_ring, sign in ((part[0], -1.0), (part[-1], 1.0)):
            if np.ptp(end_ring[:, 0]) > 1e-4:
                faces.append(face(end_ring, np.array([0.0, 0.0, sign])))
    return join(skins), join(faces)


def ring_at(rings: Array, z: float) -> Array:
    """The ring of a body at a place along z, between those that are given."""
    places = rings[:, :, 2].mean(1)
    after = int(np.clip(np.searchsorted(places, z), 1, len(places) - 1))
    part = (z - places[after - 1]) / (places[after] - places[after - 1])
    return np.asarray(rings[after - 1] * (1 - part) + rings[after] * part, np.float64)


def oval(corners: int = 24, *, lobes: int = 0, depth: float = 0.0) -> Array:
    """A circle of radius 1/2 as (x, z) corners, with lobes if asked for."""
    turn = np.linspace(0, 2 * math.pi, corners, endpoint=False)
    radius = 0.5 * (1 + depth * np.cos(lobes * turn))
    return np.stack([radius * np.cos(turn), radius * np.sin(turn)], 1)
