"""The twelve actions by their verbs: what each asks for, and what it does."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from env_service.suites.asgard.action_language import Verb
from env_service.suites.asgard.actions.body import Body, center, face, turn
from env_service.suites.asgard.actions.handler import (
    ActionContext,
    Handler,
    Situation,
    faucets_of,
    hidden,
    no,
    sink_of,
    sink_under,
    switch_of,
)
from env_service.suites.asgard.actions.navigation import Approach, Exhausted
from env_service.suites.asgard.object_types import compatible, object_tables, whole_type
from env_service.suites.asgard.plan import RequiredEvent
from env_service.suites.asgard.wording import ErrorType, Reason, Refusal, RefusedError
from env_service.worlds.ai2thor_api.geometry import Point, distance, volume
from env_service.worlds.ai2thor_api.metadata_view import ThorObject

# --- FIND: go to an object and look at it

_OPENED_BY_FIND = frozenset({"Cabinet", "Drawer"})


def _check_find(_situation: Situation, item: ThorObject) -> Refusal | None:
    if item["isSliced"]:
        return Refusal(
            Reason.ALREADY_SO, "Object is already sliced", error_type=ErrorType.INVALID_OBJECT
        )
    return None


def find_object(context: ActionContext, item: ThorObject) -> None:
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


def _look_for(context: ActionContext, item: ThorObject) -> bool:
    """Whether the object came into view. Behind a closed door it is enough to see the door."""
    body = context.body
    # AI2-THOR lists furniture as contents of whatever it touches, though nothing contains it.
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


def _open(context: ActionContext, container: ThorObject) -> None:
    body = context.body
    try:
        Approach(body, container).act(
            lambda: body.act_on("OpenObject", container, openness=1, forceAction=True)
        )
    except Exhausted:
        return
    body.memory.last_opened[container["objectType"]] = container["name"]


FIND = Handler(check=_check_find, perform=find_object, walks_up=False)


# --- PICKUP and PUT

FILLS_UP = frozenset({"SinkBasin", "Bowl", "Cup", "Mug", "Pot", "Pan", "Plate"})
"""Types for which the agent reads that nothing more fits. The released code says Plates where
this says Plate, so its agent never reads it about a plate (docs/asgard-rules.md, "Actions")."""


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


def _pick_up(context: ActionContext, item: ThorObject) -> None:
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


def _put(context: ActionContext, item: ThorObject) -> None:
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


def _full(context: ActionContext, item: ThorObject) -> Refusal | None:
    """The refusal of a container that has contents and is of a type that fills up."""
    kind = item["objectType"]
    known = FILLS_UP - {"Plate"} if context.rules.placeholder_messages else FILLS_UP
    now = context.body.fresh(item)
    if kind not in known or now is None or not context.body.view.contents(now):
        return None
    return no(Reason.NO_ROOM, f"The {kind} can't fit more items.")


PICKUP = Handler(check=_check_pickup, perform=_pick_up)
PUT = Handler(check=_check_put, perform=_put)


# --- OPEN and CLOSE


def _check_open(situation: Situation, item: ThorObject) -> Refusal | None:
    return _check_door(situation, item, "open", is_so=bool(item["isOpen"]))


def _check_close(situation: Situation, item: ThorObject) -> Refusal | None:
    return _check_door(situation, item, "close", is_so=not item["isOpen"])


def _check_door(
    situation: Situation, item: ThorObject, verb: str, *, is_so: bool
) -> Refusal | None:
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


def open_it(context: ActionContext, item: ThorObject) -> None:
    """Opens an object as far as it goes. Raises RefusedError."""
    body = context.body
    context.act(item, lambda: body.act_on("OpenObject", item, openness=1, forceAction=True))
    body.memory.last_opened[item["objectType"]] = item["name"]


def _close(context: ActionContext, item: ThorObject) -> None:
    context.act(item, lambda: context.body.act_on("CloseObject", item))


OPEN = Handler(check=_check_open, perform=open_it)
CLOSE = Handler(check=_check_close, perform=_close)


# --- TOGGLE_ON and TOGGLE_OFF

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
    allowed = object_tables().may_be_in_a_running_sink
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


def _switch(context: ActionContext, item: ThorObject, action: str) -> None:
    body = context.body
    switch = switch_of(body.view, item)
    context.act(item, lambda: body.act_on(action, switch), near=switch)


def _turn_on(context: ActionContext, item: ThorObject) -> None:
    _switch(context, item, "ToggleObjectOn")


def _turn_off(context: ActionContext, item: ThorObject) -> None:
    _switch(context, item, "ToggleObjectOff")
    view = context.body.view
    for each in view.objects:
        if each["objectType"] in object_tables().drained and each["fillLiquid"] == _WATER:
            # Every one of them is drained, also one that the agent does not see from here.
            context.body.act_on("EmptyLiquidFromObject", each, forceAction=True)


TOGGLE_ON = Handler(check=_check_on, perform=_turn_on)
TOGGLE_OFF = Handler(check=_check_off, perform=_turn_off)


# --- CLEAN: a mirror with spray and cloth, everything else in the sink with water and a sponge


def _check_clean(situation: Situation, item: ThorObject) -> Refusal | None:
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


def _clean(context: ActionContext, item: ThorObject) -> None:
    if item["isDirty"]:  # running water has cleaned some dishes already
        context.act(item, lambda: context.body.act_on("CleanObject", item))


CLEAN = Handler(check=_check_clean, perform=_clean, subgoal=True)


# --- EMPTY and DRINK

_COFFEE = "coffee"


def _check_empty(situation: Situation, item: ThorObject) -> Refusal | None:
    name = item["name"]
    return hidden(situation, item, f"Cannot empty {name}") or _dry(item)


def _dry(item: ThorObject) -> Refusal | None:
    if item["isFilledWithLiquid"]:
        return None
    return no(Reason.EMPTY, f"{item['name']} is not filled with liquid.")


def _empty(context: ActionContext, item: ThorObject) -> None:
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


def _soil(context: ActionContext, item: ThorObject) -> None:
    """What is drunk from gets dirty as soon as a mug is held, by the released code."""
    situation = context.situation
    if not context.rules.failed_drink_dirties or not situation.view.visible(item):
        return
    if _unheld(situation, item) is None:
        _make_dirty(context, item)


def _make_dirty(context: ActionContext, item: ThorObject) -> None:
    now = context.body.fresh(item)
    if now is None or now["isDirty"] or "Mug" not in context.situation.held_name:
        return
    # An object that cannot be dirty stays clean, so this refusal does not matter.
    context.body.act_on("DirtyObject", item)


def _drink(context: ActionContext, item: ThorObject) -> None:
    if context.rules.drink_any_liquid or item["fillLiquid"] == _COFFEE:
        context.events.add(RequiredEvent.DRINK_COFFEE)
    _make_dirty(context, item)
    context.require(item, context.body.act_on("EmptyLiquidFromObject", item))


EMPTY = Handler(check=_check_empty, perform=_empty, walks_up=False)
DRINK = Handler(check=_check_drink, perform=_drink, before=_soil, subgoal=True, walks_up=False)


# --- SPRAY: the simulator has no such action


def _check_spray(situation: Situation, item: ThorObject) -> Refusal | None:
    name = item["name"]
    unseen = hidden(situation, item, f"Cannot spray {name}")
    if unseen:
        return unseen
    if situation.held_type != "SprayBottle":
        message = f"Cannot spray {name} without holding a spray bottle."
        return no(Reason.TOOL_MISSING, message)
    return None


def _spray(context: ActionContext, item: ThorObject) -> None:
    face(context.body, center(item))
    context.body.memory.sprayed.add(item["name"])
    if context.rules.spray_any_target or item["objectType"] == "Mirror":
        context.events.add(RequiredEvent.SPRAY_MIRROR)


SPRAY = Handler(check=_check_spray, perform=_spray, subgoal=True)


# --- Pushing fresh slices apart, so that one can be taken without the others (docs/asgard-rules.md,
# "Actions")

PASSES = 10
PUSH, STRONGER = 4.0, 0.5
"""Newtons: the first pass's push, and how much each further pass adds."""

SPREAD = 25.0
"""Degrees: pushes go ahead or back, at most so far off."""

RESTS = 3
"""Steps of Done after each push."""

MOVED, TILTED = 0.10, 20.0
"""Metres, degrees: a slice that came so far, or lies so much otherwise, is apart."""


def part_slices(body: Body, slice_type: str, chance: random.Random) -> None:
    """Pushes the slices of a type until one comes apart; where none does, the largest is taken out
    of the world. The released code draws from an unseeded generator, this from ``chance``."""
    before = {each["objectId"]: each for each in body.view.of_type(slice_type)}
    for number in range(PASSES):
        force = PUSH + STRONGER * number
        for index, piece in enumerate(before.values()):
            angle = (180.0 * (index % 2) + chance.uniform(-SPREAD, SPREAD)) % 360.0
            body.do(
                "DirectionalPush",
                objectId=piece["objectId"],
                moveMagnitude=force,
                pushAngle=angle,
            )
            for _ in range(RESTS):
                body.do("Done")
            if _apart(before, body.view.of_type(slice_type)):
                return
    largest = max(body.view.of_type(slice_type), key=volume, default=None)
    if largest is not None:
        body.do("DisableObject", objectId=largest["objectId"])


def _apart(before: Mapping[str, ThorObject], now: Sequence[ThorObject]) -> bool:
    return any(
        each["objectId"] in before and _displaced(before[each["objectId"]], each) for each in now
    )


def _displaced(old: ThorObject, new: ThorObject) -> bool:
    if distance(Point.read(old["position"]), Point.read(new["position"])) > MOVED:
        return True
    return any(abs(turn(old["rotation"][a], new["rotation"][a])) >= TILTED for a in ("x", "z"))


# --- SLICE: food on a surface with a knife, an egg in a pan

LOWEST = 0.52
"""Metres: what lies lower is not on a countertop."""


def _check_slice(situation: Situation, item: ThorObject) -> Refusal | None:
    name, kind = item["name"], item["objectType"]
    if not situation.view.visible(item):
        if item["isSliced"] or whole_type(kind) is not None:
            return no(Reason.ALREADY_SO, f"{name} is already sliced.")
        return hidden(situation, item, f"Cannot slice {name}")
    if kind == "Egg":
        return _outside_pan(situation, item)
    if kind not in object_tables().sliced_on_a_surface:
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
    surfaces = object_tables().surfaces
    parents = situation.view.parents(item)
    on_surface = all(each["objectType"] in surfaces for each in parents)
    return on_surface and item["position"]["y"] >= LOWEST


def _holds_knife(situation: Situation) -> bool:
    if situation.rules.butter_knife_slices:
        return "Knife" in situation.held_name
    return situation.held_type == "Knife"


def _slice(context: ActionContext, item: ThorObject) -> None:
    context.act(item, lambda: context.body.act_on("SliceObject", item))
    if item["objectType"] != "Egg":
        part_slices(context.body, object_tables().slices[item["objectType"]], context.chance)


SLICE = Handler(check=_check_slice, perform=_slice, subgoal=True)


HANDLERS: Mapping[Verb, Handler] = {
    Verb.FIND: FIND,
    Verb.PICKUP: PICKUP,
    Verb.PUT: PUT,
    Verb.OPEN: OPEN,
    Verb.CLOSE: CLOSE,
    Verb.TOGGLE_ON: TOGGLE_ON,
    Verb.TOGGLE_OFF: TOGGLE_OFF,
    Verb.CLEAN: CLEAN,
    Verb.SLICE: SLICE,
    Verb.EMPTY: EMPTY,
    Verb.DRINK: DRINK,
    Verb.SPRAY: SPRAY,
}
"""What each verb asks for and does."""
