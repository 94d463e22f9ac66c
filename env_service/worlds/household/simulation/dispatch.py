"""Checks a caller's action and its arguments: missing, wrong and unknown ones.

The texts, the codes, and the arguments that every action takes are those of the dispatcher
(`ActionDispatcher`) of AI2-THOR 5.0.0.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any

import numpy as np

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.simulation.action import (
    REQUIRED,
    ActionDefinition,
    ErrorCode,
    Parameter,
    ParameterType,
)

ALLOWED_EVERYWHERE = frozenset(
    {
        "action",
        "agentId",
        "renderClassImage",
        "renderImage",
        "renderInstanceSegmentation",
        "renderNormalsImage",
        "renderObjectImage",
        "renderSemanticSegmentation",
        "sequenceId",
    }
)
"""Arguments that no action refuses. `renderSemanticSegmentation` is the name under which
AI2-THOR's Python side repeats `renderClassImage`."""


PICTURES_ON_REQUEST: Mapping[str, str] = {
    "renderInstanceSegmentation": "render_instances",
    "renderObjectImage": "render_instances",
    "renderSemanticSegmentation": "render_classes",
    "renderClassImage": "render_classes",
    "renderNormalsImage": "render_normals",
}
"""Arguments that ask for a picture with the answer to one action; the values name settings."""

LARGEST_NUMBER = 1e9
"""Metres, degrees or newtons: no action in a home needs a larger number, and arithmetic with much
larger ones overflows."""


@dataclass(frozen=True)
class Call:
    """An action with arguments that it can work with: see `ActionContext.arguments`."""

    action: ActionDefinition
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Mistake:
    """Why the call is invalid."""

    error: str
    code: ErrorCode


def read_call(
    actions: Mapping[str, ActionDefinition],
    written: Mapping[str, Any],
    absent: Mapping[str, str] = MappingProxyType({}),
) -> Call | Mistake:
    """Checks a caller's mapping with the key "action" against a table of actions.

    An argument that is None counts as not given. Unknown arguments are refused unless the action is
    lenient, which drops them. `absent` says of AI2-THOR's other actions why they are missing.
    """
    name = written.get("action")
    action = actions.get(name) if isinstance(name, str) else None
    if action is None:
        reason = absent.get(name) if isinstance(name, str) else None
        because = f". This world does not support it: {reason}" if reason else ""
        return Mistake(f"Invalid action: {name}{because}", ErrorCode.INVALID_ACTION)
    given = {
        str(key): value
        for key, value in written.items()
        if value is not None and key not in ALLOWED_EVERYWHERE - _names(action)
    }
    missing = [p.name for p in action.parameters if p.default is REQUIRED and p.name not in given]
    if missing:
        text = f"action: {action.name} is missing the following arguments: {','.join(missing)}"
        return Mistake(text, ErrorCode.MISSING_ARGUMENTS)
    unknown = sorted(given.keys() - _names(action))
    if unknown and not action.lenient:
        return Mistake(_unknown(action, unknown, given), ErrorCode.INVALID_ARGUMENT)
    return _converted(action, given)


def requested_pictures(written: Mapping[str, Any]) -> frozenset[str]:
    """The settings that a caller's mapping switches on for its answer alone."""
    return frozenset(
        setting for name, setting in PICTURES_ON_REQUEST.items() if written.get(name) is True
    )


def _names(action: ActionDefinition) -> frozenset[str]:
    return frozenset(parameter.name for parameter in action.parameters)


def _converted(action: ActionDefinition, given: Mapping[str, Any]) -> Call | Mistake:
    arguments: dict[str, Any] = {}
    for parameter in action.parameters:
        if parameter.name not in given:
            arguments[parameter.name] = parameter.default
            continue
        value = given[parameter.name]
        try:
            arguments[parameter.name] = CONVERTERS[parameter.kind](value)
        except ValueError:
            text = (
                f"action: {action.name} has an invalid argument: {parameter.name} (=={value!r}). "
                f"Cannot convert to: {parameter.kind.value}"
            )
            return Mistake(text, ErrorCode.INVALID_ARGUMENT)
    return Call(action, arguments)


def _unknown(action: ActionDefinition, unknown: list[str], given: Mapping[str, Any]) -> str:
    plural = "s" if len(unknown) > 1 else ""
    expected = ", ".join(_signature(parameter) for parameter in action.parameters)
    return (
        f'\n\tAction: "{action.name}" called with invalid argument{plural}: '
        f"{_quoted(unknown)}"
        f"\n\tExpected arguments: {expected}"
        f"\n\tYour arguments: {_quoted(sorted(given))}"
    )


def _signature(parameter: Parameter) -> str:
    default = "" if parameter.default is REQUIRED else f" = {parameter.default}"
    return f"{parameter.kind.value} {parameter.name}{default}"


def _quoted(names: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("no text")
    return value


def read_number(value: Any) -> float:
    """A finite number of at most LARGEST_NUMBER; anything else raises ValueError."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise ValueError(f"{value!r} is not a number")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError("a number is too large") from None
    if not abs(number) <= LARGEST_NUMBER:
        raise ValueError(f"{number} is out of range")
    return number


def _whole(value: Any) -> int:
    if isinstance(value, Integral) and not isinstance(value, bool | np.bool_):
        return int(value)
    number = read_number(value)
    if number != math.floor(number):
        raise ValueError("no whole number")
    return int(number)


def _truth(value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise ValueError("neither true nor false")
    return bool(value)


def read_point(value: Any) -> Vec3:
    """A point from {x, y, z}; coordinates that are left out are 0, as in AI2-THOR. Anything else,
    and numbers beyond LARGEST_NUMBER, raise ValueError."""
    if not isinstance(value, Mapping) or not value.keys() <= {"x", "y", "z"}:
        raise ValueError("no point")
    return Vec3(*(read_number(value.get(axis, 0.0)) for axis in ("x", "y", "z")))


def _partial_point(value: Any) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise ValueError("no point")
    given = {axis: number for axis, number in value.items() if number is not None}
    read_point(given)
    return {str(axis): read_number(number) for axis, number in given.items()}


def _list(value: Any) -> tuple[Any, ...]:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, list | tuple):
        raise ValueError("no list")
    return tuple(value)


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError("no mapping")
    return value


CONVERTERS: Mapping[ParameterType, Callable[[Any], Any]] = {
    ParameterType.TEXT: _text,
    ParameterType.NUMBER: read_number,
    ParameterType.WHOLE: _whole,
    ParameterType.TRUTH: _truth,
    ParameterType.POINT: read_point,
    ParameterType.PARTIAL_POINT: _partial_point,
    ParameterType.LIST: _list,
    ParameterType.MAPPING: _mapping,
    ParameterType.ANY: lambda value: value,
}
"""How an argument of each kind is read; an invalid one raises ValueError."""
