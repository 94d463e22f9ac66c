"""EMPTY and DRINK."""

from __future__ import annotations

from env_service.suites.asgard.actions.handler import Context, Handler, Situation, hidden, no
from env_service.suites.asgard.plan import Deed
from env_service.suites.asgard.refusal import Reason, Refusal
from env_service.suites.asgard.view import ThorObject

_COFFEE = "coffee"


def _check_empty(situation: Situation, item: ThorObject) -> Refusal | None:
    name = item["name"]
    return hidden(situation, item, f"Cannot empty {name}") or _dry(item)


def _dry(item: ThorObject) -> Refusal | None:
    if item["isFilledWithLiquid"]:
        return None
    return no(Reason.EMPTY, f"{item['name']} is not filled with liquid.")


def _empty(context: Context, item: ThorObject) -> None:
    context.require(item, context.body.act_on("EmptyLiquidFromObject", item))


def _check_drink(situation: Situation, item: ThorObject) -> Refusal | None:
    name = item["name"]
    unseen = hidden(situation, item, f"Cannot drink from the {name}")
    return unseen or _unheld(situation, item) or _dry(item)


def _unheld(situation: Situation, item: ThorObject) -> Refusal | None:
    holds = situation.view.held is not None
    if not situation.rules.drink_with_anything_in_hand:
        holds = situation.view.is_held(item)
    if holds:
        return None
    message = f"Cannot drink from the {item['name']} without holding it."
    return no(Reason.TOOL_MISSING, message)


def _soil(context: Context, item: ThorObject) -> None:
    """What is drunk from gets dirty as soon as a mug is held, by the released code."""
    situation = context.situation
    if not context.rules.failed_drink_dirties or not situation.view.visible(item):
        return
    if _unheld(situation, item) is None:
        _make_dirty(context, item)


def _make_dirty(context: Context, item: ThorObject) -> None:
    now = context.body.fresh(item)
    if now is None or now["isDirty"] or "Mug" not in context.situation.held_name:
        return
    # What cannot be dirty stays clean: the refusal is nobody's concern.
    context.body.act_on("DirtyObject", item)


def _drink(context: Context, item: ThorObject) -> None:
    if context.rules.drink_any_liquid or item["fillLiquid"] == _COFFEE:
        context.deeds.add(Deed.DRINK_COFFEE)
    _make_dirty(context, item)
    context.require(item, context.body.act_on("EmptyLiquidFromObject", item))


EMPTY = Handler(check=_check_empty, perform=_empty, walks_up=False)
DRINK = Handler(check=_check_drink, perform=_drink, before=_soil, subgoal=True, walks_up=False)
