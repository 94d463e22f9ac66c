"""A flat of boxes for the expert to act in: the skills' logic without any geometry but distance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from env_service.domain.outcome import OutcomeCode
from env_service.suites.alfred.expert.play import Experience, Play
from env_service.suites.alfred.goals import evaluate
from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.object_words import OPENABLE, PICKABLE, SLICEABLE, SWITCHABLE
from env_service.suites.alfred.rules import EXACT
from env_service.suites.alfred.skills.steps import Cause, Marks, SkillResult, SkillStep, Verb
from env_service.suites.alfred.task import Goal
from env_service.worlds.ai2thor_api.metadata_view import ThorObject

REACH = 1.5
_MARKING = {Verb.TURN_ON: ("Microwave", "Faucet"), Verb.CLOSE: ("Fridge",)}


class ToyFlat:
    """An actor as the robot is one. Things stand along a line; ``room`` says how many things go
    into the receptacles named there by id, any number into others."""

    def __init__(self, room: Mapping[str, int] | None = None) -> None:
        self.marks = Marks()
        self._items: dict[str, dict[str, Any]] = {}
        self._room = dict(room or {})
        self._x, self._held, self._destination = 0.0, "", ""
        self._left: set[str] = set()

    def add(self, kind: str, x: float, *, within: str = "", **changes: Any) -> str:
        """Puts a thing there, closed and off; its id."""
        name = f"{kind}|{x:+06.2f}|+00.90|+00.00"
        self._items[name] = {
            "objectId": name,
            "objectType": kind,
            "x": x,
            "openable": kind in OPENABLE and kind not in PICKABLE,
            "isOpen": False,
            "toggleable": kind in SWITCHABLE,
            "isToggled": False,
            "pickupable": kind in PICKABLE,
            "receptacle": True,
            "isSliced": False,
            "within": within,
            **changes,
        }
        return name

    @property
    def view(self) -> AlfredView:
        """The flat now."""
        held = [{"objectId": self._held}] if self._held else []
        agent = {
            "position": {"x": self._x, "y": 0.9, "z": 0.0},
            "rotation": {"y": 0.0},
            "cameraHorizon": 0.0,
            "isStanding": True,
        }
        objects = [self._metadata(each) for each in self._items.values()]
        return AlfredView({"objects": objects, "inventoryObjects": held, "agent": agent})

    def expected(self, verb: Verb, kind: str) -> ThorObject | None:
        """The nearest of its type; what is shut in, and for looks what is unseen, comes last,
        and what was put down is left alone until something is done to what it lies in."""
        view = self.view
        able = {Verb.PICK_UP: "pickupable", Verb.TURN_ON: "toggleable", Verb.TURN_OFF: "toggleable"}

        def score(item: ThorObject) -> float:
            unseen = verb in (Verb.FIND, Verb.PICK_UP) and not item["visible"]
            shut = view.closed_parent(item) is not None
            left = item["objectId"] in {*self._left, self._held} and verb is Verb.FIND
            part = -100.0 if "Sliced" in item["objectType"] else 0.0
            return float(item["distance"]) + 1e3 * unseen + 5e3 * left + 1e5 * shut + part

        found = [
            each
            for each in view.objects
            if each["objectId"].partition("|")[0] == kind
            and each[able.get(verb, "objectId")]
            and not each["isSliced"]
        ]
        return min(found, key=score, default=None)

    def do(self, step: SkillStep) -> SkillResult:
        """Carries out one step."""
        if step.verb not in (Verb.PUT_DOWN, Verb.OPEN):
            self._destination = ""
        if step.verb is Verb.PUT_DOWN:
            return self._put()
        chosen = self.expected(step.verb, step.object)
        if chosen is None:
            return _failed(Cause.NO_SUCH_OBJECT)
        item = self._items[chosen["objectId"]]
        if step.verb is Verb.FIND:
            self._destination, self._x = step.object, self._place(item)
        elif not chosen["visible"]:
            return _failed(Cause.NOT_VISIBLE)
        elif not self._change(step.verb, item):
            return _failed(Cause.WRONG_STATE)
        self._mark(step.verb, item)
        return SkillResult(OutcomeCode.SUCCEEDED, object_id=item["objectId"])

    def _change(self, verb: Verb, item: dict[str, Any]) -> bool:
        if verb is Verb.PICK_UP:
            if self._held:
                return False
            self._held, item["within"] = item["objectId"], ""
            return True
        if verb is Verb.SLICE:
            return self._slice(item)
        self._left -= {n for n, each in self._items.items() if each["within"] == item["objectId"]}
        name, value = _CHANGES[verb]
        changed = item[name] is not value
        item[name] = value
        return changed

    def _slice(self, item: dict[str, Any]) -> bool:
        kind = item["objectType"]
        if kind not in SLICEABLE or item["objectId"] == self._held or item["isSliced"]:
            return False
        for number in (1, 2, 3):
            name = f"{item['objectId']}|{kind}Sliced_{number}"
            self._items[name] = {**item, "objectId": name, "objectType": f"{kind}Sliced"}
        item.update(isSliced=True, pickupable=False, within="")
        return True

    def _put(self) -> SkillResult:
        if not self._held or not self._destination:
            return _failed(Cause.NO_DESTINATION)
        place = self.expected(Verb.OPEN, self._destination)
        if place is None or not place["visible"] or (place["openable"] and not place["isOpen"]):
            return _failed(Cause.CLOSED_CONTAINER)
        name = place["objectId"]
        inside = len(place["receptacleObjectIds"])
        if inside >= self._room.get(name, inside + 1):
            return _failed(Cause.NO_ROOM)
        item, self._held = self._items[self._held], ""
        item["within"] = name
        self._left.add(item["objectId"])
        return SkillResult(OutcomeCode.SUCCEEDED, object_id=item["objectId"], receptacle_id=name)

    def _mark(self, verb: Verb, item: Mapping[str, Any]) -> None:
        if item["objectType"] not in _MARKING.get(verb, ()):
            return
        field, holder = {
            "Microwave": ("heated", item["objectId"]),
            "Fridge": ("cooled", item["objectId"]),
            "Faucet": ("cleaned", next((n for n in self._items if n.startswith("Sink|")), "")),
        }[item["objectType"]]
        inside = {n for n, each in self._items.items() if each["within"] == holder}
        self._left -= inside
        self.marks = replace(self.marks, **{field: getattr(self.marks, field) | inside})

    def _place(self, item: Mapping[str, Any]) -> float:
        if item["objectId"] == self._held:
            return self._x
        outer = self._items.get(item["within"])
        return float(item["x"] if outer is None else self._place(outer))

    def _metadata(self, item: Mapping[str, Any]) -> dict[str, Any]:
        x, outer = self._place(item), self._items.get(item["within"])
        shut = outer is not None and outer["openable"] and not outer["isOpen"]
        inside = [n for n, each in self._items.items() if each["within"] == item["objectId"]]
        return {
            **item,
            "position": {"x": x, "y": 0.9, "z": 0.0},
            "distance": math.fabs(x - self._x),
            "visible": math.fabs(x - self._x) <= REACH and not shut,
            "parentReceptacles": [item["within"]] if item["within"] else None,
            "receptacleObjectIds": inside,
        }


_CHANGES = {
    Verb.OPEN: ("isOpen", True),
    Verb.CLOSE: ("isOpen", False),
    Verb.TURN_ON: ("isToggled", True),
    Verb.TURN_OFF: ("isToggled", False),
}


def play_in(flat: ToyFlat, goal: Goal, experience: Experience | None = None) -> Play:
    """A play of a task that is set up in the flat."""

    def met(view: AlfredView, marks: Marks) -> bool:
        return all(each.met for each in evaluate(goal, view, marks, EXACT))

    return Play(flat, goal, met, experience or Experience())


def _failed(cause: Cause) -> SkillResult:
    return SkillResult(OutcomeCode.PRECONDITION_FAILED, cause.value, cause)
