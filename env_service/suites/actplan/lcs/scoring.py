"""Scores plans against gold plans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from env_service.suites.actplan.lcs.alignment import Alignment, align
from env_service.suites.actplan.lcs.cases import Case, references
from env_service.suites.actplan.lcs.encoder import Encoder, Vectors
from env_service.suites.actplan.lcs.splitting import Mode, steps_of

THRESHOLD = 0.8
"""Steps whose cosine is at least this are taken for equal, as in the published script; the paper
says "greater than" (spec: actplan.md section 4)."""

Progress = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
"""Opens a progress bar of that label for so many pieces of work; what it yields is called after
each."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How plans are scored.

    Attributes:
        against: a gold plan's name: that one alone. Empty: as the mode has it.
        threshold: least cosine of steps that are taken for equal.
    """

    mode: Mode = Mode.CLEAN
    against: str = ""
    threshold: float = THRESHOLD


@dataclass(frozen=True, slots=True)
class Score:
    """One plan's score. ``alignments``: by the name of the gold, one at least."""

    case: Case
    alignments: Mapping[str, Alignment]

    @property
    def best(self) -> Alignment:
        """With the gold that it is most like, by the normalised length."""
        return max(self.alignments.values(), key=lambda each: (each.normalised, each.length))

    @property
    def mean_length(self) -> float:
        """Over the golds."""
        return _mean([each.length for each in self.alignments.values()])

    @property
    def mean_normalised(self) -> float:
        """Over the golds, 0 … 1."""
        return _mean([each.normalised for each in self.alignments.values()])


def silent(_label: str, _total: int) -> AbstractContextManager[Callable[[], None]]:
    """A `Progress` that shows nothing."""
    return nullcontext(lambda: None)


class Scorer:
    """Scores plans with one encoder. What a step's text is encoded to is kept."""

    def __init__(
        self, encoder: Encoder, settings: Settings = Settings(), progress: Progress = silent
    ) -> None:
        self._encoder, self._settings, self._progress = encoder, settings, progress
        self._rows: dict[str, int] = {}
        self._vectors: Vectors = np.zeros((0, 0), dtype=np.float32)

    def under(self, settings: Settings) -> Scorer:
        """The same under other settings, with all that is encoded so far."""
        other = Scorer(self._encoder, settings, self._progress)
        other._rows, other._vectors = dict(self._rows), self._vectors
        return other

    def score(self, cases: Sequence[Case]) -> list[Score]:
        """Scores all cases that have something to be compared with, in their order. All distinct
        steps are encoded first, each once."""
        self.prepare(cases, [self._settings])
        wanted = ((case, self._references(case)) for case in cases)
        return [Score(case, self._align(case, golds)) for case, golds in wanted if golds]

    def prepare(self, cases: Sequence[Case], settings: Iterable[Settings]) -> None:
        """Encodes all that scoring these cases under each of these settings will take, at once."""
        scorers = [self.under(each) for each in settings]
        self._encode(step for each in scorers for case in cases for step in each._all_steps(case))

    def _references(self, case: Case) -> Mapping[str, tuple[str, ...]]:
        texts = references(case, self._settings.mode, self._settings.against)
        return {name: self._steps(text) for name, text in texts.items()}

    def _steps(self, text: str) -> tuple[str, ...]:
        return steps_of(text, self._settings.mode)

    def _all_steps(self, case: Case) -> Iterator[str]:
        golds = self._references(case)
        if golds:
            yield from self._steps(case.plan)
        for steps in golds.values():
            yield from steps

    def _encode(self, steps: Iterable[str]) -> None:
        new = [step for step in dict.fromkeys(steps) if step not in self._rows]
        if not new:
            return
        with self._progress("encoding steps", len(new)) as advance:
            vectors = self._encoder.encode(new, advance)
        before = len(self._rows)
        self._rows.update({step: before + at for at, step in enumerate(new)})
        self._vectors = np.concatenate([self._vectors, vectors]) if before else vectors

    def _align(self, case: Case, golds: Mapping[str, tuple[str, ...]]) -> Mapping[str, Alignment]:
        plan = self._of(self._steps(case.plan))
        return {name: align(self._equal(plan, self._of(steps))) for name, steps in golds.items()}

    def _of(self, steps: Sequence[str]) -> Vectors:
        rows: Vectors = self._vectors[[self._rows[step] for step in steps]]
        return rows

    def _equal(self, plan: Vectors, gold: Vectors) -> NDArray[np.bool_]:
        equal: NDArray[np.bool_] = plan @ gold.T >= self._settings.threshold
        return equal


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
