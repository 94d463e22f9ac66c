"""How alike our pictures and AI2-THOR's are: ``python -m benchmarks.household_likeness``.

    python -m benchmarks.household_likeness --look clear --look thor
    python -m benchmarks.household_likeness --scene FloorPlan12 --sheets /tmp/likeness

Every real frame with a known pose is drawn from the same place, with the same field of view, at
300×300 pixels. The number is the mean difference of the three colours (0 to 255) over all pixels;
a scene's is the mean of its frames. Sheets show each real frame with our pictures of it. They hold
pictures of AI2-THOR, so they are written outside the repository only.

Frames come from the reference data: ``asgard-first-frames`` and ``ai2thor-recorded``. A first
frame was taken after small objects had been moved, which our picture does not show.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from env_service.contact_sheets import Panel, sheet
from env_service.worlds.ai2thor_api.floor_plans import FLOOR_PLANS
from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.render.interface import Camera, Channel, Renderer
from env_service.worlds.household.render.mirrors import MirroringRenderer
from env_service.worlds.household.render.soft.renderer import SoftRenderer
from env_service.worlds.household.scene.library import MetadataFolder, SceneLibrary
from env_service.worlds.household.scene.looks import LOOKS, dressed
from env_service.worlds.household.scene.spec import SceneSpec
from env_service.worlds.household.scene.thor_metadata import Capture, scene_from_metadata
from env_service.worlds.household.scene_graph_builder import SceneGraphBuilder
from env_service.worlds.household.state import HouseholdState
from tests.support.data import reference_path

Picture = NDArray[np.uint8]

SIDE = 300
NARROW = 60.0
"""Field of view of AsgardBench's frames, degrees."""
EYES = 0.675
"""Metres of the camera over the agent's origin, standing."""
FIRST_FRAMES, RECORDED = "asgard-first-frames", "ai2thor-recorded"
REPOSITORY = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Shot:
    """A real frame and where it was taken.

    Attributes:
        scene: such as "FloorPlan12".
        name: of the frame, unique.
        file: the picture.
        camera: ours at the same place.
        objects: the objects' metadata at that moment; None where they are not known.
    """

    scene: str
    name: str
    file: Path
    camera: Camera
    objects: tuple[Mapping[str, Any], ...] | None = None

    @cached_property
    def real(self) -> Picture:
        """The frame, uint8 [SIDE, SIDE, 3]."""
        with Image.open(self.file) as image:
            wide = image.convert("RGB").resize((SIDE, SIDE), Image.Resampling.BOX)
        return np.asarray(wide)


def first_frames(folder: Path) -> Iterator[Shot]:
    """The first frames of ``asgard-first-frames``."""
    for entry in json.loads((folder / "frames.json").read_text()):
        pose = entry["initial_pose"]
        at, file = pose["position"], folder / entry["image"]
        eye = Vec3(at["x"], at["y"] + EYES, at["z"])
        camera = _camera(eye, pose["rotation"], pose["horizon"], NARROW)
        yield Shot(entry["scene"], entry["plan"], file, camera)


def recorded(folder: Path) -> Iterator[Shot]:
    """The frames of ``ai2thor-recorded``, each with the objects of its event."""
    for session in sorted(path.parent for path in folder.glob("*/events.json.gz")):
        events = json.loads(gzip.decompress((session / "events.json.gz").read_bytes()))
        closed = {each["objectId"]: each for each in events[0]["metadata"]["objects"]}
        for number, event in enumerate(events):
            facts, file = event["metadata"], session / f"{number:03d}.png"
            if not file.is_file():
                continue
            agent = facts["agent"]
            eye = Vec3(*(facts["cameraPosition"][axis] for axis in "xyz"))
            camera = _camera(eye, agent["rotation"]["y"], agent["cameraHorizon"], facts["fov"])
            scene = facts["sceneName"].removesuffix("_physics")
            objects = tuple(_as_first(each, closed) for each in facts["objects"])
            yield Shot(scene, f"{session.name} {number}", file, camera, objects)


def _as_first(
    each: Mapping[str, Any], closed: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, Any]:
    """An object with the boxes of the session's first event, unless it was moved: the box of an
    open one includes its door, and is not that of its body."""
    first = closed.get(each["objectId"])
    if first is None or not each["openable"]:
        return each
    boxes = ("axisAlignedBoundingBox", "objectOrientedBoundingBox")
    return {**each, **{key: first[key] for key in boxes}}


def _camera(eye: Vec3, yaw: float, horizon: float, field_of_view: float) -> Camera:
    return Camera(eye, yaw, horizon, field_of_view, SIDE, SIDE)


def shots(data: Path, scenes: Sequence[str] = ()) -> list[Shot]:
    """All frames below a folder, of all scenes or of some, by scene."""
    found = [*first_frames(data / FIRST_FRAMES), *recorded(data / RECORDED)]
    chosen = [shot for shot in found if not scenes or shot.scene in scenes]
    return sorted(chosen, key=lambda shot: int(shot.scene.removeprefix("FloorPlan")))


@lru_cache(maxsize=4)
def library(folder: Path, look: str) -> SceneLibrary:
    """The floor plans of a folder, in a look."""
    return SceneLibrary([MetadataFolder(folder)], look=look)


def scene_of(shot: Shot, floor_plans: Path, look: str) -> SceneSpec:
    """The scene as it was when the frame was taken, as far as that is known."""
    if shot.objects is None:
        return library(floor_plans, look).load(shot.scene)
    then = scene_from_metadata(f"{shot.scene}_physics", shot.objects, Capture())
    return dressed(then, look)


def drawn(scene: SceneSpec, shot: Shot, renderer: Renderer) -> Picture:
    """Our picture of a scene at a frame's pose."""
    graph = SceneGraphBuilder(scene).graph(HouseholdState.at_start(scene))
    color = renderer.render(graph, shot.camera, Channel.COLOR).color
    assert color is not None
    return color


def difference(ours: Picture, real: Picture) -> float:
    """Mean difference of two pictures' colours, 0 to 255."""
    return float(np.abs(ours.astype(np.int16) - real).mean())


def floor_plans(data: Path) -> Path:
    """The folder of the floor plans' files below that of the reference data."""
    return data / "ithor" / FLOOR_PLANS.rpartition("/")[0]


def measure(
    shot: Shot, looks: Sequence[str], folder: Path, renderer: Renderer
) -> dict[str, Picture]:
    """Our pictures of a frame's view by look."""
    return {look: drawn(scene_of(shot, folder, look), shot, renderer) for look in looks}


def sheet_of(scene: str, rows: Sequence[tuple[Shot, Mapping[str, Picture]]]) -> Image.Image:
    """A contact sheet of a scene: each real frame, then ours."""
    panels = []
    for shot, pictures in rows:
        panels.append(Panel(f"AI2-THOR: {shot.name[:36]}", shot.real))
        for look, picture in pictures.items():
            panels.append(Panel(f"{look}: {difference(picture, shot.real):.1f}", picture))
    return sheet(scene, panels, 2 * (1 + len(rows[0][1])))


def table(numbers: Mapping[str, Sequence[Mapping[str, float]]], looks: Sequence[str]) -> str:
    """The mean difference of each scene, and of all scenes."""
    head = "  ".join(f"{look:>7}" for look in looks)
    lines = [f"{'scene':14} frames  {head}"]
    means: dict[str, list[float]] = {look: [] for look in looks}
    for scene, each in numbers.items():
        for look in looks:
            means[look].append(statistics.fmean(one[look] for one in each))
        cells = "  ".join(f"{means[look][-1]:7.1f}" for look in looks)
        lines.append(f"{scene:14} {len(each):6}  {cells}")
    cells = "  ".join(f"{statistics.fmean(means[look]):7.1f}" for look in looks)
    lines.append(f"{'mean of scenes':14} {sum(map(len, numbers.values())):6}  {cells}")
    return "\n".join(lines)


def main() -> None:
    """Reads the command line, measures, prints the table and writes sheets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--look", action="append", choices=LOOKS, help="default: both; repeatable")
    parser.add_argument("--scene", action="append", default=[], help="only this one; repeatable")
    parser.add_argument("--sheets", type=Path, help="folder for contact sheets")
    parser.add_argument("--data", type=Path, default=reference_path("."))
    options = parser.parse_args()
    if options.sheets is not None and options.sheets.resolve().is_relative_to(REPOSITORY):
        parser.error("sheets hold pictures of AI2-THOR: write them outside the repository")
    looks = tuple(dict.fromkeys(options.look or LOOKS))
    folder, renderer = floor_plans(options.data), MirroringRenderer(SoftRenderer())
    numbers: dict[str, list[dict[str, float]]] = {}
    for scene, group in groupby(shots(options.data, options.scene), lambda shot: shot.scene):
        rows = [(shot, measure(shot, looks, folder, renderer)) for shot in group]
        numbers[scene] = [
            {look: difference(picture, shot.real) for look, picture in pictures.items()}
            for shot, pictures in rows
        ]
        if options.sheets is not None:
            options.sheets.mkdir(parents=True, exist_ok=True)
            sheet_of(scene, rows).save(options.sheets / f"{scene}.png")
    if not numbers:
        parser.error(f"no frames of these scenes below {options.data}")
    print(table(numbers, looks))


if __name__ == "__main__":
    main()
