"""Chooses among candidates by their likelihood as the reply to a prompt, which is read once.

Three ways, from the quickest to the one that always works: ``tree``, ``rows``, ``whole``, each
told in its own module. Which of them a model takes is tried, not guessed: the first request
with pictures and the first without are scored in part by ``whole`` too, and a way that fails
or disagrees with it is not used.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .border import Tensor, out_of_memory, torch
from .dialogue import Prompt
from .encoding import Encoded, encode
from .loading import Weights
from .options import Score
from .prefill import prefill
from .scoring_rows import score_rows
from .scoring_tree import score_tree
from .scoring_whole import score_whole
from .trie import Trie

_log = logging.getLogger("model_guest.weights")

WAYS = {"tree": score_tree, "rows": score_rows}

_TOLERANCE = {"float32": 1e-3, "float16": 0.05, "bfloat16": 0.2}
"""Log-probability a token by which a way may differ from ``whole``: rounding, in orders of
attention that are all right. A wrong mask or position is further off on trained weights."""


@dataclass(frozen=True, slots=True)
class Question:
    """Candidates for the reply to a prompt. ``tokens`` are those of each candidate."""

    prompt: Prompt
    tokens: tuple[tuple[int, ...], ...]
    trie: Trie


@dataclass(frozen=True, slots=True)
class Scored:
    """``scores`` of the candidates, in their order. Counts of tokens are what the model read:
    the prompt once, and the nodes of the tree."""

    scores: tuple[float, ...]
    prompt_tokens: int
    candidate_tokens: int


class Scorer:
    """Scores candidates with one model. Not to be shared between threads."""

    def __init__(self, weights: Weights, score: Score, *, count_end: bool) -> None:
        self._weights, self._score, self._count_end = weights, score, count_end
        self.ways: dict[bool, str] = {}

    def score(self, questions: Sequence[Question], encoded: Encoded) -> list[Scored]:
        """One answer a question; ``encoded`` are their prompts. All hold pictures, or none."""
        pictures = bool(questions[0].prompt.pictures)
        with torch.inference_mode():
            if pictures not in self.ways:
                self.ways[pictures] = self._settle(questions[0])
            found = self._run(self.ways[pictures], questions, encoded)
        return [
            Scored(self._weighed(question, table), length, len(question.trie))
            for question, table, length in zip(questions, found, encoded.lengths, strict=True)
        ]

    def _run(self, way: str, questions: Sequence[Question], encoded: Encoded) -> list[Tensor]:
        if way in WAYS:
            read = prefill(self._weights, encoded)
            return WAYS[way](self._weights, read, [question.trie for question in questions])
        return [
            score_whole(self._weights, encode(self._weights, [each.prompt]), each.tokens)
            for each in questions
        ]

    def _weighed(self, question: Question, table: Tensor) -> tuple[float, ...]:
        totals = table.sum(-1) if self._count_end else table[:, 0]
        if self._score is Score.MEAN:
            counts = [len(tokens) + self._count_end for tokens in question.tokens]
            totals = totals / torch.tensor(counts).clamp(min=1)
        return tuple(totals.tolist())

    def _settle(self, question: Question) -> str:
        """The quickest way that agrees with ``whole`` on two candidates of this question."""
        encoded = encode(self._weights, [question.prompt])
        lengths = [len(tokens) for tokens in question.tokens]
        some = sorted({lengths.index(max(lengths)), len(lengths) - 1})
        right = score_whole(self._weights, encoded, [question.tokens[index] for index in some])
        dtype = str(self._weights.model.dtype).removeprefix("torch.")
        allowed = _TOLERANCE.get(dtype, 0.2) * (max(lengths) + 1)
        for way in _possible(self._weights.model.config):
            try:
                found = self._run(way, [question], encoded)[0][some]
            except Exception as error:  # models fail at this in their own ways
                if out_of_memory(error):
                    raise
                _log.info("candidates cannot be scored by %s: %s", way, error)
                continue
            if torch.allclose(found, right, rtol=0.0, atol=allowed):
                return way
            _log.info("scoring by %s is off by %g", way, float((found - right).abs().max()))
        _log.warning("this model takes no shortcut: each candidate is read with its prompt")
        return "whole"


def _possible(config: Any) -> list[str]:
    """The ways worth trying. A short prompt does not reveal a window, so the config has to."""
    text = config.get_text_config()
    kinds = set(getattr(text, "layer_types", None) or ())
    windowed = getattr(text, "sliding_window", None) and getattr(text, "use_sliding_window", True)
    return ["rows"] if (kinds - {"full_attention"} or (windowed and not kinds)) else list(WAYS)
