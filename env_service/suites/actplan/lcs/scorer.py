"""Scores plans against gold plans by the longest common subsequence of their steps, and means
over plans as the paper's Table 4 has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import Enum
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from env_service.suites.actplan.dataset.labelled_plans import split_steps
from env_service.suites.actplan.judges.agreement import area_under_roc
from env_service.suites.actplan.lcs.encoder import Encoder, Vectors
from env_service.suites.actplan.task import Variant

# --- The longest common subsequence of two plans


@dataclass(frozen=True, slots=True)
class Alignment:
    """How alike two plans are.

    Attributes:
        length: steps of the longest common subsequence.
        normalised: that over the longer plan's steps, 0 … 1; 0 of two empty plans.
    """

    length: int
    normalised: float


def align(equal: NDArray[np.bool_]) -> Alignment:
    """The alignment of M steps with N, of which ``equal`` [M, N] says which are taken for equal.

    Any relation will do: it need be neither symmetric nor transitive.
    """
    longer = max(equal.shape)
    length = _common(equal)
    return Alignment(length, length / longer if longer else 0.0)


def _common(equal: NDArray[np.bool_]) -> int:
    """By bit vectors (H. Hyyrö, Bit-parallel LCS-length computation revisited, 2004): one bit a
    column, which stays set as long as the column adds nothing."""
    columns: int = equal.shape[1]
    full = (1 << columns) - 1
    packed = np.packbits(equal, axis=1, bitorder="little")
    bits = full
    for row in packed:
        matched = bits & int.from_bytes(row.tobytes(), "little")
        bits = ((bits + matched) | (bits - matched)) & full
    return columns - bits.bit_count()


# --- Plans as the steps that are compared: texts, as they are written


class Mode(Enum):
    """How plans are compared."""

    CLEAN = "clean"
    """Blank lines do not count; a plan is compared with all gold plans of its instance, and one
    that has none is not scored."""
    COMPAT = "compat"
    """As the published script does: the newline at a file's end makes an empty last step; each
    model is compared with one of the golds; a plan that has no gold with itself
    (docs/actplan-judges.md, lcs)."""


def steps_of(text: str, mode: Mode) -> tuple[str, ...]:
    """A plan's steps, one a line. A plan whose steps all stand on one line, as in the published
    pairs, is parted into them; in `Mode.COMPAT` the newline of its lost file is put back."""
    unfolded = _unfold(text)
    if mode is Mode.COMPAT:
        return tuple(unfolded.split("\n"))
    return tuple(line for line in map(str.strip, unfolded.splitlines()) if line)


def _unfold(text: str) -> str:
    if "\n" in text.strip():
        return text.replace("\r\n", "\n")
    steps = split_steps(text)
    return "".join(f"{step}\n" for step in steps) if len(steps) > 1 else text


THRESHOLD = 0.8
"""Steps whose cosine is at least this are taken for equal, as in the published script; the paper
says "greater than" (docs/actplan-judges.md, lcs)."""

Progress = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
"""Opens a progress bar of that label for so many pieces of work; what it yields is called after
each."""


@dataclass(frozen=True, slots=True)
class LcsSettings:
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
        self, encoder: Encoder, settings: LcsSettings = LcsSettings(), progress: Progress = silent
    ) -> None:
        self._encoder, self._settings, self._progress = encoder, settings, progress
        self._rows: dict[str, int] = {}
        self._vectors: Vectors = np.zeros((0, 0), dtype=np.float32)

    def under(self, settings: LcsSettings) -> Scorer:
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

    def prepare(self, cases: Sequence[Case], settings: Iterable[LcsSettings]) -> None:
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


# --- What is compared with what

GOLD_1, GOLD_2 = "gold_1", "gold_2"
"""The two gold plans of an instance, as their files are called."""


@dataclass(frozen=True, slots=True)
class Case:
    """A plan, and the gold plans of the instance that it is for.

    Attributes:
        id: of the instance: "SCENE/ACTIVITY/0/sample_0".
        model: whose plan it is: "gpt-4v".
        plan: its text.
        golds: texts by `GOLD_1` and `GOLD_2`; those that there are.
        correct: whether people found the plan correct; None where they were not asked.
    """

    id: str
    activity: str
    variant: Variant
    model: str
    plan: str
    golds: Mapping[str, str]
    correct: bool | None = None


def published_gold(model: str) -> str:
    """The gold plan that the published script compares a model with: the second for Gemini, the
    first for all others (docs/actplan-judges.md, lcs)."""
    return GOLD_2 if model.casefold().startswith("gemini") else GOLD_1


def references(case: Case, mode: Mode, against: str = "") -> Mapping[str, str]:
    """The texts that a plan is compared with, by their names; none: it is not scored.

    Args:
        against: `GOLD_1` or `GOLD_2`: this gold alone. Empty: as the mode has it.
    """
    if mode is Mode.COMPAT:
        name = against or published_gold(case.model)
        return {name: case.golds.get(name, case.plan)}
    names = (against,) if against else (GOLD_1, GOLD_2)
    return {name: case.golds[name] for name in names if name in case.golds}


# --- Means over plans, as the paper's Table 4 has them

TOTAL = "total"

PUBLISHED: Mapping[str, tuple[float, float]] = {"gpt-4v": (14.23, 0.55), "gemini": (18.00, 0.67)}
"""Mean length and mean normalised length by model, over 402 instances, `Mode.COMPAT` (paper, Table
4)."""


@dataclass(frozen=True, slots=True)
class Row:
    """One model's plans, of one variant or in total.

    Attributes:
        part: a variant's value, or `TOTAL`.
        count: plans.
        best_length, best_normalised: the mean over plans, each with the gold that it is most like.
        mean_length, mean_normalised: the mean over plans of their means over golds.
        roc: area under the ROC curve of the best normalised length for people's labels; None
            without labels, or if all are alike. High because golds were edited from models' own
            answers (docs/actplan-judges.md, lcs): it finds copies.
    """

    model: str
    part: str
    count: int
    best_length: float
    best_normalised: float
    mean_length: float
    mean_normalised: float
    roc: float | None


def summarise(scores: Sequence[Score]) -> tuple[Row, ...]:
    """Rows by model, in the order in which they come first: each variant that it has plans of, and
    the total."""
    models = dict.fromkeys(score.case.model for score in scores)
    return tuple(row for model in models for row in _rows(model, scores))


def _rows(model: str, scores: Sequence[Score]) -> Iterator[Row]:
    own = [score for score in scores if score.case.model == model]
    for part in dict.fromkeys(score.case.variant for score in own):
        yield _row(model, part.value, [score for score in own if score.case.variant is part])
    yield _row(model, TOTAL, own)


def _row(model: str, part: str, scores: Sequence[Score]) -> Row:
    return Row(
        model=model,
        part=part,
        count=len(scores),
        best_length=fmean(score.best.length for score in scores),
        best_normalised=fmean(score.best.normalised for score in scores),
        mean_length=fmean(score.mean_length for score in scores),
        mean_normalised=fmean(score.mean_normalised for score in scores),
        roc=_roc(scores),
    )


def _roc(scores: Sequence[Score]) -> float | None:
    labelled = [
        (score.case.correct, score.best.normalised)
        for score in scores
        if score.case.correct is not None
    ]
    if not labelled:
        return None
    labels, values = zip(*labelled, strict=True)
    return area_under_roc(labels, values)
