"""A small task of AsgardBench in a built-in room, which needs no data, and ways to play it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from env_service.domain.action import SkillCall
from env_service.domain.episode import StepReport
from env_service.domain.observation import Channel, ImageRequest, ObservationRequest
from env_service.domain.task import Task
from env_service.suites.asgard.episode import AsgardEpisode
from env_service.suites.asgard.suite import AsgardSuite
from env_service.suites.base import EpisodeOrder
from env_service.suites.selection import settle_condition

SUITE = AsgardSuite()
ROOM = "household-bathroom-1"
NAME = f"clean_mirror__{ROOM}_V1"
SOLUTION = (
    *("FIND SprayBottle", "PICKUP SprayBottle", "FIND Mirror", "SPRAY Mirror"),
    *("FIND CounterTop", "PUT CounterTop", "FIND Cloth", "PICKUP Cloth"),
    *("FIND Mirror", "CLEAN Mirror"),
)
TEXT_ONLY = {"text_only": "on", "hand": "0", "previous_image": "none"}
SMALL = {"picture": "300"}
PICTURES = ObservationRequest((ImageRequest(Channel.RGB, (), previous_frame=True),))


def mirror_plan(**changes: Any) -> dict[str, Any]:
    """A plan's JSON: a dirty mirror is to be cleaned. ``changes`` are keys of its top level."""
    plan: dict[str, Any] = {
        "name": NAME,
        "task_description": "Clean the mirror",
        "scene": ROOM,
        "plan_type": "generated",
        "task_failed": False,
        "setup_actions": [{"action": "dirty", "object_name": "Mirror_2638293f", "argument": None}],
        "object_setup": {
            "target_setup": _placed("Cloth", "SprayBottle"),
            "distractor_setups": [],
            "employed_types": [],
        },
        "goal": {
            "location_goals": [],
            "state_goals": [
                {"object_type": "Mirror", "state": "isDirty", "value": False, "outcome": "success"}
            ],
            "put_away_goals": [],
            "action_goals": {"Spray Mirror": True},
            "contents_goals": [],
        },
        "randomization": {"seed": 2712, "error_injection": None, "fail_action": None},
        "step_count": len(SOLUTION),
        "initial_pose": {
            "position": {"x": 0.0, "y": 0.9, "z": 0.0},
            "rotation": 215.0,
            "isStanding": True,
            "horizon": 0.0,
        },
    }
    return {**plan, **changes}


def _placed(*types: str) -> dict[str, Any]:
    keys = ("names", "classes", "secondary_names", "secondary_types", "preferred_name")
    objects = {**dict.fromkeys(keys), "types": list(types), "all": False}
    return {"object_specifier": objects, "container_specifier": None}


def mirror_task(**changes: Any) -> Task:
    """The task, with some keys of its plan changed."""
    return Task(NAME, "clean_mirror", ROOM, {"plan": mirror_plan(**changes), "objects": []})


def make_order(
    condition: Mapping[str, str],
    task: Task | None = None,
    request: ObservationRequest | None = None,
) -> EpisodeOrder:
    """An order with default settings but for ``condition``; asks for all that is offered."""
    settled = settle_condition(SUITE, condition)
    granted = SUITE.offer(settled).grant(request or ObservationRequest())
    return EpisodeOrder(task or mirror_task(), "household", settled, granted, seed=3)


def opened(
    condition: Mapping[str, str],
    task: Task | None = None,
    request: ObservationRequest | None = None,
) -> AsgardEpisode:
    """An episode that has not started."""
    return SUITE.open_episode(make_order(condition, task, request))


def play(episode: AsgardEpisode, *actions: str) -> StepReport:
    """Plays actions such as "FIND Mirror"; returns the last report."""
    calls = [action.split() for action in actions]
    return [episode.act(SkillCall(verb, (("object", kind),))) for verb, kind in calls][-1]
