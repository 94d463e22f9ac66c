"""Pushing fresh slices apart, so that one can be taken without the others (spec section 2.6)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from env_service.suites.asgard.body import Body
from env_service.suites.asgard.ranges import distance, turn
from env_service.suites.asgard.view import ThorObject
from env_service.worlds.thor.geometry import Point, volume

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
