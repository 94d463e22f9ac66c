"""Asks a model for the work of one batch: counts lines, checks them, and asks again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from env_service.chat.endpoint import Asks, Message
from env_service.refine.entries import Entry
from env_service.refine.findings import Code, Finding, check, told
from env_service.refine.prompts import Prompts
from env_service.refine.replies import ReplyError, joined, read_line, read_lines, read_verdict
from env_service.refine.source import Source
from env_service.refine.stages import Stage

RETRIES = 2
"""How often a model is asked again for what would not do."""

_UNREAD = "the model's reply could not be read: "


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to be done: ``text`` is what it is made of, ``place`` which of the originals."""

    source: Source
    stage: Stage
    text: str = ""
    place: int = 0


@dataclass(frozen=True, slots=True)
class _Try:
    """A text that might do."""

    text: str
    findings: tuple[Finding, ...]


class Asker:
    """Does items with a model. Safe to use from several threads if the model is."""

    def __init__(self, model: Asks, prompts: Prompts, retries: int = RETRIES) -> None:
        """``retries``: how often it asks again, for a batch and for each line of it."""
        self._model, self._prompts, self._retries = model, prompts, retries

    def do(self, items: Sequence[Item]) -> Iterator[list[Entry]]:
        """An entry for each of some items of one stage, as they are done. What will not come right
        is kept as it is, with findings. Raises ModelError where the model does not answer."""
        if items[0].stage.batched:
            yield from self._reword(items)
            return
        for item in items:
            judged = item.stage is Stage.INTEGRITY
            yield [self._judge(item) if judged else self._alone(item, self.opening([item]))]

    def opening(self, items: Sequence[Item]) -> list[Message]:
        """What is asked first for a batch."""
        first = items[0]
        if first.stage is Stage.INTEGRITY:
            return self._prompts.integrity(first.source, first.text)
        if first.stage.batched:
            return self._prompts.lines(first.stage, [item.text for item in items])
        return self._prompts.base(first.source)

    def _reword(self, items: Sequence[Item]) -> Iterator[list[Entry]]:
        lines = self._lines(items) if len(items) > 1 else [""]
        made = [(item, self._tried(item, line)) for item, line in zip(items, lines, strict=True)]
        good = [_entry(item, tried, 0) for item, tried in made if not tried.findings]
        if good:
            yield good
        for item, tried in made:
            if tried.findings:
                yield [self._alone(item, self.opening([item]), tried)]

    def _lines(self, items: Sequence[Item]) -> list[str]:
        """The lines of a batch; empty ones where the model cannot keep to their number."""
        asked = self.opening(items)
        messages = asked
        for _ in range(self._retries + 1):
            reply = self._model.ask(messages)
            try:
                return read_lines(reply, len(items))
            except ReplyError as error:
                messages = self._prompts.again(asked, reply, "lines", str(error), len(items))
        return [""] * len(items)

    def _alone(self, item: Item, asked: Sequence[Message], first: _Try | None = None) -> Entry:
        """Asks until a text has no findings, or often enough; the best one is kept. ``first`` is
        what the batch had for it."""
        tries = [first] if first is not None and first.text else []
        messages, requests = list(asked), 0
        if tries:
            messages = self._mend(asked, f"1. {tries[0].text}", tries[0])
        for _ in range(self._retries + (not tries)):
            reply = self._model.ask(messages)
            requests += 1
            tries.append(self._read(item, reply))
            if not tries[-1].findings:
                break
            messages = self._mend(asked, reply, tries[-1])
        return _entry(item, min(tries, key=_badness), requests)

    def _mend(self, asked: Sequence[Message], reply: str, tried: _Try) -> list[Message]:
        return self._prompts.again(asked, reply, "line", told(tried.findings))

    def _read(self, item: Item, reply: str) -> _Try:
        try:
            return self._tried(item, read_line(reply))
        except ReplyError as error:
            whole = joined(reply)
            unread = Finding(Code.NOT_ANSWERED, str(error))
            return _Try(whole, (unread,) if whole else (Finding(Code.EMPTY, str(error)),))

    def _tried(self, item: Item, text: str) -> _Try:
        text = _stopped(text)
        return _Try(text, check(item.stage, text, item.source.goal, item.text))

    def _judge(self, item: Item) -> Entry:
        """The verdict on one original command."""
        asked = self.opening([item])
        messages, problem = asked, ""
        for number in range(1, self._retries + 2):
            reply = self._model.ask(messages)
            try:
                verdict = read_verdict(reply)
            except ReplyError as error:
                problem = str(error)
                messages = self._prompts.again(asked, reply, "integrity", problem)
                continue
            entry = _entry(item, _Try(verdict.reason, ()), number)
            return replace(entry, type=verdict.type)
        unread = Finding(Code.NOT_ANSWERED, f"{_UNREAD}{problem}")
        return _entry(item, _Try("", (unread,)), self._retries + 1)


def _entry(item: Item, made: _Try, requests: int) -> Entry:
    return Entry(
        task=item.source.id,
        stage=item.stage,
        text=made.text,
        made_of=item.text,
        place=item.place,
        findings=tuple(map(str, made.findings)),
        requests=requests,
    )


def _badness(made: _Try) -> tuple[bool, bool, int]:
    """What is kept of several: a text before none, a line before what could not be read."""
    unread = any(each.code is Code.NOT_ANSWERED for each in made.findings)
    return not made.text, unread, len(made.findings)


def _stopped(text: str) -> str:
    """A command with the full stop that models tend to leave out."""
    return f"{text}." if text and text[-1].isalnum() else text
