"""Pens and pencils."""

from __future__ import annotations

from env_service.worlds.household.assets import palette, shapes
from env_service.worlds.household.assets.bearing import along, lengthwise, long_axis
from env_service.worlds.household.assets.material import Color, Material
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import AssetRequest, Builder, Model, Part

BLACK = Material((0.08, 0.08, 0.09), gloss=0.4)


def pen(request: AssetRequest) -> Model:
    """A ballpoint with a coloured barrel, a bright clip and a button."""
    axis = long_axis(request.size)
    across, thick, length = lengthwise(request.size, axis).tuple()
    r = min(across, thick) / 2
    color: Color = request.choose(
        ((0.10, 0.22, 0.65), (0.75, 0.10, 0.12), (0.08, 0.08, 0.09), (0.08, 0.48, 0.30))
    )
    body = 0.82 * r
    barrel = _rod([(0.0, 0.07), (body, 0.10), (body, 0.62), (0.0, 0.62)], length, r)
    upper = _rod([(0.0, 0.62), (body, 0.62), (body * 0.95, 0.93), (0.0, 0.94)], length, r)
    tip = _rod([(0.0, 0.0), (0.15 * r, 0.004), (body, 0.10), (0.0, 0.10)], length, r)
    button = _rod([(0.0, 0.93), (0.4 * r, 0.93), (0.4 * r, 1.0), (0.0, 1.0)], length, r)
    ring = _rod([(0.0, 0.605), (r * 0.92, 0.605), (r * 0.92, 0.625), (0.0, 0.625)], length, r)
    clip = shapes.box(0.5 * r, 0.25 * r, 0.24 * length, at=(0, 1.75 * r, length / 2 - 0.2 * length))
    parts = (
        Part("barrel", barrel, Material(color, gloss=0.5)),
        Part("upper", upper, request.choose((Material(color, gloss=0.5), BLACK), 1)),
        Part("metal", join([tip, button, ring, clip]), palette.metal("chrome")),
    )
    return along(Model(parts), request.size, axis)


def pencil(request: AssetRequest) -> Model:
    """A six-sided painted pencil with a sharpened point, a ferrule and an eraser."""
    axis = long_axis(request.size)
    across, thick, length = lengthwise(request.size, axis).tuple()
    r = min(across, thick) / 2
    color: Color = request.choose(
        ((0.93, 0.68, 0.08), (0.80, 0.16, 0.12), (0.12, 0.35, 0.62), (0.10, 0.50, 0.30))
    )
    cone = min(0.022, 0.16 * length) / length
    end = 1.0 - min(0.018, 0.12 * length) / length
    shaft = shapes.flat_shaded(
        _rod([(0.0, cone), (r, cone), (r, end), (0.0, end)], length, r, sides=6)
    )
    wood = _rod([(0.32 * r, 0.32 * cone), (r, cone * 1.02)], length, r)
    lead = _rod([(0.0, 0.0), (0.34 * r, 0.34 * cone)], length, r)
    middle = end + (1 - end) * 0.45
    ferrule = _rod([(0.0, end), (0.98 * r, end), (0.98 * r, middle), (0.0, middle)], length, r)
    eraser = _rod(
        [(0.0, middle), (0.9 * r, middle), (0.9 * r, 0.995), (0.6 * r, 1.0), (0.0, 1.0)], length, r
    )
    parts = (
        Part("paint", shaft, Material(color, gloss=0.4)),
        Part("wood", wood, Material((0.83, 0.66, 0.45), gloss=0.05)),
        Part("lead", lead, Material((0.12, 0.12, 0.13), gloss=0.3)),
        Part("ferrule", ferrule, palette.metal("brass")),
        Part("eraser", eraser, Material((0.88, 0.48, 0.50), gloss=0.05)),
    )
    return along(Model(parts), request.size, axis)


def _rod(
    profile: list[tuple[float, float]], length: float, radius: float, *, sides: int = 10
) -> Mesh:
    """A turned piece lying along z, its profile's heights in shares of the length from the -z
    end, resting on y = 0 with its axis at `radius`."""
    upright = shapes.lathe([(x, y * length) for x, y in profile], sides=sides, crease=30)
    if sides == 6:
        upright = upright.turned(y=30.0)
    return upright.turned(x=90).moved(0, radius, -length / 2)


BUILDERS: dict[str, Builder] = {"Pen": pen, "Pencil": pencil}
