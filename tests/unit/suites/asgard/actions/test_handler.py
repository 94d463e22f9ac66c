from __future__ import annotations

from env_service.suites.asgard.actions.handler import readable
from tests.unit.suites.asgard.builders import room, thing


def test_the_simulators_errors_lose_their_trace_and_their_ids():
    mug = thing("Mug", objectId="Mug|+01.00|+00.90|+00.00")
    error = "Mug|+01.00|+00.90|+00.00 is not an Openable object. trace:   at UnityStandardAssets"
    assert readable(error, room(mug), mug) == "Mug_0123abcd is not an Openable object"


def test_an_error_that_is_only_a_trace_says_nothing():
    mug = thing("Mug")
    assert readable("trace: at somewhere", room(mug), mug) == "--"
