"""The replies that an episode allows: the JSON Schema of a reply, and the list of all replies."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping
from typing import Any

from houseguest_agent import ActionSpace, Mode, SkillCall

from .answers.reader import AnswerForm, Form
from .conversation import call_as_data

Schema = dict[str, Any]

_DESCRIPTIONS = {
    "thought": "What you consider before you act, in a few sentences.",
    "plan": "The steps that remain after this one, in order.",
    "memory": "Notes to yourself for the turns to come.",
}
_TEXT: Schema = {"type": "string"}


def reply_schema(space: ActionSpace, mode: Mode, form: AnswerForm) -> Schema | None:
    """The schema of a whole reply; None if the prompt set does not ask for JSON, or the service
    describes no calls."""
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


def _call_schema(service_schema: Mapping[str, Any], endings: tuple[str, ...]) -> Schema | None:
    """The schema of one call; None if the service's schema is not a union."""
    groups: dict[str, tuple[list[str], Schema]] = {}
    alternatives = service_schema.get("oneOf") or service_schema.get("anyOf") or []
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


# --- All replies that a stepwise episode allows, for models that choose by likelihood

MOST = 20_000
"""The maximum number of candidates. Scoring more takes longer than any turn may."""


def list_candidates(space: ActionSpace, form: AnswerForm) -> dict[str, SkillCall]:
    """Every legal call, by its reply; empty if they cannot be listed.

    Calls cannot be listed if an argument is free text, or if there are more than MOST. Skills in
    the form's ``unlisted`` are skipped. If the form asks for JSON, a reply is the call as JSON;
    otherwise it is the marker and a skill's name with its arguments, in parentheses or, if the
    form asks for words, as words.
    """
    calls: list[SkillCall] = []
    for skill in space.skills:
        if skill.name in form.unlisted:
            continue
        choices = [parameter.choices for parameter in skill.parameters]
        if len(calls) + math.prod(map(len, choices)) > MOST or not all(choices):
            return {}
        names = [parameter.name for parameter in skill.parameters]
        for values in itertools.product(*choices):
            calls.append(SkillCall(skill.name, dict(zip(names, values, strict=True))))
    calls += [SkillCall(ending) for ending in form.endings]
    return {_reply(call, form): call for call in calls}


def _reply(call: SkillCall, form: AnswerForm) -> str:
    if form.form is Form.JSON:
        return json.dumps({"action": call_as_data(call)}, ensure_ascii=False)
    if form.form is Form.WORDS:
        return " ".join(filter(None, (form.marker, call.name, *call.arguments.values())))
    arguments = ", ".join(call.arguments.values())
    bare = f"{call.name}({arguments})" if arguments else call.name
    return f"{form.marker} {bare}".strip()
