"""Scores all candidates of a prompt as one tree of tokens.

The model reads the tree's nodes as if they were one text behind the prompt; a mask lets each
node see the prompt and its own ancestors, and its position is its depth's. So a token that
many candidates share is read once, and nothing of the prompt is copied.
"""

from __future__ import annotations

from collections.abc import Sequence

from .border import Tensor, torch
from .likelihoods import Likelihoods
from .loading import Weights
from .prefill import Prefill
from .trie import ROOT, Trie

NODES = 512
"""Nodes that the model reads at once, over all prompts: bounds the memory for its output."""


def score_tree(weights: Weights, read: Prefill, tries: Sequence[Trie]) -> list[Tensor]:
    """For each prompt what ``Likelihoods.candidates`` gives. Uses up the cache."""
    batch, width = len(tries), read.encoded.ids.shape[1]
    nodes = max(map(len, tries))
    tables = [Likelihoods(trie, weights.ends) for trie in tries]
    tokens = torch.full((batch, nodes), weights.pad)
    depths = torch.zeros((batch, nodes), dtype=torch.long)
    seen = torch.zeros((batch, nodes, width + nodes), dtype=torch.bool)
    seen[:, :, :width] = read.encoded.mask[:, None, :].bool().cpu()
    for row, trie in enumerate(tries):
        tokens[row, : len(trie)] = torch.tensor(trie.tokens)
        depths[row, : len(trie)] = torch.tensor(trie.depths)
        seen[row, :, width:] = _ancestors(trie, nodes)
        tables[row].take([ROOT], read.first[row : row + 1])
    tokens, depths, seen = (each.to(weights.device) for each in (tokens, depths, seen))
    step = max(1, NODES // batch)
    for start in range(0, nodes, step):
        end = min(start + step, nodes)
        logits = weights.model(
            input_ids=tokens[:, start:end],
            attention_mask=_additive(seen[:, start:end, : width + end], weights),
            position_ids=read.positions[:, None] + depths[:, start:end],
            past_key_values=read.cache,
            use_cache=True,
        ).logits
        for row, trie in enumerate(tries):
            here = range(start, min(end, len(trie)))
            tables[row].take(here, logits[row, : len(here)])
    return [table.candidates() for table in tables]


def _ancestors(trie: Trie, nodes: int) -> Tensor:
    """bool [nodes, nodes]: whether a node (row) sees another (column); each sees itself."""
    seen = torch.eye(nodes, dtype=torch.bool)
    for node, parent in enumerate(trie.parents):
        if parent != ROOT:
            seen[node] |= seen[parent]
    return seen


def _additive(seen: Tensor, weights: Weights) -> Tensor:
    """The mask [B, 1, Q, K] as attention adds it: 0, or the lowest number there is."""
    dtype = weights.model.dtype
    mask = torch.zeros(seen.shape, dtype=dtype, device=seen.device)
    return mask.masked_fill_(~seen, torch.finfo(dtype).min)[:, None]
