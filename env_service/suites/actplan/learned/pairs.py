"""The pairs of plans that the judge `learned` is trained on and evaluated with.

The draw is the published one (spec: actplan.md section 5) with its defects mended: a shuffled plan
differs from every correct one, correct plans of all models count among the positives, and no plan
stands beside itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from env_service.suites.actplan.dataset.labelled import GPT_4V, LabelledInstance
from env_service.suites.actplan.dataset.steps import split_steps

SAME, WRONG = 0.3, 0.5
"""Shares of examples: two correct plans, and a correct one beside a wrong one; the rest is a gold
plan beside its own steps in another order."""

_DRAWS = 20

Steps = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A pair of plans, and whether the candidate is correct where the reference is."""

    reference: str
    candidate: str
    label: bool


@dataclass(frozen=True, slots=True)
class Group:
    """The plans of one instance, none of them twice.

    Attributes:
        golds: what people wrote.
        correct: models' plans that people found correct, and that are no golds.
        wrong: those that they did not, and that are none of the above.
    """

    golds: tuple[Steps, ...]
    correct: tuple[Steps, ...]
    wrong: tuple[Steps, ...]

    @property
    def positives(self) -> tuple[Steps, ...]:
        """Golds and correct plans."""
        return self.golds + self.correct


@dataclass(frozen=True, slots=True)
class Labelled:
    """An example of evaluation: a model's plan, and what people said of it.

    Attributes:
        id: of the instance.
        activity: a cluster: its plans share a definition.
        model: whose plan it is.
    """

    id: str
    activity: str
    model: str
    example: Example


def as_text(steps: Steps) -> str:
    """Steps as an encoder reads them: joined by blanks, as published."""
    return " ".join(steps)


def read_steps(text: str) -> Steps:
    """The steps of a plan, blanks made alike; of a text without any, its words."""
    steps = split_steps(text)
    return tuple(" ".join(step.split()) for step in steps) or tuple(text.split())


def group_of(instance: LabelledInstance) -> Group:
    """An instance's plans, each under the best that can be said of it."""
    golds = _distinct(map(read_steps, instance.golds))
    plans = [(read_steps(plan.text), plan.correct) for plan in instance.plans.values()]
    correct = _distinct((steps for steps, right in plans if right), but=golds)
    wrong = _distinct((steps for steps, right in plans if not right), but=(*golds, *correct))
    return Group(golds, correct, wrong)


def draw_epoch(groups: Iterable[Group], rng: np.random.Generator) -> list[Example]:
    """An example of each group that one can be made of, in an order drawn too."""
    drawn = [each for group in groups if (each := draw(group, rng)) is not None]
    return [drawn[at] for at in rng.permutation(len(drawn))]


def draw(group: Group, rng: np.random.Generator) -> Example | None:
    """One example; of another kind where the group has none of the kind that was drawn, and None
    where it has none at all."""
    kinds = [_two_correct, _beside_wrong, _shuffled]
    first = int(np.searchsorted(np.cumsum([SAME, WRONG]), rng.random(), side="right"))
    # What cannot be had is made up for by a shuffled plan first, as published.
    for kind in (kinds[first], *reversed(kinds)):
        example = kind(group, rng)
        if example is not None:
            return example
    return None


def shuffle(steps: Steps, rng: np.random.Generator, but: Sequence[Steps] = ()) -> Steps | None:
    """The steps in another order that is none of ``but``; None where there is none, or none was
    found in a few draws."""
    for _ in range(_DRAWS if len(set(steps)) > 1 else 0):
        other = tuple(steps[at] for at in rng.permutation(len(steps)))
        if other != steps and other not in but:
            return other
    return None


def evaluation_pairs(instances: Iterable[LabelledInstance]) -> Iterator[Labelled]:
    """Each model's plan beside the gold that was not made from its own answers, as published:
    GPT-4V's beside the second (the first where there is none), Gemini's beside the first."""
    for instance in instances:
        for model, plan in instance.plans.items():
            first, second = instance.gold_1, instance.gold_2
            gold = (second or first) if model == GPT_4V else (first or second)
            pair = Example(as_text(read_steps(gold)), as_text(read_steps(plan.text)), plan.correct)
            yield Labelled(instance.id, instance.key.activity, model, pair)


def _two_correct(group: Group, rng: np.random.Generator) -> Example | None:
    if len(group.positives) < 2:
        return None
    one, other = rng.permutation(len(group.positives))[:2]
    return _example(group.positives[one], group.positives[other], label=True)


def _beside_wrong(group: Group, rng: np.random.Generator) -> Example | None:
    if not group.wrong:
        return None
    return _example(_any(group.positives, rng), _any(group.wrong, rng), label=False)


def _shuffled(group: Group, rng: np.random.Generator) -> Example | None:
    gold = _any(group.golds, rng)
    other = shuffle(gold, rng, group.positives)
    return None if other is None else _example(gold, other, label=False)


def _example(reference: Steps, candidate: Steps, *, label: bool) -> Example:
    return Example(as_text(reference), as_text(candidate), label)


def _any(plans: Sequence[Steps], rng: np.random.Generator) -> Steps:
    return plans[int(rng.integers(len(plans)))]


def _distinct(plans: Iterable[Steps], but: Sequence[Steps] = ()) -> tuple[Steps, ...]:
    return tuple(plan for plan in dict.fromkeys(plans) if plan not in but)
