"""What a refinement came to: the records that are whole, the counts, and how they were made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from env_service.suites.alfred.dataset.refined_commands import RefinedRecord
from env_service.suites.alfred.refine.pipeline import Entry, Key, WorkPlan, text_of
from env_service.suites.alfred.refine.sources import WORDINGS, Source, Stage, record_of


@dataclass(frozen=True, slots=True)
class Count:
    """Of one stage: what is done, what of it has findings that no person has looked at, what gave
    nothing usable, and how many there are."""

    done: int
    flagged: int
    failed: int
    total: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """The records of all tasks that have all five texts, and for each other one of the plan's the
    stages that it lacks."""

    records: tuple[RefinedRecord, ...]
    lacking: Mapping[str, tuple[Stage, ...]]


def outcome(plan: WorkPlan, every: Sequence[Source], known: Mapping[Key, Entry]) -> Outcome:
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
    return Outcome(tuple(records), lacking)


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
