"""Models whose weights are on this machine, run by Hugging Face transformers.

From the outside in::

    sessions, options       the life of the agent, one thread for each of its sessions; what a user
                            may choose
    open_weights            what has to be installed; opening a model
    model_folder            finding a model's files, and what is missing; self_check: the self-check
    model                   the Model that the agent asks
    batcher                 requests of several threads become batches
    loading                 weights, tokenizer, processor
    chat_template, encoding messages become text, and text becomes tensors
    generation              replies token by token; grammar: JSON schemas
    scoring                 the likeliest of candidates; token_trie: what they have in common

``sessions``, ``options``, ``open_weights``, ``model_folder``, ``batcher`` and ``token_trie`` import
without torch.
"""

from .open_weights import open_model
from .options import Score, Switch, WeightsOptions

__all__ = ["Score", "Switch", "WeightsOptions", "open_model"]
