"""Models whose weights are on this machine, run by Hugging Face transformers.

From the outside in::

    serving, seats          the life of the guest; one thread for each of its seats
    command_line, options   what a user may choose
    opening, folder         finding a model, and what is missing; checking: the self-check
    model                   the Model that the guest asks
    batcher                 requests of several threads become batches
    loading                 weights, tokenizer, processor
    dialogue, encoding      messages become text, and text becomes tensors
    generating              replies token by token; draws: sampling; grammar: JSON schemas
    scoring                 the likeliest of candidates: candidates, trie, prefill, likelihoods,
                            and three ways: scoring_tree, scoring_rows, scoring_whole
    border                  torch and transformers, which have no types worth having

Of these the first three lines, ``batcher`` and ``trie`` import without torch.
"""

from .open_model import open_model
from .options import Score, Switch, WeightsOptions

__all__ = ["Score", "Switch", "WeightsOptions", "open_model"]
