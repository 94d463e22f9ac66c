"""The tokens of candidates behind a prompt.

A reply's tokens are those that reading prompt and reply as one text gives, as in training:
after ``[/INST]`` a tokenizer may write ``go`` as ``▁go``, behind a line break as ``go``. So each
candidate is read together with the end of the prompt. Where a token would reach across the
border, the prompt's last token would not be the one that the model is given; such a candidate
is read by itself instead, which is how the model would have to generate it.
"""

from __future__ import annotations

from collections.abc import Sequence

from .loading import Weights

_TAIL = 400
"""Characters of a prompt's end that are read again where no special token stands among them.
No tokenizer's pieces are so long."""


def candidate_tokens(
    weights: Weights, border: str, candidates: Sequence[str]
) -> tuple[tuple[int, ...], ...]:
    """Tokens of each candidate, without one that ends the reply.

    ``border`` is the end of the prompt, as ``border_text`` cuts it.
    """
    tokenizer = weights.tokenizer
    before = tokenizer(border, add_special_tokens=False)["input_ids"]
    texts = [border + candidate for candidate in candidates]
    together = tokenizer(texts, add_special_tokens=False)["input_ids"]
    alone = tokenizer(list(candidates), add_special_tokens=False)["input_ids"]
    count = len(before)
    return tuple(
        tuple(joined[count:] if joined[:count] == before else by_itself)
        for joined, by_itself in zip(together, alone, strict=True)
    )


def border_text(weights: Weights, prompt: str) -> str:
    """The end of a prompt from its last special token on, which no other token reaches across;
    the last characters where none is near."""
    tail = prompt[-_TAIL:]
    return tail[max(0, *map(tail.rfind, weights.tokenizer.get_added_vocab())) :]
