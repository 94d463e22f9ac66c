"""pick up, and put down: what the hand does (spec section 3.3)."""

from __future__ import annotations

from collections.abc import Iterator

from env_service.suites.alfred.house import ThorObject
from env_service.suites.alfred.skills.bench import Bench
from env_service.suites.alfred.skills.failing import cause_of, failure, success
from env_service.suites.alfred.skills.object_choice import Wish, choose
from env_service.suites.alfred.skills.postures import POSTURES
from env_service.suites.alfred.skills.step import Cause, SkillResult

EMPTY = "Robot is not holding any object"
FAILED = "put down failed"

LONGEST_KEPT = 16
"""Characters of a message that LoTa-Bench does not let go after: `Rules.sixteen_characters`."""

INSTANCES = 2
"""Receptacles of the type that are tried, the nearest first."""

_HOPELESS = frozenset({Cause.HAND_EMPTY, Cause.CLOSED_CONTAINER, Cause.WRONG_STATE})
"""What another posture does not change."""


def pick_up(bench: Bench, object_type: str) -> SkillResult:
    """Takes an object in the hand."""
    item = choose(bench, Wish(object_type, able="pickupable", seen=True, carried=True))
    if item is None:
        return failure(Cause.NO_SUCH_OBJECT, f"Cannot find {object_type} to pick up")
    before = bench.house
    event = bench.body.do("PickupObject", objectId=item["objectId"], forceAction=False)
    if event:
        bench.memory.took(item["objectId"])
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


def put_down(bench: Bench) -> SkillResult:
    """Puts what is held in or on what was found before; drops it where nothing was, which counts
    as a failure."""
    held = bench.house.held
    if held is None:
        result = failure(Cause.HAND_EMPTY, EMPTY)
    elif not bench.memory.destination:
        return _dropped(bench, failure(Cause.NO_DESTINATION, FAILED, held))
    else:
        result = _put(bench, held)
    if not bench.rules.sixteen_characters or len(result.message) <= LONGEST_KEPT:
        return result
    return _dropped(bench, result)


def _dropped(bench: Bench, result: SkillResult) -> SkillResult:
    """The failed step, after the hand let go."""
    bench.body.do("DropHandObject", forceAction=True)
    return SkillResult(result.code, FAILED, result.cause, result.object_id)


def _put(bench: Bench, held: ThorObject) -> SkillResult:
    kind, last = bench.memory.destination, ""
    cause: Cause | None = None
    for _ in range(INSTANCES):
        place = choose(bench, Wish(kind, but=last))
        if place is None:
            break
        last = place["objectId"]
        found = _put_there(bench, place)
        if not isinstance(found, Cause):
            bench.memory.put(held["objectId"], found["objectId"])
            return success(held, found)
        cause = cause or found
    if cause is None:
        return failure(Cause.NO_SUCH_OBJECT, f"Cannot find {kind}", held)
    return failure(cause, f"Putting the object on {kind} failed", held)


def _put_there(bench: Bench, place: ThorObject) -> ThorObject | Cause:
    """Tries an instance in all postures; gives what took the object, or why nothing did."""
    cause = Cause.NOT_VISIBLE
    for posture in POSTURES:
        for action, arguments in posture:
            bench.body.do(action, **arguments)
        for each in _forms(bench, place):
            # 5.0.0 puts by force also where nothing is seen of the receptacle, 2.1.0 did not
            # (spec section 3.6).
            if not each["visible"]:
                continue
            name = each["objectId"]
            event = bench.body.do(
                "PutObject", objectId=name, forceAction=True, placeStationary=True
            )
            if event:
                return each
            cause = cause_of(event.metadata["errorMessage"])
        if cause in _HOPELESS:
            break
    return cause


def _forms(bench: Bench, place: ThorObject) -> Iterator[ThorObject]:
    """An instance as it is seen now: its basin, where it has one, then itself. LoTa-Bench tries the
    whole first, but in 2.1.0 no sink with a basin held anything itself; in 5.0.0 some do."""
    house, name = bench.house, place["objectId"]
    parts = [
        each
        for each in house.objects
        if each["objectId"].startswith(f"{name}|") and each["receptacle"]
    ]
    now = house.by_id(name)
    yield from (*parts, *([] if now is None else [now]))
