"""Goes through the stages: what is left to do, in batches, several at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from env_service.refine.asking import Item
from env_service.refine.entries import PERSON, Entry, Key
from env_service.refine.source import Source
from env_service.refine.stages import REWORDING, Stage

BATCH = 20
"""Commands in one request, where a stage takes several."""

Batch = tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Plan:
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


def batches(plan: Plan, stage: Stage, known: Mapping[Key, Entry]) -> list[Batch]:
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


def _items(plan: Plan, stage: Stage, known: Mapping[Key, Entry]) -> Iterator[Item]:
    for source in plan.sources:
        if stage is Stage.INTEGRITY:
            for place, text in enumerate(source.originals):
                yield Item(source, stage, text, place)
        elif stage is Stage.BASE:
            yield Item(source, stage)
        else:
            of = plan.korean_of if stage is Stage.KOREAN else Stage.BASE
            yield Item(source, stage, text_of(source, of, known))


def _left(plan: Plan, item: Item, known: Mapping[Key, Entry]) -> bool:
    if item.stage in REWORDING and not item.text:
        return False
    entry = known.get((item.source.id, item.stage, item.place))
    if entry is None or not entry.done:
        return True
    if entry.by == PERSON:
        return False
    return entry.made_of != item.text or (plan.again and entry.flagged)
