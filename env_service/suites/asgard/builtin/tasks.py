"""A built-in task, made from its name: a plan in the published schema, and the words to show."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from env_service.domain.task import Task
from env_service.suites.asgard.builtin.draws import draw_for
from env_service.suites.asgard.builtin.goals import goals_for
from env_service.suites.asgard.builtin.instructions import instruction
from env_service.suites.asgard.builtin.rooms import inventory
from env_service.suites.asgard.builtin.setups import AWAY_CLASSES, object_setup, setup_actions
from env_service.suites.asgard.builtin.step_counts import step_count
from env_service.suites.asgard.builtin.variations import Variation
from env_service.suites.asgard.plan import Family
from env_service.suites.asgard.tables import tables

SEEDS = 10_000
"""Seeds of start-ups are below that, as in the release (spec: asgard.md section 7)."""

_HEADS: dict[Family, tuple[str, str]] = {
    Family.COFFEE: ("coffee", ""),
    Family.MICROWAVE_POTATO: ("cook", "Potato"),
    Family.COOK_EGG: ("cook", "Egg"),
    Family.MAKE_TOAST: ("cook", "Bread"),
    Family.FRY_POTATO_SLICE: ("cook", "PotatoSliced"),
    Family.PUT_AWAY_FOOD: ("putaway", "Food"),
    Family.PUT_AWAY_DISHES: ("putaway", "Dishes"),
    Family.PUT_AWAY_SILVERWARE: ("putaway", "Silverware"),
    Family.SLICE_AND_DISTRIBUTE: ("distribute", ""),
    Family.SET_TABLE: ("settable", ""),
    Family.CLEAN_MIRROR: ("clean_mirror", ""),
    Family.TURN_ON_TV: ("turn_on_tv", ""),
}
"""What stands before "__", and what the task is about where that is the same for the family."""


def away_types(variation: Variation, draw: Random) -> tuple[str, ...]:
    """Types to put away, drawn, in the order of their class: what is dirty, and others. Empty in a
    family that puts nothing away."""
    if not variation.away:
        return ()
    listed = tables().classes[AWAY_CLASSES[variation.family]]
    others = [each for each in listed if each not in variation.dirty]
    chosen = {*variation.dirty, *draw.sample(others, variation.away - len(variation.dirty))}
    return tuple(each for each in listed if each in chosen)


def name_of(variation: Variation, room: str, away: Sequence[str], version: int) -> str:
    """The task's name, by the published grammar (spec: asgard.md section 1.4)."""
    head, subject = _HEADS[variation.family]
    middle = "_".join(filter(None, (subject, *_conditions(variation), room)))
    tail = f"-{' '.join(away)}" if away else ""
    return f"{head}__{middle}_V{version}{tail}"


def _conditions(variation: Variation) -> tuple[str, ...]:
    if variation.family is Family.CLEAN_MIRROR:
        return ()
    if variation.dishes:
        return (variation.food, *(_marked(each, variation) for each in variation.dishes))
    return (variation.mug, *(_marked(each, variation) for each in variation.dirty))


def _marked(kind: str, variation: Variation) -> str:
    return f"{kind}(d)" if kind in variation.dirty else kind


def make_task(variation: Variation, room: str, away: Sequence[str], version: int) -> Task:
    """The task of a name. All that is drawn for it is drawn by that name, so that tasks of one
    name are the same in every set."""
    name = name_of(variation, room, away, version)
    return Task(
        id=name,
        group=variation.family.value,
        cluster=room,
        data={
            "plan": _plan(variation, name, room, away),
            "objects": list(inventory(room).words),
        },
    )


def _plan(variation: Variation, name: str, room: str, away: Sequence[str]) -> dict[str, Any]:
    """plan.json (spec: asgard.md section 1.2)."""
    seed = draw_for("seed", name).randrange(SEEDS)
    return {
        "name": name,
        "task_description": instruction(variation, away),
        "scene": room,
        "plan_type": "generated",
        "task_failed": False,
        "setup_actions": setup_actions(variation, inventory(room).names),
        "object_setup": object_setup(variation),
        "goal": goals_for(variation, away),
        "randomization": {"seed": seed, "error_injection": None, "fail_action": None},
        "step_count": step_count(variation),
        "initial_pose": _pose(room, seed),
    }


def _pose(room: str, seed: int) -> dict[str, Any]:
    """Where the room's own start is, turned as the start-up turns the agent (`setup`): so 92 of
    the 108 official tasks begin, the others where their maker happened to stand."""
    yaw = int(np.random.RandomState(seed).randint(0, 360))
    x, y, z = inventory(room).start.tuple()
    return {
        "position": {"x": x, "y": y, "z": z},
        "rotation": float(yaw),
        "isStanding": True,
        "horizon": 0.0,
    }
