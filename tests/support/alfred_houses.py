"""Small houses of facts for judging runs of ALFRED, and runs in them with failures to order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from env_service.domain.outcome import OutcomeCode
from env_service.suites.alfred.command_wordings import Command
from env_service.suites.alfred.judging.analysis import EpisodeEnd, FailureCode, JudgedCase
from env_service.suites.alfred.judging.ideal_replay import IdealMemory, IdealRobot
from env_service.suites.alfred.judging.ideal_scene import IdealScene
from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.object_words import (
    OPENABLE,
    PICKABLE,
    RECEPTACLES,
    SLICEABLE,
    SWITCHABLE,
)
from env_service.suites.alfred.rules import EXACT, Rules
from env_service.suites.alfred.skills.steps import Cause, SkillResult, StepRecord, Verb, failure
from env_service.suites.alfred.skills.vocabulary import parse_skill
from env_service.suites.alfred.task import AlfredTask, Goal, SceneSetup

_KITCHEN = {
    "CounterTop|1": "Apple Egg Mug Knife Bread Potato Lettuce Pan Pot",
    "DiningTable|1": "Plate Bowl Spoon Spoon Fork Tomato Cup ButterKnife",
    "SideTable|1": "Mug SaltShaker",
    "Fridge|1": "Tomato",
    "Microwave|1": "",
    "Cabinet|1": "",
    "Cabinet|2": "Plate",
    "Drawer|1": "Spatula",
    "Sink|1": "",
    "Sink|1|SinkBasin": "",
    "GarbageCan|1": "",
    "StoveBurner|1": "",
    "CoffeeMachine|1": "",
    "Faucet|1": "",
    "Shelf|1": "Vase",
}
_BEDROOM = {
    "Bed|1": "Pillow Book Laptop",
    "Desk|1": "Book CD CD Pen AlarmClock",
    "SideTable|1": "KeyChain KeyChain CellPhone",
    "Dresser|1": "Mug Box",
    "Drawer|1": "",
    "Safe|1": "",
    "Sofa|1": "RemoteControl RemoteControl",
    "ArmChair|1": "CreditCard",
    "CoffeeTable|1": "Statue",
    "DeskLamp|1": "",
    "FloorLamp|1": "",
    "GarbageCan|1": "",
    "Shelf|1": "Bowl",
}


def kitchen() -> AlfredView:
    """A kitchen with everything shut that can be."""
    return _house(_KITCHEN)


def bedroom() -> AlfredView:
    """A room to sleep and sit in."""
    return _house(_BEDROOM)


def run_case(
    house: AlfredView,
    goal: Goal,
    command: str,
    plan: str | Sequence[str],
    *,
    broken: Mapping[int, Cause] | None = None,
    ended: EpisodeEnd = EpisodeEnd.PLAN_OVER,
    language: str = "en",
    rules: Rules = EXACT,
) -> JudgedCase:
    """The case of a plan that was played, steps with commas between. `broken`: the steps, counted
    from 1, that fail in this run and do nothing, and why."""
    steps = [each.strip() for each in plan.split(",")] if isinstance(plan, str) else plan
    facts = IdealScene(house)
    robot = IdealRobot(facts, IdealMemory(facts, rules))
    records = tuple(
        _played(robot, said, (broken or {}).get(number))
        for number, said in enumerate(steps, start=1)
        if said
    )
    return JudgedCase(
        task=AlfredTask("made", goal, SceneSetup("made"), {"B": command}),
        goal=goal,
        command=Command(command, language),
        opening=house,
        records=records,
        ended=ended,
        rules=rules,
    )


def _played(robot: IdealRobot, said: str, broken: Cause | None) -> StepRecord:
    step = parse_skill(said)
    if step is None:
        robot.destination = ""
        return StepRecord(said, None, failure(Cause.UNKNOWN_WORDS, "no skill"))
    if broken is not None:
        if step.verb is Verb.FIND:
            robot.destination = step.object
        return StepRecord(said, step, failure(broken, f"{broken.value} on purpose"))
    unknown = SkillResult(OutcomeCode.PRECONDITION_FAILED)
    found = robot.do(step, unknown)
    if found.code is None:
        return StepRecord(
            said,
            step,
            SkillResult(
                OutcomeCode.SUCCEEDED,
                object_id=found.object_id,
                receptacle_id=found.receptacle_id,
            ),
        )
    cause = _CAUSES.get(found.code, Cause.REFUSED)
    return StepRecord(said, step, failure(cause, found.code.value))


_CAUSES = {
    FailureCode.NO_SUCH_OBJECT: Cause.NO_SUCH_OBJECT,
    FailureCode.HAND_FULL: Cause.HAND_FULL,
    FailureCode.HAND_EMPTY: Cause.HAND_EMPTY,
    FailureCode.HELD_WHEN_SLICED: Cause.IN_HAND,
    FailureCode.CLOSED_CONTAINER: Cause.CLOSED_CONTAINER,
    FailureCode.WRONG_STATE: Cause.WRONG_STATE,
    FailureCode.NO_DESTINATION: Cause.NO_DESTINATION,
    FailureCode.NOT_GONE_TO: Cause.NOT_VISIBLE,
    FailureCode.WRONG_RECEPTACLE: Cause.NO_ROOM,
}


def _house(places: Mapping[str, str]) -> AlfredView:
    objects: dict[str, dict[str, Any]] = {}
    for place, items in places.items():
        inside = []
        for number, kind in enumerate(items.split()):
            name = f"{kind}|{place.replace('|', '')}{number}"
            objects[name] = _object(name, kind, place)
            inside.append(name)
        kind = place.rpartition("|")[2]
        objects[place] = _object(place, place.partition("|")[0] if kind.isdigit() else kind, "")
        objects[place]["receptacleObjectIds"] = inside
    for at, each in enumerate(objects.values()):
        each["position"] = {"x": float(at), "y": 1.0, "z": 0.0}
    return AlfredView({"objects": list(objects.values()), "inventoryObjects": []})


def _object(name: str, kind: str, parent: str) -> dict[str, Any]:
    whole = kind.removesuffix("Basin")
    return {
        "objectId": name,
        "objectType": kind,
        "pickupable": kind in PICKABLE,
        "receptacle": whole in RECEPTACLES and kind != "Sink",
        "openable": kind in OPENABLE,
        "isOpen": kind == "Box",
        "toggleable": kind in SWITCHABLE,
        "isToggled": False,
        "sliceable": kind in SLICEABLE,
        "isSliced": False,
        "isBroken": False,
        "visible": True,
        "receptacleObjectIds": [],
        "parentReceptacles": [parent] if parent else [],
    }
