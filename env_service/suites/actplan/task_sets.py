"""The suite's task sets, made on demand: the published data, a user's folder in the same layout,
and built-in activities. No task contains a gold plan, or anything made from one.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from statistics import fmean

from env_service.datasets.errors import DataPackError, DataPackMissingError
from env_service.datasets.pack import Pack, open_pack
from env_service.domain.data_node import DataError
from env_service.domain.task import Task, TaskSet
from env_service.storage.plain_files import read_plain_text
from env_service.suites import builtin_sets as builtin
from env_service.suites.actplan.dataset.labelled_plans import (
    LabelledPlans,
    load_labelled,
    split_steps,
)
from env_service.suites.actplan.dataset.published_files import (
    DESCRIPTIONS,
    GOLDS,
    LABELLED_FILE,
    PACK,
    PROBLEMS,
    SAMPLES,
    SPLIT_FILE,
    SPLITS,
    InstanceKey,
    PublishedError,
    PublishedProblem,
    Sample,
    damaged,
    description_file,
    find_samples,
    load_problems,
    problem_file,
    problem_id,
    read_plans,
    read_text,
)
from env_service.suites.actplan.overlay.understand import circumstance_of, understand
from env_service.suites.actplan.task import ActPlanTask, Circumstance, Pictures, Variant, make_task

_LOG = logging.getLogger(__name__)


class PublishedTasks:
    """The tasks that a data pack holds. Its files are read once, when they are first asked for.

    Every property raises DataPackMissingError or DataPackCorruptError where its files are not here
    or not sound.
    """

    def __init__(self, pack: Pack) -> None:
        """Loads nothing yet."""
        self._pack = pack

    @cached_property
    def problems(self) -> tuple[Task, ...]:
        """One for each problem, in no scene and without pictures: "ACTIVITY/0"."""
        return tuple(make_task(self._alone(each)) for each in self._problems.values())

    @cached_property
    def labelled(self) -> tuple[Task, ...]:
        """One for each instance whose plans people have judged."""
        return tuple(self._labelled_tasks())

    @cached_property
    def samples(self) -> tuple[Task, ...]:
        """One for each folder of a sample. One of an activity that the pack does not define is left
        out, and a warning logged."""
        return tuple(self._sample_tasks())

    @cached_property
    def _problems(self) -> Mapping[str, PublishedProblem]:
        return load_problems(self._pack)

    @cached_property
    def _plans(self) -> LabelledPlans:
        return load_labelled(self._pack)

    @cached_property
    def _samples(self) -> Mapping[str, Sample]:
        return find_samples(self._pack)

    @cached_property
    def gold_steps(self) -> Mapping[str, float]:
        """The mean number of steps of the data pack's gold plans, by task: those of the labelled
        plans, and of other samples those next to the pictures."""
        try:
            labelled = self._plans.gold_steps()
        except DataPackMissingError:
            labelled = {}
        others = (each for name, each in self._samples.items() if name not in labelled)
        beside = {each.key.id: self._sample_steps(each) for each in others}
        return {**labelled, **{name: steps for name, steps in beside.items() if steps}}

    def _labelled_tasks(self) -> Iterator[Task]:
        for each in self._plans:
            problem = self._problems.get(each.problem_id)
            if problem is None:
                why = f"is of {each.problem_id}, which has no definition with a description"
                raise damaged(PublishedError(LABELLED_FILE, f"line {each.line}", why))
            yield make_task(self._in_scene(problem, each.key))

    def _sample_tasks(self) -> Iterator[Task]:
        for sample in self._samples.values():
            key = sample.key
            problem = self._problems.get(problem_id(key.activity, key.variant))
            if problem is None:
                why = "left out of the samples: %s: no activity of that name and variant is defined"
                _LOG.warning(why, key.folder)
                continue
            self._compare(sample, problem)
            yield make_task(self._in_scene(problem, key))

    def _compare(self, sample: Sample, problem: PublishedProblem) -> None:
        """Warns where a sample's own copies are not as the pack defines the problem."""
        own = {sample.problem: problem.problem, sample.description: problem.description}
        for path, text in own.items():
            try:
                same = not path or read_text(self._pack, path).split() == text.split()
            except (PublishedError, DataPackError) as error:
                _LOG.warning("a sample's copy is not used: %s", error)
                continue
            if not same:
                _LOG.warning("%s is not used: %s is defined otherwise", path, problem.id)

    def _alone(self, problem: PublishedProblem) -> ActPlanTask:
        """A problem by itself."""
        return ActPlanTask(
            id=problem.id,
            activity=problem.activity,
            variant=problem.variant,
            problem=problem.problem,
            description=problem.description,
            circumstance=circumstance_of(problem.activity, problem.variant),
            split=problem.split,
        )

    def _in_scene(self, problem: PublishedProblem, key: InstanceKey) -> ActPlanTask:
        """A problem in a scene, with the pictures of the data pack."""
        sample = self._samples.get(key.id, Sample(key))
        return replace(
            self._alone(problem),
            id=key.id,
            scene=key.scene,
            sample=key.sample,
            pictures=Pictures(sample.pictures),
        )

    def _sample_steps(self, sample: Sample) -> float:
        """The mean number of steps of the gold plans next to a sample's pictures."""
        golds = {name: path for name, path in sample.plans.items() if name in GOLDS}
        try:
            texts = read_plans(self._pack, replace(sample, plans=golds))
        except DataPackError as error:
            _LOG.warning("the length of its gold plans is not known: %s", error)
            return 0.0
        return fmean(len(split_steps(text)) for text in texts.values()) if texts else 0.0


# --- Activities of a folder of the user's, in the published layout (docs/actplan.md, Task sets)

CIRCUMSTANCES = "circumstances.jsonl"
"""Of which kind each counterfactual is; may be missing. A line is an object with "activity" and
"kind", a value of `Circumstance`."""

_OWN = "own"


class OwnTasksError(DataError):
    """A folder of activities cannot be used: which file, where in it, and why."""


def read_own_tasks(root: Path) -> tuple[Task, ...]:
    """A task for each problem with a description below a folder, by name, the normal one first.

    Their activities are called "own/NAME", and a task "own/NAME/0": what is known of a published
    activity of the same name does not hold for them.

    A broken definition is a task without a solution. A definition without a description is left
    out, with a warning.

    Raises:
        OwnTasksError: a file cannot be read, a description has no problem, or there is none.
    """
    if not root.is_dir():
        raise OwnTasksError(str(root), "", "is not a folder")
    kinds = _kinds(root)
    found = [_task(root, *each, kinds) for each in _problems(root)]
    if not found:
        raise OwnTasksError(str(root), "", f"has no file {DESCRIPTIONS}")
    for each in found:
        _warn_of_defects(each)
    _warn_of_undescribed(root)
    return tuple(make_task(each) for each in found)


def _problems(root: Path) -> Iterator[tuple[str, Variant]]:
    """The activities and variants that have a description, in order."""
    names = sorted({path.parent.name for path in root.glob(DESCRIPTIONS)})
    for name in names:
        for variant in Variant:
            if (root / description_file(name, variant)).is_file():
                yield name, variant


def _task(
    root: Path, name: str, variant: Variant, kinds: Mapping[str, Circumstance]
) -> ActPlanTask:
    activity = f"{_OWN}/{name}"
    counterfactual = variant is Variant.COUNTERFACTUAL
    return ActPlanTask(
        id=problem_id(activity, variant),
        activity=activity,
        variant=variant,
        problem=_text(root / problem_file(name, variant)),
        description=_text(root / description_file(name, variant)).strip(),
        circumstance=kinds.get(name, Circumstance.NONE) if counterfactual else Circumstance.NONE,
    )


def _warn_of_defects(task: ActPlanTask) -> None:
    for defect in understand(task, corrections=False).defects:
        _LOG.warning("%s: no plan will be correct: `houseguest actplan lint` says more", defect)


def _warn_of_undescribed(root: Path) -> None:
    for path in sorted(root.glob(PROBLEMS)):
        wanted = path.with_name(f"task_description_{path.stem[-1]}.txt")
        if not wanted.is_file():
            _LOG.warning(
                "%s is left out, as it has no %s: `houseguest actplan make describe` writes one",
                *(path, wanted.name),
            )


def _kinds(root: Path) -> Mapping[str, Circumstance]:
    path = root / CIRCUMSTANCES
    if not path.exists():
        return {}
    kinds = {}
    for number, line in enumerate(_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            kinds[str(value["activity"])] = Circumstance(value["kind"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            known = ", ".join(each.value for each in Circumstance)
            why = f'is not an object with "activity" and a "kind" of {known} ({error})'
            raise OwnTasksError(str(path), f"line {number}", why) from error
    return kinds


def _text(path: Path) -> str:
    try:
        text = read_plain_text(path, encoding="utf-8-sig")
    except OSError as error:
        raise OwnTasksError(str(path), "", f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise OwnTasksError(str(path), "", f"cannot be read: {error}") from error
    if not text.strip():
        raise OwnTasksError(str(path), "", "is empty")
    return text


# --- Task sets by name


_BUILTIN = "env_service.suites.actplan.builtin.task_set"
"""Imported when it is asked for: published tasks need none of its rooms."""

PROBLEM_SET, LABELLED_SET, PICTURED, ARCHIVE = "problems", "labelled", "pictured", "archive"

FOLDER = "folder:"
"""Prefix of the path of a folder with the user's activities, in the published layout."""

_PARTS = (*(each.value for each in Variant), *SPLITS)
PUBLISHED_SETS: tuple[str, ...] = (
    PROBLEM_SET,
    *(f"{PROBLEM_SET}/{part}" for part in _PARTS),
    LABELLED_SET,
    *(f"{LABELLED_SET}/{part}" for part in _PARTS),
    PICTURED,
    ARCHIVE,
)
"""Of published tasks; the first is the default."""

_DESCRIPTIONS: Mapping[str, str] = {
    PROBLEM_SET: "ActPlan-1K's problems, each once: no scene, no pictures",
    LABELLED_SET: "Instances, a problem in a scene each, of which people have judged models' plans",
    PICTURED: "Samples of instances with pictures in the data pack",
    ARCHIVE: "All samples of instances in the data pack, with pictures or without",
}

_DEFINED = (DESCRIPTIONS, PROBLEMS, SPLIT_FILE, LABELLED_FILE)


class ActPlanTaskSets(Mapping[str, TaskSet]):
    """Task sets by name. Published names are always listed; their tasks need the data pack.
    Built-in sets of other sizes and seeds, and folders of the user's activities (``folder:PATH``),
    can be asked for, but are not listed.

    Taking a set out raises DataPackError where its files are not here or not sound, or hold no task
    of it; ValueError for a malformed name of a built-in set.
    """

    def __init__(self) -> None:
        """Loads nothing yet."""
        self._made: dict[str, TaskSet] = {}

    def __getitem__(self, name: str) -> TaskSet:
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter((*PUBLISHED_SETS, builtin.NAME))

    def __len__(self) -> int:
        return len(PUBLISHED_SETS) + 1

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        return name in PUBLISHED_SETS or builtin.is_builtin(name) or name.startswith(FOLDER)

    def _make(self, name: str) -> TaskSet:
        if name in PUBLISHED_SETS:
            return self._published(name)
        if name.startswith(FOLDER):
            return _of_folder(name)
        made = _builtin(name) if builtin.is_builtin(name) else None
        if made is None:
            raise KeyError(name)
        return made

    def _published(self, name: str) -> TaskSet:
        kind, _, part = name.partition("/")
        tasks = tuple(task for task in self._of(kind) if part in ("", *_parts_of(task)))
        if not tasks:
            raise _nothing(name)
        description = f"{_DESCRIPTIONS[kind]}; {part} alone." if part else f"{_DESCRIPTIONS[kind]}."
        return TaskSet(name, description, tasks)

    def _of(self, kind: str) -> tuple[Task, ...]:
        if kind == PROBLEM_SET:
            return self._tasks.problems
        if kind == LABELLED_SET:
            return self._tasks.labelled
        samples = self._tasks.samples
        return samples if kind == ARCHIVE else tuple(filter(_has_pictures, samples))

    @cached_property
    def _tasks(self) -> PublishedTasks:
        return PublishedTasks(open_pack(PACK))


def gold_steps(task_set: str) -> Mapping[str, float]:
    """The mean number of steps of the data pack's gold plans, by the tasks of a task set and
    others; empty without any, as for all that were not published.

    It does not belong to a task: a task is the same with and without gold plans.
    """
    if task_set not in PUBLISHED_SETS:
        return {}
    try:
        return PublishedTasks(open_pack(PACK)).gold_steps
    except DataPackError as error:
        _LOG.warning("the lengths of gold plans are not known: %s", error)
        return {}


def data_patterns(task_set: str) -> Mapping[str, tuple[str, ...]]:
    """What of which data pack a task set reads, for `Suite.data`; empty for built-in ones."""
    if task_set not in PUBLISHED_SETS:
        return {}
    in_scenes = not task_set.startswith(PROBLEM_SET)
    return {PACK: (*_DEFINED, SAMPLES) if in_scenes else _DEFINED}


def _builtin(name: str) -> TaskSet | None:
    make: Callable[[str], TaskSet | None] = import_module(_BUILTIN).builtin_task_set
    return make(name)


def _of_folder(name: str) -> TaskSet:
    try:
        tasks = read_own_tasks(Path(name.removeprefix(FOLDER)))
    except OwnTasksError as error:
        raise DataPackError(str(error)) from error
    return TaskSet(name, "Activities of a folder of one's own.", tasks)


def _parts_of(task: Task) -> tuple[str, str]:
    return task.group, task.data["split"]


def _has_pictures(task: Task) -> bool:
    return bool(task.data["pictures"]["files"])


def _nothing(name: str) -> DataPackError:
    """Why a set is empty: upstream's is not."""
    if name in (PICTURED, ARCHIVE):
        return open_pack(PACK).missing(["annotation/*/*/*/sample_*/*.png"])
    return DataPackError(
        f"data pack {PACK!r} holds no task of {name!r}: {LABELLED_FILE} is not as upstream has it,"
        f" or not all of it. Get it: houseguest data fetch {PACK}"
    )
