"""How the criteria of actplan's judge ``correct`` were chosen, and how far it agrees with people.

    python -m benchmarks.actplan_judge --jobs 2
    python -m benchmarks.actplan_judge --jobs 2 --golds
    python -m benchmarks.actplan_judge --jobs 2 --val

There are few candidates, and one sentence can state each. They are compared on the
train activities alone, by leaving activities out: the candidate that does best on most of them is
tried on the rest. ``--val`` looks at the val activities, with the criteria that are shipped and no
others. The data pack has to be here (`houseguest data fetch actplan`).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from env_service.datasets.pack import open_pack
from env_service.suites.actplan.dataset.labelled_plans import load_labelled
from env_service.suites.actplan.dataset.published_files import PACK, PublishedProblem, load_problems
from env_service.suites.actplan.grounding.grounded_plan import Level
from env_service.suites.actplan.grounding.grounder import ground
from env_service.suites.actplan.judges.agreement import (
    OPTIONS,
    Confusion,
    count_verdicts,
    judge_split,
    measure,
)
from env_service.suites.actplan.judges.judge import (
    CRITERIA,
    POSSIBLE,
    PROFILE,
    REACHING,
    VERDICTS,
    Criteria,
    PlanToJudge,
    ViolationBound,
    conditions_of,
    execute_plan,
    judge_all,
)
from env_service.suites.actplan.overlay.understand import understand
from env_service.suites.actplan.plans.plan_reader import PlanProblem, read_plan
from env_service.suites.actplan.task import ActPlanTask
from env_service.suites.process_pool import process_pool
from env_service.worlds.activity.commonsense import ViolationKind

FOLDS = 10
MODELS = ("gpt-4v", "gemini")
LAPSES = (0, 1, 2, 999)
OTHERS: Mapping[str, tuple[ViolationBound, ...]] = {
    "no other": (),
    "possible": (POSSIBLE,),
    "all others": (ViolationBound(frozenset(ViolationKind) - REACHING.kinds, 0, "sense"),),
}


@dataclass(frozen=True)
class Case:
    """A labelled plan of a train activity, and each candidate's verdict."""

    model: str
    activity: str
    label: bool
    verdicts: tuple[bool, ...]


def candidates() -> Mapping[str, Criteria]:
    """All that are compared, by a name that says what they are; "shipped" first."""
    found = {"shipped": CRITERIA}
    levels = (Level.NAMES, Level.RELAXED, Level.COLLECTIVE)
    forms = {"form": CRITERIA.forms, "any form": frozenset[PlanProblem]()}
    for level, most, (other, bounds), (asserted, asked), (form, problems) in product(
        levels, LAPSES, OTHERS.items(), product((True, False), repeat=2), forms.items()
    ):
        said = "assertions" if asserted else "no assertions"
        goal = "as asked" if asked else "as defined"
        found[f"{level.name.lower()}, {most} lapses, {other}, {said}, {goal}, {form}"] = Criteria(
            level, (replace(REACHING, limit=most), *bounds), asserted, asked, problems
        )
    return found


def judged(task: ActPlanTask, text: str) -> tuple[bool, ...]:
    """Every candidate's verdict on one plan."""
    activity = understand(task, corrections=True)
    plan = read_plan(text)
    chosen = tuple(candidates().values())
    runs = {
        level: execute_plan(activity, ground(activity, plan, level), level, PROFILE)
        for level in {each.level for each in chosen}
    }
    return tuple(
        all(met.met for met in conditions_of(activity, plan, runs[each.level], each))
        for each in chosen
    )


def main() -> None:
    """Prints the candidates on train, the estimate for other activities, and the shipped judges."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--top", type=int, default=20, help="how many candidates are printed")
    parser.add_argument("--golds", action="store_true", help="how many gold plans judges accept")
    parser.add_argument("--val", action="store_true", help="also the shipped judges on val")
    given = parser.parse_args()
    cases = _cases(given.jobs)
    names = list(candidates())
    _tell_candidates(names, cases, given.top)
    _tell_left_out(names, cases)
    for split in ("train", "val") if given.val else ("train",):
        _tell_judges(split, given.jobs)
        if given.golds:
            _tell_golds(split, given.jobs)


def _cases(jobs: int) -> list[Case]:
    labelled = load_labelled().of(split="train")
    problems = load_problems(open_pack(PACK))
    known = [
        (model, each, problems[each.problem_id], plan)
        for each in labelled
        for model, plan in each.plans.items()
    ]
    start = time.perf_counter()
    with process_pool(jobs) as pool:
        verdicts = list(
            pool.map(
                judged,
                [_task(problem) for _, _, problem, _ in known],
                [plan.text for *_, plan in known],
                chunksize=8,
            )
        )
    print(f"{len(known)} plans of train, {time.perf_counter() - start:.0f} s")
    return [
        Case(model, each.key.activity, plan.correct, verdict)
        for (model, each, _, plan), verdict in zip(known, verdicts, strict=True)
    ]


def _task(problem: PublishedProblem) -> ActPlanTask:
    return ActPlanTask(
        id=problem.id,
        activity=problem.activity,
        variant=problem.variant,
        problem=problem.problem,
        description=problem.description,
    )


def _agreement(cases: Sequence[Case], place: int) -> dict[str, Confusion]:
    return {
        model: count_verdicts(
            [each.label for each in cases if each.model == model],
            [each.verdicts[place] for each in cases if each.model == model],
        )
        for model in MODELS
    }


def _worth(found: Mapping[str, Confusion]) -> float:
    return sum(each.mcc for each in found.values()) / len(found)


def _tell_candidates(names: Sequence[str], cases: Sequence[Case], top: int) -> None:
    rows = [(name, _agreement(cases, place)) for place, name in enumerate(names)]
    rows.sort(key=lambda row: -_worth(row[1]))
    for name, found in [row for row in rows if row[0] == "shipped"] + rows[:top]:
        told = "  ".join(
            f"{model} {each.mcc:.3f} ({each.true_positives}/{each.false_positives}"
            f"/{each.false_negatives}/{each.true_negatives})"
            for model, each in found.items()
        )
        print(f"{_worth(found):.3f}  {told}  {name}")


def _tell_left_out(names: Sequence[str], cases: Sequence[Case]) -> None:
    """The best candidate of nine tenths of the activities, on the last tenth; pooled."""
    activities = sorted({each.activity for each in cases})
    np.random.default_rng(0).shuffle(activities)
    fold = {activity: place % FOLDS for place, activity in enumerate(activities)}
    pooled: list[tuple[Case, bool]] = []
    chosen: list[str] = []
    for out in range(FOLDS):
        rest = [each for each in cases if fold[each.activity] != out]
        best = max(range(len(names)), key=lambda place: _worth(_agreement(rest, place)))
        chosen.append(names[best])
        pooled += [(each, each.verdicts[best]) for each in cases if fold[each.activity] == out]
    for model in MODELS:
        some = [(each.label, verdict) for each, verdict in pooled if each.model == model]
        found = count_verdicts(*zip(*some, strict=True))
        print(f"left out: {model} MCC {found.mcc:.3f}, accuracy {found.accuracy:.3f}")
    for name in dict.fromkeys(chosen):
        print(f"  chosen in {chosen.count(name)} of {FOLDS}: {name}")


def _tell_judges(split: str, jobs: int) -> None:
    start = time.perf_counter()
    rows = measure(list(judge_split(split, jobs)), np.random.default_rng(0))
    print(f"{split}: all judges, {time.perf_counter() - start:.0f} s")
    for row in rows:
        found = row.confusion
        print(
            f"{row.split:6}{row.model:8}{row.judge:28}MCC {found.mcc:.3f}"
            f" ({row.interval.low:.3f} to {row.interval.high:.3f})  accuracy {found.accuracy:.3f}"
            f" (constant {found.baseline:.3f})  precision {found.precision or 0:.3f}"
            f" recall {found.recall or 0:.3f}"
        )


def _tell_golds(split: str, jobs: int) -> None:
    """How many of the gold plans each judge accepts. No judge reads them to judge others."""
    problems = load_problems(open_pack(PACK))
    for name in ("gold_1", "gold_2"):
        orders = [
            PlanToJudge(_task(problems[each.problem_id]), getattr(each, name))
            for each in load_labelled().of(split=split)
            if getattr(each, name)
        ]
        judgements = list(judge_all(orders, OPTIONS, jobs))
        told = ", ".join(
            f"{judge} {sum(map(verdict, judgements)) / len(judgements):.3f}"
            for judge, verdict in VERDICTS.items()
        )
        print(f"{split}: of {len(judgements)} {name}, accepted: {told}")


if __name__ == "__main__":
    main()
