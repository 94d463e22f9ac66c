"""The description of the API, made from the same table that serves it.

An answer's schema is derived from its dataclass: a field is required, an unknown one an error.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

from env_service.view.requests import Parameter, Query

C = TypeVar("C")
Path = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Operation(Generic[C]):
    """A question with an answer in JSON.

    ``path`` is a template of OpenAPI. ``answer`` is the type of what ``handle`` returns, which
    runs in another thread and may raise RefusedError.
    """

    path: str
    name: str
    summary: str
    answer: Any
    handle: Callable[[C, Path, Query], Any]
    parameters: tuple[Parameter, ...] = ()
    method: str = "get"
    body: Any = None
    """Type of the JSON in the request's body; None without one."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a request was refused."""

    error: str


_DESCRIPTION = (
    "Whole numbers have at most 53 bits, so that JavaScript does not round them: seeds are texts"
    " of decimal digits, and larger counts, which agents may claim, are 2^53 - 1."
)


def describe(operations: Sequence[Operation[Any]], others: Mapping[str, Any]) -> dict[str, Any]:
    """The document in OpenAPI 3.1; ``others`` are paths with answers other than JSON."""
    schemas: dict[str, Any] = {}
    problem = {"content": {"application/json": {"schema": schema_of(Problem, schemas)}}}
    paths: dict[str, Any] = {}
    for operation in operations:
        answer = schema_of(operation.answer, schemas)
        asked = {
            "operationId": operation.name,
            "summary": operation.summary,
            "parameters": [
                *path_parameters(operation.path),
                *map(_parameter, operation.parameters),
            ],
            "responses": {
                "200": {
                    "description": "The answer.",
                    "content": {"application/json": {"schema": answer}},
                },
                "default": {"description": "The request was refused."} | problem,
            },
        }
        if operation.body is not None:
            body = {"application/json": {"schema": schema_of(operation.body, schemas)}}
            asked["requestBody"] = {"required": True, "content": body}
        paths.setdefault(operation.path, {})[operation.method] = asked
    return {
        "openapi": "3.1.0",
        "info": {"title": "Houseguest viewer", "version": "1", "description": _DESCRIPTION},
        "paths": paths | dict(others),
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": "houseguest_view"},
            },
        },
        "security": [{}, {"token": []}, {"cookie": []}],
    }


def path_parameters(path: str) -> list[dict[str, Any]]:
    """The parameters in a template."""
    names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in names
    ]


def _parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": "query",
        "description": parameter.description,
        "required": parameter.required,
        "schema": parameter.schema(),
    }


_PLAIN: Mapping[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
}


def schema_of(kind: Any, schemas: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a type; dataclasses are added to ``schemas``. Raises TypeError."""
    if kind in _PLAIN:
        return dict(_PLAIN[kind])
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(each, schemas) for each in arguments]}
    if origin is tuple:
        return {"type": "array", "items": schema_of(arguments[0], schemas)}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema_of(arguments[1], schemas)}
    made = origin or kind
    if not (isinstance(made, type) and is_dataclass(made)):
        raise TypeError(f"{kind!r} has no schema")
    name = made.__name__ + "".join(each.__name__ for each in arguments)
    if name not in schemas:
        schemas[name] = {}
        hints, known = get_type_hints(made), dict(zip(_parameters_of(made), arguments, strict=True))
        schemas[name] = {
            "type": "object",
            "description": (made.__doc__ or "").strip(),
            "properties": {
                each.name: schema_of(_filled(hints[each.name], known), schemas)
                for each in fields(made)
            },
            "required": [each.name for each in fields(made)],
            "additionalProperties": False,
        }
    return {"$ref": f"#/components/schemas/{name}"}


def _parameters_of(made: type) -> tuple[Any, ...]:
    return tuple(getattr(made, "__parameters__", ()))


def _filled(hint: Any, known: Mapping[Any, Any]) -> Any:
    """A field's type, with the type variables of its class replaced."""
    if hint in known:
        return known[hint]
    if get_origin(hint) is tuple and get_args(hint)[0] in known:
        return tuple[known[get_args(hint)[0]], ...]  # type: ignore[misc]
    return hint
