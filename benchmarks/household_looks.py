"""Makes the table of colours of the look `thor` from real frames.

    python -m benchmarks.household_looks --out env_service/worlds/household/scene/looks.json
    python -m benchmarks.household_looks --check

Our picture at a frame's pose tells which surface each pixel shows, and how much light falls on it
in the look `thor`. A surface's colour is the median, over its pixels of all frames of a scene, of
the real colour with the light divided out: the colour that the surface would show in `looks.LIGHT`.
Movable small objects are left out, as they may have been elsewhere; so are glass, lights and edges.

The table holds for each scene, as "#rrggbb":

* ``surfaces``: by type and kind of part ("Wall/wall", "Cabinet/door"), from all such parts;
* ``parts``: by name and part ("Wall_2/wall"), of those that clearly differ from their kind;
* ``band``: of walls whose lower part has another colour, its height in metres and colour;
* ``coverings``: the pattern, as names of `assets.palette`, from the reference data's hand-measured
  facts (``ai2thor-scene-facts``), which also fill in surfaces that no frame shows of ours;
* ``frames``: how many frames it rests on.

``--check`` measures how alike the pictures are, in sample and with each frame left out in turn,
together with the frames of the same scene within NEAR of its pose.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.children import none_left
from benchmarks.household_likeness import (
    Shot,
    difference,
    drawn,
    floor_plans,
    scene_of,
    shots,
)
from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.assets.model import Material
from env_service.worlds.household.render.interface import Camera, Channel
from env_service.worlds.household.render.mirrors import MirroringRenderer
from env_service.worlds.household.render.soft.renderer import SoftRenderer
from env_service.worlds.household.render.soft.tone import DECODE, ENCODE, STEPS
from env_service.worlds.household.scene.looks import (
    BRIGHTEST,
    CLEAR,
    LIGHT,
    can_be_painted,
    dressed_in,
    entry_from,
    filled,
    surface_key,
)
from env_service.worlds.household.scene.spec import Appearance, SceneSpec
from env_service.worlds.household.scene_graph_builder import SceneGraphBuilder
from env_service.worlds.household.state import HouseholdState
from tests.support.data import reference_path

WHITE = Material((1.0, 1.0, 1.0), gloss=0.0)
MOST = 3000
"""Pixels of one part in one frame that are kept."""
ENOUGH = 150
"""Pixels that a surface needs for a colour, and twice as many a part that differs from its kind."""
APART = 9.0
"""Levels (mean of the channels) by which such a part differs."""
NEAR, TURN = 0.3, 12.0
"""Metres and degrees within which two frames show the same: they are left out together."""

WALL = "Wall/wall"
BANDS = tuple(round(0.3 + 0.05 * step, 2) for step in range(37))
BAND_SHARE, BAND_APART, BAND_GAIN = 0.06, 22.0, 0.8
"""A lower band of walls: heights that are tried, metres; the least share of pixels below and above,
the least difference in levels, and the most that it leaves of the walls' deviation."""

Colors = NDArray[np.uint8]


@dataclass(frozen=True)
class Seen:
    """What one frame tells: for each part, by (type, name, part), its colours, uint8 [N, 3]; and
    of each wall the heights over the floor of its pixels, metres, with their colours."""

    shot: Shot
    room: str
    colors: Mapping[tuple[str, str, str], Colors]
    walls: tuple[tuple[NDArray[np.float64], Colors], ...]


def seen_in(shot: Shot, folder: Path, renderer: SoftRenderer) -> Seen:
    """Projects our surfaces onto a frame."""
    scene = replace(scene_of(shot, folder, CLEAR), appearance=Appearance({}, {}))
    graph = SceneGraphBuilder(scene).graph(HouseholdState.at_start(scene))
    keys = [key for key, node in graph.nodes.items() if node.material.opacity >= 1]
    graph.drop([key for key in graph.nodes if key not in set(keys)])
    materials = [graph.nodes[key].material for key in keys]
    glow = [material.glow for material in materials]
    for number, key in enumerate(keys):
        node = graph.nodes[key]
        white = replace(WHITE, two_sided=node.material.two_sided)
        graph.put(key, replace(node, instance=number, material=white))
    channels = Channel.COLOR | Channel.INSTANCES | Channel.DEPTH
    pictures = renderer.render(graph, shot.camera, channels)
    assert pictures.color is not None and pictures.instances is not None
    light = _incoming(DECODE.take(pictures.color))
    shining = np.append(glow, 0.0).take(pictures.instances)[..., None]
    shown = _incoming(DECODE.take(shot.real))
    shown = shown * ((LIGHT + shining) / np.maximum(light + shining, 0.02))
    levels = _levels(shown).reshape(-1, 3)
    inner = _inside(pictures.instances).reshape(-1)
    instances = pictures.instances.reshape(-1)
    heights = _heights(shot.camera, pictures.depth) - scene.bounds.bottom
    types = _types(scene)
    found, high = {}, []
    for number in np.unique(instances[inner]):
        name, _, part = keys[number].rpartition("/")
        kind = types.get(name)
        if number < 0 or kind is None or not can_be_painted(materials[number], kind):
            continue
        chosen = np.flatnonzero(inner & (instances == number))
        chosen = chosen[:: -(-len(chosen) // MOST)]
        found[kind, name, part] = levels[chosen]
        if f"{kind}/{part}" == WALL:
            high.append((heights[chosen], levels[chosen]))
    return Seen(shot, scene.room.value, found, tuple(high))


def _heights(camera: Camera, depth: NDArray[np.float32] | None) -> NDArray[np.float64]:
    """Metres of every pixel's surface, in the room's frame."""
    assert depth is not None
    half = math.tan(math.radians(camera.field_of_view / 2))
    rows = (1 - (np.arange(camera.height) + 0.5) * 2 / camera.height) * half
    pitch = math.radians(camera.pitch)
    rise = rows * math.cos(pitch) - math.sin(pitch)
    found: NDArray[np.float64] = (camera.position.y + depth * rise[:, None]).reshape(-1)
    return found


def _types(scene: SceneSpec) -> dict[str, str]:
    """The types of what the table may hold, by name."""
    fixed = {s.object_id: s.type for s in scene.objects if not s.can(Trait.PICKUPABLE)}
    return fixed | {spec.name: spec.type for spec in scene.structure}


def _inside(instances: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Pixels whose neighbours show the same part."""
    same = np.ones(instances.shape, np.bool_)
    for axis in (0, 1):
        for step in (-2, -1, 1, 2):
            same &= np.roll(instances, step, axis) == instances
    return same


def _incoming(shown: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    """`looks.incoming` for arrays."""
    high = 0.25 / (1 - np.minimum(shown, 1 - 0.25 / BRIGHTEST))
    return np.where(shown <= 0.5, shown, high)


def _levels(light: NDArray[np.floating[Any]]) -> Colors:
    """Light as the picture's bytes."""
    toned = np.where(light <= 0.5, light, 1 - 0.25 / np.maximum(light, 0.5))
    return ENCODE.take((toned * (STEPS - 1) + 0.5).astype(np.int64)).astype(np.uint8)


# --- From what the frames of one scene tell to its entry in the table


def entry(seen: Sequence[Seen], facts: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The entry of a scene; `facts` are the hand-measured ones."""
    kinds: dict[str, list[Colors]] = defaultdict(list)
    parts: dict[tuple[str, str], list[Colors]] = defaultdict(list)
    for one in seen:
        for (kind, name, part), colors in one.colors.items():
            key = surface_key(kind, part)
            kinds[key].append(colors)
            parts[key, f"{name}/{part}"].append(colors)
    surfaces = {key: _median(each) for key, each in kinds.items() if _count(each) >= ENOUGH}
    different = {}
    for (key, name), each in parts.items():
        if key not in surfaces or _count(each) < 2 * ENOUGH:
            continue
        color = _median(each)
        if float(np.abs(color - surfaces[key]).mean()) >= APART:
            different[name] = color
    written = {key: _written(color) for key, color in surfaces.items()}
    band = lower_band([wall for one in seen for wall in one.walls])
    if band is not None:
        written[WALL] = _written(band.above)
        different = {key: c for key, c in different.items() if not key.endswith("/wall")}
    by_hand = _from_facts(facts)
    surest = {key: by_hand[key] for key in SURFACES["shelving"] if key in by_hand}
    return {
        "room": seen[0].room,
        "frames": len(seen),
        "surfaces": dict(sorted((by_hand | written | surest).items())),
        "parts": {name: _written(color) for name, color in sorted(different.items())},
        "coverings": coverings(facts),
        **({"band": [band.height, _written(band.below)]} if band is not None else {}),
    }


@dataclass(frozen=True)
class Band:
    """Walls whose lower part, up to a height, has another colour."""

    height: float
    below: NDArray[np.float64]
    above: NDArray[np.float64]


def lower_band(walls: Sequence[tuple[NDArray[np.float64], Colors]]) -> Band | None:
    """The lower band of walls, if one explains their colours clearly better than none."""
    if not walls:
        return None
    heights = np.concatenate([each for each, _ in walls])
    colors = np.concatenate([each for _, each in walls]).astype(np.float64)
    plain = np.abs(colors - np.median(colors, axis=0)).mean()
    found: list[tuple[float, Band]] = []
    for height in BANDS:
        low = heights < height
        if min(low.sum(), (~low).sum()) < BAND_SHARE * len(low):
            continue
        below, above = np.median(colors[low], axis=0), np.median(colors[~low], axis=0)
        left = np.abs(colors - np.where(low[:, None], below, above)).mean()
        if np.abs(below - above).mean() >= BAND_APART:
            found.append((float(left / plain), Band(height, below, above)))
    best = min(found, key=lambda each: each[0], default=None)
    return best[1] if best is not None and best[0] <= BAND_GAIN else None


def _count(each: Iterable[Colors]) -> int:
    return sum(len(colors) for colors in each)


def _median(each: Iterable[Colors]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = np.median(np.concatenate(list(each)), axis=0)
    return found


def _written(color: Iterable[float]) -> str:
    return "#" + bytes(round(float(c)) for c in color).hex()


# --- The facts measured by hand

SURFACES = {
    "walls": ("Wall/wall",),
    "floor": ("Floor/floor",),
    "ceiling": ("Ceiling/slab",),
    "cabinets": ("Cabinet/door", "Drawer/front", "Cabinet/carcass", "CounterBase/carcass"),
    "countertop": ("CounterTop/slab",),
    "backsplash": ("Wall/splash",),
    "fridge": ("Fridge/door", "Fridge/body"),
    "door": ("Door/door",),
    "dining table": ("DiningTable/top",),
    "coffee table": ("CoffeeTable/top",),
    "sofa": ("Sofa/cushions", "Sofa/body"),
    "armchair": ("ArmChair/cushions", "ArmChair/body"),
    "desk": ("Desk/top",),
    "dresser": ("Dresser/carcass", "Drawer/front"),
    # thin parts, which our own hardly meet: the fact goes first
    "shelving": ("ShelvingUnit/posts", "ShelvingUnit/boards", "ShelvingUnit/frame"),
    "shower curtain": ("ShowerCurtain/curtain",),
}
"""The parts of ours that a surface of the facts is."""

COVERINGS: dict[str, tuple[str, dict[str, str]]] = {
    "walls": ("walls", {"plain": "white", "tiles": "white tiles", "bricks": "white bricks",
                        "wood planks": "pine panelling"}),
    "floor": ("floor", {"wood planks": "oak boards", "tiles": "white tiles",
                        "checkers": "checker tiles", "carpet": "beige carpet",
                        "plain": "cream linoleum"}),
    "cabinets": ("cabinets", {"plain": "white", "wood": "maple"}),
    "countertop": ("counter", {"granite": "brown granite", "marble": "white marble",
                               "stone": "grey stone", "plain": "rose laminate"}),
    "backsplash": ("tiles", {"tiles": "white"}),
}  # fmt: skip
"""For surfaces of the facts: the field of a palette, and its covering for a pattern."""


def _from_facts(facts: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    return {
        key: _written(facts[name]["rgb"])
        for name, keys in SURFACES.items()
        if name in facts
        for key in keys
    }


def coverings(facts: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Fields of a palette for the patterns of the facts; unknown patterns are left out."""
    found = {}
    for name, (field, known) in COVERINGS.items():
        if name not in facts:
            continue
        words = (facts[name]["pattern"], facts[name]["word"])
        chosen = next((known[key] for key in known for word in words if key in word), None)
        if chosen is not None:
            found[field] = chosen
    if "walls" in facts:
        found.setdefault("tiles", "white")  # no backsplash was seen: the faintest pattern
    return found


# --- The whole table, and its check


def facts_of(data: Path) -> Mapping[str, Mapping[str, Any]]:
    """The facts measured by hand, by scene and surface."""
    found: Mapping[str, Mapping[str, Any]] = json.loads(
        (data / "ai2thor-scene-facts" / "scene_facts.json").read_text()
    )["colours"]
    return found


def table(seen: Mapping[str, Sequence[Seen]], facts: Mapping[str, Any]) -> dict[str, Any]:
    """What ``looks.json`` holds."""
    about = (
        "Lit colours of surfaces in AI2-THOR's scenes, as sRGB in the light of the look `thor`. "
        "Our own measurements (benchmarks/household_looks.py) in frames of MIT "
        "microsoft/AsgardBench and MIT Kajiih/rl_ai2thor, rendered by Apache-2.0 "
        "allenai/ai2thor 5.0; no file of theirs is copied."
    )
    return {
        "about": about,
        "scenes": {name: entry(each, facts.get(name, {})) for name, each in seen.items()},
    }


def check(
    seen: Mapping[str, Sequence[Seen]], facts: Mapping[str, Any], folder: Path
) -> list[tuple[Shot, float, float]]:
    """Each frame's difference in the look `thor`: with all frames' colours, and without its own."""
    renderer, rows = MirroringRenderer(SoftRenderer()), []
    for name, each in seen.items():
        whole = entry(each, facts.get(name, {}))
        for one in each:
            others = [other for other in each if not _near(one.shot, other.shot)]
            rest = entry(others, facts.get(name, {})) if others else None
            numbers = [
                difference(
                    drawn(dressed_as(one.shot, folder, it), one.shot, renderer), one.shot.real
                )
                if it is not None
                else math.nan
                for it in (whole, rest)
            ]
            rows.append((one.shot, numbers[0], numbers[1]))
    return rows


def dressed_as(shot: Shot, folder: Path, written: Mapping[str, Any]) -> SceneSpec:
    """The scene of a frame, in the look `thor` with this entry of the table."""
    scene = scene_of(shot, folder, CLEAR)
    return dressed_in(scene, filled(shot.scene, entry_from(written)))


def _near(one: Shot, other: Shot) -> bool:
    turn = abs((one.camera.yaw - other.camera.yaw + 180) % 360 - 180)
    apart = (one.camera.position - other.camera.position).length()
    pitch = abs(one.camera.pitch - other.camera.pitch)
    return apart <= NEAR and turn <= TURN and pitch <= TURN


def report(rows: Sequence[tuple[Shot, float, float]]) -> str:
    """Per scene: frames, mean in sample, frames left out, their mean without their own colours."""
    by_scene: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for shot, inside, outside in rows:
        by_scene[shot.scene].append((inside, outside))
    lines = [f"{'scene':14} frames  in sample  left out"]
    means = []
    for name, each in by_scene.items():
        inside = statistics.fmean(one for one, _ in each)
        left = [two for _, two in each if not math.isnan(two)]
        outside = statistics.fmean(left) if left else math.nan
        means.append((inside, outside))
        lines.append(f"{name:14} {len(each):6} {inside:10.1f} {outside:9.1f}")
    inside = statistics.fmean(one for one, _ in means)
    outside = statistics.fmean(two for _, two in means if not math.isnan(two))
    lines.append(f"{'mean of scenes':14} {len(rows):6} {inside:10.1f} {outside:9.1f}")
    return "\n".join(lines)


@none_left()
def main() -> None:
    """Reads the command line; writes the table, or prints the check."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="file of the table")
    parser.add_argument("--check", action="store_true", help="measure with frames left out")
    parser.add_argument("--scene", action="append", default=[], help="only this one; repeatable")
    parser.add_argument("--data", type=Path, default=reference_path("."))
    options = parser.parse_args()
    if options.out is None and not options.check:
        parser.error("say --out FILE, --check, or both")
    folder, facts, renderer = floor_plans(options.data), facts_of(options.data), SoftRenderer()
    seen: dict[str, list[Seen]] = defaultdict(list)
    for shot in shots(options.data, options.scene):
        seen[shot.scene].append(seen_in(shot, folder, renderer))
    if options.out is not None:
        options.out.write_text(json.dumps(table(seen, facts), indent=1) + "\n")
    if options.check:
        print(report(check(seen, facts, folder)))


if __name__ == "__main__":
    main()
