"""What counts as heated, cooled and cleaned (spec section 3.3, "State bookkeeping")."""

from __future__ import annotations

import math
from dataclasses import replace

from env_service.suites.alfred.house import ThorObject
from env_service.suites.alfred.skills.bench import Bench
from env_service.worlds.thor.geometry import Point


def mark_closed(bench: Bench, item: ThorObject) -> None:
    """What is in a fridge that was closed is cooled."""
    if item["objectType"] == "Fridge":
        marks = bench.memory.marks
        cooled = _marked(bench, marks.cooled, item["objectId"])
        bench.memory.marks = replace(marks, cooled=cooled)


def mark_turned_on(bench: Bench, item: ThorObject) -> bool:
    """What is in a microwave that was turned on is heated; what is in the visible sink basin
    nearest to a tap is cleaned. False for a tap without one."""
    marks = bench.memory.marks
    if item["objectType"] == "Microwave":
        heated = _marked(bench, marks.heated, item["objectId"])
        bench.memory.marks = replace(marks, heated=heated)
    elif item["objectType"] == "Faucet":
        basin = _basin(bench, item)
        if basin is None:
            return False
        cleaned = _marked(bench, marks.cleaned, basin["objectId"])
        bench.memory.marks = replace(marks, cleaned=cleaned)
        bench.memory.touched(cleaned)
    return True


def _marked(bench: Bench, before: frozenset[str], container: str) -> frozenset[str]:
    now = bench.house.by_id(container)
    return before if now is None else before | frozenset(now["receptacleObjectIds"] or ())


def _basin(bench: Bench, tap: ThorObject) -> ThorObject | None:
    seen = (each for each in bench.house.of_type("SinkBasin") if each["visible"])
    place = Point.read(tap["position"])
    return min(seen, key=lambda each: math.dist(place, Point.read(each["position"])), default=None)
