"""How well states can be told in each look: ``python -m benchmarks.household_look_states``.

In every scene, each object that can be dirty, filled, open, on, cooked or broken is looked at from
a pose in the middle of those from which it is interactable, before and after that change. The
number is the mean difference of the colours (0 to 255) over the pixels that show the object before
or after. A change under FAINT can hardly be told. Poses and pixels are the same in all looks, as a
look changes colours only.
"""

from __future__ import annotations

import argparse
import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.household_likeness import floor_plans
from env_service.worlds.household.controller import HouseholdController
from env_service.worlds.household.scene.library import standard_library
from env_service.worlds.household.scene.looks import LOOKS
from tests.support.data import reference_path

SCENES = (
    "FloorPlan1",
    "FloorPlan12",
    "FloorPlan28",
    "FloorPlan201",
    "FloorPlan301",
    "FloorPlan401",
)
FAINT = 12.0
LEAST = 50
"""Pixels of an object that is large enough in the picture."""
CHANGES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "dirtyable": ("DirtyObject", {}),
    "canFillWithLiquid": ("FillObjectWithLiquid", {"fillLiquid": "coffee"}),
    "openable": ("OpenObject", {}),
    "toggleable": ("ToggleObjectOn", {}),
    "cookable": ("CookObject", {}),
    "breakable": ("BreakObject", {}),
}
"""By the metadata's key of an ability: the action that changes the state."""
IS_SO = {"dirtyable": "isDirty", "canFillWithLiquid": "isFilledWithLiquid", "openable": "isOpen",
         "toggleable": "isToggled", "cookable": "isCooked", "breakable": "isBroken"}  # fmt: skip


def differences(scene: str, look: str, folder: Path) -> Iterator[tuple[str, str, float]]:
    """Ability, object id and difference of every change of a scene."""
    options: dict[str, Any] = {"renderInstanceSegmentation": True, "fieldOfView": 90}
    library = standard_library(folder, look)
    with HouseholdController(scene, library=library, renderer="soft", **options) as controller:
        listed = controller.last_event.metadata["objects"]
        wanted = [(a, o) for a in CHANGES for o in listed if o[a] and not o[IS_SO[a]]]
        for ability, each in wanted:
            controller.reset(scene)
            name = each["objectId"]
            found = controller.step("GetInteractablePoses", objectId=name).metadata["actionReturn"]
            if not found:
                continue
            controller.step("TeleportFull", **found[len(found) // 2])
            before = controller.last_event
            action, arguments = CHANGES[ability]
            after = controller.step(action, objectId=name, forceAction=True, **arguments)
            if not after.metadata["lastActionSuccess"]:
                continue
            one, two = before.frame, after.frame
            if one is None or two is None:
                raise RuntimeError("the world draws no pictures")
            empty = np.zeros(one.shape[:2], bool)
            shown = before.instance_masks.get(name, empty) | after.instance_masks.get(name, empty)
            if shown.sum() >= LEAST:
                yield ability, name, float(np.abs(one.astype(int) - two)[shown].mean())


def main() -> None:
    """Reads the command line, measures, prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scene", action="append", default=[], help="repeatable")
    parser.add_argument("--data", type=Path, default=reference_path("."))
    parser.add_argument("--list", action="store_true", help="print every change too")
    options = parser.parse_args()
    folder = floor_plans(options.data)
    numbers: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for scene in options.scene or SCENES:
        for look in LOOKS:
            for ability, name, number in differences(scene, look, folder):
                numbers[ability][look].append(number)
                if options.list:
                    print(f"{scene} {look:6} {ability:18} {number:6.1f} {name}")
    print(f"{'ability':18} changes  " + "  ".join(f"{look:>6}  faint" for look in LOOKS))
    for ability, by_look in numbers.items():
        cells = "  ".join(
            f"{statistics.fmean(each):6.1f}  {sum(one < FAINT for one in each):5}"
            for each in by_look.values()
        )
        print(f"{ability:18} {len(by_look[LOOKS[0]]):7}  {cells}")


if __name__ == "__main__":
    main()
