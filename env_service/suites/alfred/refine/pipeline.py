"""Goes through the stages of a refinement: what is left to do, in batches, several at a time;
asks a model, checks its replies, and stores the results of each task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from env_service.chat.asking import ReplyError, ask_until_read
from env_service.chat.client import Asks, Message
from env_service.chat.model_state import ModelState
from env_service.suites.alfred.dataset.refined_commands import RefinedRecord
from env_service.suites.alfred.refine.checks import Code, Finding, find_defects, in_words
from env_service.suites.alfred.refine.prompts import Prompts
from env_service.suites.alfred.refine.replies import (
    joined,
    read_line,
    read_lines,
    read_verdict,
)
from env_service.suites.alfred.refine.sources import REWORDING, WORDINGS, Source, Stage, record_of

# --- Asks a model for the work of one batch: counts lines, checks them, and asks again

RETRIES = 2
"""How often a model is asked again for what would not do."""

_UNREAD_REPLY = "the model's reply could not be read: "


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
        """An entry for each of some items of one stage, as soon as it is done. A text that keeps
        failing its checks is stored with findings. Raises ModelError if the model does not
        answer."""
        if items[0].stage.batched:
            yield from self._reword(items)
            return
        for item in items:
            judged = item.stage is Stage.INTEGRITY
            yield [self._judge(item) if judged else self._alone(item)]

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
                yield [self._alone(item, tried)]

    def _lines(self, items: Sequence[Item]) -> list[str]:
        """The lines of a batch; empty ones where the model cannot keep to their number."""
        opening, count = self.opening(items), len(items)
        found = ask_until_read(
            self._model.ask,
            opening,
            lambda reply: read_lines(reply, count),
            lambda reply, problem: self._prompts.again(opening, reply, "lines", problem, count),
            self._retries + 1,
        )
        return found.value or [""] * count

    def _alone(self, item: Item, first: _Try | None = None) -> Entry:
        """Asks until a text has no findings, or often enough; the best one is kept. ``first`` is
        what the batch had for it."""
        opening = self.opening([item])
        tries = [first] if first is not None and first.text else []

        def read(reply: str) -> None:
            tries.append(self._read(item, reply))
            if findings := tries[-1].findings:
                raise ReplyError(in_words(findings))

        def again(reply: str, problem: str) -> list[Message]:
            return self._prompts.again(opening, reply, "line", problem)

        messages, number = opening, self._retries + 1
        if tries:
            messages = again(f"1. {tries[0].text}", in_words(tries[0].findings))
            number = self._retries
        found = ask_until_read(self._model.ask, messages, read, again, number)
        return _entry(item, min(tries, key=_badness), found.requests)

    def _read(self, item: Item, reply: str) -> _Try:
        try:
            return self._tried(item, read_line(reply))
        except ReplyError as error:
            whole = joined(reply)
            unread = Finding(Code.NOT_ANSWERED, str(error))
            return _Try(whole, (unread,) if whole else (Finding(Code.EMPTY, str(error)),))

    def _tried(self, item: Item, text: str) -> _Try:
        text = _stopped(text)
        return _Try(text, find_defects(item.stage, text, item.source.goal, item.text))

    def _judge(self, item: Item) -> Entry:
        """The verdict on one original command."""
        opening = self.opening([item])
        found = ask_until_read(
            self._model.ask,
            opening,
            read_verdict,
            lambda reply, problem: self._prompts.again(opening, reply, "integrity", problem),
            self._retries + 1,
        )
        if found.value is None:
            unread = Finding(Code.NOT_ANSWERED, f"{_UNREAD_REPLY}{found.problem}")
            return _entry(item, _Try("", (unread,)), found.requests)
        entry = _entry(item, _Try(found.value.reason, ()), found.requests)
        return replace(entry, type=found.value.type)


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


BATCH = 20
"""Commands in one request, where a stage takes several."""

Batch = tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class WorkPlan:
    """What is to be done.

    Attributes:
        sources: the tasks.
        batch: commands in one request.
        korean_of: the wording that is translated.
        again: ask again for what has findings that no person has looked at.
    """

    sources: tuple[Source, ...]
    batch: int = BATCH
    korean_of: Stage = Stage.BASE
    again: bool = False


def batches(plan: WorkPlan, stage: Stage, known: Mapping[Key, Entry]) -> list[Batch]:
    """The batches of a stage of which something is left to do. Which items share a batch does not
    depend on what is done, so that an interruption changes nothing."""
    items = list(_items(plan, stage, known))
    size = plan.batch if stage.batched else 1
    parts = (items[start : start + size] for start in range(0, len(items), size))
    left = (tuple(item for item in part if _left(plan, item, known)) for part in parts)
    return [batch for batch in left if batch]


def text_of(source: Source, stage: Stage, known: Mapping[Key, Entry]) -> str:
    """A task's text in a wording: what was made, else what was there before; empty for none."""
    entry = known.get((source.id, stage, 0))
    if entry is None:
        return source.texts.get(stage, "")
    return entry.text if entry.done else ""


def _items(plan: WorkPlan, stage: Stage, known: Mapping[Key, Entry]) -> Iterator[Item]:
    for source in plan.sources:
        if stage is Stage.INTEGRITY:
            for place, text in enumerate(source.originals):
                yield Item(source, stage, text, place)
        elif stage is Stage.BASE:
            yield Item(source, stage)
        else:
            of = plan.korean_of if stage is Stage.KOREAN else Stage.BASE
            yield Item(source, stage, text_of(source, of, known))


def _left(plan: WorkPlan, item: Item, known: Mapping[Key, Entry]) -> bool:
    if item.stage in REWORDING and not item.text:
        return False
    entry = known.get((item.source.id, item.stage, item.place))
    if entry is None or not entry.done:
        return True
    if entry.by == PERSON:
        return False
    return entry.made_of != item.text or (plan.again and entry.flagged)


# --- What is known of one task after one stage

Key = tuple[str, Stage, int]
"""A task's id, a stage, and which of its original commands; 0 but for the integrity check."""

MODEL, PERSON = "model", "person"

_UNREAD_FILE = f"{Code.NOT_ANSWERED.value}: "


@dataclass(frozen=True, slots=True)
class Entry:
    """What a stage made for one task, or said of one of its original commands.

    Attributes:
        task: the task's id.
        stage: the stage.
        text: the command; of the integrity check the reason. Where nothing usable was said, what
            was said in its place, if anything.
        made_of: the text that it was made of; empty for the base command.
        place: which of the original commands; 0 for all other stages.
        type: the integrity check's verdict, 1 … 5; 0 for all other stages.
        findings: what rules find wrong with the text, each as "code: words".
        requests: how often the model was asked for this alone; 0: it came right with its batch.
        by: who has the last word, the model or a person.
    """

    task: str
    stage: Stage
    text: str
    made_of: str = ""
    place: int = 0
    type: int = 0
    findings: tuple[str, ...] = ()
    requests: int = 0
    by: str = MODEL

    @property
    def key(self) -> Key:
        """What there is one entry of."""
        return self.task, self.stage, self.place

    @property
    def done(self) -> bool:
        """Whether there is something to go on with: chatter in a text's place is not."""
        if self.stage is Stage.INTEGRITY:
            return bool(self.type)
        unread = any(each.startswith(_UNREAD_FILE) for each in self.findings)
        return bool(self.text) and (self.by == PERSON or not unread)

    @property
    def flagged(self) -> bool:
        """Whether a person should look at it."""
        return self.by == MODEL and bool(self.findings)

    def to_json(self) -> dict[str, Any]:
        """As a line of the state file."""
        return {
            "task": self.task,
            "stage": self.stage.value,
            "place": self.place,
            "text": self.text,
            "made_of": self.made_of,
            "type": self.type,
            "findings": list(self.findings),
            "requests": self.requests,
            "by": self.by,
        }


def read_entry(value: Mapping[str, Any]) -> Entry:
    """What `Entry.to_json` wrote. Raises KeyError, TypeError or ValueError."""
    texts = {name: value[name] for name in ("task", "text", "made_of", "by")}
    numbers = {name: value[name] for name in ("place", "type", "requests")}
    findings = value["findings"]
    if not all(isinstance(each, str) for each in (*texts.values(), *findings)):
        raise TypeError("a text has another type")
    if not all(isinstance(each, int) for each in numbers.values()):
        raise TypeError("a number is not a whole number")
    return Entry(stage=Stage(value["stage"]), findings=tuple(findings), **texts, **numbers)


# --- The state file of a refinement


class RefinementState(ModelState[Key, Entry]):
    """What is done so far: see `Kept`."""

    FORMAT = "houseguest-refine-1"
    COMMAND = "houseguest refine"
    read = staticmethod(read_entry)


# --- The results of a refinement: the records that are whole, the counts, and how they were made


@dataclass(frozen=True, slots=True)
class Count:
    """Of one stage: what is done, what of it has findings that no person has looked at, what gave
    nothing usable, and how many there are."""

    done: int
    flagged: int
    failed: int
    total: int


@dataclass(frozen=True, slots=True)
class CollectedRecords:
    """The records of all tasks that have all five texts, and for each other one of the plan's the
    stages that it lacks."""

    records: tuple[RefinedRecord, ...]
    lacking: Mapping[str, tuple[Stage, ...]]


def collect_records(
    plan: WorkPlan, every: Sequence[Source], known: Mapping[Key, Entry]
) -> CollectedRecords:
    """What there is of all tasks, in their order, whether the plan has ``every`` one of them or a
    few."""
    records, lacking = [], {}
    asked = {source.id for source in plan.sources}
    for source in every:
        texts = {stage: text_of(source, stage, known) for stage in WORDINGS}
        none = tuple(stage for stage, text in texts.items() if not text)
        if not none:
            records.append(record_of(source, texts))
        elif source.id in asked:
            lacking[source.id] = none
    return CollectedRecords(tuple(records), lacking)


def counts(
    plan: WorkPlan, stages: Sequence[Stage], known: Mapping[Key, Entry]
) -> dict[Stage, Count]:
    """The counts of some stages, over the plan's tasks."""
    return {stage: _count(plan.sources, stage, known) for stage in stages}


def verdicts(plan: WorkPlan, known: Mapping[Key, Entry]) -> dict[int, int]:
    """How many original commands the model gave each type, 1 … 5."""
    found = dict.fromkeys(range(1, 6), 0)
    for entry in _of(plan.sources, Stage.INTEGRITY, known):
        if entry is not None and entry.done:
            found[entry.type] += 1
    return found


def count_json(count: Count) -> dict[str, Any]:
    """For documents."""
    return {
        "done": count.done,
        "flagged": count.flagged,
        "failed": count.failed,
        "total": count.total,
    }


def _count(sources: Sequence[Source], stage: Stage, known: Mapping[Key, Entry]) -> Count:
    found = _of(sources, stage, known)
    there = [entry for entry in found if entry is not None]
    done = [entry for entry in there if entry.done]
    return Count(
        len(done), sum(entry.flagged for entry in done), len(there) - len(done), len(found)
    )


def _of(sources: Sequence[Source], stage: Stage, known: Mapping[Key, Entry]) -> list[Entry | None]:
    return [
        known.get((source.id, stage, place))
        for source in sources
        for place in range(len(source.originals) if stage is Stage.INTEGRITY else 1)
    ]
