"""Tells what a model thought aloud from what it answered."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|seed:think"
_TAG = re.compile(
    rf"(?P<open><(?:{_NAMES})>|◁think▷|\[THINK\])|(?P<close></(?:{_NAMES})>|◁/think▷|\[/THINK\])",
    re.IGNORECASE,
)

_CHANNEL = re.compile(
    r"<\|channel\|>\s{0,8}(\w{1,40})\b[^<]{0,200}(?:<\|constrain\|>[^<]{0,100})?<\|message\|>"
)
"""A part of a reply in the format of OpenAI's gpt-oss models ("harmony")."""
_CHANNEL_END = re.compile(r"<\|(?:end|return|call|start)\|>")


@dataclass(frozen=True, slots=True)
class Spoken:
    """A reply in two parts. ``unclosed``: a thinking tag was opened and never closed."""

    thinking: str
    answer: str
    unclosed: bool = False


def split_thinking(text: str) -> Spoken:
    """Parts thinking from answer; both stripped of white space around them.

    Knows the tags of common open models. Where a closing tag has no opening one, all before
    it is thinking: some servers put the opening tag into the prompt.
    """
    if _CHANNEL.search(text):
        return _by_channel(text)
    thoughts: list[str] = []
    answers: list[str] = []
    position, inside = 0, False
    for tag in _TAG.finditer(text):
        before = text[position : tag.start()]
        closing = tag.group("close") is not None
        if inside or closing:
            if not closing:
                continue
            if not inside:
                # What was taken for an answer so far was thinking too.
                thoughts += answers
                answers.clear()
            thoughts.append(before)
        else:
            answers.append(before)
        inside, position = not closing, tag.end()
    (thoughts if inside else answers).append(text[position:])
    return _joined(thoughts, answers, unclosed=inside)


def _by_channel(text: str) -> Spoken:
    thoughts: list[str] = []
    answers: list[str] = []
    heads = list(_CHANNEL.finditer(text))
    for head, after in zip(heads, [*heads[1:], None], strict=True):
        body = text[head.end() : after.start() if after else len(text)]
        stop = _CHANNEL_END.search(body)
        if stop:
            body = body[: stop.start()]
        (answers if head.group(1) == "final" else thoughts).append(body)
    return _joined(thoughts, answers, unclosed=not answers)


def _joined(thoughts: list[str], answers: list[str], *, unclosed: bool = False) -> Spoken:
    thinking = "\n".join(filter(None, map(str.strip, thoughts)))
    return Spoken(thinking, "".join(answers).strip(), unclosed)
