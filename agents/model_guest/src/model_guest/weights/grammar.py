"""Constrains replies to a JSON schema, token by token, with llguidance."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy

from ..model import RefusedError
from .loading import Weights
from .optional_imports import Tensor, torch
from .options import Switch

LONGEST_TEXT = 400
"""Maximum length, in characters, of strings that the schema leaves unbounded: a reply has to
end."""


_LAYOUT = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
"""White space as in most JSON on one line, so that it fits the habits of models."""


def open_grammar(weights: Weights, switch: Switch) -> Grammar | None:
    """None if replies are free, or if they cannot be constrained and need not be.

    Raises RefusedError if they have to be constrained and cannot be.
    """
    if switch is Switch.OFF:
        return None
    problem = ""
    if find_spec("llguidance") is None:
        problem = 'llguidance is not installed: pip install "houseguest-model-guest[local]"'
    elif not getattr(weights.tokenizer, "is_fast", False):
        problem = "this model's tokenizer is not one of the tokenizers library (tokenizer.json)"
    if problem and switch is Switch.ON:
        raise RefusedError(f"Replies cannot be constrained to a schema: {problem}.")
    return None if problem else Grammar(weights)


class Grammar:
    """Makes matchers for one model. Do not share it between threads."""

    def __init__(self, weights: Weights) -> None:
        self._library: Any = import_module("llguidance")
        self._tokenizer = import_module("llguidance.hf").from_tokenizer(
            weights.tokenizer, n_vocab=weights.vocabulary, eos_token=list(weights.ends)
        )
        self._masks: Any = import_module("llguidance.numpy")
        self._ends = list(weights.ends)
        self._compiled = lru_cache(maxsize=32)(self._compile)

    @property
    def version(self) -> str:
        """The version that results show."""
        return f"llguidance {self._library.__version__}"

    def matcher(self, schema: Mapping[str, Any]) -> Matcher:
        """A matcher for one reply. Raises RefusedError for an unsupported schema."""
        return Matcher(self._compiled(json.dumps(schema)).deep_copy(), self._masks, self._ends)

    def _compile(self, schema: str) -> Any:
        grammar = self._library.LLMatcher.grammar_from_json_schema(
            _bounded(json.loads(schema)), overrides=_LAYOUT
        )
        matcher = self._library.LLMatcher(self._tokenizer, grammar)
        if matcher.is_error():
            raise RefusedError(
                f"Replies cannot follow this schema: {matcher.get_error()}. Use --guided off."
            )
        return matcher


class Matcher:
    """Tracks one reply."""

    def __init__(self, matcher: Any, masks: Any, ends: Sequence[int]) -> None:
        self._matcher, self._masks, self._ends = matcher, masks, ends

    def take(self, token: int) -> None:
        """Appends this token to the reply."""
        if not self._matcher.is_stopped():
            self._matcher.consume_token(token)

    def fill(self, mask: Any, row: int) -> None:
        """Sets a row of ``mask``, int32 [B, (V + 31) // 32], to one bit per token, the lowest
        first: whether it may come next. After a complete reply only its end may."""
        if not self._matcher.is_stopped():
            self._masks.fill_next_token_bitmask(self._matcher, mask, row)
            return
        mask[row] = 0
        bits = mask[row].view("uint8")
        for end in self._ends:
            bits[end // 8] |= 1 << end % 8


def forbid(scores: Tensor, matchers: Sequence[Matcher | None]) -> None:
    """Sets to -inf, in ``scores`` float32 [B, V], what each row's matcher forbids."""
    if not any(matchers):
        return
    vocabulary = scores.shape[1]
    mask = numpy.full((len(matchers), (vocabulary + 31) // 32), -1, dtype=numpy.int32)
    for row, matcher in enumerate(matchers):
        if matcher is not None:
            matcher.fill(mask, row)
    bits = torch.from_numpy(mask.view(numpy.uint8))[..., None].to(scores.device)
    allowed = (bits >> torch.arange(8, dtype=torch.uint8, device=scores.device)) & 1
    scores.masked_fill_(allowed.view(len(matchers), -1)[:, :vocabulary] == 0, float("-inf"))


def _bounded(schema: Any) -> Any:
    """The schema with a limit on each string that has none. It is narrower, so what satisfies it
    satisfies the original schema."""
    if isinstance(schema, list):
        return [_bounded(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    bounded = {name: _bounded(value) for name, value in schema.items()}
    free = not {"enum", "const", "maxLength", "pattern", "format"} & set(schema)
    if schema.get("type") == "string" and free:
        bounded["maxLength"] = max(LONGEST_TEXT, int(schema.get("minLength", 0)))
    return bounded
