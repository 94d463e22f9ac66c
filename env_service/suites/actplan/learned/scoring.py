"""Judges a user's plans by a trained classifier."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from env_service.suites.actplan.lcs.cases import Case
from env_service.suites.actplan.learned.classifier import THRESHOLD, Classifier
from env_service.suites.actplan.learned.pairs import Example, as_text, read_steps


@dataclass(frozen=True, slots=True)
class Judged:
    """One plan. ``chances``: by the name of the gold plan that it stood beside, how likely it is
    correct, 0 … 1."""

    case: Case
    chances: Mapping[str, float]

    @property
    def chance(self) -> float:
        """The mean over golds."""
        return fmean(self.chances.values())

    @property
    def correct(self) -> bool:
        """The verdict: `learned`, which is no person's."""
        return self.chance >= THRESHOLD


def judge_cases(
    classifier: Classifier, cases: Sequence[Case], advance: Callable[[], None] | None = None
) -> list[Judged]:
    """Judges plans beside each gold plan of their instance; those without any are left out.
    ``advance`` is called after each pair."""
    pairs = [(case, name) for case in cases for name in case.golds]
    examples = [_pair(case, name) for case, name in pairs]
    chances = classifier.probabilities(examples, advance)
    found: dict[int, dict[str, float]] = {}
    for (case, name), chance in zip(pairs, chances, strict=True):
        found.setdefault(id(case), {})[name] = chance
    return [Judged(case, found[id(case)]) for case in cases if case.golds]


def _pair(case: Case, gold: str) -> Example:
    texts = as_text(read_steps(case.golds[gold])), as_text(read_steps(case.plan))
    return Example(*texts, bool(case.correct))
