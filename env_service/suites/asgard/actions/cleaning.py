"""CLEAN: a mirror with spray and cloth, everything else in the sink with water and a sponge."""

from __future__ import annotations

from collections.abc import Sequence

from env_service.suites.asgard.actions.fixtures import faucets_of, sink_of
from env_service.suites.asgard.actions.handler import Context, Handler, Situation, hidden, no
from env_service.suites.asgard.refusal import Reason, Refusal
from env_service.suites.asgard.view import ThorObject


def _check(situation: Situation, item: ThorObject) -> Refusal | None:
    unseen = hidden(situation, item, f"Cannot clean {item['name']}")
    if unseen:
        return unseen
    if item["objectType"] == "Mirror":
        return _check_mirror(situation, item)
    return _check_dish(situation, item)


def _check_mirror(situation: Situation, item: ThorObject) -> Refusal | None:
    name, sprayed = item["name"], situation.memory.sprayed
    any_will_do = situation.rules.spray_any_target
    if not sprayed or (name not in sprayed and not any_will_do):
        return no(Reason.NOT_SPRAYED, f"Cannot clean {name} without having sprayed it first.")
    if situation.held_type != "Cloth":
        return no(Reason.TOOL_MISSING, f"Cannot clean {name} without holding a cloth.")
    return None


def _check_dish(situation: Situation, item: ThorObject) -> Refusal | None:
    name, sink = item["name"], sink_of(situation.view, item)
    if not any(each["isToggled"] for each in _faucets(situation, sink)):
        return no(Reason.WATER_OFF, f"Cannot clean {name} as the faucet is not turned on.")
    if sink is None:
        return no(Reason.WRONG_PLACE, f"{name} must be in the SinkBasin to clean")
    if situation.held_type != "DishSponge":
        return no(Reason.TOOL_MISSING, f"Cannot clean {name} without holding a sponge.")
    return None


def _faucets(situation: Situation, sink: ThorObject | None) -> Sequence[ThorObject]:
    """Those that may run: the first one, or by the paper those of the object's sink."""
    found = situation.view.of_type("Faucet")
    if situation.rules.first_faucet_only:
        return found[:1]
    return found if sink is None else faucets_of(situation.view, sink)


def _clean(context: Context, item: ThorObject) -> None:
    if item["isDirty"]:  # running water has cleaned some dishes already
        context.act(item, lambda: context.body.act_on("CleanObject", item))


CLEAN = Handler(check=_check, perform=_clean, subgoal=True)
