"""Reading what a model says: lines under numbers, one line, a verdict in JSON."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from env_service.chat.asking import ReplyError
from env_service.chat.completion import without_thoughts

MOST_TYPES = 5
"""The types of integrity are 1 … 5 (docs/refine.md)."""

SOUND = 5
"""The type of a sound command."""

LONGEST_VERDICT = 4_000
"""Characters at the end of a reply in which its verdict is looked for: one that is nothing but
braces would take minutes."""

_NUMBER = re.compile(r"^(?:\*\*)?[\[(]?(\d{1,4})[\])]?\s*(?:[.):]|\s-)(?:\*\*)?\s+(?=\S)")
_BULLET = re.compile(r"^(?:[-*•–]|>)\s+")
_LABEL = re.compile(r"^(?:command|answer|output|translation|번역|명령)\s*:\s*(?=\S)", re.IGNORECASE)
_QUOTES = ('""', "''", "``", "“”", "‘’", "«»", "「」", "『』", "„“")
_BLANKS = re.compile(
    r"[\s\x00-\x1f\x7f-\x9f\u00a0\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+"
)
"""Blanks and unreadable characters: control characters, direction marks."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a model says of a command. ``type``: 1 spatial, 2 object, 3 action sequence, 4 other,
    5 no defect; ``sound`` exactly for 5."""

    type: int
    reason: str

    @property
    def sound(self) -> bool:
        """Whether no defect was found."""
        return self.type == SOUND


def read_lines(reply: str, count: int) -> list[str]:
    """The ``count`` lines that were asked for, cleaned.

    Takes the lines with the numbers 1 … count, whatever surrounds them; or else all lines, except a
    first one that announces them with a colon.

    Raises:
        ReplyError: the reply has fewer or more lines, or other numbers than 1 … count in order.
    """
    lines = [line.strip() for line in without_thoughts(reply).splitlines() if line.strip()]
    numbered = [(int(found[1]), line) for line in lines if (found := _numbered(line))]
    if numbered and len(numbered) >= len(lines) - 2:
        numbers = [number for number, _ in numbered]
        if numbers == list(range(1, count + 1)):
            return [clean(line) for _, line in numbered]
        if len(numbered) == count:
            raise ReplyError(f"the lines are numbered {_named(numbers)}, not 1 to {count}.")
    if len(lines) == count + 1 and lines[0].endswith(":"):
        lines = lines[1:]
    if len(lines) != count:
        raise ReplyError(_miscounted(len(lines), count))
    return [clean(line) for line in lines]


def read_line(reply: str) -> str:
    """The one line that was asked for, cleaned. Raises ReplyError."""
    return read_lines(reply, 1)[0]


def joined(reply: str) -> str:
    """All that a reply says, as one line: what is kept of one that will not come right."""
    return clean(_BLANKS.sub(" ", without_thoughts(reply)))


def clean(line: str) -> str:
    """A line without its number, bullet, label, Markdown or quotes, and with single blanks."""
    line = _BLANKS.sub(" ", line).strip()
    for pattern in (_BULLET, _NUMBER, _LABEL):
        line = pattern.sub("", line)
    line = line.strip()
    for mark in ("**", "__", "*"):
        if len(line) > 2 * len(mark) and line.startswith(mark) and line.endswith(mark):
            line = line.removeprefix(mark).removesuffix(mark).strip()
    while len(line) > 2 and line[0] + line[-1] in _QUOTES:
        line = line[1:-1].strip()
    return line


def read_verdict(reply: str) -> Verdict:
    """The verdict in a reply: the last JSON object in it that has the keys, in whatever case; also
    with Python's words and quotes. Of a long reply the end is read (`LONGEST_VERDICT`).

    Raises:
        ReplyError: it has none, or one that contradicts itself.
    """
    said = without_thoughts(reply)[-LONGEST_VERDICT:]
    found = [each for each in _objects(said) if {"integrity", "type"} <= each.keys()]
    if not found:
        raise ReplyError("no JSON object with the keys Integrity, Reason and Type.")
    answer = found[-1]
    kind, sound = _type(answer["type"]), _truth(answer["integrity"])
    if kind is None:
        raise ReplyError(f"Type is {answer['type']!r:.40}; it has to be a number from 1 to 5.")
    if sound is None:
        raise ReplyError(f"Integrity is {answer['integrity']!r:.40}; it has to be true or false.")
    if sound is not (kind == SOUND):
        raise ReplyError(
            f"Integrity is {str(sound).lower()}, but Type is {kind}: 5 means no fault,"
            " 1 to 4 a fault."
        )
    reason = answer.get("reason")
    return Verdict(kind, _BLANKS.sub(" ", reason).strip() if isinstance(reason, str) else "")


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in a text, with keys in lower case."""
    decoder, place = json.JSONDecoder(), text.find("{")
    while place >= 0:
        value, end = _decode(decoder, text, place)
        if isinstance(value, dict):
            yield {str(key).strip().lower(): each for key, each in value.items()}
        place = text.find("{", max(end, place + 1))


def _decode(decoder: json.JSONDecoder, text: str, place: int) -> tuple[Any, int]:
    try:
        return decoder.raw_decode(text, place)
    except (ValueError, RecursionError):
        pass
    end = text.find("}", place)
    if end < 0:
        return None, place
    mended = _mended(text[place : end + 1])
    try:
        return json.loads(mended), end + 1
    except (ValueError, RecursionError):
        return None, place


def _mended(text: str) -> str:
    """An object in Python's spelling, with curly quotes or a trailing comma, as JSON."""
    text = text.translate({0x201C: '"', 0x201D: '"', 0x2018: "'", 0x2019: "'"})
    text = re.sub(r",\s*}", "}", text)
    text = re.sub(r":\s*(True|False)\b", lambda found: found[0].lower(), text)
    text = re.sub(r"(?<=[{,:])(\s*)'|'(\s*)(?=[,:}])", r'\1"\2', text)
    return re.sub(r'(?<=[{,])\s*(\w+)\s*:(?=\s*["\dtf])', r'"\1":', text)


def _type(value: Any) -> int | None:
    if isinstance(value, str) and (found := re.search(r"\d+", value)):
        value = int(found[0][:3])
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 1 <= value <= MOST_TYPES else None


def _truth(value: Any) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "false": False, "yes": True, "no": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def _numbered(line: str) -> re.Match[str] | None:
    return _NUMBER.match(_BULLET.sub("", line))


def _named(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:8]))
    return f"{shown}, …" if len(numbers) > 8 else shown


def _miscounted(found: int, count: int) -> str:
    if not found:
        return "it is empty."
    return f"it has {found} {'line' if found == 1 else 'lines'} where there should be {count}."
