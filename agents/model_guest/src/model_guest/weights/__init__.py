"""Models whose weights are on this machine, run by Hugging Face transformers.

From the outside in::

    sessions, options       the life of the agent, with one thread per session; the user's options
    open_weights            the required packages; opening a model
    model_folder            finds a model's files and what is missing; self_check: the self-check
    model                   the Model that the agent asks
    batcher                 combines requests of several threads into batches
    loading                 weights, tokenizer, processor
    encoding                messages become text, and text becomes tensors
    generation              replies token by token; grammar: JSON schemas
    scoring                 the likeliest of candidates; token_trie: their common prefixes

``sessions``, ``options``, ``open_weights``, ``model_folder``, ``batcher`` and ``token_trie`` import
without torch.
"""

from .open_weights import open_model
from .options import Score, Switch, WeightsOptions

__all__ = ["Score", "Switch", "WeightsOptions", "open_model"]
