"""What pictures of a home cost to draw: ``python -m benchmarks.household_render``.

    python -m benchmarks.household_render --scene FloorPlan12_physics
    python -m benchmarks.household_render --renderers soft soft+numba gl

Each renderer draws the same scene in a separate process: views that differ by a hair, as plain
frames; the same after one object moved; an unchanged view; and instance pictures alone. Times are
CPU time of the process, least and median of several, because other work shares the machine;
``first_s`` is the first picture of all, with all that a scene needs once; ``memory_mb`` is by how
much scene and renderer raised the process's peak. A scene that is not among the floor plans at
hand is drawn from the built-in ones; ``made`` is a kitchen made up of simple shapes.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

from benchmarks.children import none_left
from env_service.worlds.household.gallery.scenes import corners
from env_service.worlds.household.render.gl.renderer import GlRenderer
from env_service.worlds.household.render.interface import Camera, Channel, Renderer
from env_service.worlds.household.render.scene_graph import SceneGraph
from env_service.worlds.household.render.soft.renderer import SoftRenderer
from env_service.worlds.household.scene.library import household_scenes
from env_service.worlds.household.scene_graph_builder import SceneGraphBuilder
from env_service.worlds.household.state import HouseholdState
from tests.support.household_scene import WIDE, kitchen

RENDERERS: dict[str, Callable[[], Renderer]] = {
    "soft": lambda: SoftRenderer(compiled=False),
    "soft+numba": lambda: SoftRenderer(compiled=True),
    "gl": GlRenderer,
}
SIDES = (300, 512, 1024)
ID_SIDE = 384
FRAMES = 12
HAIR = 0.01
"""Degrees between two views."""
NUDGE = 0.01
"""Metres that the moved object goes."""
PICTURE = Channel.COLOR | Channel.INSTANCES


def load(scene: str) -> tuple[SceneGraph, Camera]:
    """A scene's graph and a view from a corner; an unknown scene raises KeyError or ValueError."""
    if scene == "made":
        return kitchen(), WIDE
    found = household_scenes().load(scene)
    graph = SceneGraphBuilder(found).graph(HouseholdState.at_start(found))
    return graph, corners(found, 512, 512)[0]


def measure(name: str, scene: str) -> dict[str, Any]:
    """All numbers of one renderer, in this process."""
    graph, camera = load(scene)
    before = _peak_mb()
    renderer = RENDERERS[name]()
    turn = count(1)

    def new_view(side: int) -> Camera:
        return replace(camera, width=side, height=side, yaw=camera.yaw + HAIR * next(turn))

    def cost(view: Camera, channels: Channel = PICTURE) -> float:
        return _cpu_ms(partial(renderer.render, graph, view, channels))

    result: dict[str, Any] = {
        "renderer": renderer.name,
        "first_s": round(cost(new_view(512)) / 1000, 2),
    }
    for side in SIDES:
        cost(new_view(side))
        frames = [cost(new_view(side)) for _ in range(FRAMES)]
        still = new_view(side)
        moved = []
        for _ in range(FRAMES):
            _nudge(graph)
            moved.append(cost(still))
        result[str(side)] = {
            "frame_ms": _least_and_median(frames),
            "moved_ms": _least_and_median(moved),
            "moved_ratio": round(min(moved) / min(frames), 2),
            "unchanged_ms": round(cost(still), 3),
        }
    ids = [cost(new_view(ID_SIDE), Channel.INSTANCES) for _ in range(FRAMES)]
    result["ids_384_ms"] = _least_and_median(ids)
    result["memory_mb"] = round(_peak_mb() - before)
    renderer.close()
    return result


def _nudge(graph: SceneGraph) -> None:
    """Moves the first movable thing a little."""
    key, node = next((k, n) for k, n in graph.nodes.items() if not n.fixed)
    place = node.place.copy()
    place[0, 3] += NUDGE
    graph.put(key, replace(node, place=place))


def _cpu_ms(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


def _least_and_median(samples: list[float]) -> list[float]:
    return [round(min(samples), 1), round(statistics.median(samples), 1)]


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def describe(scene: str) -> dict[str, int]:
    """How large a scene is."""
    nodes = load(scene)[0].nodes.values()
    return {
        "objects": len({node.instance for node in nodes}),
        "triangles": sum(len(node.mesh.faces) for node in nodes),
        "textures": len({node.material.texture for node in nodes} - {None}),
    }


@none_left()
def main() -> None:
    """Reads the command line, measures, and prints JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scene", default="made", help="a scene's name, or made")
    parser.add_argument("--renderers", nargs="+", choices=RENDERERS, default=["soft"])
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        print(json.dumps(measure(options.renderers[0], options.scene)))
        return
    command = [sys.executable, "-m", "benchmarks.household_render", "--here"]
    results = [
        json.loads(
            subprocess.run(
                [*command, "--scene", options.scene, "--renderers", name],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
        )
        for name in options.renderers
    ]
    print(
        json.dumps({"scene": options.scene, **describe(options.scene), "runs": results}, indent=1)
    )


if __name__ == "__main__":
    main()
