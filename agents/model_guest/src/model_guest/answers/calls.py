"""Reads skill calls from values and lines, in the shapes in which models write them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from houseguest_agent import ActionSpace, Skill, SkillCall

from .loose_json import find_values

_NAME_KEYS = (
    *("skill", "action", "name", "tool", "function", "tool_name", "function_name"),
    *("action_name", "skill_name", "command"),
)
_ARGUMENT_KEYS = (
    *("arguments", "args", "parameters", "params", "input", "tool_input", "action_input"),
    "kwargs",
)
_SKILL_ITSELF = "skill"
_DECORATION = " \t\r\n`*\"'“”‘’.,;!_"
_BULLET = re.compile(r"(?:[-*•]|\d{1,4}[.):])\s+")
_LABEL = re.compile(r"\W{0,8}(?:next\s{1,3})?action\W{0,4}[:=]\s{0,8}", re.IGNORECASE)
_CALL = re.compile(r"([\w .\-]{1,80}?)\s{0,4}\((.{0,2000})\)", re.DOTALL)
_PIECE = re.compile(r"""\s*("[^"]*"|'[^']*'|[^,]*)\s*(?:,|$)""")
_KEYWORD = re.compile(r"\s*([\w\- ]{1,60}?)\s{0,4}[=:]\s{0,4}(?=\S)")
_DEEPEST = 4


class CallReader:
    """Reads calls of one episode's skills. ``repairs`` counts the deviations that it tolerates."""

    def __init__(self, space: ActionSpace, extra: tuple[str, ...] = ()) -> None:
        """``extra`` lists names that count as skills without parameters."""
        self._skills = {skill.name: skill for skill in space.skills}
        self._skills |= {name: Skill(name, "") for name in extra if name not in self._skills}

    def knows(self, call: SkillCall) -> bool:
        """Whether the episode offers the call's skill."""
        return call.name in self._skills

    def from_value(self, value: Any, repairs: Counter[str], depth: int = 0) -> SkillCall | None:
        """The call that a JSON value describes, even if the episode does not offer its skill."""
        if depth > _DEEPEST:
            return None
        if isinstance(value, str):
            return self.from_line(value, repairs)
        if isinstance(value, list) and len(value) == 1:
            repairs["list"] += 1
            return self.from_value(value[0], repairs, depth + 1)
        return self._from_object(value, repairs, depth) if isinstance(value, dict) else None

    def _from_object(
        self, value: dict[str, Any], repairs: Counter[str], depth: int
    ) -> SkillCall | None:
        keys = {key.casefold(): key for key in reversed(value)}
        for wanted in _NAME_KEYS:
            if wanted not in keys:
                continue
            named = value[keys[wanted]]
            if isinstance(named, str) and named.strip():
                rest = {key: each for key, each in value.items() if key != keys[wanted]}
                if wanted != _SKILL_ITSELF:
                    repairs["shape"] += 1
                return self._named(named.strip(), rest, repairs)
            if wanted == "function" and isinstance(named, dict):
                repairs["shape"] += 1
            found = self.from_value(named, repairs, depth + 1)
            if found is not None:
                return found
        if len(value) == 1:
            ((key, inner),) = value.items()
            known = match_name(key, self._skills)
            if known is not None and isinstance(inner, dict | list | None):
                repairs["shape"] += 1
                return SkillCall(known, self._arguments(known, inner, repairs))
        return None

    def _named(self, named: str, rest: dict[str, Any], repairs: Counter[str]) -> SkillCall:
        given = self._given(rest)
        known = match_name(named, self._skills)
        if known is None and given in (None, {}, []):
            inline = self.from_line(named, repairs)
            if inline is not None:
                return inline
        if known is None:
            return SkillCall(named, self._arguments(named, given, repairs))
        if known != named:
            repairs["skill_name"] += 1
        if given is None:
            names = self._parameters(known)
            flat = {key: each for key, each in rest.items() if match_name(key, names) is not None}
            if flat:
                repairs["shape"] += 1
            given = flat
        return SkillCall(known, self._arguments(known, given, repairs))

    @staticmethod
    def _given(rest: Mapping[str, Any]) -> Any:
        keys = {key.casefold(): key for key in rest}
        return next((rest[keys[name]] for name in _ARGUMENT_KEYS if name in keys), None)

    def _parameters(self, skill: str) -> tuple[str, ...]:
        known = self._skills.get(skill)
        return tuple(parameter.name for parameter in known.parameters) if known else ()

    def _arguments(self, skill: str, given: Any, repairs: Counter[str]) -> dict[str, str]:
        names = self._parameters(skill)
        if isinstance(given, str) and given.strip().startswith(("{", "[")):
            given = next(find_values(given, repairs), given)
            repairs["shape"] += 1
        if isinstance(given, str):
            given = [given] if given.strip() else []
        if isinstance(given, list):
            if given:
                repairs["positional"] += 1
            labels = [*names, *(f"argument_{n}" for n in range(len(names) + 1, len(given) + 1))]
            given = dict(zip(labels, given, strict=False))
        if not isinstance(given, dict):
            return {}
        arguments: dict[str, str] = {}
        for key, value in given.items():
            if value is None:
                continue
            known = match_name(key, names) or key
            if known != key:
                repairs["argument_name"] += 1
            arguments.setdefault(known, self._worded(skill, known, value, repairs))
        return arguments

    def _worded(self, skill: str, name: str, value: Any, repairs: Counter[str]) -> str:
        text = value.strip() if isinstance(value, str) else _as_text(value)
        known = self._skills.get(skill)
        choices = next((p.choices for p in known.parameters if p.name == name), ()) if known else ()
        chosen = match_name(text, choices) or text
        if chosen != text:
            repairs["argument_value"] += 1
        return chosen

    def from_line(self, line: str, repairs: Counter[str]) -> SkillCall | None:
        """The call in one line, such as "forward", "pickup(mug)" or "Action: pickup mug".

        None unless the line holds nothing else and the episode offers the skill.
        """
        bare = _undecorated(line)
        known = match_name(bare, self._skills)
        if known is not None:
            if known != line:
                repairs["line"] += 1
            return SkillCall(known)
        called = _CALL.fullmatch(bare)
        if called is not None:
            known = match_name(called.group(1), self._skills)
            if known is None:
                return None
            repairs["parentheses"] += 1
            return SkillCall(known, self._arguments(known, _split(called.group(2)), repairs))
        return self._spoken(bare, repairs)

    def _spoken(self, bare: str, repairs: Counter[str]) -> SkillCall | None:
        """A skill's name and its single argument, as in "pickup mug"."""
        words = bare.split()
        for count in range(min(len(words) - 1, 5), 0, -1):
            known = match_name(" ".join(words[:count]).rstrip(":"), self._skills)
            if known is None or len(self._skills[known].parameters) != 1:
                continue
            (parameter,) = self._skills[known].parameters
            value = " ".join(words[count:]).strip(_DECORATION)
            chosen = match_name(value, parameter.choices)
            if parameter.choices and chosen is None:
                return None
            repairs["line"] += 1
            return SkillCall(known, {parameter.name: chosen or value})
        return None


def _undecorated(line: str) -> str:
    bare = line.strip(_DECORATION)
    bullet = _BULLET.match(bare)
    if bullet:
        bare = bare[bullet.end() :]
    label = _LABEL.match(bare)
    if label:
        bare = bare[label.end() :]
    return bare.strip(_DECORATION)


def _split(inside: str) -> Any:
    """Arguments between parentheses: by name if every one has a name, otherwise by position."""
    pieces = [piece.strip() for piece in _PIECE.findall(inside) if piece.strip()]
    heads = [_KEYWORD.match(piece) for piece in pieces]
    if pieces and all(heads):
        named = zip(heads, pieces, strict=True)
        return {h.group(1).strip(): p[h.end() :].strip(_DECORATION) for h, p in named if h}
    return [piece.strip(_DECORATION) for piece in pieces]


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(map(_as_text, value))
    return str(value)


# --- Finds the name that a model meant by another spelling


def plain_name(name: str) -> str:
    """A name without case, spaces and punctuation: "Pick_Up" and "pickup" become equal."""
    return "".join(filter(str.isalnum, name.casefold()))


def match_name(name: str, known: Iterable[str]) -> str | None:
    """The one of ``known`` that ``name`` spells; None if none does, or several do."""
    listed = tuple(known)
    if name in listed:
        return name
    wanted = plain_name(name)
    found = {each for each in listed if plain_name(each) == wanted} if wanted else set()
    return found.pop() if len(found) == 1 else None
