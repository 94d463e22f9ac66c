"""Scores candidates by reading prompt and candidate from the start, one at a time.

Slow, and right for every architecture: what the quicker ways are checked against.
"""

from __future__ import annotations

from collections.abc import Sequence

from .border import Tensor, torch
from .encoding import Encoded
from .loading import Weights

_PER_TOKEN = ("token_type_ids", "mm_token_type_ids", "moe_mm_token_type_ids")
"""Inputs beside ids and mask that say something of each token; 0 means text."""


def score_whole(weights: Weights, prompt: Encoded, candidates: Sequence[Sequence[int]]) -> Tensor:
    """float64 [C, 2] as ``Likelihoods.candidates`` has it. ``prompt`` is a batch of one."""
    return torch.stack([_score(weights, prompt, list(tokens)) for tokens in candidates])


def _score(weights: Weights, prompt: Encoded, tokens: list[int]) -> Tensor:
    reply = torch.tensor([tokens], dtype=torch.long, device=weights.device)
    inputs = dict(prompt.inputs)
    inputs["input_ids"] = torch.cat((prompt.ids, reply), dim=-1)
    inputs["attention_mask"] = torch.cat((prompt.mask, torch.ones_like(reply)), dim=-1)
    for name in _PER_TOKEN:
        if name in inputs:
            inputs[name] = torch.cat((inputs[name], torch.zeros_like(reply)), dim=-1)
    logits = weights.model(**inputs, use_cache=False).logits[0, prompt.ids.shape[1] - 1 :]
    following = torch.log_softmax(logits.float(), dim=-1).double()
    places = torch.arange(len(tokens), device=weights.device)
    end = following[-1, list(weights.ends)].logsumexp(-1)
    return torch.stack((following[places, reply[0]].sum(), end)).cpu()
