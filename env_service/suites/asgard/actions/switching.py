"""TOGGLE_ON and TOGGLE_OFF."""

from __future__ import annotations

from env_service.suites.asgard.actions.fixtures import sink_under, switch_of
from env_service.suites.asgard.actions.handler import Context, Handler, Situation, no
from env_service.suites.asgard.refusal import Reason, Refusal
from env_service.suites.asgard.tables import tables
from env_service.suites.asgard.view import ThorObject

_WATER = "water"


def _check_on(situation: Situation, item: ThorObject) -> Refusal | None:
    if switch_of(situation.view, item)["isToggled"]:
        return _no(item, Reason.ALREADY_SO, "as it is already on.")
    if not situation.view.visible(item):
        return _no(item, Reason.NOT_VISIBLE, "as it is not visible.")
    match item["objectType"]:
        case "Television":
            return _without_remote(situation, item)
        case "CoffeeMachine":
            return _unfit_for_coffee(situation, item)
        case "Faucet":
            return _sink_in_use(situation, item)
        case "Microwave" if item["isOpen"]:
            return _no(item, Reason.DOOR_OPEN, "as it is open.")
        case "StoveBurner":
            return _nothing_on_burner(situation, item)
    return None


def _check_off(situation: Situation, item: ThorObject) -> Refusal | None:
    if not switch_of(situation.view, item)["isToggled"]:
        return _no(item, Reason.ALREADY_SO, "as it is already off.")
    if not situation.view.visible(item):
        return _no(item, Reason.NOT_VISIBLE, "as it is not visible.")
    if item["objectType"] == "Television":
        return _without_remote(situation, item)
    return None


def _without_remote(situation: Situation, item: ThorObject) -> Refusal | None:
    if situation.held_type == "RemoteControl":
        return None
    return _no(item, Reason.TOOL_MISSING, "without holding a remote control.")


def _unfit_for_coffee(situation: Situation, machine: ThorObject) -> Refusal | None:
    inside = situation.view.contents(machine)
    if not inside:
        return _no(machine, Reason.EMPTY, "as it contains no objects.")
    first = inside[0]
    if first["objectType"] != "Mug":
        return _no(machine, Reason.WRONG_CONTENTS, f"as it contains a {first['objectType']}.")
    if first["isFilledWithLiquid"]:
        return _no(machine, Reason.WRONG_CONTENTS, "as the mug is not empty.")
    if first["isDirty"]:
        return _no(machine, Reason.DIRTY, "as the mug is dirty.")
    return None


def _sink_in_use(situation: Situation, faucet: ThorObject) -> Refusal | None:
    view = situation.view
    first = view.first("SinkBasin")
    sink = first if situation.rules.first_faucet_only else sink_under(view, faucet)
    allowed = tables().may_be_in_a_running_sink
    inside = [] if sink is None else [each["objectType"] for each in view.contents(sink)]
    wrong = next((kind for kind in inside if kind not in allowed), None)
    if wrong is None:
        return None
    return _no(faucet, Reason.WRONG_CONTENTS, f"as SinkBasin contains a {wrong}.")


def _nothing_on_burner(situation: Situation, burner: ThorObject) -> Refusal | None:
    if situation.rules.burner_without_pan:
        return None
    types = {each["objectType"] for each in situation.view.contents(burner)}
    if types & {"Pan", "Pot"}:
        return None
    return _no(burner, Reason.EMPTY, "as there is no pan on it.")


def _no(item: ThorObject, reason: Reason, why: str) -> Refusal:
    return no(reason, f"Cannot toggle {item['name']} {why}")


def _switch(context: Context, item: ThorObject, action: str) -> None:
    body = context.body
    switch = switch_of(body.view, item)
    context.act(item, lambda: body.act_on(action, switch), near=switch)


def _turn_on(context: Context, item: ThorObject) -> None:
    _switch(context, item, "ToggleObjectOn")


def _turn_off(context: Context, item: ThorObject) -> None:
    _switch(context, item, "ToggleObjectOff")
    view = context.body.view
    for each in view.objects:
        if each["objectType"] in tables().drained and each["fillLiquid"] == _WATER:
            # Every one of them is drained, also one that the agent does not see from here.
            context.body.act_on("EmptyLiquidFromObject", each, forceAction=True)


TOGGLE_ON = Handler(check=_check_on, perform=_turn_on)
TOGGLE_OFF = Handler(check=_check_off, perform=_turn_off)
