"""The judge `learned`: a classifier of pairs of plans (an encoder and one linear layer), the pairs
that it is trained and evaluated on, and how far it agrees with people.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import Enum
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from env_service.suites.actplan.dataset.labelled_plans import GPT_4V, LabelledInstance, split_steps
from env_service.suites.actplan.judges.agreement import Confusion, area_under_roc, count_verdicts
from env_service.suites.actplan.lcs.encoder import (
    EncoderError,
    Source,
    Tensor,
    find_source,
    load_parts,
    load_torch,
    most_tokens,
    pick_device,
)
from env_service.suites.actplan.lcs.scorer import Case

SAME, WRONG = 0.3, 0.5
"""Shares of examples: two correct plans, and a correct with a wrong one; the rest is a gold plan
with the same steps in another order."""

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
        correct: models' plans that people found correct, golds excluded.
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
    """Each model's plan with the gold that was not made from that model's answers, as published:
    GPT-4V's with the second (the first if it is missing), Gemini's with the first."""
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
"""Words that the published code adds to the tokens (docs/actplan-judges.md, learned)."""


class Cut(Enum):
    """Where a pair that is too long for the encoder is cut: token by token the longer of the two
    plans, until both fit."""

    END = "end"
    """The plans' last steps go, as published."""
    START = "start"
    """Their first ones do."""


@dataclass(frozen=True, slots=True)
class TrainingRecipe:
    """All that training depends on, besides data and encoder. The defaults are the published ones
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


# --- The classifier


FORMAT = "houseguest-actplan-classifier-1"
ENCODER, HEAD, FACTS = "encoder", "head.pt", "classifier.json"
"""In the folder of a classifier: the encoder with its tokenizer, the last layer, and how it was
made."""

THRESHOLD = 0.5
"""Least probability of a plan that is called correct: of two classes, the likelier."""


class ClassifierError(Exception):
    """A folder holds no classifier. The message says what to mend."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a classifier comes from: its encoder's name, and how it was trained."""

    encoder: str
    recipe: TrainingRecipe


class Classifier:
    """Decides whether a candidate is correct, given a reference."""

    def __init__(self, origin: Origin, parts: tuple[Any, Any], device: str) -> None:
        """``parts``: a tokenizer and an encoder. The last layer is drawn by torch's seed."""
        self.origin, self.device = origin, device
        self._torch = load_torch()
        self.tokenizer, encoder = parts
        self.tokenizer.truncation_side = "left" if origin.recipe.cut is Cut.START else "right"
        self.most_tokens = most_tokens(encoder.config, origin.recipe.most_tokens)
        nn = self._torch.nn
        head = nn.Sequential(
            nn.Dropout(origin.recipe.dropout), nn.Linear(encoder.config.hidden_size, 2)
        )
        self.module = nn.ModuleDict({ENCODER: encoder, "head": head}).to(device)

    @classmethod
    def fresh(cls, source: Source, recipe: TrainingRecipe, device: str = "auto") -> Classifier:
        """An untrained classifier over an encoder.

        Raises EncoderError, MissingPackageError, and ValueError for a device that is not there.
        """
        load_torch().manual_seed(recipe.seed)
        tokenizer, encoder = load_parts(source)
        if tokenizer.add_tokens(list(recipe.added_tokens)):
            encoder.resize_token_embeddings(len(tokenizer), mean_resizing=False)
        return cls(Origin(source.name, recipe), (tokenizer, encoder), pick_device(device))

    @classmethod
    def load(cls, folder: Path, device: str = "auto") -> Classifier:
        """What `save` wrote.

        Raises ClassifierError, MissingPackageError, and ValueError for a device that is not there.
        """
        torch, origin = load_torch(), _read_origin(folder)
        try:
            parts = load_parts(replace(find_source(str(folder / ENCODER)), name=origin.encoder))
            made = cls(origin, parts, pick_device(device))
            head = torch.load(folder / HEAD, map_location=made.device, weights_only=True)
            made.module["head"].load_state_dict(head)
        except (EncoderError, OSError, RuntimeError) as error:
            raise ClassifierError(f"{folder} holds no whole classifier: {error}") from error
        return made

    def save(self, folder: Path) -> None:
        """Writes it into a folder, which is made."""
        folder.mkdir(parents=True, exist_ok=True)
        self.module[ENCODER].save_pretrained(folder / ENCODER)
        self.tokenizer.save_pretrained(folder / ENCODER)
        self._torch.save(self.module["head"].state_dict(), folder / HEAD)
        origin = {"encoder": self.origin.encoder, "recipe": self.origin.recipe.to_json()}
        text = json.dumps({"format": FORMAT, **origin}, indent=2)
        (folder / FACTS).write_text(f"{text}\n", encoding="utf-8")

    def logits(self, examples: Sequence[Example]) -> Tensor:
        """Of the classes "wrong" and "correct": float32 [N, 2], on the device."""
        tokens = self.tokenizer(
            [each.reference for each in examples],
            [each.candidate for each in examples],
            padding=True,
            truncation="longest_first",
            max_length=self.most_tokens,
            return_tensors="pt",
        ).to(self.device)
        states = self.module[ENCODER](**tokens).last_hidden_state
        return self.module["head"](states[:, 0])

    def probabilities(
        self, examples: Sequence[Example], advance: Callable[[], None] | None = None
    ) -> list[float]:
        """Of each candidate, how likely it is correct, 0 … 1; ``advance`` is called after each."""
        self.module.eval()
        found: list[float] = []
        with self._torch.inference_mode():
            for batch in batches(examples, self.origin.recipe.batch):
                shares = self._torch.softmax(self.logits(batch), dim=1)[:, 1]
                found += map(float, shares.tolist())
                if advance is not None:
                    for _ in batch:
                        advance()
        return found

    def too_long(self, examples: Sequence[Example]) -> int:
        """How many of these pairs are cut, since they have more tokens than the encoder takes."""
        count = 0
        for each in examples:
            ids = self.tokenizer(each.reference, each.candidate, truncation=False)["input_ids"]
            count += len(ids) > self.most_tokens
        return count


def batches(examples: Sequence[Example], size: int) -> Iterator[Sequence[Example]]:
    """The examples in their order, so many at a time."""
    for start in range(0, len(examples), size):
        yield examples[start : start + size]


def _read_origin(folder: Path) -> Origin:
    path = folder / FACTS
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        if value["format"] != FORMAT:
            raise ValueError(f"its format is {value['format']!r}")
        return Origin(str(value["encoder"]), TrainingRecipe.from_json(value["recipe"]))
    except FileNotFoundError as error:
        raise ClassifierError(
            f"{folder} holds no classifier: {FACTS} is missing. Give the folder `best` below the"
            " one that `houseguest actplan learned train` wrote to"
        ) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ClassifierError(f"{path} cannot be read: {error}") from error


# --- Judges a user's plans by a trained classifier


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """One plan. ``chances``: how likely it is correct, 0 … 1, by the name of the gold plan that it
    was compared with."""

    case: Case
    chances: Mapping[str, float]

    @property
    def chance(self) -> float:
        """The mean over golds."""
        return fmean(self.chances.values())

    @property
    def correct(self) -> bool:
        """The verdict of the judge `learned`."""
        return self.chance >= THRESHOLD


def judge_cases(
    classifier: Classifier, cases: Sequence[Case], advance: Callable[[], None] | None = None
) -> list[JudgedPair]:
    """Judges plans against each gold plan of their instance; those without any are left out.
    ``advance`` is called after each pair."""
    pairs = [(case, name) for case in cases for name in case.golds]
    examples = [_pair(case, name) for case, name in pairs]
    chances = classifier.probabilities(examples, advance)
    found: dict[int, dict[str, float]] = {}
    for (case, name), chance in zip(pairs, chances, strict=True):
        found.setdefault(id(case), {})[name] = chance
    return [JudgedPair(case, found[id(case)]) for case in cases if case.golds]


def _pair(case: Case, gold: str) -> Example:
    texts = as_text(read_steps(case.golds[gold])), as_text(read_steps(case.plan))
    return Example(*texts, bool(case.correct))


# --- How far a classifier agrees with people on pairs that it was not trained on

ALL = "all"


@dataclass(frozen=True, slots=True)
class Agreement:
    """On one model's plans, or on `ALL`. ``roc``: the area under the ROC curve, None where all
    labels are alike."""

    model: str
    confusion: Confusion
    roc: float | None

    def to_json(self) -> dict[str, Any]:
        """As JSON, with the accuracy and that of the constant answer."""
        confusion = self.confusion
        return {
            "model": self.model,
            "plans": confusion.count,
            "mcc": confusion.mcc,
            "accuracy": confusion.accuracy,
            "baseline": confusion.baseline,
            "roc": self.roc,
            "true_positives": confusion.true_positives,
            "false_positives": confusion.false_positives,
            "false_negatives": confusion.false_negatives,
            "true_negatives": confusion.true_negatives,
        }


def evaluate(
    classifier: Classifier,
    pairs: Sequence[LabelledSteps],
    advance: Callable[[], None] | None = None,
) -> tuple[Agreement, ...]:
    """The agreement on each model's plans, then on all. Raises ValueError where there are none."""
    if not pairs:
        raise ValueError("no labelled plans to evaluate with")
    return agreements(pairs, classifier.probabilities([each.example for each in pairs], advance))


def agreements(pairs: Sequence[LabelledSteps], chances: Sequence[float]) -> tuple[Agreement, ...]:
    """What probabilities [N] of N pairs come to."""
    rows = [
        (each.model, each.example.label, chance)
        for each, chance in zip(pairs, chances, strict=True)
    ]
    models = dict.fromkeys(model for model, _, _ in rows)
    parts = {model: [row for row in rows if row[0] == model] for model in models}
    return tuple(_agreement(name, part) for name, part in [*parts.items(), (ALL, rows)])


def _agreement(name: str, rows: Sequence[tuple[str, bool, float]]) -> Agreement:
    labels, chances = [label for _, label, _ in rows], [chance for _, _, chance in rows]
    verdicts = [chance >= THRESHOLD for chance in chances]
    return Agreement(name, count_verdicts(labels, verdicts), area_under_roc(labels, chances))
