"""What an agent may do, and what it asked for."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class SkillCall:
    """One use of a skill.

    ``arguments`` are (name, value) pairs in the order of the skill's parameters. Whether
    the skill exists is the suite's question, not this class's.
    """

    name: str
    arguments: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Text:
    """The agent's own words, for the suite's rules to parse."""

    text: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Skill calls to execute in order. May be empty."""

    steps: tuple[SkillCall, ...]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An action that the gateway could not pass on: no kind set, or too long.

    Every suite answers it as an unparsable turn, so that it costs the same as any other.
    ``problem`` says what was wrong, in words fit for the agent. ``digest`` is the SHA-256
    (hex) of the action as sent: two unreadable actions are equal only if their bytes are.
    """

    problem: str
    digest: str


Action = SkillCall | Text | Plan | Unreadable


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a skill. Empty ``choices``: free text."""

    name: str
    description: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Skill:
    """One thing an agent can do."""

    name: str
    description: str
    parameters: tuple[Parameter, ...] = ()


@dataclass(frozen=True, slots=True)
class ActionSpace:
    """Everything an agent may do in an episode.

    ``skills`` is empty exactly when the episode is answered in words, and
    ``answer_format`` says then how the answer has to look.
    """

    skills: tuple[Skill, ...] = ()
    answer_format: str = ""

    def json_schema(self) -> str:
        """JSON Schema (2020-12) of one call: {"skill": name, "arguments": {name: value}}.

        Empty without skills.
        """
        if not self.skills:
            return ""
        schema = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "oneOf": [_skill_schema(skill) for skill in self.skills],
        }
        return json.dumps(schema, separators=(",", ":"))


def _skill_schema(skill: Skill) -> dict[str, Any]:
    properties = {
        parameter.name: {
            "type": "string",
            "description": parameter.description,
            **({"enum": list(parameter.choices)} if parameter.choices else {}),
        }
        for parameter in skill.parameters
    }
    return {
        "type": "object",
        "description": skill.description,
        "properties": {
            "skill": {"const": skill.name},
            "arguments": {
                "type": "object",
                "properties": properties,
                "required": list(properties),
                "additionalProperties": False,
            },
        },
        "required": ["skill", "arguments"] if properties else ["skill"],
        "additionalProperties": False,
    }
