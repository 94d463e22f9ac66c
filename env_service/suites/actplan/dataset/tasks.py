"""Tasks of the published data, and of a folder of the user's in the same layout. No plan of
anybody's goes into them, nor anything made from one.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from statistics import fmean

from env_service.datasets.errors import DataPackError, DataPackMissingError
from env_service.datasets.pack import Pack
from env_service.domain.data_node import DataError
from env_service.domain.task import Task
from env_service.storage.plain_files import read_plain_text
from env_service.suites.actplan.dataset.labelled_plans import (
    LabelledPlans,
    load_labelled,
    split_steps,
)
from env_service.suites.actplan.dataset.published_files import (
    DESCRIPTIONS,
    GOLDS,
    LABELLED_FILE,
    PROBLEMS,
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
from env_service.suites.actplan.overlay.counterfactuals import circumstance_of
from env_service.suites.actplan.overlay.understand import understand
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
        """The mean number of steps of the gold plans that are here, by task: those of the labelled
        plans, and of other samples those that lie beside the pictures."""
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
        """A problem in a scene, with the pictures that are here."""
        sample = self._samples.get(key.id, Sample(key))
        return replace(
            self._alone(problem),
            id=key.id,
            scene=key.scene,
            sample=key.sample,
            pictures=Pictures(sample.pictures),
        )

    def _sample_steps(self, sample: Sample) -> float:
        """The mean number of steps of the gold plans that lie beside a sample's pictures."""
        golds = {name: path for name, path in sample.plans.items() if name in GOLDS}
        try:
            texts = read_plans(self._pack, replace(sample, plans=golds))
        except DataPackError as error:
            _LOG.warning("the length of its gold plans is not known: %s", error)
            return 0.0
        return fmean(len(split_steps(text)) for text in texts.values()) if texts else 0.0


# --- Activities of a folder of the user's, in the published layout (docs/actplan.md, Tasks)

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

    A definition that is broken is a task that nobody solves, and one without a description is no
    task: a warning says so.

    Raises:
        OwnTasksError: a file cannot be read, a description has no problem, or there is none.
    """
    if not root.is_dir():
        raise OwnTasksError(str(root), "", "is no folder")
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
                "%s is no task, as it has no %s: `houseguest actplan make describe` writes one",
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
            why = f'is no object with "activity" and a "kind" of {known} ({error})'
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
