"""SPRAY: the simulator knows nothing of it."""

from __future__ import annotations

from env_service.suites.asgard.actions.handler import Context, Handler, Situation, hidden, no
from env_service.suites.asgard.gaze import face
from env_service.suites.asgard.plan import Deed
from env_service.suites.asgard.ranges import center
from env_service.suites.asgard.refusal import Reason, Refusal
from env_service.suites.asgard.view import ThorObject


def _check(situation: Situation, item: ThorObject) -> Refusal | None:
    name = item["name"]
    unseen = hidden(situation, item, f"Cannot spray {name}")
    if unseen:
        return unseen
    if situation.held_type != "SprayBottle":
        message = f"Cannot spray {name} without holding a spray bottle."
        return no(Reason.TOOL_MISSING, message)
    return None


def _spray(context: Context, item: ThorObject) -> None:
    face(context.body, center(item))
    context.body.memory.sprayed.add(item["name"])
    if context.rules.spray_any_target or item["objectType"] == "Mirror":
        context.deeds.add(Deed.SPRAY_MIRROR)


SPRAY = Handler(check=_check, perform=_spray, subgoal=True)
