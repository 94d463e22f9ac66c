"""What the hand does: pick up and put down, open, close, slice, turn on and off; and how the
robot shifts its body while a receptacle does not take what it holds.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from env_service.suites.alfred.skills.context import SkillContext, mark_closed, mark_turned_on
from env_service.suites.alfred.skills.object_choice import ObjectQuery, choose, is_slice
from env_service.suites.alfred.skills.steps import Cause, SkillResult, cause_of, failure, success
from env_service.worlds.ai2thor_api.metadata_view import ThorObject

EMPTY = "Robot is not holding any object"
FAILED = "put down failed"

LONGEST_KEPT = 16
"""Characters of a message that LoTa-Bench does not let go after: `Rules.sixteen_characters`."""

INSTANCES = 2
"""Receptacles of the type that are tried, the nearest first."""

_HOPELESS = frozenset({Cause.HAND_EMPTY, Cause.CLOSED_CONTAINER, Cause.WRONG_STATE})
"""What another posture does not change."""


def pick_up(context: SkillContext, object_type: str) -> SkillResult:
    """Takes an object in the hand."""
    item = choose(context, ObjectQuery(object_type, able="pickupable", seen=True, carried=True))
    if item is None:
        return failure(Cause.NO_SUCH_OBJECT, f"Cannot find {object_type} to pick up")
    before = context.view
    event = context.body.do("PickupObject", objectId=item["objectId"], forceAction=False)
    if event:
        context.memory.took(item["objectId"])
        return success(item)
    cause = cause_of(event.metadata["errorMessage"])
    if before.held is not None:
        message = f"Robot is currently holding {before.held['objectType']}"
        return failure(Cause.HAND_FULL, message, item)
    parents = item["parentReceptacles"]
    if item["visible"] or not parents:
        return failure(cause, EMPTY, item)
    if before.closed_parent(item) is not None:
        cause = Cause.CLOSED_CONTAINER
    holder = parents[0].partition("|")[0]
    return failure(cause, f"{object_type} is not visible because it is in {holder}", item)


def put_down(context: SkillContext) -> SkillResult:
    """Puts the held object in or on what was found before. Without a find it drops the object,
    which counts as a failure."""
    held = context.view.held
    if held is None:
        result = failure(Cause.HAND_EMPTY, EMPTY)
    elif not context.memory.destination:
        return _dropped(context, failure(Cause.NO_DESTINATION, FAILED, held))
    else:
        result = _put(context, held)
    if not context.rules.sixteen_characters or len(result.message) <= LONGEST_KEPT:
        return result
    return _dropped(context, result)


def _dropped(context: SkillContext, result: SkillResult) -> SkillResult:
    """The failed step, after the hand let go."""
    context.body.do("DropHandObject", forceAction=True)
    return SkillResult(result.code, FAILED, result.cause, result.object_id)


def _put(context: SkillContext, held: ThorObject) -> SkillResult:
    kind, last = context.memory.destination, ""
    cause: Cause | None = None
    for _ in range(INSTANCES):
        place = choose(context, ObjectQuery(kind, but=last))
        if place is None:
            break
        last = place["objectId"]
        found = _put_there(context, place)
        if not isinstance(found, Cause):
            context.memory.put(held["objectId"], found["objectId"])
            return success(held, found)
        cause = cause or found
    if cause is None:
        return failure(Cause.NO_SUCH_OBJECT, f"Cannot find {kind}", held)
    return failure(cause, f"Putting the object on {kind} failed", held)


def _put_there(context: SkillContext, place: ThorObject) -> ThorObject | Cause:
    """Tries an instance in all postures; gives what took the object, or why nothing did."""
    cause = Cause.NOT_VISIBLE
    for posture in POSTURES:
        for action, arguments in posture:
            context.body.do(action, **arguments)
        for each in _forms(context, place):
            # 5.0.0 puts by force also where nothing is seen of the receptacle, 2.1.0 did not
            # (docs/alfred-rules.md, "Skills").
            if not each["visible"]:
                continue
            name = each["objectId"]
            event = context.body.do(
                "PutObject", objectId=name, forceAction=True, placeStationary=True
            )
            if event:
                return each
            cause = cause_of(event.metadata["errorMessage"])
        if cause in _HOPELESS:
            break
    return cause


def _forms(context: SkillContext, place: ThorObject) -> Iterator[ThorObject]:
    """An instance in its present state: its basin if it has one, then itself. LoTa-Bench tries the
    whole first, but in 2.1.0 no sink with a basin held anything itself; in 5.0.0 some do."""
    view, name = context.view, place["objectId"]
    parts = [
        each
        for each in view.objects
        if each["objectId"].startswith(f"{name}|") and each["receptacle"]
    ]
    now = view.by_id(name)
    yield from (*parts, *([] if now is None else [now]))


# --- open, close, slice, turn on and off: what is done to a thing where it is
# (docs/alfred-rules.md,
# "Skills")

_CLOSED_IN = (Cause.NOT_VISIBLE, Cause.BLOCKED)


def open_it(context: SkillContext, object_type: str) -> SkillResult:
    """Opens an object, stepping aside if need be."""
    item = choose(context, ObjectQuery(object_type, opened=True))
    if item is None:
        return failure(Cause.NO_SUCH_OBJECT, f"Cannot find {object_type} to open")
    cause = Cause.REFUSED
    for moves in OPENING:
        for action, arguments in moves:
            context.body.do(action, **arguments)
        event = context.body.do("OpenObject", objectId=item["objectId"])
        if event:
            _touched(context, item)
            return success(item)
        cause = cause_of(event.metadata["errorMessage"])
    return _failed(context, cause, "Open action failed", item)


def close_it(context: SkillContext, object_type: str) -> SkillResult:
    """Closes an object. What is in a fridge that is closed counts as cooled."""
    item = choose(context, ObjectQuery(object_type))
    if item is None:
        return failure(Cause.NO_SUCH_OBJECT, f"Cannot find {object_type} to close")
    event = context.body.do("CloseObject", objectId=item["objectId"])
    if not event:
        cause = cause_of(event.metadata["errorMessage"])
        return _failed(context, cause, "Close action failed", item)
    _touched(context, item)
    mark_closed(context, item)
    return success(item)


def slice_it(context: SkillContext, object_type: str) -> SkillResult:
    """Cuts an object. No knife is asked for."""
    context.memory.slicing = True
    item = choose(context, ObjectQuery(object_type))
    if item is None:
        return failure(Cause.NO_SUCH_OBJECT, f"Cannot find {object_type} to slice")
    event = context.body.do("SliceObject", objectId=item["objectId"])
    if not event:
        cause = Cause.WRONG_STATE if is_slice(item) else cause_of(event.metadata["errorMessage"])
        return _failed(context, cause, "Slice action failed", item)
    context.memory.sliced.add(object_type)
    return success(item)


def turn_on(context: SkillContext, object_type: str) -> SkillResult:
    """Turns an object on. What is in a microwave then counts as heated, what is in the basin below
    a tap as cleaned; a tap without a basin in view is a failure, though it runs."""
    item = choose(context, ObjectQuery(object_type, able="toggleable"))
    if item is None:
        return failure(Cause.NO_SUCH_OBJECT, f"Cannot find {object_type} to turn on")
    event = context.body.do("ToggleObjectOn", objectId=item["objectId"])
    if not event:
        cause = cause_of(event.metadata["errorMessage"])
        return _failed(context, cause, "Turn on action failed", item)
    _touched(context, item)
    if not mark_turned_on(context, item):
        return failure(Cause.NOT_VISIBLE, "Turn on action failed", item)
    return success(item)


def turn_off(context: SkillContext, object_type: str) -> SkillResult:
    """Turns an object off."""
    item = choose(context, ObjectQuery(object_type, able="toggleable"))
    if item is None:
        return failure(Cause.NO_SUCH_OBJECT, f"Cannot find {object_type} to turn off")
    event = context.body.do("ToggleObjectOff", objectId=item["objectId"])
    if not event:
        cause = cause_of(event.metadata["errorMessage"])
        return _failed(context, cause, "Turn off action failed", item)
    _touched(context, item)
    return success(item)


def _failed(context: SkillContext, cause: Cause, message: str, item: ThorObject) -> SkillResult:
    if cause in _CLOSED_IN and context.view.closed_parent(item) is not None:
        cause = Cause.CLOSED_CONTAINER
    return failure(cause, message, item)


def _touched(context: SkillContext, item: ThorObject) -> None:
    now = context.view.by_id(item["objectId"])
    context.memory.touched((now or item)["receptacleObjectIds"] or ())


# --- How the robot shifts its body while a receptacle does not take what it holds
# (docs/alfred-rules.md,
# "Skills")

Move = tuple[str, Mapping[str, Any]]

LOOK = 15.0
"""Degrees of one look up or down: ALFRED's step of the camera."""

_UP: Move = ("LookUp", {"degrees": LOOK})
_DOWN: Move = ("LookDown", {"degrees": LOOK})
_AHEAD: Move = ("MoveAhead", {})
_BACK: Move = ("MoveBack", {})
_LEFT: Move = ("MoveLeft", {})
_RIGHT: Move = ("MoveRight", {})
_TURNED: Move = ("RotateHeldObject", {"rotation": {"x": 40.0, "y": 0.0, "z": 0.0}})

POSTURES: tuple[tuple[Move, ...], ...] = (
    (),
    (_UP,) * 2,
    (_DOWN,) * 4,
    (*(_UP,) * 2, _BACK),
    (_AHEAD, *(_RIGHT,) * 4),
    (_LEFT,) * 8,
    (*(_RIGHT,) * 4, _TURNED),
)
"""What comes before each try; they add up. A move that is refused is left out."""

OPENING: tuple[tuple[Move, ...], ...] = ((), (_BACK,), (_BACK, _RIGHT), (_LEFT,) * 2)
"""The same for something that does not open."""
