"""Gathers cases: the published models' plans, or plans that a user has, beside gold plans."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from env_service.datasets.errors import DataPackMissingError
from env_service.datasets.pack import Pack, open_pack
from env_service.suites.actplan.dataset.labelled import load_labelled
from env_service.suites.actplan.dataset.layout import PACK, InstanceKey, problem_id
from env_service.suites.actplan.dataset.samples import GOLDS, find_samples, read_plans
from env_service.suites.actplan.judges.plan_files import GivenPlan
from env_service.suites.actplan.lcs.cases import GOLD_1, GOLD_2, Case

_INSTANCE = re.compile(r"(?:.*/)?(?P<id>[^/]+/[^/]+/[01]/sample_\d+)")


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance with all plans for it that are here.

    Attributes:
        golds: texts by `GOLD_1` and `GOLD_2`; none where there are none.
        plans: models' plans by the model's name.
        labels: by the model's name, whether people found its plan correct; where they were asked.
    """

    key: InstanceKey
    golds: Mapping[str, str]
    plans: Mapping[str, str]
    labels: Mapping[str, bool]

    def case(self, model: str, plan: str) -> Case:
        """A plan of a model for this instance, which need not be one of `plans`."""
        label = self.labels.get(model) if self.plans.get(model) == plan else None
        key = self.key
        return Case(key.id, key.activity, key.variant, model, plan, self.golds, label)


def load_instances(pack: Pack | None = None) -> tuple[Instance, ...]:
    """All instances that the data pack has plans for. Where both have the same plan, the text of a
    sample's file goes before that of the labelled pairs, which lost its line ends.

    Raises DataPackMissingError where neither are here, and DataPackCorruptError.
    """
    pack = pack or open_pack(PACK)
    files = dict(_sampled(pack))
    try:
        found = {each.key.id: each for each in _labelled(pack)}
    except DataPackMissingError:
        if not files:
            raise
        found = {}
    for name, sample in files.items():
        known = found.get(name, replace(sample, golds={}, plans={}))
        golds, plans = {**known.golds, **sample.golds}, {**known.plans, **sample.plans}
        found[name] = replace(known, golds=golds, plans=plans)
    return tuple(sorted(found.values(), key=lambda each: each.key.order))


def published_cases(instances: Iterable[Instance]) -> Iterator[Case]:
    """Every plan of every model."""
    for instance in instances:
        for model, plan in instance.plans.items():
            yield instance.case(model, plan)


class Golds:
    """The instances that have gold plans, by task."""

    def __init__(self, instances: Iterable[Instance]) -> None:
        """Leaves those without gold plans out."""
        self._by_id: dict[str, Instance] = {}
        self._by_problem: dict[str, list[Instance]] = defaultdict(list)
        for each in instances:
            if each.golds:
                self._by_id[each.key.id] = each
                self._by_problem[problem_id(each.key.activity, each.key.variant)].append(each)

    def of(self, task: str, problem: str) -> Sequence[Instance]:
        """The instance that a task is; all of its problem, where it is a problem by itself."""
        named = _INSTANCE.fullmatch(task)
        if named is None:
            return self._by_problem.get(problem, [])
        known = self._by_id.get(named["id"])
        return [known] if known else []


@dataclass(frozen=True, slots=True)
class GivenCases:
    """``without``: the tasks of plans whose instance or problem has no gold plan here."""

    cases: tuple[Case, ...]
    without: tuple[str, ...]


def given_cases(
    plans: Iterable[GivenPlan], model: str, instances: Iterable[Instance]
) -> GivenCases:
    """Cases of a user's plans. A plan for an instance is compared with the golds of that one; a
    plan for a problem makes a case with each instance of the problem, as the paper counts them."""
    golds = Golds(instances)
    cases: list[Case] = []
    without: list[str] = []
    for plan in plans:
        found = golds.of(plan.task, plan.problem)
        cases += [each.case(model, plan.text) for each in found]
        without += [] if found else [plan.task]
    return GivenCases(tuple(cases), tuple(without))


def _labelled(pack: Pack) -> Iterator[Instance]:
    for each in load_labelled(pack):
        golds = {GOLD_1: each.gold_1, GOLD_2: each.gold_2}
        yield Instance(
            each.key,
            {name: text for name, text in golds.items() if text},
            {model: plan.text for model, plan in each.plans.items()},
            {model: plan.correct for model, plan in each.plans.items()},
        )


def _sampled(pack: Pack) -> Iterator[tuple[str, Instance]]:
    for instance, sample in find_samples(pack).items():
        plans = read_plans(pack, sample)
        golds = {name: text for name, text in plans.items() if name in GOLDS}
        models = {name: text for name, text in plans.items() if name not in GOLDS}
        yield instance, Instance(sample.key, golds, models, {})
