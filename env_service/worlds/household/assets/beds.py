"""Beds. The head is at -z.

Details: "level" gives the height of the made bed (see `furniture_parts.level_of`); "pillows" how
many lie on it. Without that there is none: AI2-THOR's pillows are objects of their own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from env_service.worlds.household.assets import furniture_parts as fp
from env_service.worlds.household.assets import palette, shapes
from env_service.worlds.household.assets.material import Material
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Model,
    Part,
    Surface,
)

WEAVE = 0.16
"""Metres of duvet in one repeat of its cloth."""

BARE, HOLLOW, RIDGE = 0.034, 0.030, 0.013
"""Metres from the height of the made bed: down to the bare sheet of an unmade one, down to the
hollows of its duvet, up to the ridges."""

SHEET = Material((0.88, 0.87, 0.84), gloss=0.0, two_sided=True)


def bed(request: AssetRequest) -> Model:
    """Frame, mattress, sheet and duvet. Made when clean; when dirty the duvet is thrown back in
    folds and the creased sheet lies bare. The usable top is the whole mattress either way."""
    w, h, d = request.size.tuple()
    usual = min(0.62, h * 0.72) if h > 0.5 else h
    level = min(fp.level_of(request, usual), h - 0.014)
    head = 0.07 if h - level > 0.1 else 0.0
    wide, z0, z1 = w - 0.06, -d / 2 + head, d / 2 - 0.045
    loft = min(0.05, level * 0.1)
    mattress_top = level - loft
    base = max(mattress_top - 0.24, 0.05)
    mattress = fp.blocks([(-wide / 2, wide / 2, base, mattress_top, z0, z1)], 0.05, tile=0.4)
    frame, material = _frame(request, base, head)
    duvet = palette.cloth(request.choose((request.palette.fabric, "sky", "brick", "sage", "navy")))
    on = _Mattress(wide, z0, z1, mattress_top, level)
    parts = [
        Part("frame", frame, material),
        Part("mattress", mattress, SHEET),
        *(_unmade(on, duvet, request.variant % 4, h) if request.look.dirty else _made(on, duvet)),
    ]
    count = request.detail("pillows")
    if isinstance(count, float | int) and count > 0:
        parts.append(_pillows(request, int(count), wide, z0, mattress_top))
    margin = 0.05
    low, high = (-wide / 2 + margin, z0 + 0.02), (wide / 2 - margin, z1 - margin)
    return Model(tuple(parts), (Surface(low, high, level),))


def _frame(request: AssetRequest, base: float, head: float) -> tuple[Mesh, Material]:
    """Rails and legs, a headboard if the box is high enough: wooden with a foot, slatted, or
    padded."""
    w, h, d = request.size.tuple()
    kind = request.choose(("panel", "padded", "slats"))
    x, z, rail = w / 2, d / 2, max(base - 0.14, 0.02)
    spans: list[fp.Span] = [
        (-x, -x + 0.03, rail, base + 0.05, -z + head, z),
        (x - 0.03, x, rail, base + 0.05, -z + head, z),
        (-x + 0.03, x - 0.03, rail, base + 0.05, z - 0.04, z),
        (-x + 0.03, x - 0.03, rail, base, -z + head, z - 0.04),
    ]
    legs: list[fp.Span] = [
        (s * (x - 0.03) - 0.03, s * (x - 0.03) + 0.03, 0, rail + 0.001, f, f + 0.06)
        for s in (-1, 1)
        for f in (-z + head, z - 0.06)
    ]
    wood = palette.wood(request.choose((request.palette.wood, "walnut", "white"), salt=1))
    if kind == "padded":
        soft = palette.cloth(request.choose(("grey", "sand", "slate"), salt=2))
        board = (
            fp.blocks([(-x, x, 0.02, h, -z, -z + head)], 0.03, steps=2, tile=0.25) if head else None
        )
        body = join([fp.blocks(spans, 0.012, tile=0.25), fp.boards(legs, tile=0.25)])
        return (join([body, board]) if board else body), soft
    body = fp.boards([*spans, *legs])
    if not head:
        return body, wood
    if kind == "panel":
        boards = [
            (-x, x, 0, h - 0.05, -z + 0.015, -z + head - 0.015),
            (-x, x, h - 0.05, h, -z, -z + head),
        ]
        return join([body, fp.blocks(boards, 0.012)]), wood
    posts = [(s * (x - 0.03) - 0.03, s * (x - 0.03) + 0.03, 0, h, -z, -z + 0.06) for s in (-1, 1)]
    count = max(5, round(w / 0.16))
    places = np.linspace(-x + 0.06, x - 0.06, count + 2)[1:-1]
    bars = [
        (float(p) - 0.018, float(p) + 0.018, base, h - 0.12, -z + 0.02, -z + 0.04) for p in places
    ]
    rails = [(-x + 0.05, x - 0.05, h - 0.13, h - 0.03, -z + 0.01, -z + 0.05)]
    return join([body, fp.blocks([*posts, *rails], 0.01), fp.boards(bars)]), wood


@dataclass(frozen=True)
class _Mattress:
    """What bedding lies on: its width, its z from and to, the height of its top, and the height
    of the made bed over it."""

    wide: float
    z0: float
    z1: float
    low: float
    level: float

    @property
    def drop(self) -> float:
        """How far down the duvet hangs."""
        return max(self.low - 0.20, 0.06)

    @property
    def half(self) -> float:
        """Half of the width of the cloth over it."""
        return self.wide / 2 + 0.006


def _made(on: _Mattress, duvet: Material) -> tuple[Part, ...]:
    """A smooth duvet whose edge is turned back over it, the sheet at the head."""
    x = np.linspace(-on.half, on.half, 5)
    start, long = on.z0 + (on.z1 - on.z0) * 0.30, on.z1 - on.z0
    z = np.linspace(start, on.z1 + 0.02, 5)
    cover = fp.drape(x, z, np.full((len(z), len(x)), on.level), on.drop, hem=0.012, tile=WEAVE)
    fold_z = np.array([start - 0.02, start, start + long * 0.11, start + long * 0.115])
    edge = on.level + np.array([0.0, 0.012, 0.012, 0.002])
    fold = fp.drape(
        x * 1.004, fold_z, np.repeat(edge[:, None], 5, 1), on.drop + 0.03, hem=0.012, tile=WEAVE
    )
    head_z = np.array([on.z0 + 0.01, start])
    head = fp.drape(x, head_z, np.full((2, 5), on.level - 0.006), on.low - 0.06, hem=0.004)
    return Part("duvet", cover, duvet), Part("fold", fold, SHEET), Part("sheet", head, SHEET)


def _unmade(on: _Mattress, duvet: Material, seed: int, top: float) -> tuple[Part, ...]:
    """A creased bare sheet, the duvet thrown back across it in folds: its edge is a thick roll
    that runs aslant. All but that roll stays near the height of the made bed, so that what lies on
    the bed neither drowns nor floats."""
    generator = np.random.default_rng(seed)
    side = 1.0 if seed % 2 else -1.0
    rows, columns = 17, 19
    u, v = np.meshgrid(np.linspace(-1, 1, columns), np.linspace(0, 1, rows))
    edge = 0.47 + 0.25 * side * u + 0.05 * np.sin(6 * u + seed)
    share = edge + (1 - edge) * v
    folds = np.zeros((rows, columns))
    for _ in range(6):
        turn, phase = generator.uniform(-0.9, 0.9), generator.uniform(0, 2 * math.pi)
        count = generator.uniform(6, 12)
        folds += np.sin(count * (u * np.cos(turn) + 1.7 * share * np.sin(turn)) + phase)
    ridges = 1 - np.abs(np.sin(1.3 * folds))
    roll = np.exp(-(((v - 0.13) / 0.11) ** 2))
    rise = np.clip(v / 0.05, 0.0, 1.0)
    loft = on.level - on.low
    valley, low = on.level - min(HOLLOW, 0.6 * loft), on.level - min(BARE, 0.68 * loft)
    crest = 0.045 * roll * (1 + 0.4 * np.sin(9 * u + seed))
    folded = valley + (on.level + RIDGE - valley) * ridges + crest
    heap = np.minimum(low + rise * (folded - low), top)
    long = on.z1 - on.z0
    z = on.z0 + 0.02 + long * share
    x = np.linspace(-on.half, on.half, columns)
    thrown = fp.drape(x, z, heap, on.drop, hem=0.012, tile=WEAVE)
    bed_z = np.linspace(on.z0 + 0.02, on.z0 + 0.02 + long * 0.8, 13)
    su, sv = np.meshgrid(np.linspace(-1, 1, 11), np.linspace(0, 0.8, 13))
    creases = np.sin(9 * su + 14 * sv + 2 * np.sin(5 * sv)) * np.sin(6 * su - 11 * sv)
    across = np.linspace(-on.half, on.half, 11) * 0.985
    bare = low + 0.25 * (low - on.low) * (creases - 1.0)
    sheet = fp.drape(across, bed_z, bare, on.low - 0.06, hem=0.002)
    return Part("sheet", sheet, SHEET), Part("duvet", thrown, duvet)


def _pillows(request: AssetRequest, count: int, wide: float, z0: float, low: float) -> Part:
    """Pillows side by side at the head; when the bed is dirty, turned and out of line."""
    each = min(0.62, wide / count - 0.04)
    ball = shapes.ball(1.0, 1.0, 1.0, sides=16, rings=8)
    p = ball.points.astype(np.float64)
    square = np.sign(p) * np.abs(p) ** np.array([0.5, 1.0, 0.5])
    pillow = shapes.smoothed(Mesh.of(square, ball.normals, ball.uv, ball.faces))
    pillow = pillow.scaled(each / 2, 0.065, 0.2)
    meshes = []
    for k in range(count):
        x = (k - (count - 1) / 2) * (wide / count)
        askew = request.look.dirty
        turn = (38.0, -24.0, 15.0)[k % 3] if askew else 0.0
        shift = (0.14, 0.03, 0.2)[k % 3] if askew else 0.0
        meshes.append(
            pillow.turned(y=turn).moved(
                x * (0.85 if askew else 1.0), low + 0.075, z0 + 0.24 + shift
            )
        )
    return Part("pillows", join(meshes), SHEET)


BUILDERS: dict[str, Builder] = {"Bed": bed}
