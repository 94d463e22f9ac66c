"""Whether two oriented boxes run into each other: separating axes."""

from __future__ import annotations

import math

from env_service.worlds.household.geometry import Box, Rotation

TOUCH = 0.001
"""Metres by which boxes may run into each other and still count as touching."""

PARALLEL = 1e-3
"""Sine of the angle below which two edges are parallel and add no axis: without it two boxes are
told apart up to half a millimetre later, and measured rotations, which miss right angles by 1e-5,
give axes that are none."""

Triple = tuple[float, float, float]


def overlap(first: Box, second: Box, slack: float = TOUCH) -> bool:
    """Whether two boxes share more than a skin of `slack` metres; exact.

    Boxes are disjoint if one of 15 axes separates them: the faces' normals of both, and the
    products of their edges (Gottschalk, Lin and Manocha, 1996). All is reckoned in the first
    box's frame.
    """
    apart = second.center - first.center
    reach = (first.size.length() + second.size.length()) / 2
    if apart.dot(apart) >= reach * reach:
        return False
    mine, other = _columns(first.rotation), _columns(second.rotation)
    between = _against(mine, apart.tuple())
    turned = (_against(other, mine[0]), _against(other, mine[1]), _against(other, mine[2]))
    half = _half(first), _half(second)
    return not (
        _faces_separate(between, turned, half, slack)
        or _edges_separate(between, turned, half, slack)
    )


def _faces_separate(
    t: Triple, r: tuple[Triple, Triple, Triple], half: tuple[Triple, Triple], slack: float
) -> bool:
    e, f = half
    for i in range(3):
        row = r[i]
        span = e[i] + f[0] * abs(row[0]) + f[1] * abs(row[1]) + f[2] * abs(row[2])
        if abs(t[i]) >= span - slack:
            return True
    for j in range(3):
        span = f[j] + e[0] * abs(r[0][j]) + e[1] * abs(r[1][j]) + e[2] * abs(r[2][j])
        if abs(t[0] * r[0][j] + t[1] * r[1][j] + t[2] * r[2][j]) >= span - slack:
            return True
    return False


def _edges_separate(
    t: Triple, r: tuple[Triple, Triple, Triple], half: tuple[Triple, Triple], slack: float
) -> bool:
    e, f = half
    for i in range(3):
        a, b = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            c, d = (j + 1) % 3, (j + 2) % 3
            # not from r[i][j]: measured rotations are no rotations to the last digits
            sine = math.sqrt(r[a][j] * r[a][j] + r[b][j] * r[b][j])
            if sine < PARALLEL:
                continue
            span = e[a] * abs(r[b][j]) + e[b] * abs(r[a][j])
            span += f[c] * abs(r[i][d]) + f[d] * abs(r[i][c])
            if abs(t[b] * r[a][j] - t[a] * r[b][j]) >= span - slack * sine:
                return True
    return False


def _columns(rotation: Rotation) -> tuple[Triple, Triple, Triple]:
    """The turned axes."""
    a, b, c = rotation.rows
    return (a[0], b[0], c[0]), (a[1], b[1], c[1]), (a[2], b[2], c[2])


def _against(axes: tuple[Triple, Triple, Triple], v: Triple) -> Triple:
    """How far a vector reaches along each of three axes."""
    a, b, c = axes
    return (
        a[0] * v[0] + a[1] * v[1] + a[2] * v[2],
        b[0] * v[0] + b[1] * v[1] + b[2] * v[2],
        c[0] * v[0] + c[1] * v[1] + c[2] * v[2],
    )


def _half(box: Box) -> Triple:
    return box.size.x / 2, box.size.y / 2, box.size.z / 2
