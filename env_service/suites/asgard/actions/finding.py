"""FIND: go to an object and look at it."""

from __future__ import annotations

from env_service.suites.asgard.actions.handler import Context, Handler, Situation
from env_service.suites.asgard.approach import Approach, Exhausted
from env_service.suites.asgard.refusal import ErrorType, Reason, Refusal, RefusedError
from env_service.suites.asgard.view import ThorObject

_OPENED_BY_FIND = frozenset({"Cabinet", "Drawer"})


def _check(_situation: Situation, item: ThorObject) -> Refusal | None:
    if item["isSliced"]:
        return Refusal(
            Reason.ALREADY_SO, "Object is already sliced", error_type=ErrorType.INVALID_OBJECT
        )
    return None


def find(context: Context, item: ThorObject) -> None:
    """Goes to an object, or to the container that it is in, until it is in view."""
    body = context.body
    if body.view.is_held(item):
        return
    closed = body.view.closed_parent(item) if item["pickupable"] else None
    if closed and context.rules.find_opens and closed["objectType"] in _OPENED_BY_FIND:
        _open(context, closed)
        item = body.fresh(item) or item
    seen = _look_for(context, item)
    if not seen and not context.rules.find_always_succeeds:
        message = f"Cannot find {item['name']} as it is not visible."
        raise RefusedError(Refusal(Reason.NOT_VISIBLE, message))


def _look_for(context: Context, item: ThorObject) -> bool:
    """Whether the object came into view. Behind a closed door it is enough to see the door."""
    body = context.body
    # AI2-THOR lists furniture as contents of what it touches: it lies in nothing.
    container = body.view.container(item) if item["pickupable"] else None
    if container is None or body.view.is_held(container):
        return Approach(body, item).find()
    if body.view.closed_parent(item) is not None:
        return Approach(body, container).find() and body.view.visible(body.fresh(item) or item)

    def seen() -> bool:
        now = body.fresh(item)
        return now is not None and body.view.visible(now)

    found = Approach(body, container, seen=seen).find() or Approach(body, item).find()
    if found:
        body.memory.stances[item["name"]] = body.pose
    return found


def _open(context: Context, container: ThorObject) -> None:
    body = context.body
    try:
        Approach(body, container).act(
            lambda: body.act_on("OpenObject", container, openness=1, forceAction=True)
        )
    except Exhausted:
        return
    body.memory.last_opened[container["objectType"]] = container["name"]


FIND = Handler(check=_check, perform=find, walks_up=False)
