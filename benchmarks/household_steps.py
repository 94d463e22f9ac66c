"""What steps and questions cost."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from benchmarks.household_measures import KITCHENS, SIDE, Row, cpu, row
from env_service.worlds.household.controller import HouseholdController
from env_service.worlds.household.scene.library import household_scenes
from tests.support.household_episode import played

STEPS = 200
VISUAL = frozenset({"GetObjectInFrame"})
"""Actions that have to look."""
POSES = "GetInteractablePoses"
EXPERT: dict[str, Any] = {
    "gridSize": 0.25, "snapToGrid": False, "rotateStepDegrees": 5, "fieldOfView": 60,
    "visibilityDistance": 5,
}  # fmt: skip
"""Settings under which experts ask for poses."""
EXPERT_ASKS: dict[str, Any] = {"horizons": [0, 15, 30], "standings": [True, False]}


def rows() -> list[Row]:
    """All rows, in this process."""
    with HouseholdController(
        KITCHENS[0], library=household_scenes(), renderer="soft"
    ) as controller:
        episodes = {
            scene: [
                json.loads(step.action) for step in played(controller, scene, steps=STEPS, seed=3)
            ][1:]
            for scene in KITCHENS
        }
        controller.reset(KITCHENS[0], width=SIDE, height=SIDE)
        return [
            *_steps(controller, episodes),
            *_poses(controller),
        ]


def _steps(controller: HouseholdController, episodes: dict[str, list[dict[str, Any]]]) -> list[Row]:
    blind: dict[str, list[float]] = {}
    seeing: list[float] = []
    for scene, actions in episodes.items():
        for look in (False, True):
            controller.reset(scene)
            controller.step("GetReachablePositions")
            controller.last_event.metadata["objects"]
            for action in actions:
                name = action["action"]
                if name == POSES or (name in VISUAL and not look):
                    continue
                forced = action if look or "objectId" not in action else _forced(action)
                spent = 1000 * cpu(_step(controller, forced, look=look))
                if not look:
                    blind.setdefault(name, []).append(spent)
                elif controller.last_event:
                    seeing.append(spent)
    slow = sorted(blind, key=lambda name: -max(blind[name]))[:4]
    everything = [value for values in blind.values() for value in values]
    whole = row("step, nothing read", 2.0, everything)
    worst = ", ".join(f"{name} {max(blind[name]):.0f}" for name in slow)
    whole = Row(whole.what, whole.aim, whole.value, whole.unit, f"{whole.more}; slowest: {worst}")
    return [whole, row("step and what is visible (id pass of 300 x 300)", 25.0, seeing)]


def _forced(action: dict[str, Any]) -> dict[str, Any]:
    """The action where it takes force, which needs no look."""
    takes = not action["action"].startswith(("Get", "Set", "Place", "Disable", "Remove"))
    return {**action, "forceAction": True} if takes else action


def _step(
    controller: HouseholdController, action: dict[str, Any], *, look: bool
) -> Callable[[], object]:
    def work() -> object:
        event = controller.step(action)
        return event.metadata["objects"] if look else event

    return work


def _poses(controller: HouseholdController) -> list[Row]:
    """From another place each time, so that nothing of the answer is known."""
    generator = random.Random(5)
    found = []
    plain: dict[str, Any] = {}
    for what, settings, options in (
        ("AI2-THOR's defaults", plain, plain),
        ("an expert's settings", EXPERT, EXPERT_ASKS),
    ):
        spent = []
        for scene in KITCHENS:
            controller.reset(scene, **settings)
            places = controller.step("GetReachablePositions").metadata["actionReturn"]
            objects = [item["objectId"] for item in controller.last_event.metadata["objects"]]
            controller.step(POSES, objectId=objects[0], **options)
            for name in objects:
                controller.step("Teleport", position=generator.choice(places))
                ask = _asking(controller, name, options)
                spent.append(1000 * cpu(ask))
        found.append(row(f"{POSES}, every object of 4 kitchens, {what}", 60.0, spent))
    return found


def _asking(
    controller: HouseholdController, name: str, options: dict[str, Any]
) -> Callable[[], object]:
    return lambda: controller.step(POSES, objectId=name, **options)
