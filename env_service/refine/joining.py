"""Whether a file of refined commands is that of a task set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from env_service.domain.english import counted
from env_service.refine.errors import SourceError
from env_service.refine.loading import load_task_set
from env_service.refine.source import Source

_SHOWN = 3


def join(path: Path, sources: Sequence[Source], task_set: str) -> tuple[Source, ...]:
    """The file's tasks with their goals as the task set has them.

    Raises:
        SourceError: the file lacks a task, has one more, or says otherwise what a task's action
            sequence, type or original commands are. It names the record, from 0, and the key.
    """
    wanted = {source.id: source for source in load_task_set(task_set)}
    for place, source in enumerate(sources):
        if source.id not in wanted:
            raise SourceError(
                f"{path}: [{place}].task_id: {task_set} has no task {source.id!r:.60}"
            )
        _compare(f"{path}: [{place}]", source, wanted[source.id])
    lacking = sorted(set(wanted) - {source.id for source in sources})
    if lacking:
        more = f" and {len(lacking) - _SHOWN} more" if len(lacking) > _SHOWN else ""
        raise SourceError(
            f"{path}: has {counted(len(sources), 'record')}, but {task_set} has"
            f" {counted(len(wanted), 'task')}; there is"
            f" none of {', '.join(lacking[:_SHOWN])}{more}"
        )
    return tuple(replace(source, goal=wanted[source.id].goal) for source in sources)


def _compare(where: str, found: Source, wanted: Source) -> None:
    pairs = (
        ("task_type", found.goal.type.value, wanted.goal.type.value),
        ("action_sequence", found.action_sequence, wanted.action_sequence),
        ("original", len(found.originals), len(wanted.originals)),
        ("original", _stripped(found.originals), _stripped(wanted.originals)),
    )
    for key, ours, theirs in pairs:
        if ours != theirs:
            raise SourceError(
                f"{where}.{key}: is {ours!r:.100}, but the task {found.id} has {theirs!r:.100}"
            )


def _stripped(texts: Sequence[str]) -> list[str]:
    return [text.strip() for text in texts]
