"""A trajectory and a record of ALFRED's kind, small and made up, for tests."""

from __future__ import annotations

import copy
import json
from typing import Any

NAME = "pick_clean_then_place_in_recep-Mug-None-Cabinet-7"
TRIAL = "trial_T20200101_000000_000001"


def point(x: float, y: float, z: float) -> dict[str, float]:
    return {"x": x, "y": y, "z": z}


def move(name: str = "MoveAhead") -> dict[str, Any]:
    return {"api_action": {"action": name, "forceAction": True}}


def use(name: str, object_id: str, receptacle: str = "") -> dict[str, Any]:
    into = {"receptacleObjectId": receptacle} if receptacle else {}
    return {"api_action": {"action": name, "objectId": object_id, **into}}


def high(name: str, *arguments: str) -> dict[str, Any]:
    return {"discrete_action": {"action": name, "args": list(arguments)}}


MUG, SINK = "Mug|+00.10|+00.90|-01.20", "Sink|+01.00|+00.80|+00.00|SinkBasin"
FAUCET, CABINET = "Faucet|+01.00|+01.00|+00.00", "Cabinet|-01.00|+00.40|+00.20"

_TRAJECTORY = {
    "task_id": TRIAL,
    "task_type": "pick_clean_then_place_in_recep",
    "pddl_params": {
        "object_target": "Mug",
        "parent_target": "Cabinet",
        "mrecep_target": "",
        "toggle_target": "",
        "object_sliced": False,
    },
    "scene": {
        "floor_plan": "FloorPlan7",
        "scene_num": 7,
        "random_seed": 3,
        "dirty_and_empty": True,
        "init_action": {"action": "TeleportFull", **point(0.5, 0.9, -1), "rotation": 90}
        | {"horizon": 30, "rotateOnTeleport": True},
        "object_toggles": [],
        "object_poses": [
            {
                "objectName": name,
                "position": point(0.1 * place, 0.9, -1.2),
                "rotation": point(0, 90, 0),
            }
            for place, name in enumerate(("Mug_0123abcd", "Mug_0123abcd", "Knife_89abcdef"))
        ],
    },
    "plan": {
        "high_pddl": [
            high("GotoLocation", "countertop"),
            high("PickupObject", "mug"),
            high("GotoLocation", "sinkbasin"),
            high("CleanObject", "mug"),
            high("GotoLocation", "cabinet"),
            high("PutObject", "mug", "cabinet"),
            high("NoOp"),
        ],
        "low_actions": [
            move(),
            use("PickupObject", MUG),
            move("RotateLeft"),
            use("PutObject", MUG, SINK),
            use("ToggleObjectOn", FAUCET),
            use("ToggleObjectOff", FAUCET),
            use("PickupObject", MUG),
            move("LookDown"),
            use("OpenObject", CABINET),
            use("PutObject", MUG, CABINET),
            use("CloseObject", CABINET),
        ],
    },
    "turk_annotations": {
        "anns": [
            {"task_desc": "Wash a cup and put it away.\n", "votes": [1, 1]},
            {"task_desc": "put a clean mug in the cupboard"},
        ]
    },
}

SEQUENCE = (
    "1. GotoLocation(countertop), 2. PickupObject(mug), 3. GotoLocation(sinkbasin), 4."
    " CleanObject(mug), 5. GotoLocation(cabinet), 6. PutObject(mug,cabinet), 7. Done."
)

_RECORD = {
    "task_id": TRIAL,
    "task_type": "pick_clean_then_place_in_recep",
    "action_sequence": SEQUENCE,
    "refined": "Put the cleaned mug in the cabinet.",
    "original": ["Wash a cup and put it away.", "put a clean mug in the cupboard"],
    "paraphras1_command": "Place the washed mug in the cabinet.",
    "paraphras2_command": "Set the rinsed cup in the cupboard.",
    "contextual_command": "Clean mugs live in the cabinet. Wash the mug and put it away.",
    "korean_command": "씻은 머그잔을 캐비닛에 넣으세요.",
}


def trajectory_data(changes: dict[str, Any] | None = None) -> dict[str, Any]:
    """A made-up trajectory: a mug is cleaned. ``changes`` has values by place, as
    "scene.object_poses.0.position"; ... takes the key away."""
    return changed(_TRAJECTORY, changes or {})


def trajectory_text(changes: dict[str, Any] | None = None) -> str:
    return json.dumps(trajectory_data(changes))


def record_data(changes: dict[str, Any] | None = None) -> dict[str, Any]:
    """The record of refined commands for that trajectory, changed likewise."""
    return changed(_RECORD, changes or {})


def changed(document: Any, changes: dict[str, Any]) -> Any:
    document = copy.deepcopy(document)
    for place, value in changes.items():
        *path, last = (int(key) if key.isdigit() else key for key in place.split("."))
        inner = document
        for key in path:
            inner = inner[key]
        if value is ...:
            del inner[last]
        else:
            inner[last] = value
    return document
