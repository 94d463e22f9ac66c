"""What tests ask of models and their meshes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets import catalogue
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Detail,
    Look,
    Mesh,
    Model,
    Palette,
)
from env_service.worlds.household.geometry import Vec3

Size = tuple[float, float, float]


def build(name: str, size: Size, variant: int = 0, look: Look = Look(), **details: Detail) -> Model:
    """A model by its type and size, details as keywords."""
    request = AssetRequest(name, variant, Vec3(*size), look, Palette(), tuple(details.items()))
    return catalogue.model(request)


def face_vectors(mesh: Mesh) -> NDArray[np.float64]:
    """For each triangle the vector across it, twice its area long, float64 [F, 3]."""
    corners = mesh.points.astype(np.float64)[mesh.faces]
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    return np.stack(
        [
            a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1],
            a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2],
            a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0],
        ],
        1,
    )


def agreement(mesh: Mesh) -> NDArray[np.float64]:
    """For each triangle, positive where its corners' normals point to the side it faces."""
    agrees: NDArray[np.float64] = (face_vectors(mesh) * mesh.normals[mesh.faces].sum(1)).sum(1)
    return agrees
