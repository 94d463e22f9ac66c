"""Where the agent starts in AI2-THOR's 120 iTHOR floor plans.

Our own table of measured facts about AI2-THOR 5.0.0. Positions: the point that has the distances
which the metadata after a reset give of all objects (120 scenes, residual below 0.1 mm). Yaws:
four were recorded; of the others, the multiple of 90 degrees that explains best which objects the
metadata call visible. The metadata are those of Kajiih/rl_ai2thor (MIT), the data pack ``ithor``.
"""

from __future__ import annotations

import re

from env_service.worlds.household.geometry import Vec3

Start = tuple[float, float, int]
"""x and z in metres, on the grid of 0.25 m, and yaw in degrees."""

STARTS: dict[int, Start] = {
    1: (-1.0, 1.0, 270), 2: (-1.0, 2.0, 180), 3: (0.0, -1.75, 270), 4: (-2.0, 1.25, 270),
    5: (0.75, 0.0, 270), 6: (0.0, -0.75, 270), 7: (1.25, -0.5, 180), 8: (-1.0, 0.0, 0),
    9: (0.0, 0.0, 0), 10: (0.0, -1.25, 90), 11: (0.0, -0.75, 0), 12: (0.5, 0.0, 270),
    13: (-2.0, 3.75, 180), 14: (0.0, 0.0, 0), 15: (-1.5, 2.0, 180), 16: (1.25, 0.0, 90),
    17: (0.0, 1.75, 0), 18: (-0.5, 2.25, 270), 19: (-1.25, -2.0, 270), 20: (1.0, -1.0, 180),
    21: (0.0, -2.75, 180), 22: (-1.5, 0.0, 270), 23: (-3.0, -0.5, 270), 24: (-0.5, 2.5, 0),
    25: (-2.0, 1.0, 270), 26: (-1.0, 1.5, 90), 27: (1.0, 1.0, 270), 28: (-1.5, -1.5, 180),
    29: (1.25, -0.5, 270), 30: (0.25, -0.5, 90), 201: (-4.0, 1.5, 0), 202: (-0.5, 1.75, 270),
    203: (-3.0, 2.75, 90), 204: (-1.25, 3.0, 0), 205: (-3.0, 2.0, 90), 206: (1.75, 0.0, 270),
    207: (0.5, -1.0, 180), 208: (-1.0, 0.5, 0), 209: (-3.5, -2.0, 0), 210: (-5.0, 2.5, 90),
    211: (-0.5, 0.5, 90), 212: (0.75, 0.0, 270), 213: (9.5, 0.0, 90), 214: (-1.75, 2.25, 0),
    215: (-2.0, 5.0, 180), 216: (-2.0, 0.0, 90), 217: (-3.25, 2.25, 90), 218: (-0.5, 4.5, 270),
    219: (-3.0, 2.0, 0), 220: (-2.0, 2.5, 90), 221: (-2.5, 0.0, 90), 222: (1.25, 0.5, 90),
    223: (-0.5, 0.0, 90), 224: (-2.0, 1.0, 0), 225: (-2.5, 3.75, 180), 226: (-0.75, 0.5, 0),
    227: (-1.5, 4.5, 180), 228: (-2.5, 3.0, 180), 229: (-1.0, 2.0, 270), 230: (-4.5, 3.75, 90),
    301: (2.25, 1.0, 270), 302: (0.0, 0.0, 180), 303: (0.0, -0.5, 180), 304: (0.5, 0.5, 270),
    305: (-0.5, -0.5, 90), 306: (0.5, 0.0, 90), 307: (0.0, -0.75, 180), 308: (1.0, -1.0, 0),
    309: (-1.0, -1.0, 0), 310: (0.5, -1.25, 270), 311: (0.5, -1.0, 0), 312: (1.75, 0.25, 90),
    313: (0.5, 0.0, 90), 314: (1.0, -0.5, 90), 315: (-1.0, -2.0, 90), 316: (0.5, 0.0, 90),
    317: (0.0, 0.0, 180), 318: (1.0, 1.0, 90), 319: (1.0, -1.0, 90), 320: (0.5, 1.0, 90),
    321: (2.25, 0.0, 180), 322: (0.75, 0.0, 0), 323: (0.25, 0.0, 0), 324: (1.5, -0.5, 0),
    325: (0.25, 0.0, 90), 326: (0.25, 0.0, 90), 327: (0.0, 0.0, 0), 328: (1.25, 0.25, 90),
    329: (1.0, 0.0, 0), 330: (0.0, 1.25, 180), 401: (-2.25, 1.5, 0), 402: (-2.0, 2.5, 90),
    403: (-1.0, 2.0, 0), 404: (-1.5, 1.0, 90), 405: (-2.0, 0.0, 0), 406: (-1.0, 2.0, 90),
    407: (-0.5, 0.0, 180), 408: (-1.5, -0.25, 270), 409: (-0.75, 2.0, 90), 410: (-2.5, 3.25, 90),
    411: (-0.75, 2.0, 90), 412: (-2.5, -0.75, 0), 413: (-0.75, 1.5, 90), 414: (-1.5, 1.25, 0),
    415: (-1.5, -0.75, 90), 416: (-0.5, 1.75, 90), 417: (-1.75, -1.0, 90), 418: (-2.25, -1.0, 90),
    419: (-1.0, -1.0, 90), 420: (-1.75, -1.25, 90), 421: (-1.25, 2.25, 180), 422: (-1.0, 1.5, 90),
    423: (-2.0, 1.5, 90), 424: (-1.25, 2.5, 0), 425: (0.0, 2.5, 180), 426: (-2.0, 1.0, 90),
    427: (-1.5, 1.0, 90), 428: (-0.5, 1.75, 90), 429: (-0.75, -1.25, 90), 430: (-0.75, 0.5, 90),
}  # fmt: skip
"""By the floor plan's number."""

RECORDED = frozenset(
    {1, 201, 301, 401}
)  # fmt: skip
"""Their starts were recorded."""

LIKELY = frozenset(
    {2, 4, 5, 6, 8, 218, 223, 303, 304, 306, 326, 328, 330, 410, 414, 417}
)  # fmt: skip
"""Their yaw has a probability of 0.7 to 0.95; nothing recorded shows it."""

OPEN = frozenset(
    {13, 18, 21, 24, 203, 207, 209, 210, 211, 213, 216, 219, 220, 222, 224, 226, 309, 311,
     321, 322, 323, 324, 327, 408, 412}
)  # fmt: skip
"""Their yaw is the most probable of several possible ones."""

BOUNDS: dict[int, tuple[Vec3, Vec3]] = {
    1: (Vec3(-2.500057, -0.1, -2.932673), Vec3(2.4743, 2.6, 2.562153)),
    201: (Vec3(-5.35851, -0.42997, -1.420786), Vec3(1.781293, 2.696242, 7.813255)),
    301: (Vec3(-1.8, -0.2, -1.8), Vec3(3.3, 2.7, 2.2)),
    401: (Vec3(-3.631917, -0.366416, -0.845609), Vec3(0.855106, 2.585783, 4.211515)),
}
"""The lowest and highest corner of AI2-THOR's sceneBounds, metres, where it was recorded."""

NEAR = 0.3
"""Metres: a start further from the table's is another build's."""

_NAME = re.compile(r"FloorPlan(\d+)(?:_physics)?")


def bounds_of(scene: str) -> tuple[Vec3, Vec3] | None:
    """The corners of a scene's bounds as recorded; None if they were not."""
    found = _NAME.fullmatch(scene)
    return BOUNDS.get(int(found[1])) if found else None


def start_yaw(scene: str, position: Vec3) -> float | None:
    """The yaw at the start of a scene whose agent starts at a position; None if unknown."""
    found = _NAME.fullmatch(scene)
    start = STARTS.get(int(found[1])) if found else None
    if start is None or abs(position.x - start[0]) > NEAR or abs(position.z - start[1]) > NEAR:
        return None
    return float(start[2])
