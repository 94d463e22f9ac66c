"""Scores candidates some at a time, each with a copy of what the model remembers of the prompt.

For models that take no mask of our own: those with sliding windows or linear attention.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

from .border import Tensor, torch
from .likelihoods import Likelihoods
from .loading import Weights
from .prefill import Prefill
from .trie import ROOT, Trie

ROWS = 16
"""Candidates at a time: each holds a copy of the prompt's keys and values."""


def score_rows(weights: Weights, read: Prefill, tries: Sequence[Trie]) -> list[Tensor]:
    """For each prompt what ``Likelihoods.candidates`` gives."""
    found = []
    for row, trie in enumerate(tries):
        table = Likelihoods(trie, weights.ends)
        table.take([ROOT], read.first[row : row + 1])
        own = _selected(read, [row])
        paths = [trie.path(leaf) for leaf in trie.leaves()]
        for start in range(0, len(paths), ROWS):
            some = paths[start : start + ROWS]
            logits = _read_on(weights, own, trie, some)
            for path, values in zip(some, logits, strict=True):
                table.take(path, values[: len(path)])
        found.append(table.candidates())
    return found


def _read_on(weights: Weights, read: Prefill, trie: Trie, paths: Sequence[Sequence[int]]) -> Tensor:
    """[n, D, V]: the output behind each node of each path, padded on the right."""
    count, deepest = len(paths), max(map(len, paths))
    tokens = torch.full((count, deepest), weights.pad)
    valid = torch.zeros((count, deepest), dtype=torch.long)
    for row, path in enumerate(paths):
        tokens[row, : len(path)] = torch.tensor([trie.tokens[node] for node in path])
        valid[row, : len(path)] = 1
    several = _selected(read, [0] * count)
    steps = torch.arange(deepest, device=weights.device)
    return weights.model(
        input_ids=tokens.to(weights.device),
        attention_mask=torch.cat((several.encoded.mask, valid.to(weights.device)), dim=-1),
        position_ids=several.positions[:, None] + steps,
        past_key_values=several.cache,
        use_cache=True,
    ).logits


def _selected(read: Prefill, rows: Sequence[int]) -> Prefill:
    """Some of the prompts, in this order, each as often as asked; the original stays whole."""
    index = torch.tensor(rows, device=read.positions.device)
    cache = copy.deepcopy(read.cache)
    cache.reorder_cache(index)
    return Prefill(read.encoded.texts_of(index), cache, read.first[index], read.positions[index])
