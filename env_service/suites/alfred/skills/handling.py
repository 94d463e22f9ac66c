"""open, close, slice, turn on and off: what is done to a thing where it is (spec section 3.3)."""

from __future__ import annotations

from env_service.suites.alfred.house import ThorObject
from env_service.suites.alfred.skills.bench import Bench
from env_service.suites.alfred.skills.failing import cause_of, failure, success
from env_service.suites.alfred.skills.marking import mark_closed, mark_turned_on
from env_service.suites.alfred.skills.object_choice import Wish, choose, is_slice
from env_service.suites.alfred.skills.postures import OPENING
from env_service.suites.alfred.skills.step import Cause, SkillResult

_CLOSED_IN = (Cause.NOT_VISIBLE, Cause.BLOCKED)


def open_it(bench: Bench, object_type: str) -> SkillResult:
    """Opens an object, stepping aside if need be."""
    item = choose(bench, Wish(object_type, opened=True))
    if item is None:
        return failure(Cause.NO_SUCH_OBJECT, f"Cannot find {object_type} to open")
    cause = Cause.REFUSED
    for moves in OPENING:
        for action, arguments in moves:
            bench.body.do(action, **arguments)
        event = bench.body.do("OpenObject", objectId=item["objectId"])
        if event:
            _touched(bench, item)
            return success(item)
        cause = cause_of(event.metadata["errorMessage"])
    return _failed(bench, cause, "Open action failed", item)


def close_it(bench: Bench, object_type: str) -> SkillResult:
    """Closes an object. What is in a fridge that is closed counts as cooled."""
    item = choose(bench, Wish(object_type))
    if item is None:
        return failure(Cause.NO_SUCH_OBJECT, f"Cannot find {object_type} to close")
    event = bench.body.do("CloseObject", objectId=item["objectId"])
    if not event:
        cause = cause_of(event.metadata["errorMessage"])
        return _failed(bench, cause, "Close action failed", item)
    _touched(bench, item)
    mark_closed(bench, item)
    return success(item)


def slice_it(bench: Bench, object_type: str) -> SkillResult:
    """Cuts an object. No knife is asked for."""
    bench.memory.slicing = True
    item = choose(bench, Wish(object_type))
    if item is None:
        return failure(Cause.NO_SUCH_OBJECT, f"Cannot find {object_type} to slice")
    event = bench.body.do("SliceObject", objectId=item["objectId"])
    if not event:
        cause = Cause.WRONG_STATE if is_slice(item) else cause_of(event.metadata["errorMessage"])
        return _failed(bench, cause, "Slice action failed", item)
    bench.memory.sliced.add(object_type)
    return success(item)


def turn_on(bench: Bench, object_type: str) -> SkillResult:
    """Turns an object on. What is in a microwave then counts as heated, what is in the basin below
    a tap as cleaned; a tap without a basin in view is a failure, though it runs."""
    item = choose(bench, Wish(object_type, able="toggleable"))
    if item is None:
        return failure(Cause.NO_SUCH_OBJECT, f"Cannot find {object_type} to turn on")
    event = bench.body.do("ToggleObjectOn", objectId=item["objectId"])
    if not event:
        cause = cause_of(event.metadata["errorMessage"])
        return _failed(bench, cause, "Turn on action failed", item)
    _touched(bench, item)
    if not mark_turned_on(bench, item):
        return failure(Cause.NOT_VISIBLE, "Turn on action failed", item)
    return success(item)


def turn_off(bench: Bench, object_type: str) -> SkillResult:
    """Turns an object off."""
    item = choose(bench, Wish(object_type, able="toggleable"))
    if item is None:
        return failure(Cause.NO_SUCH_OBJECT, f"Cannot find {object_type} to turn off")
    event = bench.body.do("ToggleObjectOff", objectId=item["objectId"])
    if not event:
        cause = cause_of(event.metadata["errorMessage"])
        return _failed(bench, cause, "Turn off action failed", item)
    _touched(bench, item)
    return success(item)


def _failed(bench: Bench, cause: Cause, message: str, item: ThorObject) -> SkillResult:
    if cause in _CLOSED_IN and bench.house.closed_parent(item) is not None:
        cause = Cause.CLOSED_CONTAINER
    return failure(cause, message, item)


def _touched(bench: Bench, item: ThorObject) -> None:
    now = bench.house.by_id(item["objectId"])
    bench.memory.touched((now or item)["receptacleObjectIds"] or ())
