"""A made kitchen for renderer tests and measurements: 90 objects, about 25 000 triangles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets import palette, shapes, textures
from env_service.worlds.household.assets.model import Material, Mesh
from env_service.worlds.household.geometry import Transform, Vec3
from env_service.worlds.household.render.interface import Camera
from env_service.worlds.household.render.scene_graph import Light, Lighting, Node, SceneGraph

WHITE = Material((0.92, 0.92, 0.90), gloss=0.5)
GLASS = Material((0.86, 0.93, 0.95), opacity=0.2, gloss=0.9)

WIDE = Camera(Vec3(1.9, 1.55, -1.7), 315.0, 22.0, 60.0, 512, 512)
"""From a corner over most of the kitchen."""

CLOSE = Camera(Vec3(0.0, 1.45, -0.75), 0.0, 38.0, 60.0, 512, 512)
"""Down onto the table."""


def place(x: float, y: float, z: float, yaw: float = 0.0) -> NDArray[np.float64]:
    """A place for a node."""
    return Transform.at(Vec3(x, y, z), Vec3(0.0, yaw, 0.0)).array()


def kitchen() -> SceneGraph:
    """The scene, as often as wanted: every call gives equal content in new objects."""
    graph = SceneGraph()
    graph.light(
        Lighting(
            (
                Light(Vec3(0.2, 2.45, 0.0), (1.0, 0.95, 0.88), 4.0, 9.0, shadows=True),
                Light(Vec3(-1.8, 1.9, 1.6), (1.0, 0.9, 0.75), 1.0, 4.0),
                Light(Vec3(1.9, 1.2, 1.5), (1.0, 0.8, 0.6), 0.8, 3.0),
            ),
            ambient=0.32,
            sky=0.35,
            sky_direction=Vec3(0.94, 0.26, 0.22),
        )
    )
    _structure(graph)
    _furniture(graph)
    _things(graph)
    return graph


def mug() -> Mesh:
    """A mug with a handle."""
    wall = [(0, 0), (0.033, 0), (0.036, 0.004), (0.038, 0.09), (0.036, 0.092), (0.034, 0.09)]
    body = shapes.lathe([*wall, (0.033, 0.006), (0, 0.006)], sides=24)
    path = [(0.036, 0.075, 0), (0.058, 0.072, 0), (0.066, 0.05, 0), (0.055, 0.024, 0)]
    return shapes.join([body, shapes.tube([*path, (0.036, 0.018, 0)], 0.005, sides=8)])


def plate() -> Mesh:
    """A dinner plate."""
    line = [(0, 0), (0.07, 0), (0.12, 0.016), (0.121, 0.018), (0.075, 0.006), (0, 0.004)]
    return shapes.lathe(line, sides=32)


def tumbler() -> Mesh:
    """A drinking glass."""
    line = [(0, 0), (0.03, 0), (0.036, 0.13), (0.034, 0.13), (0.028, 0.008), (0, 0.008)]
    return shapes.lathe(line, sides=24)


def pot() -> Mesh:
    """A pot with two handles."""
    line = [(0, 0), (0.1, 0), (0.105, 0.01), (0.105, 0.11), (0.102, 0.11), (0.1, 0.01), (0, 0.008)]
    sides = [
        shapes.tube(
            [
                (s * 0.1, 0.09, -0.03),
                (s * 0.14, 0.09, -0.03),
                (s * 0.14, 0.09, 0.03),
                (s * 0.1, 0.09, 0.03),
            ],
            0.006,
        )
        for s in (-1, 1)
    ]
    return shapes.join([shapes.lathe(line, sides=28), *sides])


def apple(seed: int) -> Mesh:
    """A fruit."""
    ball = shapes.ball(0.038, 0.036, 0.038, sides=16, rings=10, at=(0, 0.036, 0))
    return shapes.bumpy(ball, 0.08, np.random.default_rng(seed))


def _structure(graph: SceneGraph) -> None:
    floor = Material((1, 1, 1), textures.tiles((0.62, 0.5, 0.38), (0.4, 0.34, 0.28)), gloss=0.2)
    tiled = Material((1, 1, 1), textures.tiles((0.85, 0.86, 0.84), (0.6, 0.6, 0.6)), gloss=0.4)
    wall = palette.paint("cream")
    parts = [
        ("floor", shapes.box(5, 0.1, 4.4, tile=1.2), floor, place(0, -0.1, 0)),
        ("ceiling", shapes.box(5, 0.1, 4.4), palette.paint("white"), place(0, 2.5, 0)),
        ("north", shapes.box(5, 2.5, 0.1), wall, place(0, 0, 2.25)),
        ("south", shapes.box(5, 2.5, 0.1), wall, place(0, 0, -2.25)),
        ("west", shapes.box(0.1, 2.5, 4.4), wall, place(-2.55, 0, 0)),
        ("east", shapes.box(0.1, 2.5, 4.4), wall, place(2.55, 0, 0)),
        ("splash", shapes.box(4.4, 0.5, 0.02, tile=0.5), tiled, place(0.2, 0.92, 2.19)),
    ]
    for number, (name, mesh, material, where) in enumerate(parts):
        graph.put(name, Node(mesh, material, where, number, fixed=True))


def _furniture(graph: SceneGraph) -> None:
    number = 20
    wood, steel = palette.wood("maple"), palette.metal("steel")
    counter, oak = palette.stone("grey stone"), palette.wood("oak")
    front = shapes.rounded_box(0.56, 0.62, 0.02, 0.008)
    knob = shapes.tube([(-0.06, 0, 0), (-0.06, 0, 0.03), (0.06, 0, 0.03), (0.06, 0, 0)], 0.006)
    for k in range(7):
        for high, y, z in ((0, 0.12, 1.6), (1, 1.5, 1.84)):
            x = -1.75 + 0.6 * k
            graph.put(f"front {k} {high}", Node(front, wood, place(x, y, z, 180), number))
            at = place(x, y + (0.06 if high else 0.54), z - 0.01, 180)
            graph.put(f"knob {k} {high}", Node(knob, steel, at, number))
            number += 1
    table = [
        ("low", shapes.box(4.2, 0.88, 0.56), wood, place(0.05, 0, 1.9)),
        ("top", shapes.rounded_box(4.3, 0.04, 0.64, 0.01, tile=0.6), counter, place(0, 0.88, 1.88)),
        ("high", shapes.box(4.2, 0.66, 0.32), wood, place(0.05, 1.48, 2.02)),
        ("fridge", shapes.rounded_box(0.75, 1.75, 0.7, 0.03), WHITE, place(-2.1, 0, 0.8)),
        ("table", shapes.rounded_box(1.5, 0.04, 0.9, 0.01, tile=0.8), oak, place(0, 0.72, 0.05)),
    ]
    for name, mesh, material, where in table:
        graph.put(name, Node(mesh, material, where, number, fixed=True))
        number += 1
    leg = shapes.box(0.06, 0.72, 0.06)
    for k in range(4):
        at = place((-0.68, 0.68)[k % 2], 0, (-0.33, 0.43)[k // 2])
        graph.put(f"leg {k}", Node(leg, oak, at, number, fixed=True))
    seat = shapes.join(
        [shapes.rounded_box(0.42, 0.04, 0.42, 0.015, at=(0, 0.43, 0))]
        + [
            shapes.tube([(x, 0, z), (x * 0.9, 0.43, z * 0.9)], 0.018, sides=6)
            for x in (-0.18, 0.18)
            for z in (-0.18, 0.18)
        ]
        + [
            shapes.tube([(x, 0.45, -0.19), (x, 0.95, -0.24)], 0.014, sides=6)
            for x in (-0.17, -0.085, 0, 0.085, 0.17)
        ]
    )
    for k, (x, z, yaw) in enumerate(((-0.5, -0.6, 0), (0.5, -0.6, 20), (0, 0.85, 180))):
        graph.put(f"chair {k}", Node(seat, palette.wood("cherry"), place(x, 0, z, yaw), 50 + k))


def _things(graph: SceneGraph) -> None:
    generator = np.random.default_rng(5)
    colors = ((0.7, 0.12, 0.1), (0.15, 0.3, 0.6), (0.85, 0.7, 0.2), (0.2, 0.45, 0.25))
    juice = shapes.lathe([(0, 0.008), (0.028, 0.008), (0.032, 0.08), (0, 0.08)], sides=24)
    bread = shapes.rounded_box(0.22, 0.11, 0.1, 0.03)
    kinds = [
        lambda k: (mug(), Material(colors[k % 4], gloss=0.5)),
        lambda k: (plate(), WHITE),
        lambda k: (tumbler(), GLASS),
        lambda k: (pot(), palette.metal(("steel", "copper", "chrome")[k % 3])),
        lambda k: (apple(k), Material(((0.7, 0.1, 0.08), (0.45, 0.6, 0.15))[k % 2], gloss=0.4)),
        lambda k: (bread, Material((0.72, 0.48, 0.25), gloss=0.05)),
    ]
    for k in range(72):
        mesh, material = kinds[k % 6](k // 6)
        if k < 36:
            x, y, z = -1.9 + (k % 18) * 0.22, 0.92, 1.72 + 0.28 * (k // 18)
        else:
            x, y, z = -0.62 + (k % 9) * 0.155, 0.76, -0.3 + 0.22 * ((k - 36) // 9)
        x, z = x + generator.uniform(-0.02, 0.02), z + generator.uniform(-0.02, 0.02)
        where, clear = place(x, y, z, generator.uniform(0, 360)), material.opacity < 1
        graph.put(f"thing {k}", Node(mesh, material, where, 100 + k, casts_shadow=not clear))
        if clear and k % 4 == 0:
            drink = Material((0.85, 0.5, 0.1), opacity=0.75)
            graph.put(f"drink {k}", Node(juice, drink, where, 100 + k, casts_shadow=False))
