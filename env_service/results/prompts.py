"""Prompts in a transcript: what two prompts in a row have in common is stored once.

A prompt is stored as the difference from the episode's last stored prompt. Its ``messages`` are

- ``{"same": [first, count]}``: that many messages of the last prompt, from ``first`` on,
- ``{"role": …, "parts": […]}``: a message. With ``"begins": [message, parts, characters]`` it
  begins with as many whole parts of that message of the last prompt, and with as many characters
  of the part after them, which ``parts`` then continues.

``parameters`` are those that are new or have changed, ``without`` those of the last prompt that
are missing. Messages count from 0, and characters are Unicode code points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from env_service.domain.data_node import FormatError
from env_service.storage.canonical_json import canonical

MOST_PROMPT_BYTES = 64 * 2**20
"""Bytes of all prompts of one transcript, as they are stored; later prompts are left out."""

MOST_CHARACTERS = 16 * 2**20
"""Of a prompt that is read, each message and part of it counted as one more."""

_SHORTEST = 32
"""Characters in common that are worth a reference."""

Message = Mapping[str, Any]
Prompt = Mapping[str, Any]
"""``messages``, each with ``role`` and ``parts``; ``parameters``; perhaps ``cut_from_bytes``."""

_NOTHING: Prompt = {"messages": [], "parameters": {}}


class PromptShortener:
    """Shortens the prompts of one transcript, in their order."""

    def __init__(self, most_bytes: int = MOST_PROMPT_BYTES) -> None:
        self._last, self._left = _NOTHING, most_bytes

    def shorten(self, prompt: Prompt) -> dict[str, Any]:
        """The prompt as it is stored; ``{"left_out": True}`` if it does not fit."""
        before, now = self._last["parameters"], prompt["parameters"]
        stored = {
            **prompt,
            "messages": _shortened(self._last["messages"], prompt["messages"]),
            "parameters": {k: v for k, v in now.items() if before.get(k) != v},
        }
        if missing := sorted(before.keys() - now.keys()):
            stored["without"] = missing
        size = len(canonical(stored))
        if size > self._left:
            return {"left_out": True}
        self._left -= size
        self._last = prompt
        return stored


def _shortened(before: Sequence[Message], now: Sequence[Message]) -> list[dict[str, Any]]:
    places = {canonical(message): place for place, message in enumerate(before)}
    stored: list[dict[str, Any]] = []
    expected = 0
    for message in now:
        like = before[expected] if expected < len(before) else None
        place = expected if message == like else places.get(canonical(message))
        if place is None:
            stored.append(_begun(message, like, expected))
            expected += 1
            continue
        run = stored[-1].get("same") if stored else None
        if run and sum(run) == place:
            run[1] += 1
        else:
            stored.append({"same": [place, 1]})
        expected = place + 1
    return stored


def _begun(message: Message, like: Message | None, place: int) -> dict[str, Any]:
    if like is None or like["role"] != message["role"]:
        return dict(message)
    old, new = like["parts"], message["parts"]
    parts = 0
    while parts < min(len(old), len(new)) and old[parts] == new[parts]:
        parts += 1
    rest = list(new[parts:])
    characters = 0
    if rest and parts < len(old):
        characters = _in_common(old[parts].get("text", ""), rest[0].get("text", ""))
    if characters >= _SHORTEST:
        rest[0] = {"text": rest[0]["text"][characters:]}
    else:
        characters = 0
    if not parts and not characters:
        return dict(message)
    return {"role": message["role"], "begins": [place, parts, characters], "parts": rest}


def _in_common(first: str, second: str) -> int:
    """The number of characters with which both begin."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


class PromptReader:
    """Puts the stored prompts of one transcript together again, in their order."""

    def __init__(self) -> None:
        self._last = _NOTHING

    def read(self, stored: Any) -> Prompt | None:
        """The whole prompt; None if it was left out.

        Raises FormatError for one that does not follow the format, refers to what the last prompt
        does not have, or is longer than MOST_CHARACTERS.
        """
        try:
            if stored.get("left_out"):
                return None
            without = stored.get("without", [])
            kept = {k: v for k, v in self._last["parameters"].items() if k not in without}
            prompt = {
                **{name: value for name, value in stored.items() if name != "without"},
                "messages": self._messages(stored["messages"]),
                "parameters": {**kept, **stored["parameters"]},
            }
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise FormatError(f"the prompt cannot be read: {error!r}") from error
        self._last = prompt
        return prompt

    def _messages(self, stored: Sequence[Message]) -> list[Message]:
        messages: list[Message] = []
        size = 0
        for each in stored:
            new = self._same(*each["same"]) if "same" in each else [self._message(each)]
            messages += new
            size += sum(map(_size, new))
            if size > MOST_CHARACTERS:
                raise ValueError(f"it has more than {MOST_CHARACTERS} characters")
        return messages

    def _same(self, first: int, count: int) -> Sequence[Message]:
        before = self._last["messages"]
        if first < 0 or count < 1 or first + count > len(before):
            raise ValueError(f"the last prompt lacks messages {first} to {first + count - 1}")
        same: Sequence[Message] = before[first : first + count]
        return same

    def _message(self, stored: Message) -> Message:
        parts = [dict(part) for part in stored["parts"]]
        if "begins" in stored:
            place, whole, characters = stored["begins"]
            old = self._last["messages"][place]["parts"]
            if min(place, whole, characters) < 0 or whole > len(old):
                raise ValueError(f"message {place} of the last prompt lacks {whole} parts")
            if characters:
                beginning = old[whole]["text"][:characters]
                if len(beginning) < characters:
                    raise ValueError(f"message {place} lacks {characters} characters")
                parts[0] = {"text": beginning + parts[0]["text"]}
            parts = [*old[:whole], *parts]
        return {"role": stored["role"], "parts": parts}


def _size(message: Message) -> int:
    return 1 + sum(1 + len(part.get("text", "")) for part in message["parts"])
