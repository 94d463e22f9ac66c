"""Makes scripts: explores a scene of a world by seed, and writes down what it did."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from env_service.domain.failure import WorldFault
from env_service.worlds.ai2thor_api.controller import ThorController, ThorStart
from env_service.worlds.ai2thor_api.object_types import MUST_BE_OPEN_TO_PLACE, object_types
from env_service.worlds.ai2thor_api.parity.answers import ActionAnswer, ask
from env_service.worlds.ai2thor_api.parity.script_play import Script

T = TypeVar("T")

Thing = Mapping[str, Any]
"""An object's metadata."""

AVOIDED = frozenset({"Blinds"})
"""Types that are never opened or closed: the real simulator hangs (docs/ai2thor.md, "Faults")."""

ASGARD = {
    "agentMode": "default",
    "visibilityDistance": 5,
    "gridSize": 0.25,
    "snapToGrid": False,
    "rotateStepDegrees": 5,
    "renderDepthImage": False,
    "fieldOfView": 60,
    "makeAgentsVisible": False,
}
"""How AsgardBench initialises a scene (docs/asgard-rules.md, "An episode"), but for its masks."""


class ExplorationLimits(Exception):  # noqa: N818 - no error: the script is as long as it shall be
    """The script has all its actions."""


@dataclass
class Explorer:
    """Plays actions in a world and keeps them. ``uses`` counts routines and actions by name."""

    controller: ThorController
    generator: np.random.Generator
    length: int
    actions: list[dict[str, Any]] = field(default_factory=list)
    uses: Counter[str] = field(default_factory=Counter)

    def play(self, action: str, **arguments: Any) -> ActionAnswer:
        """Plays one action. Raises Enough if the script is full, WorldFault as worlds do."""
        if len(self.actions) >= self.length:
            raise ExplorationLimits
        written = {"action": action, **arguments}
        self.actions.append(written)
        self.uses[action] += 1
        return ask(self.controller, written)

    @property
    def left(self) -> int:
        """How many actions there is room for."""
        return self.length - len(self.actions)

    @property
    def objects(self) -> list[Thing]:
        """The scene's objects now."""
        return list(self.controller.last_event.metadata["objects"])

    @property
    def held(self) -> Thing | None:
        """What the agent holds."""
        return next((thing for thing in self.objects if thing["isPickedUp"]), None)

    def some(self, wanted: Callable[[Thing], bool]) -> Thing | None:
        """One of the objects that are wanted, None if there are none. Of the types that were
        chosen least."""
        found = [thing for thing in self.objects if wanted(thing)]
        if not found:
            return None
        type_ = self.rare(sorted({str(thing["objectType"]) for thing in found}))
        self.uses[type_] += 1
        return self.any([thing for thing in found if thing["objectType"] == type_])

    def any(self, choices: Sequence[T]) -> T:
        """One of them."""
        return choices[int(self.generator.integers(len(choices)))]

    def rare(self, names: Sequence[str]) -> str:
        """One of those names that were used least."""
        least = min(self.uses[name] for name in names)
        return self.any([name for name in names if self.uses[name] == least])

    def number(self, low: float, high: float) -> float:
        """Evenly between the two, to hundredths."""
        return round(float(self.generator.uniform(low, high)), 2)

    def chance(self, probability: float) -> bool:
        """True that often."""
        return bool(self.generator.random() < probability)


Routine = Callable[[Explorer], None]
"""A few actions that belong together; it does nothing where the scene has nothing for it."""


@dataclass(frozen=True, slots=True)
class Exploration:
    """What a script shall be like. ``length`` is its number of actions, at least 1."""

    seed: int
    length: int
    start: ThorStart = field(default_factory=lambda: ThorStart(quality="High"))

    def __post_init__(self) -> None:
        if self.length < 1:
            raise ValueError(f"a script of {self.length} actions; it needs at least 1")


def explore(
    scene: str,
    controller: ThorController,
    exploration: Exploration,
    routines: tuple[Mapping[str, Routine], Mapping[str, Routine]],
) -> Script:
    """A script for a scene to which the controller was just reset.

    Of the two tables of routines the first is played until an eighth is left, then all of the
    second once, then the first again: what places things by chance makes two worlds different for
    all that follows.
    """
    generator = np.random.default_rng([exploration.seed, zlib.crc32(scene.encode())])
    explorer = Explorer(controller, generator, exploration.length)
    sane, wild = routines
    late = exploration.length // 8
    # A world that breaks ends the script with the action that broke it, to be looked into.
    with suppress(ExplorationLimits, WorldFault):
        while explorer.left > late:
            _next(explorer, sane)
        for routine in wild.values():
            routine(explorer)
        while True:
            _next(explorer, sane)
    name = f"{scene}/{exploration.seed}"
    return Script(name, scene, exploration.start, tuple(explorer.actions))


def _next(explorer: Explorer, routines: Mapping[str, Routine]) -> None:
    name = explorer.rare(list(routines))
    explorer.uses[name] += 1
    routines[name](explorer)


# --- What an exploration does: the actions that AsgardBench and ALFRED use, and mistakes

STEPS = (
    *("MoveAhead", "MoveBack", "MoveLeft", "MoveRight", "RotateLeft", "RotateRight"),
    *("LookUp", "LookDown", "Crouch", "Stand", "Pass", "Done"),
)
HORIZONS = ([0, 15, 30], [0], [30])
"""The requested poses: AsgardBench's, or fewer, as such lists are long."""


def _loose(thing: Thing) -> bool:
    return bool(thing["pickupable"] and not thing["isPickedUp"])


def visit(explorer: Explorer, thing: Thing) -> bool:
    """Goes where a thing can be reached; whether there is such a place."""
    horizons = explorer.any(HORIZONS)
    query = {"horizons": horizons, "standings": [True, False] if len(horizons) > 1 else [True]}
    found = explorer.play("GetInteractablePoses", objectId=thing["objectId"], **query)
    if not found.success or not found.value:
        return False
    return _teleport(explorer, explorer.any(found.value))


def _teleport(explorer: Explorer, pose: Mapping[str, Any]) -> bool:
    place = {axis: pose[axis] for axis in "xyz"}
    stance: dict[str, Any] = {
        "rotation": {"x": 0.0, "y": pose["rotation"], "z": 0.0},
        "horizon": pose["horizon"],
        "standing": pose["standing"],
    }
    if explorer.rare(["Teleport", "TeleportFull"]) == "TeleportFull":
        return explorer.play("TeleportFull", **place, **stance).success
    return explorer.play("Teleport", position=place, **stance).success


def walk(explorer: Explorer) -> None:
    """A few steps and turns."""
    for _ in range(6):
        explorer.play(explorer.rare(STEPS))


def survey(explorer: Explorer) -> None:
    """Goes anywhere, and asks what is in view."""
    found = explorer.play("GetReachablePositions")
    if found.success and found.value:
        turned = float(explorer.any([0, 45, 90, 180, 200, 270]))
        stance = {"rotation": turned, "horizon": explorer.any([-30, 0, 30, 60]), "standing": True}
        _teleport(explorer, {**explorer.any(found.value), **stance})
    point = {axis: explorer.number(0.2, 0.8) for axis in "xy"}
    explorer.play("GetObjectInFrame", **point, checkVisible=explorer.chance(0.3))


def open_and_close(explorer: Explorer) -> None:
    """Opens something, wholly or half, and closes it again most times."""
    thing = explorer.some(lambda t: t["openable"] and t["objectType"] not in AVOIDED)
    if thing is None:
        return
    visit(explorer, thing)
    target = {"objectId": thing["objectId"]}
    if thing["isOpen"]:
        explorer.play("CloseObject", **target, forceAction=False)
    openness = explorer.any([1, 1, 0.5])
    explorer.play("OpenObject", **target, openness=openness, forceAction=explorer.chance(0.7))
    if explorer.chance(0.7):
        explorer.play("CloseObject", **target, forceAction=False)


def switch(explorer: Explorer) -> None:
    """Turns something on and off, or off and on."""
    thing = explorer.some(lambda t: t["toggleable"])
    if thing is not None:
        visit(explorer, thing)
        names = ["ToggleObjectOff", "ToggleObjectOn"]
        for name in names if thing["isToggled"] else names[::-1]:
            explorer.play(name, objectId=thing["objectId"], forceAction=False)


def dirty_and_clean(explorer: Explorer) -> None:
    """Makes something dirty and clean, or clean and dirty."""
    thing = explorer.some(lambda t: t["dirtyable"] and not t["isPickedUp"])
    if thing is not None:
        seen = visit(explorer, thing)
        names = ["CleanObject", "DirtyObject"]
        for name in names if thing["isDirty"] else names[::-1]:
            explorer.play(name, objectId=thing["objectId"], forceAction=not seen)


def fill_and_empty(explorer: Explorer) -> None:
    """Fills a vessel and empties it; a full one is emptied first."""
    thing = explorer.some(lambda t: t["canFillWithLiquid"] and not t["isPickedUp"])
    if thing is None:
        return
    target = {"objectId": thing["objectId"], "forceAction": not visit(explorer, thing)}
    if thing["isFilledWithLiquid"]:
        explorer.play("EmptyLiquidFromObject", **target)
    liquid = explorer.rare(["water", "coffee", "wine"])
    explorer.uses[liquid] += 1
    explorer.play("FillObjectWithLiquid", **target, fillLiquid=liquid)
    explorer.play("EmptyLiquidFromObject", **target)


def _once(action: str, trait: str, done: str) -> Routine:
    """A routine that does to a thing what cannot be undone."""

    def routine(explorer: Explorer) -> None:
        def wanted(thing: Thing) -> bool:
            return bool(thing[trait] and not thing[done] and not thing["isPickedUp"])

        thing = explorer.some(wanted)
        if thing is not None:
            seen = visit(explorer, thing)
            explorer.play(action, objectId=thing["objectId"], forceAction=not seen)

    return routine


def _take(explorer: Explorer) -> Thing | None:
    """Takes something; what the hand held before is put down first."""
    if explorer.held is not None:
        explorer.play("DropHandObject")
    thing = explorer.some(_loose)
    if thing is None:
        return None
    visit(explorer, thing)
    target = {"objectId": thing["objectId"], "forceAction": False, "manualInteract": False}
    return thing if explorer.play("PickupObject", **target).success else None


def carry(explorer: Explorer) -> None:
    """Takes something to where it may lie."""
    thing = _take(explorer)
    if thing is None:
        return
    if explorer.chance(0.5):
        explorer.play("RotateHeldObject", rotation={"x": 0, "y": 0, "z": 90})
    known = object_types().get(str(thing["objectType"]))
    fitting = known.receptacles if known else frozenset()
    place = explorer.some(
        lambda t: (
            t["receptacle"]
            and t["objectType"] in fitting
            and t["objectType"] not in AVOIDED
            and t["objectId"] != thing["objectId"]
        )
    )
    if place is None:
        explorer.play("DropHandObject")
        return
    visit(explorer, place)
    target = {"objectId": place["objectId"]}
    if place["objectType"] in MUST_BE_OPEN_TO_PLACE and place["openable"] and not place["isOpen"]:
        explorer.play("OpenObject", **target, openness=1, forceAction=True)
    for force in (False, True):
        if explorer.play("PutObject", **target, forceAction=force, placeStationary=True).success:
            return


def drop(explorer: Explorer) -> None:
    """Takes something, turns it in the hand, and lets go of it."""
    if _take(explorer) is not None:
        explorer.play("RotateHeldObject", rotation={"x": 0, "y": 0, "z": 90})
        explorer.play("DropHandObject")


def push(explorer: Explorer) -> None:
    """Pushes an object that can be moved."""
    thing = explorer.some(lambda t: (t["moveable"] or t["pickupable"]) and not t["isPickedUp"])
    if thing is not None:
        visit(explorer, thing)
        strength = {
            "moveMagnitude": explorer.any([10, 50, 150]),
            "pushAngle": explorer.any([0, 90]),
        }
        explorer.play("DirectionalPush", objectId=thing["objectId"], **strength)


def disable(explorer: Explorer) -> None:
    """Takes something out of the scene."""
    thing = explorer.some(_loose)
    if thing is not None:
        explorer.play("DisableObject", objectId=thing["objectId"])


def spawn(explorer: Explorer) -> None:
    """Spreads everything but a few things over the scene, as AsgardBench does."""
    stay = [thing["objectId"] for thing in explorer.objects if explorer.chance(0.3)]
    explorer.play(
        "InitialRandomSpawn",
        randomSeed=int(explorer.generator.integers(1000)),
        forceVisible=True,
        numPlacementAttempts=10,
        placeStationary=True,
        excludedReceptacles=["Mug", "Pan", "Sink"],
        excludedObjectIds=stay,
    )


def pose(explorer: Explorer) -> None:
    """Puts everything where it is, as ALFRED does: what is not listed would leave the scene."""
    if explorer.held is not None:
        return
    poses = [
        {"objectName": thing["name"], "position": thing["position"], "rotation": thing["rotation"]}
        for thing in explorer.objects
        if (thing["pickupable"] or thing["moveable"])
        and not (thing["isSliced"] or thing["isBroken"])
    ]
    explorer.play("SetObjectPoses", objectPoses=poses, placeStationary=True)


def err(explorer: Explorer) -> None:
    """Mistakes: of a caller who does not know the actions, and of an agent that tries what cannot
    be done."""
    for _ in range(3):
        name = explorer.rare(list(MISTAKES))
        explorer.uses[name] += 1
        MISTAKES[name](explorer)


def _on_the_wrong_thing(action: str, trait: str, **arguments: Any) -> Routine:
    def mistake(explorer: Explorer) -> None:
        thing = explorer.some(lambda t: not t[trait] and t["visible"])
        if thing is not None:
            explorer.play(action, objectId=thing["objectId"], forceAction=False, **arguments)

    return mistake


def _plainly(action: str, **arguments: Any) -> Routine:
    def mistake(explorer: Explorer) -> None:
        explorer.play(action, **arguments)

    return mistake


def _out_of_sight(explorer: Explorer) -> None:
    thing = explorer.some(lambda t: t["pickupable"] and not t["visible"])
    if thing is not None:
        explorer.play("PickupObject", objectId=thing["objectId"], forceAction=False)


def _into_the_wrong_place(explorer: Explorer) -> None:
    place = explorer.some(lambda t: t["receptacle"] and t["visible"])
    if place is not None:
        explorer.play("PutObject", objectId=place["objectId"], forceAction=False)


MISTAKES: Mapping[str, Callable[[Explorer], None]] = {
    "unknown action": _plainly("FlyAway"),
    "unknown object": _plainly("PickupObject", objectId="Mug|+99.00|+99.00|+99.00"),
    "unknown argument": _plainly("CloseObject", objectId="Mug|+99.00|+99.00|+99.00", softly=True),
    "wrong kind of argument": _plainly("RotateLeft", degrees="far"),
    "missing argument": _plainly("GetInteractablePoses"),
    "outside": _plainly(
        "Teleport",
        position={"x": 40.0, "y": 0.9, "z": 40.0},
        rotation={"x": 0.0, "y": 0.0, "z": 0.0},
        horizon=0,
        standing=True,
    ),
    "outside the picture": _plainly("GetObjectInFrame", x=1.5, y=0.5, checkVisible=False),
    "too steep": _plainly("LookDown", degrees=80),
    "nothing in hand": _plainly("DropHandObject"),
    "out of sight": _out_of_sight,
    "wrong place": _into_the_wrong_place,
    "not openable": _on_the_wrong_thing("OpenObject", "openable", openness=1),
    "not toggleable": _on_the_wrong_thing("ToggleObjectOn", "toggleable"),
    "not sliceable": _on_the_wrong_thing("SliceObject", "sliceable"),
    "not pickupable": _on_the_wrong_thing("PickupObject", "pickupable"),
    "not dirtyable": _on_the_wrong_thing("CleanObject", "dirtyable"),
    "not fillable": _on_the_wrong_thing(
        "FillObjectWithLiquid", "canFillWithLiquid", fillLiquid="water"
    ),
    "not to be used up": _on_the_wrong_thing("UseUpObject", "canBeUsedUp"),
    "not cookable": _on_the_wrong_thing("CookObject", "cookable"),
}

SANE: Mapping[str, Routine] = {
    "walk": walk,
    "survey": survey,
    "open and close": open_and_close,
    "switch": switch,
    "dirty and clean": dirty_and_clean,
    "fill and empty": fill_and_empty,
    "cook": _once("CookObject", "cookable", "isCooked"),
    "slice": _once("SliceObject", "sliceable", "isSliced"),
    "break": _once("BreakObject", "breakable", "isBroken"),
    "use up": _once("UseUpObject", "canBeUsedUp", "isUsedUp"),
    "carry": carry,
    "carry on": carry,
    "drop": drop,
    "push": push,
    "disable": disable,
    "pose": pose,
    "mistakes": err,
}
WILD: Mapping[str, Routine] = {"spawn": spawn}
ROUTINES = (SANE, WILD)
"""See `explore`."""
