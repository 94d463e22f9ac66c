"""OPEN and CLOSE."""

from __future__ import annotations

from env_service.suites.asgard.actions.handler import Context, Handler, Situation, hidden, no
from env_service.suites.asgard.refusal import Reason, Refusal
from env_service.suites.asgard.view import ThorObject


def _check_open(situation: Situation, item: ThorObject) -> Refusal | None:
    return _check(situation, item, "open", is_so=bool(item["isOpen"]))


def _check_close(situation: Situation, item: ThorObject) -> Refusal | None:
    return _check(situation, item, "close", is_so=not item["isOpen"])


def _check(situation: Situation, item: ThorObject, verb: str, *, is_so: bool) -> Refusal | None:
    name = item["name"]
    unseen = hidden(situation, item, f"Cannot {verb} {name}")
    if unseen:
        return unseen
    if not item["openable"]:
        return no(Reason.UNABLE, f"{name} is not openable.")
    if is_so:
        state = "open" if verb == "open" else "closed"
        return no(Reason.ALREADY_SO, f"{name} is already {state}.")
    return None


def open_it(context: Context, item: ThorObject) -> None:
    """Opens an object as far as it goes. Raises RefusedError."""
    body = context.body
    context.act(item, lambda: body.act_on("OpenObject", item, openness=1, forceAction=True))
    body.memory.last_opened[item["objectType"]] = item["name"]


def _close(context: Context, item: ThorObject) -> None:
    context.act(item, lambda: context.body.act_on("CloseObject", item))


OPEN = Handler(check=_check_open, perform=open_it)
CLOSE = Handler(check=_check_close, perform=_close)
