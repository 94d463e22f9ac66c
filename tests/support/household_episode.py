"""A random episode of the household world that tries everything, and a fingerprint of each step.

Targets are drawn among plausible ones, so that most actions are carried out and the scene ends up
well mixed: things carried about, dropped, thrown, filled, cut, cooked and broken.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from env_service.worlds.household.controller import HouseholdController
from env_service.worlds.household.event import HouseholdEvent

Thing = Mapping[str, Any]
Choice = dict[str, Any]

SIDE = 300
"""Pixels of the pictures."""

EVERY = 10
"""A picture is drawn with every so many-th step."""

MOTIONS = (
    "MoveAhead", "MoveAhead", "MoveAhead", "MoveBack", "MoveLeft", "MoveRight", "RotateLeft",
    "RotateRight", "LookUp", "LookDown", "Crouch", "Stand", "Pass",
)  # fmt: skip

PARAMETERS: Mapping[str, Any] = {
    "width": SIDE,
    "height": SIDE,
    "gridSize": 0.25,
    "fieldOfView": 90,
    "visibilityDistance": 1.5,
    "snapToGrid": False,
    "renderDepthImage": True,
    "renderInstanceSegmentation": True,
}


@dataclass(frozen=True)
class Step:
    """What one step left.

    Attributes:
        number: 0 for the reset.
        action: what was done, as JSON.
        success: whether it was carried out.
        metadata: a digest of all metadata, as JSON with the keys in their order.
        picture: a digest of picture, depth and instances; None where none was drawn.
    """

    number: int
    action: str
    success: bool
    metadata: str
    picture: str | None


def played(controller: HouseholdController, scene: str, *, steps: int, seed: int) -> Iterator[Step]:
    """Plays an episode.

    Args:
        controller: anything may have been done with it before.
        scene: what it is reset to.
        steps: actions after the reset.
        seed: of all draws.
    """
    event = controller.reset(scene, **PARAMETERS)
    yield _fingerprint(0, {"action": "Reset"}, event, pictured=True)
    player = Improviser(random.Random(seed), controller)
    for number in range(1, steps + 1):
        chosen = player.choice(event)
        event = controller.step(chosen)
        yield _fingerprint(number, chosen, event, pictured=number % EVERY == 0)


def replayed(
    controller: HouseholdController, scene: str, choices: Sequence[Choice], *, every: int
) -> Iterator[Step]:
    """Plays given actions after a reset; gives only the steps whose number `every` divides, with
    pictures where `played` has them too if 10 divides it."""
    controller.reset(scene, **PARAMETERS)
    controller.step("GetReachablePositions")
    for number, choice in enumerate(choices, 1):
        event = controller.step(choice)
        if number % every == 0:
            yield _fingerprint(number, choice, event, pictured=number % EVERY == 0)


class Improviser:
    """Draws one action after the other."""

    def __init__(self, generator: random.Random, controller: HouseholdController) -> None:
        self._random = generator
        found = controller.step("GetReachablePositions").metadata["actionReturn"]
        self._spots: list[dict[str, float]] = found
        self._families: tuple[tuple[int, Callable[[HouseholdEvent], Choice]], ...] = (
            (30, self._motion),
            (8, self._teleport),
            (14, self._pick),
            (20, self._hand),
            (14, self._door),
            (8, self._switch),
            (14, self._change),
            (5, self._push),
            (6, self._question),
            (2, self._rearrangement),
            (2, self._setting),
        )

    def choice(self, event: HouseholdEvent) -> Choice:
        """An action that makes sense after an event."""
        weights = [weight for weight, _ in self._families]
        family = self._random.choices(self._families, weights)[0][1]
        return family(event)

    def _motion(self, event: HouseholdEvent) -> Choice:
        name = self._random.choice(MOTIONS)
        if name.startswith("Rotate") and self._random.random() < 0.5:
            return {"action": name, "degrees": self._random.choice((15, 30, 45, 77.5))}
        return {"action": name}

    def _teleport(self, event: HouseholdEvent) -> Choice:
        return {
            "action": "Teleport",
            "position": self._random.choice(self._spots),
            "rotation": {"x": 0.0, "y": float(self._random.randrange(0, 360, 15)), "z": 0.0},
            "horizon": float(self._random.choice((-30, 0, 15, 30, 45))),
            "standing": self._random.random() < 0.8,
        }

    def _pick(self, event: HouseholdEvent) -> Choice:
        if self._held(event) is not None:
            return self._hand(event)
        return self._on(event, "PickupObject", lambda thing: thing["pickupable"])

    def _hand(self, event: HouseholdEvent) -> Choice:
        """Something with what is in the hand."""
        if self._held(event) is None:
            return self._pick(event)
        kind = self._random.random()
        if kind < 0.6:
            return self._on(event, "PutObject", lambda thing: thing["receptacle"])
        if kind < 0.72:
            return {"action": "DropHandObject", "forceAction": self._random.random() < 0.5}
        if kind < 0.84:
            strength = self._random.choice((1.0, 20.0, 100.0))
            return {"action": "ThrowObject", "moveMagnitude": strength, "forceAction": True}
        if kind < 0.92:
            turn = {axis: float(self._random.randrange(0, 360, 15)) for axis in "xyz"}
            return {"action": "RotateHeldObject", "rotation": turn}
        ahead, up = self._random.uniform(-0.1, 0.2), self._random.uniform(-0.1, 0.1)
        return {"action": "MoveHeldObject", "ahead": ahead, "right": 0.05, "up": up}

    def _door(self, event: HouseholdEvent) -> Choice:
        if self._random.random() < 0.4:
            return self._on(event, "CloseObject", lambda thing: thing["isOpen"])
        openness = round(self._random.random(), 3) if self._random.random() < 0.3 else 1.0
        return self._on(event, "OpenObject", lambda thing: thing["openable"], openness=openness)

    def _switch(self, event: HouseholdEvent) -> Choice:
        on = self._random.random() < 0.6
        return self._on(
            event,
            "ToggleObjectOn" if on else "ToggleObjectOff",
            lambda thing: thing["toggleable"] and thing["isToggled"] is not on,
        )

    def _change(self, event: HouseholdEvent) -> Choice:
        name, key = self._random.choice(
            (
                ("SliceObject", "sliceable"),
                ("BreakObject", "breakable"),
                ("DirtyObject", "dirtyable"),
                ("CleanObject", "isDirty"),
                ("FillObjectWithLiquid", "canFillWithLiquid"),
                ("EmptyLiquidFromObject", "isFilledWithLiquid"),
                ("CookObject", "cookable"),
                ("UseUpObject", "canBeUsedUp"),
            )
        )
        more = {}
        if name == "FillObjectWithLiquid":
            more["fillLiquid"] = self._random.choice(("water", "coffee", "wine"))
        return self._on(event, name, lambda thing: thing[key], far=0.7, **more)

    def _push(self, event: HouseholdEvent) -> Choice:
        name = self._random.choice(("PushObject", "PullObject", "DirectionalPush"))
        more = {"moveMagnitude": self._random.choice((5.0, 30.0, 120.0))}
        if name == "DirectionalPush":
            more["pushAngle"] = float(self._random.randrange(0, 361, 10))
        return self._on(event, name, lambda thing: thing["pickupable"] or thing["moveable"], **more)

    def _question(self, event: HouseholdEvent) -> Choice:
        kind = self._random.randrange(4)
        if kind == 0:
            return {"action": "GetReachablePositions"}
        if kind == 1:
            x, y = self._random.random(), self._random.random()
            return {"action": "GetObjectInFrame", "x": x, "y": y}
        if kind == 2:
            chosen = self._on(
                event, "GetSpawnCoordinatesAboveReceptacle", lambda thing: thing["receptacle"]
            )
            chosen.pop("forceAction", None)
            return chosen
        thing = self._random.choice(event.metadata["objects"])
        return {"action": "GetInteractablePoses", "objectId": thing["objectId"], "maxPoses": 200}

    def _rearrangement(self, event: HouseholdEvent) -> Choice:
        """Something that a task's set-up does."""
        kind = self._random.randrange(5)
        objects = event.metadata["objects"]
        small = [thing for thing in objects if thing["pickupable"] and not thing["isPickedUp"]]
        if kind == 0 or not small:
            seed = self._random.randrange(1000)
            return {"action": "InitialRandomSpawn", "randomSeed": seed, "forceVisible": True}
        thing = self._random.choice(small)
        if kind == 1:
            pose = {key: thing[key] for key in ("position", "rotation")}
            pose = {"objectName": thing["name"], **pose}
            others = [
                {
                    "objectName": each["name"],
                    "position": each["position"],
                    "rotation": each["rotation"],
                }
                for each in small
                if each is not thing
            ]
            return {"action": "SetObjectPoses", "objectPoses": [*others, pose]}
        if kind == 2:
            return {"action": "DisableObject", "objectId": thing["objectId"]}
        if kind == 3:
            return {
                "action": "PlaceObjectAtPoint",
                "objectId": thing["objectId"],
                "position": {**self._random.choice(self._spots), "y": 1.2},
            }
        return {"action": "RemoveFromScene", "objectId": thing["objectId"]}

    def _setting(self, event: HouseholdEvent) -> Choice:
        kind = self._random.randrange(4)
        if kind == 0:
            return {"action": "RandomizeMaterials"}
        if kind == 1:
            return {"action": "RandomizeLighting"}
        if kind == 2:
            return {"action": "ResetMaterials"}
        return {"action": "AdvancePhysicsStep", "timeStep": self._random.choice((0.5, 3.0))}

    def _held(self, event: HouseholdEvent) -> str | None:
        held = event.metadata["inventoryObjects"]
        return str(held[0]["objectId"]) if held else None

    def _on(
        self,
        event: HouseholdEvent,
        action: str,
        fits: Callable[[Thing], bool],
        *,
        far: float = 0.35,
        **more: Any,
    ) -> Choice:
        """An action on a thing that fits: one that is seen, or by force one from anywhere, with a
        probability of `far` or where none is seen; a motion where nothing fits."""
        fitting = [thing for thing in event.metadata["objects"] if fits(thing)]
        near = [thing for thing in fitting if thing["visible"] and not thing["isPickedUp"]]
        forced = self._random.random() < far or not near
        if not fitting:
            return self._motion(event)
        thing = self._random.choice(fitting if forced else near)
        chosen: Choice = {"action": action, "objectId": thing["objectId"], **more}
        if forced:
            chosen["forceAction"] = True
        return chosen


def _fingerprint(number: int, chosen: Choice, event: HouseholdEvent, *, pictured: bool) -> Step:
    written = json.dumps(event.metadata.copy())
    return Step(
        number,
        json.dumps(chosen),
        bool(event),
        hashlib.blake2b(written.encode(), digest_size=16).hexdigest(),
        _picture(event) if pictured else None,
    )


def _picture(event: HouseholdEvent) -> str:
    digest = hashlib.blake2b(digest_size=16)
    frame, depth, colors = event.frame, event.depth_frame, event.instance_segmentation_frame
    for array in (frame, depth, colors):
        if array is None:
            raise RuntimeError("a picture is missing")
        digest.update(array.tobytes())
    return digest.hexdigest()
