"""What single calls of the household world cost, and how well its shortcuts agree with pictures.

    python -m benchmarks.household_agreement                              # built-in rooms
    python -m benchmarks.household_agreement --scenes FloorPlan12 FloorPlan301 --floor-plans FOLDER
    python -m benchmarks.household_agreement --only agreement --floor-plans FOLDER --reachable FILE

``cost`` is CPU time of this process: opening a scene for the first time and again, steps of which
nothing is read, steps whose visibility is read, pictures, and the two queries that search
the floor; medians. AsgardBench's parameters are used (visibility to 5 m, turns of 5 degrees).

``agreement`` compares GetInteractablePoses, which decides by lines of sight, with the instance
pictures that decide visibility: poses are drawn near an object and facing it, and asked both
ways. With AI2-THOR's object metadata in FOLDER, what is visible at the start is compared with what
AI2-THOR said, from the heading that fits best, since the dumps do not tell it; with ALFRED's
reachable points (``--reachable``), the free floor.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from env_service.worlds.household.controller import HouseholdController
from env_service.worlds.household.geometry import Vec3, yaw_towards
from env_service.worlds.household.render.selection import choose
from env_service.worlds.household.scene.library import SceneLibrary, standard_library
from env_service.worlds.household.scene.spec import SceneSpec
from env_service.worlds.household.simulation.actions.interactable_poses import (
    Question,
    interactable_poses,
)
from env_service.worlds.household.simulation.actions.reachable_positions import reachable
from env_service.worlds.household.simulation.settings import Settings
from env_service.worlds.household.simulation.visibility import AgentVisibility, StateRenderer
from env_service.worlds.household.state import AgentState, HouseholdState

SCENES = (
    "household-kitchen-1",
    "household-living-room-1",
    "household-bedroom-1",
    "household-bathroom-1",
)
PARAMETERS: Mapping[str, Any] = {
    "gridSize": 0.25,
    "snapToGrid": False,
    "rotateStepDegrees": 5,
    "fieldOfView": 60,
    "visibilityDistance": 5,
    "renderInstanceSegmentation": True,
}
HORIZONS = [0, 15, 30]
STEPS = 30


def cpu(action: Callable[[], object]) -> float:
    """CPU milliseconds of one call."""
    start = time.process_time()
    action()
    return (time.process_time() - start) * 1000


def median(action: Callable[[int], object], times: int) -> float:
    """The median CPU milliseconds of some calls, which get their number."""
    return statistics.median(cpu(lambda n=n: action(n)) for n in range(times))


def cost_of(library: SceneLibrary, scene: str, renderer: str) -> dict[str, float]:
    """What things cost in a scene, CPU milliseconds."""
    found: dict[str, float] = {}
    opened: list[HouseholdController] = []

    def start() -> None:
        opened.append(HouseholdController(scene, library=library, renderer=renderer, **PARAMETERS))

    found["open a scene, first time"] = cpu(start)
    thor = opened[0]
    found["first look"] = cpu(lambda: thor.last_event.metadata["objects"])
    found["first picture, 300²"] = cpu(lambda: thor.last_event.frame)
    found["first step on the floor"] = cpu(lambda: thor.step("MoveAhead"))
    found["reset"] = median(lambda _: thor.reset(), 5)
    found["turn, nothing read"] = median(lambda _: thor.step("RotateRight", degrees=7), STEPS)
    found["move, nothing read"] = median(
        lambda n: thor.step(("MoveAhead", "MoveBack")[n % 2]), STEPS
    )

    def look(n: int) -> object:
        return thor.step("RotateRight", degrees=7 + n % 3).metadata["objects"]

    found["turn, visibility read"] = median(look, STEPS)
    found["turn, picture 300²"] = median(lambda _: thor.step("RotateRight", degrees=7).frame, 10)
    thor.step("ChangeResolution", x=1024, y=1024)
    found["turn, picture 1024²"] = median(lambda _: thor.step("RotateRight", degrees=7).frame, 5)
    thor.step("ChangeResolution", x=300, y=300)
    points = thor.step("GetReachablePositions").metadata["actionReturn"]

    def elsewhere(n: int) -> None:
        thor.step("Teleport", position={**points[n % len(points)], "y": points[0]["y"]})

    def walk(n: int) -> object:
        thor.step("MoveAhead", moveMagnitude=0.03 + n / 1000, forceAction=True)
        return thor.step("GetReachablePositions")

    found["GetReachablePositions, new grid"] = median(walk, 10)
    thor.reset()
    ids = [each["objectId"] for each in thor.last_event.metadata["objects"]]
    found["GetInteractablePoses, first"] = cpu(lambda: poses_of(thor, ids[0]))
    costs = []
    for n, key in enumerate(ids):
        elsewhere(n * 7)
        costs.append(cpu(lambda key=key: poses_of(thor, key)))
    found["GetInteractablePoses, median"] = statistics.median(costs)
    found["GetInteractablePoses, worst"] = max(costs)
    thor.stop()
    return found


def poses_of(thor: HouseholdController, object_id: str) -> object:
    """AsgardBench's question."""
    return thor.step(
        "GetInteractablePoses", objectId=object_id, horizons=HORIZONS, standings=[True, False]
    )


@dataclass
class Counts:
    """Yes and no of two sources: both, only the first, only the second."""

    both: int = 0
    first: int = 0
    second: int = 0

    def add(self, first: Iterable[object], second: Iterable[object]) -> None:
        """Counts two sets."""
        one, other = set(first), set(second)
        self.both += len(one & other)
        self.first += len(one - other)
        self.second += len(other - one)

    def line(self, what: str) -> str:
        """Precision and recall of the first against the second."""
        precision = self.both / max(self.both + self.first, 1)
        recall = self.both / max(self.both + self.second, 1)
        return f"{what:44}{precision:>12.3f}{recall:>10.3f}{self.both + self.second:>10}"


def poses_agreement(scene: SceneSpec, generator: np.random.Generator, per: int) -> Counts:
    """GetInteractablePoses against instance pictures, for `per` poses of every object."""
    settings = Settings(field_of_view=60, visibility_distance=1.5)
    renderer = choose("soft")
    state_renderer, state = StateRenderer(scene, renderer, renderer), HouseholdState.at_start(scene)
    points, counts = reachable(state, 0.25), Counts()
    for item in state.objects.values():
        middle = item.body.center
        near = [p for p in points if (p.x - middle.x) ** 2 + (p.z - middle.z) ** 2 < 3.5]
        for _ in range(per if near else 0):
            agent = drawn_agent(near, middle, generator)
            question = Question(
                (agent.position,), (agent.yaw,), (agent.horizon,), (agent.standing,), 1.5
            )
            said = bool(interactable_poses(state, settings, item, question))
            sight = AgentVisibility(replace(state, agent=agent), settings, state_renderer)
            seen = sight.interactable(item.id)
            counts.both += said and seen
            counts.first += said and not seen
            counts.second += seen and not said
    renderer.close()
    return counts


def drawn_agent(near: Sequence[Vec3], middle: Vec3, generator: np.random.Generator) -> AgentState:
    """An agent at one of some points, roughly facing another."""
    position = near[int(generator.integers(len(near)))]
    yaw = yaw_towards(position, middle) + float(generator.uniform(-40, 40))
    horizon = float(generator.choice(HORIZONS))
    return AgentState(position, yaw % 360.0, horizon, bool(generator.integers(2)))


def start_agreement(scene: SceneSpec, told: Iterable[str]) -> tuple[set[str], set[str]]:
    """What is visible at the start, here and by AI2-THOR, from the heading that fits best."""
    renderer = choose("soft")
    state_renderer, state, expected = (
        StateRenderer(scene, renderer, renderer),
        HouseholdState.at_start(scene),
        set(told),
    )
    seen = []
    for yaw in (0.0, 90.0, 180.0, 270.0):
        for horizon in (0.0, 30.0):
            agent = replace(state.agent, yaw=yaw, horizon=horizon)
            sight = AgentVisibility(replace(state, agent=agent), Settings(), state_renderer)
            seen.append({key for key in state.objects if sight.visible(key)})
    renderer.close()
    best = max(seen, key=lambda each: len(each & expected) / max(len(each | expected), 1))
    return best, expected


def show_cost(library: SceneLibrary, options: argparse.Namespace) -> None:
    """Prints the table of costs, scenes as columns."""
    columns = {scene: cost_of(library, scene, options.renderer) for scene in options.scenes}
    print(f"\nCPU ms, renderer {options.renderer}")
    print(f"{'':36}" + "".join(f"{scene.removeprefix('household-'):>18}" for scene in columns))
    for name in next(iter(columns.values())):
        print(f"{name:36}" + "".join(f"{column[name]:>18.2f}" for column in columns.values()))


def show_agreement(library: SceneLibrary, options: argparse.Namespace) -> None:
    """Prints precision and recall of everything that there is something to compare with."""
    generator = np.random.default_rng(options.seed)
    poses, start, floor = Counts(), Counts(), Counts()
    points = json.loads(options.reachable.read_text()) if options.reachable else {}
    for name in options.scenes:
        scene = library.load(name)
        found = poses_agreement(scene, generator, options.poses)
        poses.both, poses.first = poses.both + found.both, poses.first + found.first
        poses.second += found.second
        told = told_of(options.floor_plans, scene.name)
        if told is not None:
            start.add(*start_agreement(scene, told))
        grid = points.get(scene.name.removesuffix("_physics"))
        if grid is not None:
            ours = reachable(HouseholdState.at_start(scene), 0.25)
            spots = {(round(p.x * 4), round(p.z * 4)) for p in ours}
            floor.add(spots, {(round(x * 4), round(z * 4)) for x, z in grid})
    print(f"\n{'':44}{'precision':>12}{'recall':>10}{'cases':>10}")
    print(poses.line("GetInteractablePoses against pictures"))
    if start.both:
        print(start.line("visible at the start against AI2-THOR 5.0.0"))
    if floor.both:
        print(floor.line("reachable points against AI2-THOR 2.1.0"))


def told_of(folder: Path | None, scene: str) -> list[str] | None:
    """Ids of what AI2-THOR called visible; None without its metadata."""
    path = folder / f"{scene}.json" if folder else None
    if path is None or not path.is_file():
        return None
    content = json.loads(path.read_text())
    objects = content.values() if isinstance(content, dict) else content
    return [each["objectId"] for each in objects if each["visible"]]


def main() -> None:
    """Prints what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=("cost", "agreement"))
    parser.add_argument("--scenes", nargs="+", default=list(SCENES))
    parser.add_argument("--floor-plans", type=Path, help="folder of AI2-THOR's object metadata")
    parser.add_argument("--reachable", type=Path, help="JSON: floor plan -> [[x, z], ...]")
    parser.add_argument("--renderer", default="soft")
    parser.add_argument("--poses", type=int, default=6, help="poses of every object")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    library = standard_library(options.floor_plans)
    if options.only != "agreement":
        show_cost(library, options)
    if options.only != "cost":
        show_agreement(library, options)


if __name__ == "__main__":
    main()
