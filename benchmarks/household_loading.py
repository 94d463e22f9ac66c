"""What opening a scene costs, in time and memory."""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path

from benchmarks.household_measures import KITCHENS, ROOMS, SIDE, Row, cpu, row
from env_service.worlds.household.controller import HouseholdController
from env_service.worlds.household.scene.library import household_scenes

ROUNDS = 3
RESETS = 10
LARGE = 1024


def rows() -> list[Row]:
    """All rows; every round is a separate process."""
    found: list[Row] = []
    for numba in (True, False):
        kind = "numba" if numba else "NumPy alone"
        for scenes, name, aim in ((KITCHENS, "iTHOR kitchen", 0.5), (ROOMS, "built-in room", 0.7)):
            rounds = [_child("resets", scenes, numba=numba) for _ in range(ROUNDS)]
            for key, what in (
                ("first", "first of a process"),
                ("next", "another one, not opened before"),
                ("again", "one that was opened before"),
            ):
                samples = [value for each in rounds for value in each[key]]
                bound = None if key == "first" else aim
                found.append(row(f"reset, {name}, {kind}: {what}", bound, samples, "s"))
        weights = [_child("memory", KITCHENS[:1], numba=numba) for _ in range(3)]
        least = min(weights, key=lambda weight: weight["world"][0])
        imported, world = least["imported"][0], least["world"][0]
        more = f"{imported:.0f} of it after the imports; peak {least['peak'][0]:.0f}"
        aim = 420.0 if numba else 300.0
        found.append(
            Row(f"memory after a {LARGE} x {LARGE} picture, {kind}", aim, world, "MB", more)
        )
        grown = least["resets"]
        growth = grown[-1] - grown[2]
        more = f"after each: {', '.join(f'{each:.0f}' for each in grown)}"
        found.append(
            Row(f"growth from the 3rd to the {RESETS}th reset, {kind}", 5.0, growth, "MB", more)
        )
    return found


def resets(scenes: list[str]) -> dict[str, list[float]]:
    """CPU seconds of resets until metadata and a picture are available."""
    library = household_scenes()
    made: list[HouseholdController] = []

    def start() -> None:
        made.append(HouseholdController(scenes[0], library=library, renderer="soft", **_size(SIDE)))
        _read(made[0])

    found = {"first": [cpu(start)]}
    controller = made[0]

    def reset(scene: str) -> float:
        def work() -> None:
            controller.reset(scene)
            _read(controller)

        return cpu(work)

    found["next"] = [reset(scene) for scene in scenes[1:]]
    found["again"] = [reset(scene) for scene in scenes]
    return found


def memory(scenes: list[str]) -> dict[str, list[float]]:
    """Resident megabytes of this process."""
    found = {"imported": [_resident()]}
    controller = HouseholdController(
        scenes[0], library=household_scenes(), renderer="soft", **_size(LARGE)
    )
    _read(controller)
    found["world"] = [_resident()]
    found["peak"] = [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]
    found["resets"] = []
    for _ in range(RESETS):
        controller.reset()
        _read(controller)
        found["resets"].append(_resident())
    return found


def _size(side: int) -> dict[str, int]:
    return {"width": side, "height": side}


def _read(controller: HouseholdController) -> None:
    """Asks for metadata and the picture."""
    event = controller.last_event
    if not event.metadata["objects"] or event.frame is None:
        raise RuntimeError("a reset gave nothing to see")


def _resident() -> float:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("no VmRSS; this needs Linux")


def _child(what: str, scenes: tuple[str, ...], *, numba: bool) -> dict[str, list[float]]:
    words = [] if numba else ["--without-numba"]
    command = [sys.executable, "-m", "benchmarks.household_loading", what, *words, *scenes]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, list[float]] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("resets", "memory"))
    parser.add_argument("--without-numba", action="store_true")
    parser.add_argument("scenes", nargs="+")
    given = parser.parse_args()
    if given.without_numba:
        sys.modules["numba"] = None  # type: ignore[assignment]
    work = {"resets": resets, "memory": memory}[given.what]
    print(json.dumps(work(given.scenes)))
