"""The JSON Schema of a reply: the house's schema of an action, wrapped with what else is asked.

The house describes one call as a union over its skills. What comes out here keeps to what
strict decoders take: an object at the root, every property required, no other ones, ``anyOf``
in place of ``oneOf`` and only inside. Skills with equal arguments share one alternative, since
decoders bound the number of alternatives and values.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from houseguest_agent import ActionSpace, Mode

from .answers.form import AnswerForm, Form

Schema = dict[str, Any]

_DESCRIPTIONS = {
    "thought": "What you consider before you act, in a few sentences.",
    "plan": "The steps that remain after this one, in order.",
    "memory": "Notes to yourself for the turns to come.",
}
_TEXT: Schema = {"type": "string"}


def reply_schema(space: ActionSpace, mode: Mode, form: AnswerForm) -> Schema | None:
    """The schema of a whole reply; None where the prompt set does not ask for JSON, or the
    house describes no calls."""
    if form.form is not Form.JSON:
        return None
    properties: Schema = {}
    for name in form.fields:
        if name != "plan":
            properties[name] = {**_TEXT, "description": _DESCRIPTIONS[name]}
        elif mode is not Mode.PLAN:
            description = _DESCRIPTIONS[name]
            properties[name] = {"type": "array", "items": _TEXT, "description": description}
    if mode is Mode.ANSWER:
        return _object({**properties, "answer": dict(_TEXT)})
    call = _call_schema(space.schema, form.endings if mode is Mode.STEPWISE else ())
    if call is None:
        return None
    if mode is Mode.PLAN:
        return _object({**properties, "steps": {"type": "array", "items": call}})
    return _object({**properties, "action": call})


def _call_schema(house: Mapping[str, Any], endings: tuple[str, ...]) -> Schema | None:
    """The schema of one call; None where the house's own has another shape than a union."""
    groups: dict[str, tuple[list[str], Schema]] = {}
    alternatives = house.get("oneOf") or house.get("anyOf") or []
    for alternative in alternatives:
        properties = alternative.get("properties", {})
        name = properties.get("skill", {}).get("const")
        if not isinstance(name, str):
            return None
        arguments = properties.get("arguments", {}).get("properties", {})
        key = json.dumps(arguments, sort_keys=True)
        groups.setdefault(key, ([], arguments))[0].append(name)
    if not groups:
        return None
    if endings:
        groups.setdefault("{}", ([], {}))[0].extend(endings)
    calls = [_alternative(names, arguments) for names, arguments in groups.values()]
    return calls[0] if len(calls) == 1 else {"anyOf": calls}


def _alternative(names: list[str], arguments: Mapping[str, Any]) -> Schema:
    properties: Schema = {"skill": {**_TEXT, "enum": names}}
    if arguments:
        properties["arguments"] = _object({name: dict(each) for name, each in arguments.items()})
    return _object(properties)


def _object(properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
