"""Tasks of the published data. No plan of anybody's goes into them, nor anything made from one."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from statistics import fmean

from env_service.datasets.errors import DataPackError, DataPackMissingError
from env_service.datasets.pack import Pack
from env_service.domain.task import Task
from env_service.suites.actplan.dataset.labelled import LabelledPlans, load_labelled
from env_service.suites.actplan.dataset.layout import LABELLED_FILE, InstanceKey, problem_id
from env_service.suites.actplan.dataset.problems import PublishedProblem, load_problems
from env_service.suites.actplan.dataset.reading import PublishedError, damaged, read_text
from env_service.suites.actplan.dataset.samples import GOLDS, Sample, find_samples, read_plans
from env_service.suites.actplan.dataset.steps import split_steps
from env_service.suites.actplan.overlay.circumstances import circumstance_of
from env_service.suites.actplan.task import ActPlanTask, Pictures, make_task

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
