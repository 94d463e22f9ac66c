"""A house on paper: AI2-THOR's controller over a list of objects, for tests of skills.

Distances, what is seen and what the simulator refuses are what a test says, nothing is worked out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.support.thor_objects import Triple, thor_object, xyz

EYE = 0.675
GRID: tuple[Triple, ...] = tuple((0.5 * i, 0.9, 0.0) for i in range(8))


@dataclass(eq=False)
class PaperEvent:
    """An event that is true if nothing was refused."""

    metadata: Mapping[str, Any]

    def __bool__(self) -> bool:
        return not self.metadata["errorMessage"]


@dataclass(eq=False)
class PaperWorld:
    """See `ThorController`, as far as skills use it.

    Attributes:
        items: the objects; their ``distance`` follows the agent.
        refused: what an action is refused with: by its name, or by (name, objectId).
        blocked: x of the places where the agent cannot stand.
        seen_from: id to the x of the places from which the object is visible; others stay as
            they are.
        calls: all actions with their arguments.
    """

    items: list[dict[str, Any]]
    refused: dict[Any, str] = field(default_factory=dict)
    blocked: frozenset[float] = frozenset()
    seen_from: Mapping[str, Iterable[float]] = field(default_factory=dict)
    floor: tuple[Triple, ...] = GRID
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    held: str = ""
    place: Triple = (0.0, 0.9, 0.0)
    yaw: float = 0.0
    horizon: float = 0.0

    def __post_init__(self) -> None:
        self.last_event = self._event()

    def names(self) -> list[str]:
        """The actions that were played."""
        return [name for name, _ in self.calls]

    def step(self, action: str, **arguments: Any) -> PaperEvent:
        self.calls.append((action, arguments))
        target = arguments.get("objectId", "")
        error = self.refused.get((action, target), self.refused.get(action, ""))
        value = None
        if not error and action == "GetReachablePositions":
            value = [xyz(each) for each in self.floor]
        elif not error:
            error = self._carried_out(action, target, arguments) or ""
        self.last_event = self._event(error, value)
        return self.last_event

    def item(self, object_id: str) -> dict[str, Any]:
        return next(each for each in self.items if each["objectId"] == object_id)

    def _carried_out(self, action: str, target: str, given: Mapping[str, Any]) -> str | None:
        match action:
            case "Teleport":
                return self._teleported(given)
            case "PickupObject":
                if self.held:
                    return "Agent hand has something in it already!"
                self._leave(target)
                self.held = target
            case "PutObject":
                self._leave(self.held)
                self.item(target)["receptacleObjectIds"].append(self.held)
                self.item(self.held)["parentReceptacles"] = [target]
                self.held = ""
            case "DropHandObject":
                self.held = ""
            case "OpenObject" | "CloseObject":
                self.item(target)["isOpen"] = action == "OpenObject"
            case "ToggleObjectOn" | "ToggleObjectOff":
                self.item(target)["isToggled"] = action == "ToggleObjectOn"
            case "SliceObject":
                self._slice(self.item(target))
        return None

    def _teleported(self, given: Mapping[str, Any]) -> str | None:
        where = given["position"]
        if where["x"] in self.blocked:
            return "something is in the way"
        self.place = (where["x"], where["y"], where["z"])
        self.yaw, self.horizon = given["rotation"]["y"], given["horizon"]
        for name, places in self.seen_from.items():
            self.item(name)["visible"] = where["x"] in places
        return None

    def _leave(self, name: str) -> None:
        self.item(name)["parentReceptacles"] = None
        for each in self.items:
            if name in (each["receptacleObjectIds"] or ()):
                each["receptacleObjectIds"].remove(name)

    def _slice(self, whole: dict[str, Any]) -> None:
        whole.update(isSliced=True, visible=False)
        kind = f"{whole['objectType']}Sliced"
        for k in range(2):
            name = f"{whole['objectId']}|{kind}_{k}"
            at = whole["position"]
            piece = thing(kind, (at["x"] + 0.1 * k, at["y"], at["z"]), objectId=name)
            self.items.append(piece)

    def _event(self, error: str = "", value: Any = None) -> PaperEvent:
        for each in self.items:
            at = each["position"]
            each["distance"] = math.dist((at["x"], at["y"], at["z"]), self.place)
        hand = [{"objectId": self.held, "objectType": self.held.partition("|")[0]}]
        return PaperEvent(
            {
                "objects": [dict(each) for each in self.items],
                "agent": {
                    "position": xyz(self.place),
                    "rotation": xyz((0.0, self.yaw, 0.0)),
                    "cameraHorizon": self.horizon,
                    "isStanding": True,
                },
                "cameraPosition": xyz((self.place[0], self.place[1] + EYE, self.place[2])),
                "inventoryObjects": hand if self.held else [],
                "errorMessage": error,
                "actionReturn": value,
            }
        )


def thing(kind: str, at: Triple, **changes: Any) -> dict[str, Any]:
    """Something visible that can be picked up."""
    given = {"pickupable": True, "visible": True, "isInteractable": True, **changes}
    return thor_object(kind, at, (0.1, 0.1, 0.1), **given)


def place(kind: str, at: Triple, *contents: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A visible receptacle with things in it."""
    made = thor_object(
        kind, at, (0.5, 0.5, 0.5), visible=True, isInteractable=True, receptacle=True,
        receptacleObjectIds=[each["objectId"] for each in contents], **changes,
    )  # fmt: skip
    for each in contents:
        each["parentReceptacles"] = [made["objectId"]]
    return made
