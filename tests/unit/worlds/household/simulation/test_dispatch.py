"""What is said to a caller's mistakes, and what an action is given."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.simulation.action import (
    ActionContext,
    ActionDefinition,
    ErrorCode,
    Parameter,
    ParameterType,
    Result,
)
from env_service.worlds.household.simulation.dispatch import Call, Mistake, read_call


def nothing(context: ActionContext) -> Result:
    return Result(context.state)


PUT = ActionDefinition(
    "Put",
    (
        Parameter("objectId", ParameterType.TEXT),
        Parameter("position", ParameterType.POINT),
        Parameter("force", ParameterType.NUMBER, 1.0),
        Parameter("count", ParameterType.WHOLE, 0),
        Parameter("forceAction", ParameterType.TRUTH, default=False),
        Parameter("ids", ParameterType.LIST, ()),
        Parameter("options", ParameterType.MAPPING, None),
        Parameter("whatever", ParameterType.ANY, None),
    ),
    nothing,
)
LENIENT = ActionDefinition(
    "Start", (Parameter("grid", ParameterType.NUMBER, 0.25),), nothing, lenient=True
)
ACTIONS = {"Put": PUT, "Start": LENIENT}
GIVEN = {"action": "Put", "objectId": "Mug|1", "position": {"x": 1, "y": 2, "z": 3}}


def mistake(**changes: Any) -> Mistake:
    read = read_call(ACTIONS, {**GIVEN, **changes})
    assert isinstance(read, Mistake)
    return read


def arguments(**changes: Any) -> dict[str, Any]:
    read = read_call(ACTIONS, {**GIVEN, **changes})
    assert isinstance(read, Call), read
    return dict(read.arguments)


@pytest.mark.parametrize("name", ["Fly", None, 3, ["Put"]])
def test_an_unknown_action_is_named(name: object) -> None:
    assert mistake(action=name) == Mistake(f"Invalid action: {name}", ErrorCode.INVALID_ACTION)


def test_missing_arguments_are_named_in_the_actions_order() -> None:
    read = read_call(ACTIONS, {"action": "Put"})
    text = "action: Put is missing the following arguments: objectId,position"
    assert read == Mistake(text, ErrorCode.MISSING_ARGUMENTS)


def test_none_is_not_given() -> None:
    assert mistake(objectId=None).code is ErrorCode.MISSING_ARGUMENTS
    assert arguments(force=None)["force"] == 1.0


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("objectId", 3, "string"),
        ("position", "here", "Vector3"),
        ("position", {"x": 1, "w": 2}, "Vector3"),
        ("position", {"x": "1"}, "Vector3"),
        ("position", {"x": math.inf}, "Vector3"),
        ("force", "1", "float"),
        ("force", True, "float"),
        ("force", math.nan, "float"),
        ("force", 10**400, "float"),
        ("count", 1.5, "int"),
        ("forceAction", "true", "bool"),
        ("forceAction", 1, "bool"),
        ("ids", "Mug", "list"),
        ("options", [1], "dict"),
    ],
)
def test_a_wrong_value_is_named_with_what_it_should_be(name: str, value: object, kind: str) -> None:
    read = mistake(**{name: value})
    assert read.code is ErrorCode.INVALID_ARGUMENT
    assert read.error == (
        f"action: Put has an invalid argument: {name} (=={value!r}). Cannot convert to: {kind}"
    )


def test_unknown_arguments_are_named() -> None:
    read = mistake(objectid="Mug|1", speed=3)
    assert read.code is ErrorCode.INVALID_ARGUMENT
    assert read.error.startswith(
        "\n\tAction: \"Put\" called with invalid arguments: 'objectid', 'speed'"
    )


def test_some_arguments_go_with_everything() -> None:
    assert "renderImage" not in arguments(renderImage=False, agentId=0, sequenceId=7)


def test_a_lenient_action_drops_what_it_does_not_know() -> None:
    read = read_call(ACTIONS, {"action": "Start", "grid": 0.5, "colour": "red"})
    assert isinstance(read, Call)
    assert read.arguments == {"grid": 0.5}


def test_values_come_in_the_kinds_that_actions_work_with() -> None:
    given = arguments(
        position={"z": np.float32(2)}, force=np.int64(2), count=3.0, ids=np.array([1, 2])
    )
    assert given["position"] == Vec3(0.0, 0.0, 2.0)
    assert isinstance(given["force"], float)
    assert isinstance(given["count"], int)
    assert given["ids"] == (1, 2)
    assert given["forceAction"] is False


@pytest.mark.parametrize("number", [1e10, -1e10, 1e308])
def test_numbers_beyond_any_home_are_refused(number: float) -> None:
    action = ActionDefinition(
        "Go",
        (Parameter("far", ParameterType.NUMBER), Parameter("to", ParameterType.POINT)),
        nothing,
    )
    far = read_call({"Go": action}, {"action": "Go", "far": number, "to": {}})
    to = read_call({"Go": action}, {"action": "Go", "far": 0.0, "to": {"x": number}})
    for call in (far, to):
        assert isinstance(call, Mistake)
        assert call.code is ErrorCode.INVALID_ARGUMENT
