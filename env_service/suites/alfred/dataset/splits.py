"""The tasks of one split, from the two data packs: ALFRED's list of annotations, and which
tasks the subsets hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from env_service.datasets.errors import DataPackCorruptError, DataPackMissingError
from env_service.datasets.pack import Pack
from env_service.datasets.registry import definition
from env_service.domain.data_node import DataError, load_json
from env_service.domain.task import Task
from env_service.suites.alfred.dataset.refined_commands import (
    RefinedError,
    RefinedRecord,
    Split,
    join_records,
    read_records,
)
from env_service.suites.alfred.dataset.trajectories import (
    Trajectory,
    TrajectoryError,
    check_name,
    read_trajectory,
    skills_of,
)
from env_service.suites.alfred.task import AlfredTask, TaskType, make_task

# --- The tasks of one split, from the two data packs

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
        without_commands: why refined commands are missing; empty if they are present.
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
    """The tasks of a split, with refined commands if their file is present.

    Trajectories that cannot be read are left out and reported in ``problems``.

    Raises:
        DataPackMissingError: trajectories of the split are missing.
        DataPackCorruptError: a file is damaged, or the refined commands belong to another split.
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
            f"data pack {PACK!r} is damaged: {error}. Download it again with houseguest data"
            f" fetch {PACK}, or import an intact copy."
        ) from error


def as_task(trajectory: Trajectory, record: RefinedRecord | None = None) -> AlfredTask:
    """A trajectory as a task: with the trajectory's plan as reference, and a record's commands."""
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
) -> tuple[Mapping[str, RefinedRecord], str]:
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


class SplitsError(DataError):
    """The list cannot be read."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One annotation of a task.

    Attributes:
        name: the task's, "pick_and_place_simple-SoapBar-None-Cart-401"; empty in the test splits.
        trial: the trial's id.
        annotation: which of the trial's annotations, from 0.
    """

    name: str
    trial: str
    annotation: int


def read_split(text: str | bytes, split: str, source: str) -> tuple[Entry, ...]:
    """The annotations of a split ("train", "valid_seen", …), in the order of the list.

    Raises:
        SplitsError: it cannot be read, or has no such split.
    """
    found = []
    for node in load_json(text, source, SplitsError)[split].items():
        name, _, trial = node["task"].text().rpartition("/")
        found.append(Entry(name, trial, node["repeat_idx"].whole()))
    return tuple(found)


# --- Which tasks the subsets hold. They are drawn from names alone, so that a task whose file
# cannot be read changes nothing for the others (docs/alfred.md, "Task")

HALF_SEED = 1
"""Of the stratified half. Which half the paper took is not known: this one is ours."""

SAMPLE_SEED, SAMPLE_PERCENT = 1, 30
"""LoTa-Bench's ``random_seed_for_eval_subset``, and the portion that the paper's logs are of
(docs/alfred.md, "Task")."""

_LEFT_OUT = TaskType.TWO.value


def lota_tasks(folders: Sequence[str]) -> tuple[str, ...]:
    """Those that LoTa-Bench plays: not the tasks with two objects. A folder is "NAME/TRIAL"."""
    return tuple(folder for folder in folders if _LEFT_OUT not in folder)


def half_of(folders: Sequence[str], seed: int = HALF_SEED) -> frozenset[str]:
    """Half of some tasks, rounded down, with each task type's share: types in ALFRED's order
    (`TaskType`) get half of theirs rounded down, and the first with an odd number one more until
    the half is full. Each type's are drawn from its folders in alphabetical order."""
    generator = Random(seed)  # noqa: S311 - no secret
    strata = {kind: _of_type(folders, kind) for kind in TaskType}
    return frozenset(
        folder
        for kind, share in _shares(strata).items()
        for folder in generator.sample(strata[kind], share)
    )


def lota_sample(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The draw of LoTa-Bench's evaluation: 30 %, rounded down, of the annotations of its tasks, in
    the order in which they are drawn. The same as ``random.seed(1); random.sample(entries, n)``."""
    listed = [entry for entry in entries if _LEFT_OUT not in entry.name]
    number = len(listed) * SAMPLE_PERCENT // 100
    generator = Random(SAMPLE_SEED)  # noqa: S311 - no secret
    return tuple(generator.sample(listed, number))


def _of_type(folders: Sequence[str], kind: TaskType) -> list[str]:
    return sorted(folder for folder in folders if folder.startswith(f"{kind.value}-"))


def _shares(strata: Mapping[TaskType, Sequence[str]]) -> dict[TaskType, int]:
    shares = {kind: len(stratum) // 2 for kind, stratum in strata.items()}
    left = sum(map(len, strata.values())) // 2 - sum(shares.values())
    odd = [kind for kind, stratum in strata.items() if len(stratum) % 2]
    return {kind: share + (kind in odd[:left]) for kind, share in shares.items()}
