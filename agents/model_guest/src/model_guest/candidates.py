"""All replies that a stepwise episode allows, for models that choose by likelihood."""

from __future__ import annotations

import itertools
import json
import math

from houseguest_agent import ActionSpace, SkillCall

from .answers.form import AnswerForm, Form
from .conversation import call_as_data

MOST = 20_000
"""Candidates. Scoring more takes a model longer than any turn may."""


def list_candidates(space: ActionSpace, form: AnswerForm) -> dict[str, SkillCall]:
    """Every legal call by the reply that stands for it; empty where they cannot be listed.

    They cannot where an argument is free text, or where there are more than MOST; skills that the
    form leaves unlisted are passed over. Where JSON is asked for, a reply is the call as JSON; else
    a skill's name with its arguments, behind the marker: in parentheses, or, where words are asked
    for, as words.
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
