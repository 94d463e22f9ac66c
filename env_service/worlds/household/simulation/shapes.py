"""What a thing in the room is made of, at its place: the parts of its model, moved as it is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.catalogue import model
from env_service.worlds.household.assets.model import Model, Palette
from env_service.worlds.household.assets.motion import place
from env_service.worlds.household.geometry import Transform, Vec3
from env_service.worlds.household.presentation import composed
from env_service.worlds.household.scene.spec import StructureSpec, request_for
from env_service.worlds.household.simulation.solids import Shape
from env_service.worlds.household.state import ObjectState


def object_shape(item: ObjectState, palette: Palette) -> Shape:
    """An object as it stands now, its door as far open as it is."""
    built = model(request_for(item.spec, palette, item.look))
    return _shape(built, (item.pose @ item.spec.asset_frame).array(), item.openness)


def structure_shape(spec: StructureSpec, palette: Palette) -> Shape:
    """A fixed part of the room."""
    down = spec.body.rotation.apply(Vec3(0.0, spec.body.size.y / 2, 0.0))
    frame = Transform(spec.body.rotation, spec.body.center - down)
    return _shape(model(request_for(spec, palette)), frame.array(), 0.0)


def _shape(built: Model, frame: NDArray[np.float64], openness: float) -> Shape:
    return tuple(
        (part.mesh, composed(frame, place(part, openness)).tobytes()) for part in built.parts
    )
