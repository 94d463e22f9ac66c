"""Trains a classifier: an epoch at a time, the best one by Matthews' coefficient on val kept.

The published code keeps the epoch of the lowest loss, and never the first; the paper says the best
score (docs/actplan-judges.md, learned). An interrupted training resumes after the last whole epoch,
with the same result: the recipe's seed and the epoch seed every draw.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numpy as np

from env_service.suites.actplan.lcs.encoder import Tensor, load_torch
from env_service.suites.actplan.learned.classifier import (
    Agreement,
    Classifier,
    Example,
    Group,
    LabelledSteps,
    TrainingRecipe,
    batches,
    draw_epoch,
    evaluate,
)

BEST, LAST, LOG = "best", "last.pt", "log.jsonl"
"""In the folder of a training: the best classifier, the state after the last epoch, and a line an
epoch."""


class TrainingError(Exception):
    """A training cannot begin or go on. The message says what to mend."""


@dataclass(frozen=True, slots=True)
class Material:
    """What is learned from: ``train`` groups, and ``val`` pairs by which the best epoch is chosen.
    No plan of the test split belongs into either."""

    train: Sequence[Group]
    val: Sequence[LabelledSteps]


@dataclass(frozen=True, slots=True)
class Epoch:
    """One epoch, from 1. ``loss``: mean cross-entropy over its examples, of which there were
    ``examples``; ``cut`` of them were too long. ``agreement``: on val, all models' plans."""

    number: int
    loss: float
    examples: int
    cut: int
    agreement: Agreement

    @property
    def rank(self) -> float:
        """By which the best epoch is chosen; of equal ones the first."""
        return self.agreement.confusion.mcc

    def to_json(self) -> dict[str, Any]:
        """As a line of the log."""
        record = {"epoch": self.number, "loss": self.loss, "examples": self.examples}
        return {**record, "cut": self.cut, "val": self.agreement.to_json()}


Opened = Callable[[str, int], AbstractContextManager[Callable[[], None]]]


@dataclass(frozen=True, slots=True)
class Watch:
    """Callbacks: ``epoch`` after each epoch, ``progress`` after examples."""

    epoch: Callable[[Epoch], None] = lambda _epoch: None
    progress: Opened = lambda _label, _total: nullcontext(lambda: None)


@dataclass(slots=True)
class _Standing:
    """How far a training has come: whole epochs, and the best one's rank and number."""

    done: int = 0
    best: float = -math.inf
    best_epoch: int = 0


@dataclass(slots=True)
class Training:
    """One training, in a separate folder."""

    folder: Path
    classifier: Classifier
    material: Material
    watch: Watch = field(default_factory=Watch)
    _standing: _Standing = field(init=False, default_factory=_Standing)
    _optimiser: Any = field(init=False)

    def __post_init__(self) -> None:
        if not self.material.train:
            raise TrainingError("no plans to learn from")
        if not self.material.val:
            raise TrainingError("no plans of val, by which the best epoch is chosen")
        self._optimiser = load_torch().optim.AdamW(
            self.classifier.module.parameters(),
            lr=self._recipe.learning_rate,
            weight_decay=self._recipe.weight_decay,
        )

    @property
    def best_epoch(self) -> int:
        """The number of the epoch that `BEST` holds; 0 before there is one."""
        return self._standing.best_epoch

    @property
    def done(self) -> int:
        """Whole epochs."""
        return self._standing.done

    def resume(self) -> bool:
        """Takes up what an earlier training left in the folder; False where there is nothing.

        Raises TrainingError where that was another training, or cannot be read.
        """
        path = self.folder / LAST
        if not path.exists():
            return False
        torch = load_torch()
        try:
            kept = torch.load(path, map_location=self.classifier.device, weights_only=True)
            self._check(kept["origin"])
            self.classifier.module.load_state_dict(kept["module"])
            self._optimiser.load_state_dict(kept["optimiser"])
            self._standing = _Standing(kept["done"], kept["best"], kept["best_epoch"])
        except (OSError, RuntimeError, KeyError, ValueError, EOFError, UnpicklingError) as error:
            raise TrainingError(
                f"cannot resume from {path}: {error}. Train into another folder, or anew with"
                " --fresh"
            ) from error
        return True

    def begin_anew(self) -> None:
        """Forgets what an earlier training left in the folder."""
        for name in (LAST, LOG):
            (self.folder / name).unlink(missing_ok=True)

    def run(self) -> None:
        """Trains the epochs that are left."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for number in range(self._standing.done + 1, self._recipe.epochs + 1):
            epoch = self._epoch(number)
            self._keep(epoch)
            self.watch.epoch(epoch)

    @property
    def _recipe(self) -> TrainingRecipe:
        return self.classifier.origin.recipe

    def _epoch(self, number: int) -> Epoch:
        torch, module = load_torch(), self.classifier.module
        # Of the epoch's own, so that one that is taken up again draws the same.
        torch.manual_seed(self._recipe.seed * 100_003 + number)
        rng = np.random.default_rng([self._recipe.seed, number])
        examples = draw_epoch(self.material.train, rng)
        if not examples:
            raise TrainingError("no example can be made of the plans to learn from")
        module.train()
        total = 0.0
        with self.watch.progress(f"epoch {number}", len(examples)) as advance:
            for batch in batches(examples, self._recipe.batch):
                total += self._step(batch) * len(batch)
                for _ in batch:
                    advance()
        agreement = evaluate(self.classifier, self.material.val)[-1]
        cut = self.classifier.too_long(examples)
        return Epoch(number, total / len(examples), len(examples), cut, agreement)

    def _step(self, batch: Sequence[Example]) -> float:
        torch, module = load_torch(), self.classifier.module
        labels: Tensor = torch.tensor([int(each.label) for each in batch])
        loss = torch.nn.functional.cross_entropy(
            self.classifier.logits(batch), labels.to(self.classifier.device)
        )
        self._optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(module.parameters(), self._recipe.clip)
        self._optimiser.step()
        value = float(loss.item())
        if not math.isfinite(value):
            raise TrainingError(
                "the loss became infinite: train anew with a smaller --learning-rate"
            )
        return value

    def _keep(self, epoch: Epoch) -> None:
        standing = self._standing
        if epoch.rank > standing.best:
            self.classifier.save(self.folder / BEST)
            standing.best, standing.best_epoch = epoch.rank, epoch.number
        standing.done = epoch.number
        kept = {
            "origin": self._origin(),
            "module": self.classifier.module.state_dict(),
            "optimiser": self._optimiser.state_dict(),
            "done": standing.done,
            "best": standing.best,
            "best_epoch": standing.best_epoch,
        }
        draft = self.folder / f".{LAST}"
        load_torch().save(kept, draft)
        draft.replace(self.folder / LAST)
        with (self.folder / LOG).open("a", encoding="utf-8") as log:
            log.write(json.dumps(epoch.to_json()) + "\n")

    def _origin(self) -> str:
        """What has to be the same to resume a training: all but its length."""
        recipe = {**self._recipe.to_json(), "epochs": None}
        return json.dumps({"encoder": self.classifier.origin.encoder, "recipe": recipe})

    def _check(self, origin: str) -> None:
        if origin == self._origin():
            return
        was, now = json.loads(origin), json.loads(self._origin())
        other = [
            f"{name} was {was['recipe'].get(name)!r}, now {value!r}"
            for name, value in now["recipe"].items()
            if was["recipe"].get(name) != value
        ]
        if was["encoder"] != now["encoder"]:
            other.insert(0, f"the encoder was {was['encoder']!r}, now {now['encoder']!r}")
        raise ValueError(f"it was made otherwise: {'; '.join(other)}")
