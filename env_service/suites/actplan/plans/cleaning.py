"""Taking off what models put around plans and arguments: fences, bullets, quotes, JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

_FENCE = re.compile(r"```[\w+-]*|~~~[\w+-]*")
_NOISE = re.compile(
    r"(?im)^[-*+•># \t]*+(?:\(?(?:step|action)?[ \t#]*+\d++[.):\]-]++[ \t]*+)+|[`*•\"“”;]++"
)
"""Possessive throughout: rules of dashes, and indents, have to be read in linear time."""
_KEY = re.compile(r"^\w+[ \t]*(?:=|:(?=\s*\S))[ \t]*")
_QUOTES = "\"'`“”‘’*<>[]{}. \t\n"
_EDGES = " \"'`*.,;:-–—•|()[]{}<>→="
_LISTS = ("plan", "steps", "actions", "action_plan", "sequence", "result", "answer", "output")
_VERBS = ("action", "verb", "skill", "name", "command", "step", "function", "act", "type")
_TARGETS = frozenset(
    {"target", "receptacle", "location", "destination", "container", "place", "surface", "where"}
    | {"to", "to_object", "on", "into"}
)
_OTHERS = frozenset(
    {"number", "step_number", "id", "index", "reason", "thought", "explanation", "comment", "note"}
)
_MARKUP = re.compile(r"[(),]+")


def without_markup(text: str) -> str:
    """A text without byte order mark, carriage returns, code fences; a JSON list or object of steps
    as lines of calls."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "").replace("\x00", " ")
    bare = _FENCE.sub(" ", text)
    return _from_json(bare.strip()) or bare


def words_left(text: str) -> str:
    """What of the text between steps is words: no numbering, bullets, quotes, brackets."""
    bare = _NOISE.sub(" ", text)
    bare = " ".join(bare.split()).strip(_EDGES)
    return bare if any(each.isalpha() for each in bare) else ""


def argument(text: str) -> str:
    """An argument without quotes, brackets and the parameter's name: "cup" of 'object="cup"'."""
    return " ".join(_KEY.sub("", text.strip(_QUOTES)).strip(_QUOTES).split())


def _from_json(text: str) -> str:
    if not text.startswith(("[", "{")):
        return ""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    return "\n".join(_lines(value, 0))


def _lines(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Sequence) and depth < 4:
        for each in value:
            yield from _lines(each, depth + 1)
    elif isinstance(value, Mapping) and depth < 4:
        lower = {str(key).lower(): each for key, each in value.items()}
        listed = next((lower[key] for key in _LISTS if isinstance(lower.get(key), list)), None)
        if listed is not None:
            yield from _lines(listed, depth + 1)
        else:
            yield _call(lower)


def _call(step: Mapping[str, object]) -> str:
    """One step of a JSON plan as a call, its target first where keys tell which it is."""
    key = next((key for key in _VERBS if isinstance(step.get(key), str)), None)
    if key is None:
        return ""
    said = str(step[key])
    if "(" in said:
        return said
    rest = {name: value for name, value in step.items() if name != key and name not in _OTHERS}
    ordered = sorted(rest, key=lambda name: name not in _TARGETS)
    values = [text for name in ordered for text in _texts(rest[name])]
    return f"{_MARKUP.sub(' ', said).strip().replace(' ', '_')}({', '.join(values)})"


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        value = [value[name] for name in sorted(value, key=lambda name: name not in _TARGETS)]
    if isinstance(value, list):
        for each in value:
            if isinstance(each, str):
                yield _MARKUP.sub(" ", each)
    elif isinstance(value, str) and value.strip():
        yield _MARKUP.sub(" ", value)
