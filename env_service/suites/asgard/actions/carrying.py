"""PICKUP and PUT."""

from __future__ import annotations

from env_service.suites.asgard.actions.handler import Context, Handler, Situation, hidden, no
from env_service.suites.asgard.refusal import Reason, Refusal, RefusedError
from env_service.suites.asgard.tables import compatible
from env_service.suites.asgard.view import ThorObject

FILLS_UP = frozenset({"SinkBasin", "Bowl", "Cup", "Mug", "Pot", "Pan", "Plate"})
"""Types of which the agent is told that nothing more fits. The released code says Plates where
this says Plate, so that of a plate it is not told (spec section 2.3)."""


def _check_pickup(situation: Situation, item: ThorObject) -> Refusal | None:
    name, view = item["name"], situation.view
    if view.held is not None:
        message = f"Cannot pick up {name} while holding {situation.held_name}."
        return no(Reason.HAND_FULL, message)
    unseen = hidden(situation, item, f"Cannot pick up {name}")
    if unseen:
        return unseen
    if view.closed_parent(item) is not None:
        message = f"Cannot pick up {name} as it is in a closed container."
        return no(Reason.CONTAINER_CLOSED, message)
    if not item["pickupable"]:
        message = f"You cannot pick up object of type {name} as it is not pickupable."
        return no(Reason.UNABLE, message)
    return None


def _pick_up(context: Context, item: ThorObject) -> None:
    body = context.body
    inside = [each["objectId"] for each in body.view.contents(item)]
    context.act(item, lambda: body.act_on("PickupObject", item, manualInteract=False))
    if inside:
        body.memory.carried[item["objectId"]] = inside


def _check_put(situation: Situation, item: ThorObject) -> Refusal | None:
    name, held = item["name"], situation.view.held
    if held is None:
        return no(Reason.HAND_EMPTY, "No object held.")
    unseen = hidden(situation, item, f"Cannot PUT in {name}")
    if unseen:
        return unseen
    if item["isDirty"]:
        return no(Reason.DIRTY, f"Cannot PUT in {name} as it is dirty.")
    if item["openable"] and not item["isOpen"]:
        message = f"Cannot PUT in {name} as it is closed. Open it first."
        return no(Reason.CONTAINER_CLOSED, message)
    if not compatible(situation.held_type, item["objectType"]):
        message = f"Cannot PUT {held['name']} in {name} as they are not compatible."
        return no(Reason.INCOMPATIBLE, message)
    return None


def _put(context: Context, item: ThorObject) -> None:
    body = context.body
    held = body.view.held
    try:
        context.act(item, lambda: body.act_on("PutObject", item, placeStationary=True))
    except RefusedError as refused:
        full = _full(context, item)
        if refused.final or full is None:
            raise
        raise RefusedError(full) from refused
    if held is not None:
        body.memory.carried.pop(held["objectId"], None)


def _full(context: Context, item: ThorObject) -> Refusal | None:
    """The refusal of a container that has contents and is of a type that fills up."""
    kind = item["objectType"]
    known = FILLS_UP - {"Plate"} if context.rules.placeholder_messages else FILLS_UP
    now = context.body.fresh(item)
    if kind not in known or now is None or not context.body.view.contents(now):
        return None
    return no(Reason.NO_ROOM, f"The {kind} can't fit more items.")


PICKUP = Handler(check=_check_pickup, perform=_pick_up)
PUT = Handler(check=_check_put, perform=_put)
