"""From a normal problem to a counterfactual that passes its checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from random import Random

from env_service.making.asking import CounterfactualQuestion
from env_service.making.checking import Checker, Pair, Report
from env_service.making.describing import describe
from env_service.making.made import Made
from env_service.making.rules.shelf import RULES, drafts
from env_service.making.sources import SourceActivity
from env_service.making.stated import Stated
from env_service.suites.actplan.task import Circumstance
from env_service.worlds.activity.bddl.reading import read_problem
from env_service.worlds.activity.bddl.writing import write_problem

Ask = Callable[[CounterfactualQuestion], Made]
"""Puts a question to a model. Raises ModelError."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One counterfactual that was tried. ``made``: what the model said, where one was asked;
    ``text``: its BDDL, empty where nothing usable came; ``problem``: why."""

    stated: Stated
    text: str
    report: Report | None
    made: Made | None = None
    problem: str = ""

    @property
    def sound(self) -> bool:
        """Whether it passed all its checks."""
        return self.report is not None and self.report.sound

    @property
    def faults(self) -> str:
        """What was wrong, in words."""
        return "; ".join(self.report.faults) if self.report is not None else self.problem


def described_pair(activity: SourceActivity, text: str, circumstance: str) -> Pair:
    """The activity beside a counterfactual of it, both told by template where nobody else has told
    them. Raises BddlError."""
    normal = read_problem(activity.normal, f"{activity.name}/0")
    other = read_problem(text, f"{activity.name}/1")
    told = activity.description or describe(activity.name, normal)
    changed = describe(activity.name, other, circumstance)
    return Pair(activity.name, (activity.normal, text), (told, changed))


def by_rule(
    activity: SourceActivity, names: Sequence[str], seed: int, checker: Checker
) -> Iterator[Attempt]:
    """What rules make of an activity, in an order drawn from the seed, each checked. Raises
    BddlError where the normal problem cannot be read."""
    problem = read_problem(activity.normal, f"{activity.name}/0")
    rng = Random(f"{seed}/{activity.name}")  # noqa: S311 - no secret
    shuffled = _kinds_in_turn(rng.sample(list(names), len(names)), rng)
    for rule, draft in drafts(activity.name, problem, shuffled, seed):
        named = replace(draft.problem, name=f"{activity.name}_1")
        text = write_problem(named)
        stated = Stated(activity.name, rule.kind, draft.text, rule=rule.name)
        report = checker.check(described_pair(activity, text, draft.text))
        yield Attempt(stated, text, report)


def by_model(activity: SourceActivity, stated: Stated, ask: Ask, checker: Checker) -> Attempt:
    """What a model makes of an activity under a circumstance. What fails its checks is told to the
    model, which is asked again. Raises ModelError, and BddlError as `by_rule` does."""
    reports: dict[str, Report] = {}

    def faults(text: str) -> tuple[str, ...]:
        reports[text] = checker.check(_undescribed(activity, text))
        return reports[text].faults

    made = ask(CounterfactualQuestion(stated, activity.normal, faults))
    if not made.done:
        return Attempt(stated, "", None, made, made.problem)
    text = made.texts[0]
    report = reports.get(text) or checker.check(_undescribed(activity, text))
    return Attempt(stated, text, report, made)


def _undescribed(activity: SourceActivity, text: str) -> Pair:
    return Pair(activity.name, (activity.normal, text))


def _kinds_in_turn(names: Sequence[str], rng: Random) -> list[str]:
    """The rules, one of each kind before a second of any, the kinds in an order that is drawn:
    there are more rules of some kinds, and they apply more often."""
    groups: dict[Circumstance, list[str]] = {}
    for name in names:
        groups.setdefault(RULES[name].kind, []).append(name)
    kinds = rng.sample(sorted(groups, key=lambda each: each.value), len(groups))
    rounds = zip_longest(*(groups[kind] for kind in kinds))
    return [name for each in rounds for name in each if name is not None]
