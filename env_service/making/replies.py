"""Reading what a model says: a paragraph, a list of sentences, a definition."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from env_service.chat.spoken import spoken
from env_service.domain.english import counted
from env_service.making.nouns import plural
from env_service.making.things import FLOOR
from env_service.suites.actplan.dataset.layout import natural
from env_service.worlds.activity.bddl.problem import AGENT, Problem
from env_service.worlds.activity.bddl.telling import thing_in_words

LONGEST_REPLY = 100_000
"""Characters that are looked at, from the end."""

WORDS_OF_SENTENCE = (4, 40)
WORDS_OF_DESCRIPTION = (30, 300)
"""Least and most. Published descriptions have 55 to 177 words (spec: actplan.md section 1.2)."""

_DEFINE = re.compile(r"\(\s*define\b", re.IGNORECASE)
_LINE = re.compile(r"^\s*(?:[-*•]|\(?\d{1,3}[.):])\s+", re.MULTILINE)
_IDENTIFIER = re.compile(r"\w\.[nvars]\.\d\d|\w_\w|[(){}]")
_BLANKS = re.compile(r"\s+")
_QUOTES = "\"'“”‘’` "


class ReplyError(ValueError):
    """A reply is not what was asked for. The message can be told to the model, and to a person."""


def read_definition(reply: str) -> str:
    """The last definition in a reply, from its first parenthesis to the one that closes it.

    Raises:
        ReplyError: there is none, or it never closes.
    """
    said = spoken(reply)[-LONGEST_REPLY:]
    places = [found.start() for found in _DEFINE.finditer(said)]
    if not places:
        raise ReplyError("there is no definition: it has to begin with (define (problem …).")
    for place in reversed(places):
        if (end := _closed(said, place)) is not None:
            return f"{said[place:end]}\n"
    raise ReplyError("the definition is not complete: a parenthesis is never closed.")


def read_sentences(reply: str, number: int) -> tuple[str, ...]:
    """The sentences that were asked for: a JSON list, or a line each under bullets or numbers.

    Raises:
        ReplyError: there are not so many, or one is no sentence that can be used.
    """
    said = spoken(reply)[-LONGEST_REPLY:]
    found = _listed(said) or _lines(said)
    if len(found) < number:
        raise ReplyError(
            f"it has {counted(len(found), 'sentence')}, where there should be {number}."
        )
    taken = found[:number]
    met = set[str]()
    for each in taken:
        _check_sentence(each)
        if folded(each) in met:
            raise ReplyError(f"{each!r} is there twice.")
        met.add(folded(each))
    return taken


def read_description(reply: str, problem: Problem, circumstance: str = "") -> str:
    """The paragraph that was asked for.

    Raises:
        ReplyError: it is too short or too long, has identifiers in it, or leaves out a kind of
            thing that the problem has.
    """
    text = _BLANKS.sub(" ", spoken(reply)[-LONGEST_REPLY:]).strip(_QUOTES)
    count, (least, most) = len(text.split()), WORDS_OF_DESCRIPTION
    if not least <= count <= most:
        raise ReplyError(f"it has {counted(count, 'word')}; {least} to {most} are due.")
    if found := _IDENTIFIER.search(text):
        around = text[max(0, found.start() - 15) : found.end() + 15]
        raise ReplyError(f"there is an identifier or a parenthesis in it: …{around}…")
    if missing := left_out(text, problem):
        raise ReplyError(f"it does not name {', '.join(missing)}.")
    if circumstance and not _tells(text, circumstance):
        raise ReplyError(f"it does not say what is out of the ordinary: {circumstance}")
    return text


def left_out(text: str, problem: Problem) -> tuple[str, ...]:
    """The kinds of things that a text does not name: by their noun, its last or its first word, in
    the singular or the plural. A floor goes without saying."""
    words = f" {_BLANKS.sub(' ', re.sub(r'[^a-z]', ' ', text.lower()))} "
    nouns = {
        thing_in_words(each) for each in problem.objects.values() if each not in (AGENT, FLOOR)
    }
    missing = (each for each in nouns if not any(f" {name} " in words for name in _names(each)))
    return tuple(sorted(missing, key=natural))


def folded(sentence: str) -> str:
    """A sentence without case, marks and blanks: equal ones say the same."""
    return re.sub(r"[^a-z0-9]+", "", sentence.lower())


def _names(noun: str) -> set[str]:
    plain = noun.replace("-", " ")
    parts = (plain, plain.rpartition(" ")[2], plain.partition(" ")[0])
    return {form for part in parts for form in (part, plural(part), part.rstrip("s"))}


def _tells(text: str, circumstance: str) -> bool:
    """Whether half of the longer words of a circumstance are in a text."""
    there = set(re.findall(r"[a-z]{4,}", text.lower()))
    words = set(re.findall(r"[a-z]{4,}", circumstance.lower()))
    return not words or 2 * len(words & there) >= len(words)


def _closed(text: str, place: int) -> int | None:
    """Behind the parenthesis that closes the one at ``place``. A ";" begins a comment."""
    depth, comment = 0, False
    for end in range(place, len(text)):
        sign = text[end]
        comment = sign != "\n" and (comment or sign == ";")
        if comment:
            continue
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return end + 1
    return None


def _listed(said: str) -> tuple[str, ...]:
    decoder = json.JSONDecoder()
    for found in re.finditer(r"\[", said):
        try:
            value, _ = decoder.raw_decode(said, found.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, list) and (sentences := _sentences(value)):
            return sentences
    return ()


def _sentences(values: Sequence[object]) -> tuple[str, ...]:
    texts = []
    for each in values:
        text = each
        if isinstance(each, dict):
            text = next((v for v in each.values() if isinstance(v, str) and " " in v), None)
        if isinstance(text, str):
            texts.append(_stopped(text))
    return tuple(texts)


def _lines(said: str) -> tuple[str, ...]:
    lines = [line for line in said.splitlines() if _LINE.match(line)]
    return tuple(_stopped(_LINE.sub("", line)) for line in lines)


def _stopped(text: str) -> str:
    text = _BLANKS.sub(" ", text).strip(_QUOTES).rstrip(",").strip(_QUOTES)
    text = f"{text[:1].upper()}{text[1:]}"
    return f"{text}." if text[-1:].isalnum() else text


def _check_sentence(text: str) -> None:
    count, (least, most) = len(text.split()), WORDS_OF_SENTENCE
    if not least <= count <= most:
        raise ReplyError(f"{text[:80]!r} has {counted(count, 'word')}; {least} to {most} are due.")
    if _IDENTIFIER.search(text):
        raise ReplyError(f"{text[:80]!r} has an identifier or a parenthesis in it.")
