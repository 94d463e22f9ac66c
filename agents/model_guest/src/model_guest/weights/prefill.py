"""What a model makes of prompts, before the first token of a reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .border import Tensor, torch, transformers
from .encoding import Encoded
from .loading import Weights


@dataclass(frozen=True, slots=True)
class Prefill:
    """A batch of prompts, read. ``cache`` is the model's memory of them, None where it keeps
    none; ``first`` float32 [B, V] the log-probabilities of a reply's first token;
    ``positions`` int64 [B] the position that it will have."""

    encoded: Encoded
    cache: Any
    first: Tensor
    positions: Tensor


def prefill(weights: Weights, encoded: Encoded) -> Prefill:
    """Reads the prompts, by having the model generate one token, which is thrown away:
    ``generate`` knows what each architecture needs, above all where there are pictures."""
    model = weights.model
    with torch.inference_mode():
        output = model.generate(
            **encoded.inputs,
            generation_config=transformers.GenerationConfig(
                max_new_tokens=1,
                do_sample=False,
                use_cache=True,
                return_dict_in_generate=True,
                output_logits=True,
                eos_token_id=list(weights.ends),
                pad_token_id=weights.pad,
            ),
        )
        positions = encoded.mask.sum(-1)
        # Models that place pictures in two dimensions count positions from another start.
        deltas = getattr(getattr(model, "model", model), "rope_deltas", None)
        if deltas is not None:
            positions = positions + deltas.view(-1).to(positions.device)
        first = torch.log_softmax(output.logits[0].float(), dim=-1)
    return Prefill(encoded, output.past_key_values, first, positions)
