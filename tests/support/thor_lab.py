"""A small suite over AI2-THOR's controller API, for tests of worlds and of what is between them and
a suite. Load it as ``tests.support.thor_lab:ThorLab``.

Its tasks ask for one thing in the hand, or for one thing in another, in built-in rooms. Skills
walk up to the object themselves, so that a handful of actions makes an episode.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from env_service.domain.action import Action, ActionSpace, Parameter, Skill, SkillCall, Unreadable
from env_service.domain.episode import (
    EpisodeResult,
    EpisodeStatus,
    FinishReason,
    FirstObservation,
    GoalCondition,
    Mode,
    StepReport,
    failure_class,
)
from env_service.domain.failure import FailureClass
from env_service.domain.observation import LOSSLESS, Channel, Frame, Observation, ObservationOffer
from env_service.domain.outcome import Disclosure, Outcome, OutcomeCode
from env_service.domain.task import Task, TaskSet
from env_service.suites.base import Condition, EpisodeOrder, ExpertRun, PlainSuite, Setting
from env_service.suites.reporting import COMMON_DESIGN
from env_service.worlds.ai2thor_api.controller import ThorController, ThorEvent, ThorStart
from env_service.worlds.ai2thor_api.object_types import MUST_BE_OPEN_TO_PLACE
from env_service.worlds.ai2thor_api.settling import Settled, Settling
from env_service.worlds.ai2thor_api.world_registry import open_world

SKILLS = {
    "pickup": "PickupObject",
    "put": "PutObject",
    "open": "OpenObject",
    "close": "CloseObject",
    "toggle_on": "ToggleObjectOn",
    "toggle_off": "ToggleObjectOff",
}
"""Skills with an object, and AI2-THOR's actions."""
MOVES = {
    "ahead": "MoveAhead",
    "left": "RotateLeft",
    "right": "RotateRight",
    "up": "LookUp",
    "down": "LookDown",
}
"""Skills without."""
STEPS = 20
INITIALIZATION = {"fieldOfView": 90, "visibilityDistance": 1.5, "renderInstanceSegmentation": True}
STATE = ("isOpen", "isToggled", "isPickedUp", "isBroken", "isDirty", "isSliced", "isCooked")
"""The parts of an object that count for a state's digest, apart from its place."""
TASKS = (
    ("household-bathroom-1", "Cloth", ""),
    ("household-bathroom-1", "Cloth", "SinkBasin"),
    ("household-kitchen-1", "Apple", ""),
    ("household-kitchen-1", "Tomato", "Fridge"),
)


class ThorLab(PlainSuite):
    """The suite. A setting ``frame`` is the picture's size in pixels, ``settling`` whether steps
    of Pass follow interactions."""

    name = "thor-lab"
    version = "1"
    description = "One thing in the hand, or in another, in built-in rooms."
    worlds: tuple[str, ...] = ("household", "ai2thor")
    settings = (
        Setting("frame", "Width and height of the picture.", ("64x48", "300x300")),
        Setting("settling", "Whether the world comes to rest after an action.", ("on", "off")),
    )
    modes = (Mode.STEPWISE,)
    packages = ("numpy", "ai2thor")
    deterministic = worlds
    report = COMMON_DESIGN

    def task_sets(self) -> Mapping[str, TaskSet]:
        """``rooms``."""
        tasks = tuple(
            Task(f"{scene}/{item}/{place or 'hand'}", "put" if place else "hold", scene, {
                "scene": scene, "item": item, "place": place,
            })
            for scene, item, place in TASKS
        )  # fmt: skip
        return {"rooms": TaskSet("rooms", "Things in built-in rooms.", tasks)}

    def data(self, task_set: str, world: str) -> Mapping[str, tuple[str, ...]]:
        """None."""
        return {}

    def episodes_per_worker(self, world: str) -> int:
        """One: a simulator."""
        return 1

    def disclosure(self, condition: Condition) -> Disclosure:
        """Everything."""
        return Disclosure()

    def offer(self, condition: Condition) -> ObservationOffer:
        """A colour picture."""
        return ObservationOffer(((Channel.RGB, LOSSLESS),))

    def open_episode(self, order: EpisodeOrder) -> ThorLabEpisode:
        """Makes the episode; the world opens when it starts."""
        return ThorLabEpisode(order)

    def expert(self, order: EpisodeOrder) -> ExpertRun:
        """Opens what is in the way, takes the thing, and puts it down."""
        episode = self.open_episode(order)
        try:
            episode.start()
            actions = tuple(episode.solution())
            for action in actions:
                if episode.act(action).status is not EpisodeStatus.RUNNING:
                    break
            return ExpertRun(actions, episode.finish(FinishReason.OVER).success)
        finally:
            episode.close()


class ThorLabEpisode:
    """One attempt. It ends when the goal is reached, or after STEPS actions."""

    def __init__(self, order: EpisodeOrder) -> None:
        self._order = order
        self._task = order.task.data
        self._thor: ThorController | None = None
        self._steps = 0
        self._status = EpisodeStatus.RUNNING

    def start(self) -> FirstObservation:
        """Opens the world."""
        width, height = map(int, self._order.condition["frame"].split("x"))
        start = ThorStart(width, height, "Low", INITIALIZATION)
        thor = open_world(self._order.world, self._task["scene"], start)
        settles = self._order.condition["settling"] == "on"
        self._thor = Settled(thor, Settling() if settles else Settling(frozenset()))
        return FirstObservation(
            Mode.STEPWISE, self._instruction(), self._space(), self._observe(), STEPS
        )

    def act(self, action: Action) -> StepReport:
        """Plays one action."""
        self._steps += 1
        outcome = self._take(action)
        if all(goal.met for goal in self._goals()):
            self._status = EpisodeStatus.TERMINATED
        elif self._steps >= STEPS:
            self._status = EpisodeStatus.TRUNCATED
        return StepReport((outcome,), self._observe(), self._status, STEPS - self._steps)

    def finish(self, reason: FinishReason) -> EpisodeResult:
        """Success if the thing is where it should be, by the world's metadata."""
        goals = self._goals()
        success = all(goal.met for goal in goals)
        own = FailureClass.MAX_STEPS if self._status is EpisodeStatus.TRUNCATED else None
        failure = failure_class(success=success, reason=reason, own=own)
        return EpisodeResult(success, goals, failure, self._steps)

    def state_digest(self) -> str:
        """Of where everything is, and in which state."""
        metadata = self._event.metadata
        state: list[Any] = [_place(metadata["agent"])]
        for thing in sorted(metadata["objects"], key=lambda thing: str(thing["objectId"])):
            states = [thing[key] for key in STATE]
            state.append([thing["objectId"], _place(thing), thing["parentReceptacles"], states])
        return hashlib.sha256(json.dumps(state).encode()).hexdigest()

    def close(self) -> None:
        """Gives the world back."""
        thor, self._thor = self._thor, None
        if thor is not None:
            thor.stop()

    def solution(self) -> list[SkillCall]:
        """Actions that solve the task from its start."""
        item, place = self._task["item"], self._task["place"]
        thing = self._things(item)[0]
        closed = [self._event.get_object(each) for each in thing["parentReceptacles"] or ()]
        opened = [each["objectType"] for each in closed if each and each["openable"]]
        calls = [("open", each) for each in opened] + [("pickup", item)]
        if place:
            need = place in MUST_BE_OPEN_TO_PLACE and place not in opened
            calls += [*([("open", place)] if need else []), ("put", place)]
        return [SkillCall(name, (("object", kind),)) for name, kind in calls]

    @property
    def _controller(self) -> ThorController:
        if self._thor is None:
            raise RuntimeError("the episode has not started, or is closed")
        return self._thor

    @property
    def _event(self) -> ThorEvent:
        return self._controller.last_event

    def _instruction(self) -> str:
        item, place = self._task["item"], self._task["place"]
        return f"Put the {item} into the {place}." if place else f"Take the {item} in your hand."

    def _space(self) -> ActionSpace:
        types = sorted({str(thing["objectType"]) for thing in self._event.metadata["objects"]})
        target = Parameter("object", "A type of object.", tuple(types))
        with_object = [Skill(name, f"AI2-THOR's {SKILLS[name]}.", (target,)) for name in SKILLS]
        return ActionSpace((*with_object, *(Skill(name, f"{MOVES[name]}.") for name in MOVES)))

    def _observe(self) -> Observation:
        if not self._order.request.images:
            return Observation()
        frame = self._event.frame
        if frame is None:
            raise RuntimeError("the world gave no picture")
        return Observation(frames=(Frame(Channel.RGB, np.ascontiguousarray(frame)),))

    def _goals(self) -> tuple[GoalCondition, ...]:
        item, place = self._task["item"], self._task["place"]
        if not place:
            held = [each["objectType"] for each in self._event.metadata["inventoryObjects"]]
            return (GoalCondition(f"{item} in hand", item in held),)
        places = {thing["objectId"] for thing in self._things(place)}
        met = any(places & set(thing["parentReceptacles"] or ()) for thing in self._things(item))
        return (GoalCondition(f"{item} in {place}", met),)

    def _things(self, kind: str) -> list[Mapping[str, Any]]:
        things = self._event.objects_by_type(kind)
        return sorted(things, key=lambda thing: str(thing["objectId"]))

    def _take(self, action: Action) -> Outcome:
        match action:
            case SkillCall(name, ()) if name in MOVES:
                return _outcome(self._controller.step(MOVES[name]))
            case SkillCall(name, (("object", kind),)) if name in SKILLS:
                return self._interact(SKILLS[name], kind)
            case Unreadable(problem):
                return Outcome(OutcomeCode.UNPARSABLE, problem)
            case _:
                return Outcome(OutcomeCode.UNKNOWN_SKILL, "there is no such skill")

    def _interact(self, action: str, kind: str) -> Outcome:
        things = self._things(kind)
        if not things:
            return Outcome(OutcomeCode.UNKNOWN_OBJECT, f"there is no {kind}")
        target = str(things[0]["objectId"])
        if not self._approach(target):
            return Outcome(OutcomeCode.PHYSICALLY_BLOCKED, f"the {kind} cannot be reached")
        return _outcome(self._controller.step(action, objectId=target))

    def _approach(self, target: str) -> bool:
        """Goes to the nearest place from which a thing can be handled; whether there is one."""
        poses = self._controller.step("GetInteractablePoses", objectId=target)
        here = self._event.metadata["agent"]["position"]

        def rank(pose: Mapping[str, Any]) -> tuple[float, ...]:
            away = (pose["x"] - here["x"]) ** 2 + (pose["z"] - here["z"]) ** 2
            rest = (pose["x"], pose["z"], pose["rotation"], abs(pose["horizon"] - 30.0))
            return (round(away, 4), *(round(each, 4) for each in rest), not pose["standing"])

        best = min(poses.metadata["actionReturn"] or (), key=rank, default=None)
        if best is None:
            return False
        position = {axis: best[axis] for axis in "xyz"}
        turn = {"x": 0.0, "y": best["rotation"], "z": 0.0}
        horizon, standing = best["horizon"], best["standing"]
        more = {"rotation": turn, "horizon": horizon, "standing": standing}
        return bool(self._controller.step("Teleport", position=position, **more))


def _outcome(event: ThorEvent) -> Outcome:
    if event:
        return Outcome(OutcomeCode.SUCCEEDED)
    return Outcome(OutcomeCode.PRECONDITION_FAILED, str(event.metadata["errorMessage"]))


def _place(thing: Mapping[str, Any]) -> list[float]:
    parts = (thing["position"], thing["rotation"])
    return [round(float(part[axis]), 3) + 0.0 for part in parts for axis in "xyz"]
