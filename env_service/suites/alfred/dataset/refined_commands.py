"""The files of refined commands: their nine keys, and whether they belong to the tasks that
they are read for.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from env_service.domain.data_node import DataError, DataNode, load_json
from env_service.domain.names import nearest
from env_service.domain.text import counted
from env_service.suites.alfred.dataset.trajectories import TASK_TYPES, Trajectory

MEND = (
    "Mend the file, fetch it anew (houseguest data fetch alfred-refined), or have it written by"
    " houseguest refine alfred"
)


class RefinedError(DataError):
    """A file of refined commands cannot be read, or belongs to other tasks."""


@dataclass(frozen=True, slots=True)
class RefinedRecord:
    """One task's commands.

    Attributes:
        task_id: the trial's id.
        task_type: one of the seven, by ALFRED's name.
        action_sequence: the high-level plan as text (`trajectory.action_sequence`).
        original: the crowd's commands, in the order of the annotations.
        base, paraphrase_1, paraphrase_2, contextual, korean: the refined ones: B, P1, P2, C, K.
    """

    task_id: str
    task_type: str
    action_sequence: str
    base: str
    original: tuple[str, ...]
    paraphrase_1: str
    paraphrase_2: str
    contextual: str
    korean: str

    @property
    def commands(self) -> dict[str, str]:
        """The refined commands by wording, as `AlfredTask.commands` has them."""
        return {wording: str(getattr(self, name)) for wording, name in _BY_WORDING.items()}


_BY_WORDING: Mapping[str, str] = {
    "B": "base",
    "P1": "paraphrase_1",
    "P2": "paraphrase_2",
    "C": "contextual",
    "K": "korean",
}

KEYS: Mapping[str, str] = {
    "task_id": "task_id",
    "task_type": "task_type",
    "action_sequence": "action_sequence",
    "refined": "base",
    "original": "original",
    "paraphras1_command": "paraphrase_1",
    "paraphras2_command": "paraphrase_2",
    "contextual_command": "contextual",
    "korean_command": "korean",
}
"""The keys of a record, in their order and as they are spelt, and what `Record` calls them."""


def read_records(text: str | bytes, source: str) -> tuple[RefinedRecord, ...]:
    """The records of a file; ``source`` is its name in errors.

    Raises:
        RefinedError: the file is not a JSON list; a record lacks a key, has an unknown key or an
            empty text; or two records are for one task. It names the record, from 0, and the key.
    """
    records: dict[str, RefinedRecord] = {}
    for node in _items(text, source):
        record = _record(node)
        if record.task_id in records:
            first = list(records).index(record.task_id)
            raise node["task_id"].error(
                f"is {record.task_id!r:.60}, as that of record [{first}]: a task has one record."
                f" {MEND}"
            )
        records[record.task_id] = record
    return tuple(records.values())


def write_records(records: Iterable[RefinedRecord]) -> str:
    """The text of a file that holds these records: what was read from a published file is written
    byte for byte as it was."""
    listed = [{key: getattr(record, name) for key, name in KEYS.items()} for record in records]
    return json.dumps(listed, ensure_ascii=False, indent=2) + "\n"


def _items(text: str | bytes, source: str) -> list[DataNode]:
    try:
        return load_json(text, source, RefinedError).items()
    except RefinedError as error:
        raise RefinedError(error.source, error.where, f"{error.problem}. {MEND}") from error


def _record(node: DataNode) -> RefinedRecord:
    _check_keys(node)
    node["task_type"].one_of("task type", TASK_TYPES)
    fields = {name: _text(node[key]) for key, name in KEYS.items() if key != "original"}
    original = node["original"].items()
    if not original:
        raise node["original"].error(f"is an empty list; it has to have a command. {MEND}")
    return RefinedRecord(original=tuple(_text(each) for each in original), **fields)


def _check_keys(node: DataNode) -> None:
    held = node.mapping()
    who = f" ({held['task_id']})" if isinstance(held.get("task_id"), str) else ""
    extra = [key for key in held if key not in KEYS]
    for key in KEYS:
        if key not in held:
            close = nearest(key, extra)
            guess = f"; it has {close!r}, which is spelt otherwise" if close else ""
            raise node.error(f"the record{who} lacks the key {key!r}{guess}. {MEND}")
    if extra:
        raise node.error(
            f"the record{who} has the key {extra[0]!r:.60}, which the format has not; it has"
            f" {', '.join(KEYS)}. {MEND}"
        )


def _text(node: DataNode) -> str:
    try:
        return node.text()
    except DataError as error:
        raise node.error(f"{error.problem}. {MEND}") from error


# --- Whether refined commands are those of the tasks that they are read for

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Split:
    """A split's name, the ids of all its tasks, and those of the other splits by their names."""

    name: str
    ids: Collection[str]
    others: Mapping[str, Collection[str]]


def join_records(
    records: Sequence[RefinedRecord],
    trajectories: Mapping[str, Trajectory],
    split: Split,
    source: str,
) -> Mapping[str, RefinedRecord]:
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


def _check_number(records: Sequence[RefinedRecord], split: Split, source: str) -> None:
    missing = sorted(set(split.ids) - {record.task_id for record in records})
    if missing:
        more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
        raise RefinedError(
            source,
            "",
            f"has {counted(len(records), 'record')}, but {split.name} has"
            f" {counted(len(split.ids), 'task')}; no record"
            f" for {', '.join(missing[:_SHOWN])}{more}. {MEND}",
        )


def _check_record(record: RefinedRecord, trajectory: Trajectory, source: str, index: int) -> None:
    for key, found, said in _pairs(record, trajectory):
        if found != said:
            raise RefinedError(
                source,
                f"[{index}].{key}",
                f"is {found!r:.100}, but the trajectory of {record.task_id} says {said!r:.100}."
                f" {MEND}",
            )


def _pairs(record: RefinedRecord, trajectory: Trajectory) -> Iterator[tuple[str, object, object]]:
    yield "task_type", record.task_type, trajectory.goal.type.value
    yield "original", len(record.original), len(trajectory.annotations)
    pairs = zip(record.original, trajectory.annotations, strict=True)
    for place, (found, said) in enumerate(pairs):
        yield f"original[{place}]", found.strip(), said.strip()
    yield "action_sequence", record.action_sequence, trajectory.action_sequence
