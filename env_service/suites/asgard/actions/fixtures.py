"""What belongs to what: faucets to sinks, knobs to burners."""

from __future__ import annotations

from collections.abc import Sequence

from env_service.suites.asgard.ranges import center, distance
from env_service.suites.asgard.view import HouseView, ThorObject


def sink_of(view: HouseView, item: ThorObject) -> ThorObject | None:
    """The basin that an object lies in; None if it lies in none."""
    return next((each for each in view.parents(item) if each["objectType"] == "SinkBasin"), None)


def nearest(found: Sequence[ThorObject], item: ThorObject) -> ThorObject | None:
    """Of some objects, the one nearest to another; None of none."""
    middle = center(item)
    return min(found, key=lambda each: distance(center(each), middle), default=None)


def faucets_of(view: HouseView, sink: ThorObject) -> Sequence[ThorObject]:
    """The faucets to which no other basin is nearer."""
    sinks = view.of_type("SinkBasin")
    own = [each for each in view.of_type("Faucet") if nearest(sinks, each) is sink]
    closest = nearest(view.of_type("Faucet"), sink)
    return own or ([closest] if closest is not None else [])


def sink_under(view: HouseView, faucet: ThorObject) -> ThorObject | None:
    """The basin that a faucet runs into; None where there is none."""
    return nearest(view.of_type("SinkBasin"), faucet)


def switch_of(view: HouseView, item: ThorObject) -> ThorObject:
    """What is switched to switch an object: a burner's knob, a basin's faucet, else itself."""
    kind = item["objectType"]
    if kind == "StoveBurner":
        knobs = view.of_type("StoveKnob")
        own = (k for k in knobs if item["objectId"] in (k["controlledObjects"] or ()))
        return next(own, item)
    if kind == "SinkBasin":
        return nearest(view.of_type("Faucet"), item) or item
    return item
