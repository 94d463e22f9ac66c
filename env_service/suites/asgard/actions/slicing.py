"""SLICE: food on a surface with a knife, an egg in a pan."""

from __future__ import annotations

from env_service.suites.asgard.actions.handler import Context, Handler, Situation, hidden, no
from env_service.suites.asgard.nudging import part_slices
from env_service.suites.asgard.refusal import Reason, Refusal
from env_service.suites.asgard.tables import tables, whole_type
from env_service.suites.asgard.view import ThorObject

LOWEST = 0.52
"""Metres: what lies lower is not on a countertop."""


def _check(situation: Situation, item: ThorObject) -> Refusal | None:
    name, kind = item["name"], item["objectType"]
    if not situation.view.visible(item):
        if item["isSliced"] or whole_type(kind) is not None:
            return no(Reason.ALREADY_SO, f"{name} is already sliced.")
        return hidden(situation, item, f"Cannot slice {name}")
    if kind == "Egg":
        return _outside_pan(situation, item)
    if kind not in tables().sliced_on_a_surface:
        return None
    if not _on_countertop(situation, item):
        return no(Reason.WRONG_PLACE, f"Cannot slice {name} as it is not on a countertop.")
    if not _holds_knife(situation):
        return no(Reason.TOOL_MISSING, f"Cannot slice {name} without holding a knife.")
    return None


def _outside_pan(situation: Situation, egg: ThorObject) -> Refusal | None:
    parents = situation.view.parents(egg)
    if situation.rules.egg_sliced_anywhere or any(p["objectType"] == "Pan" for p in parents):
        return None
    return no(Reason.WRONG_PLACE, f"Cannot slice {egg['name']} as it is not in a pan.")


def _on_countertop(situation: Situation, item: ThorObject) -> bool:
    surfaces = tables().surfaces
    parents = situation.view.parents(item)
    on_surface = all(each["objectType"] in surfaces for each in parents)
    return on_surface and item["position"]["y"] >= LOWEST


def _holds_knife(situation: Situation) -> bool:
    if situation.rules.butter_knife_slices:
        return "Knife" in situation.held_name
    return situation.held_type == "Knife"


def _slice(context: Context, item: ThorObject) -> None:
    context.act(item, lambda: context.body.act_on("SliceObject", item))
    if item["objectType"] != "Egg":
        part_slices(context.body, tables().slices[item["objectType"]], context.chance)


SLICE = Handler(check=_check, perform=_slice, subgoal=True)
