"""Whether refined commands are those of the tasks that they are read for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from env_service.domain.english import counted
from env_service.suites.alfred.dataset.refined import MEND, Record, RefinedError
from env_service.suites.alfred.dataset.trajectory import Trajectory

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Split:
    """A split's name, the ids of all its tasks, and those of the other splits by their names."""

    name: str
    ids: Collection[str]
    others: Mapping[str, Collection[str]]


def join_records(
    records: Sequence[Record], trajectories: Mapping[str, Trajectory], split: Split, source: str
) -> Mapping[str, Record]:
    """The records by task id. Each task of the split has to have one, and each record such a task;
    it has to agree with the task's trajectory, where that is among ``trajectories``.

    Raises:
        RefinedError: names the file, the record from 0, its key, and how to mend it.
    """
    for name, ids in split.others.items():
        foreign = sum(record.task_id in ids for record in records)
        if foreign:
            raise RefinedError(
                source,
                "",
                f"{foreign} of its {counted(len(records), 'record')} are of tasks of {name}, not of"
                f" {split.name}: the two splits' files were mixed up. Put each where it belongs, or"
                " fetch them anew: houseguest data fetch alfred-refined",
            )
    for index, record in enumerate(records):
        if record.task_id not in split.ids:
            raise RefinedError(
                source,
                f"[{index}].task_id",
                f"{split.name} has no task {record.task_id!r:.60}. {MEND}",
            )
        if record.task_id in trajectories:
            _check_record(record, trajectories[record.task_id], source, index)
    _check_number(records, split, source)
    return {record.task_id: record for record in records}


def _check_number(records: Sequence[Record], split: Split, source: str) -> None:
    missing = sorted(set(split.ids) - {record.task_id for record in records})
    if missing:
        more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
        raise RefinedError(
            source,
            "",
            f"has {counted(len(records), 'record')}, but {split.name} has"
            f" {counted(len(split.ids), 'task')}; there is no"
            f" record of {', '.join(missing[:_SHOWN])}{more}. {MEND}",
        )


def _check_record(record: Record, trajectory: Trajectory, source: str, index: int) -> None:
    for key, found, said in _pairs(record, trajectory):
        if found != said:
            raise RefinedError(
                source,
                f"[{index}].{key}",
                f"is {found!r:.100}, but the trajectory of {record.task_id} says {said!r:.100}."
                f" {MEND}",
            )


def _pairs(record: Record, trajectory: Trajectory) -> Iterator[tuple[str, object, object]]:
    yield "task_type", record.task_type, trajectory.goal.type.value
    yield "original", len(record.original), len(trajectory.annotations)
    pairs = zip(record.original, trajectory.annotations, strict=True)
    for place, (found, said) in enumerate(pairs):
        yield f"original[{place}]", found.strip(), said.strip()
    yield "action_sequence", record.action_sequence, trajectory.action_sequence
