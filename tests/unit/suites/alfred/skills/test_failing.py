"""The simulator's errors come down to causes."""

from __future__ import annotations

import pytest

from env_service.suites.alfred.skills.steps import Cause, cause_of


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (
            "NullReferenceException: Target object not found within the specified visibility.",
            Cause.NOT_VISIBLE,
        ),
        (
            "NullReferenceException: Target object is visible but not interactable. It is likely"
            " obstructed by some clear object like glass.",
            Cause.BLOCKED,
        ),
        (
            "ArgumentException: objectId: Mug|1 is not the objectId on any object in the scene!",
            Cause.NO_SUCH_OBJECT,
        ),
        ("Target must be OFF to open!", Cause.WRONG_STATE),
        ("Picking up object would cause it to collide and clip into something!", Cause.BLOCKED),
        ("No valid positions to place object found", Cause.NO_ROOM),
        ("words that nobody has heard", Cause.REFUSED),
        ("", Cause.REFUSED),
        (None, Cause.REFUSED),
    ],
)
def test_an_error_of_the_simulator_comes_down_to_a_cause(error, cause):
    assert cause_of(error) is cause
