"""The tasks of one split, from the two data packs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from env_service.datasets.errors import DataPackCorruptError, DataPackMissingError
from env_service.datasets.pack import Pack
from env_service.datasets.registry import definition
from env_service.domain.task import Task
from env_service.suites.alfred.dataset.agreement import check_name
from env_service.suites.alfred.dataset.conversion import skills_of
from env_service.suites.alfred.dataset.joining import Split, join_records
from env_service.suites.alfred.dataset.refined import Record, RefinedError, read_records
from env_service.suites.alfred.dataset.splits import Entry, SplitsError, read_split
from env_service.suites.alfred.dataset.trajectory import (
    Trajectory,
    TrajectoryError,
    read_trajectory,
)
from env_service.suites.alfred.task import AlfredTask, make_task
from env_service.suites.json_node import DataError

PACK, REFINED_PACK = "alfred", "alfred-refined"

SPLITS = ("valid_seen", "valid_unseen")
"""Those whose trajectories the pack has."""

SPLITS_FILE = "data/splits/oct21.json"
_FOLDER = "data/json_2.1.0"
_FILE = "traj_data.json"


@dataclass(frozen=True, slots=True)
class SplitTasks:
    """A split's tasks.

    Attributes:
        folders: "NAME/TRIAL" of each task that the split has, sound or not, in alphabetical order.
        tasks: by folder, in that order; those that could be read.
        problems: what was wrong with the others.
        without_commands: why there are no refined commands; empty where there are.
    """

    folders: tuple[str, ...]
    tasks: Mapping[str, Task]
    problems: tuple[DataError, ...]
    without_commands: str = ""


def trajectory_files(split: str) -> str:
    """The pattern of a split's trajectories in the pack."""
    return f"{_FOLDER}/{split}/*/*/{_FILE}"


def refined_file(split: str) -> str:
    """Where the pack of refined commands has those of a split."""
    return f"refined_{split}_commands.json"


def load_split(pack: Pack, refined: Pack, split: str) -> SplitTasks:
    """The tasks of a split, with refined commands where their file is here.

    A trajectory that cannot be read is left out and told of; all others are there.

    Raises:
        DataPackMissingError: trajectories of the split are not here.
        DataPackCorruptError: a file is damaged, or the refined commands are not this split's.
    """
    files = {_folder(path): path for path in pack.require([trajectory_files(split)])}
    found: dict[str, Trajectory] = {}
    problems: list[DataError] = []
    for folder, path in files.items():
        try:
            found[folder] = _trajectory(pack, folder, path)
        except DataError as error:
            problems.append(error)
    records, missing = _records(refined, split, tuple(files), found)
    tasks = {
        folder: make_task(as_task(trajectory, records.get(trajectory.task_id)))
        for folder, trajectory in found.items()
    }
    return SplitTasks(tuple(files), tasks, tuple(problems), missing)


def load_entries(pack: Pack, split: str) -> tuple[Entry, ...]:
    """The annotations of a split, as LoTa-Bench lists them. Raises DataPackError."""
    try:
        return read_split(pack.path(SPLITS_FILE).read_bytes(), split, SPLITS_FILE)
    except SplitsError as error:
        raise DataPackCorruptError(
            f"data pack {PACK!r} is damaged: {error}. Mend it: houseguest data fetch {PACK}; or"
            " import a sound copy."
        ) from error


def as_task(trajectory: Trajectory, record: Record | None = None) -> AlfredTask:
    """A trajectory as a task: with its own plan as reference, and a record's commands."""
    return AlfredTask(
        id=trajectory.task_id,
        goal=trajectory.goal,
        setup=trajectory.setup,
        commands={} if record is None else record.commands,
        originals=trajectory.annotations,
        reference=skills_of(trajectory),
    )


def _folder(path: str) -> str:
    return "/".join(path.split("/")[-3:-1])


def _trajectory(pack: Pack, folder: str, path: str) -> Trajectory:
    file = pack.path(path)
    try:
        text = file.read_bytes()
    except OSError as error:
        raise TrajectoryError(path, "", f"cannot be read: {error.strerror}") from error
    trajectory = read_trajectory(text, path)
    check_name(trajectory, folder, path)
    return trajectory


def _records(
    pack: Pack, split: str, folders: Sequence[str], found: Mapping[str, Trajectory]
) -> tuple[Mapping[str, Record], str]:
    """The records by task id, and why there are none."""
    source = refined_file(split)
    try:
        text = pack.path(source).read_bytes()
    except DataPackMissingError as error:
        return {}, str(error)
    try:
        records = read_records(text, source)
        by_id = {trajectory.task_id: trajectory for trajectory in found.values()}
        return join_records(records, by_id, _known(split, folders), source), ""
    except RefinedError as error:
        raise DataPackCorruptError(f"data pack {REFINED_PACK!r} cannot be used: {error}") from error


def _known(split: str, folders: Sequence[str]) -> Split:
    others = {name: frozenset(_pinned_ids(name)) for name in SPLITS if name != split}
    return Split(split, frozenset(map(_trial, folders)), others)


def _pinned_ids(split: str) -> Iterator[str]:
    within = f"{_FOLDER}/{split}/"
    return (_trial(_folder(path)) for path in definition(PACK).files if path.startswith(within))


def _trial(folder: str) -> str:
    return folder.partition("/")[2]
