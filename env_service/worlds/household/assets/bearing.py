"""Turning a model so that its long side lies along the long side of the box it has to fill."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from env_service.worlds.household.assets.mesh import Mesh
from env_service.worlds.household.assets.model import AssetRequest, Lamp, Model, Motion
from env_service.worlds.household.geometry import Rotation, Transform, Vec3


def long_axis(size: Vec3) -> str:
    """ "x", "y" or "z": the axis of the greatest extent; of equal ones, the later."""
    return max(zip(size.tuple(), "xyz", strict=True))[1]


def thin_axis(size: Vec3) -> str:
    """The axis of the least extent; of equal ones, y first."""
    order = {"y": 0, "z": 1, "x": 2}
    return min(zip(size.tuple(), "xyz", strict=True), key=lambda pair: (pair[0], order[pair[1]]))[1]


def lengthwise(size: Vec3, axis: str) -> Vec3:
    """The box as the builder of a thing along z should see it: (across, upright, length), if the
    thing is to lie along `axis` of the real box."""
    w, h, d = size.tuple()
    return {"x": Vec3(d, h, w), "y": Vec3(w, d, h), "z": size}[axis]


def along(model: Model, size: Vec3, axis: str) -> Model:
    """A model built along z in the box of `lengthwise`, turned to lie along `axis` of the real
    box. Along y, what was its front (+z) comes to the top, and its top faces the front."""
    _, h, d = size.tuple()
    if axis == "z":
        return model
    if axis == "x":
        return yawed(model)
    # z -> y, y -> z, x -> -x: up becomes front
    rotation = Rotation(((-1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)))
    return turned(model, Transform(rotation, Vec3(0.0, h / 2, -d / 2)))


FlatBuilder = Callable[[AssetRequest, float, float, float], Model]
"""Builds a flat thing that lies on its back, from its width, thickness and depth."""


def laid_flat(request: AssetRequest, build: FlatBuilder) -> Model:
    """A flat thing in a box whose thin side may point anywhere: lying, or standing with its top
    to the front (+z) or to the side (+x)."""
    w, h, d = request.size.tuple()
    axis = thin_axis(request.size)
    if axis == "y":
        return build(request, w, h, d)
    if axis == "z":
        rotation = Rotation(((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)))
        return turned(build(request, w, d, h), Transform(rotation, Vec3(0.0, h / 2, -d / 2)))
    rotation = Rotation(((0.0, 1.0, 0.0), (0.0, 0.0, -1.0), (-1.0, 0.0, 0.0)))
    return turned(build(request, d, w, h), Transform(rotation, Vec3(-w / 2, h / 2, 0.0)))


def sideways(request: AssetRequest) -> AssetRequest:
    """The request for a model that `yawed` will then turn into the box of this one."""
    w, h, d = request.size.tuple()
    return replace(request, size=Vec3(d, h, w))


def yawed(model: Model) -> Model:
    """A model turned by 90 degrees: its front, +z, to +x."""
    return turned(model, Transform.at(Vec3(0.0, 0.0, 0.0), Vec3(0.0, 90.0, 0.0)))


def turned(model: Model, motion: Transform) -> Model:
    """A model moved by a rigid motion, its moving parts and lamps with it. Surfaces are dropped:
    they are level only as built."""
    parts = tuple(
        replace(part, mesh=_moved(part.mesh, motion), motion=_carried(part.motion, motion))
        for part in model.parts
    )
    lamps = tuple(
        Lamp(motion.apply(lamp.position), lamp.color, lamp.power, lamp.reach)
        for lamp in model.lamps
    )
    return Model(parts, (), lamps)


def _moved(mesh: Mesh, motion: Transform) -> Mesh:
    shift = motion.position
    rows = motion.rotation.rows
    x, y, z = (mesh.points[:, i].astype(float) for i in range(3))
    nx, ny, nz = (mesh.normals[:, i].astype(float) for i in range(3))
    points = np.stack([r[0] * x + r[1] * y + r[2] * z for r in rows], 1) + shift.tuple()
    normals = np.stack([r[0] * nx + r[1] * ny + r[2] * nz for r in rows], 1)
    return Mesh.of(points, normals, mesh.uv, mesh.faces)


def _carried(motion: Motion | None, by: Transform) -> Motion | None:
    if motion is None:
        return None
    return replace(motion, axis=by.rotation.apply(motion.axis), pivot=by.apply(motion.pivot))
