"""Plans and rooms of AsgardBench, for tests."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from env_service.suites.asgard.metadata_view import AsgardView
from env_service.suites.asgard.task_sets import SceneItems
from tests.support.thor_objects import Triple, thor_object

NOWHERE: Triple = (9.0, 0.1, 9.0)


def specifier(**listed: Any) -> dict[str, Any]:
    keys = ("names", "types", "classes", "secondary_names", "secondary_types", "preferred_name")
    return {**dict.fromkeys(keys), "all": False, **listed}


_PLAN: Mapping[str, Any] = {
    "name": "cook__Egg_Pan(d)_FloorPlan13_V1",
    "task_description": "Cook an egg.",
    "scene": "FloorPlan13",
    "plan_type": "generated",
    "task_failed": False,
    "setup_actions": [{"action": "dirty", "object_name": "Pan_0123abcd", "argument": None}],
    "object_setup": {
        "target_setup": {
            "object_specifier": specifier(types=["Egg", "Pan"]),
            "container_specifier": None,
        },
        "distractor_setups": [
            {
                "object_specifier": specifier(classes=["Kitchen"]),
                "container_specifier": specifier(types=["Shelf"]),
            }
        ],
        "employed_types": ["Egg"],
    },
    "goal": {
        "location_goals": [
            {"object_type": "EggCracked", "destination_type": "Plate", "outcome": "success"}
        ],
        "state_goals": [
            {"object_type": "Egg", "state": "isCooked", "value": True, "outcome": "success"}
        ],
        "put_away_goals": [{"object_type": "Mug", "outcome": "success"}],
        "action_goals": {"Drink Coffee": True},
        "contents_goals": [
            {"container_type": "DiningTable", "contents": ["Mug", "Plate"], "outcome": "success"}
        ],
    },
    "randomization": {"seed": 2712, "error_injection": None, "fail_action": None},
    "step_count": 34,
    "initial_pose": {
        "position": {"x": -1.25, "y": 0.9, "z": 2.0},
        "rotation": 215.0,
        "isStanding": True,
        "horizon": 0.0,
    },
}

ROOM_ITEMS = SceneItems(
    frozenset({"DiningTable", "Egg", "EggCracked", "Mug", "Pan", "Plate", "StoveKnob"}),
    frozenset({"Pan_0123abcd", "Plate_0123abcd"}),
)
"""What the sound plan's room holds."""


def plan_data(**changes: Any) -> dict[str, Any]:
    """A sound plan's JSON, with some keys of its top level changed."""
    return {**copy.deepcopy(dict(_PLAN)), **changes}


def thing(
    kind: str,
    center: Triple = NOWHERE,
    size: Triple = (0.1, 0.1, 0.1),
    **changes: Any,
) -> dict[str, Any]:
    """An object that is seen and can be carried; ``objectId`` and ``name`` are its type unless
    said otherwise."""
    told = {"objectId": kind, "name": f"{kind}_0123abcd", "visible": True, **changes}
    return thor_object(kind, center, size, oriented=True, **told)


def room(
    *things: Mapping[str, Any],
    held: str = "",
    remembered: Mapping[str, Sequence[str]] | None = None,
) -> AsgardView:
    """A view of a room with these objects; ``held`` is the id of the one in the hand."""
    metadata = {
        "objects": list(things),
        "inventoryObjects": [{"objectId": held, "objectType": held}] if held else [],
        "agent": {
            "position": {"x": 1.0, "y": 0.9, "z": -2.0},
            "rotation": {"x": 0.0, "y": 90.0, "z": 0.0},
            "cameraHorizon": 30.0,
            "isStanding": True,
        },
        "cameraPosition": {"x": 1.0, "y": 1.575, "z": -2.0},
    }
    return AsgardView(metadata, remembered)
