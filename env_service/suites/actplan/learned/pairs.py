"""The pairs of plans that the judge `learned` is trained on and evaluated with, and how it is
trained.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

import numpy as np

from env_service.suites.actplan.dataset.labelled_plans import GPT_4V, LabelledInstance, split_steps

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
class LabelledSteps:
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


def evaluation_pairs(instances: Iterable[LabelledInstance]) -> Iterator[LabelledSteps]:
    """Each model's plan beside the gold that was not made from its own answers, as published:
    GPT-4V's beside the second (the first where there is none), Gemini's beside the first."""
    for instance in instances:
        for model, plan in instance.plans.items():
            first, second = instance.gold_1, instance.gold_2
            gold = (second or first) if model == GPT_4V else (first or second)
            pair = Example(as_text(read_steps(gold)), as_text(read_steps(plan.text)), plan.correct)
            yield LabelledSteps(instance.id, instance.key.activity, model, pair)


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


# --- How a classifier is trained

PUBLISHED_TOKENS = ("switch-on", "switch-off", "place_inside", "place_on_top", "walk_to")
"""Words that the published code gives tokens of their own (docs/actplan-judges.md, learned)."""


class Cut(Enum):
    """Where a pair that is too long for the encoder is cut: token by token the longer of the two
    plans, until both fit."""

    END = "end"
    """The plans' last steps go, as published."""
    START = "start"
    """Their first ones do."""


@dataclass(frozen=True, slots=True)
class TrainingRecipe:
    """All that training depends on, beside data and encoder. The defaults are the published ones
    (docs/actplan-judges.md, learned); of the two rates that code and paper give to opposite models,
    the greater.

    Attributes:
        epochs: each draws one example from every instance.
        batch: examples in one step of the optimiser (AdamW, no schedule).
        clip: the gradient's greatest norm.
        dropout: before the last layer.
        most_tokens: of a pair; the encoder's own bound where that is less.
        seed: of every draw.
    """

    epochs: int = 70
    batch: int = 12
    learning_rate: float = 5e-6
    weight_decay: float = 0.01
    clip: float = 5.0
    dropout: float = 0.1
    most_tokens: int = 512
    cut: Cut = Cut.END
    added_tokens: tuple[str, ...] = PUBLISHED_TOKENS
    seed: int = 0

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return {**asdict(self), "cut": self.cut.value, "added_tokens": list(self.added_tokens)}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> TrainingRecipe:
        """What `to_json` wrote. Raises KeyError, TypeError or ValueError for anything else."""
        tokens = tuple(value["added_tokens"])
        return cls(**{**value, "cut": Cut(value["cut"]), "added_tokens": tokens})
