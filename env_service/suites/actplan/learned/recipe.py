"""How a classifier is trained."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

PUBLISHED_TOKENS = ("switch-on", "switch-off", "place_inside", "place_on_top", "walk_to")
"""Words that the published code gives tokens of their own (spec: actplan.md section 5)."""


class Cut(Enum):
    """Where a pair that is too long for the encoder is cut: token by token the longer of the two
    plans, until both fit."""

    END = "end"
    """The plans' last steps go, as published."""
    START = "start"
    """Their first ones do."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that training depends on, beside data and encoder. The defaults are the published ones
    (spec: actplan.md section 5); of the two rates that code and paper give to opposite models, the
    greater.

    Attributes:
        epochs: each draws one example from every instance.
        batch: examples in one step of the optimiser (AdamW, no schedule).
        clip: the gradient's greatest norm.
        dropout: before the last layer.
        most_tokens: of a pair; the encoder's own bound where that is less.
        seed: of every draw.
    """

    epochs: int = 70
    batch: int = 12
    learning_rate: float = 5e-6
    weight_decay: float = 0.01
    clip: float = 5.0
    dropout: float = 0.1
    most_tokens: int = 512
    cut: Cut = Cut.END
    added_tokens: tuple[str, ...] = PUBLISHED_TOKENS
    seed: int = 0

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return {**asdict(self), "cut": self.cut.value, "added_tokens": list(self.added_tokens)}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Recipe:
        """What `to_json` wrote. Raises KeyError, TypeError or ValueError for anything else."""
        tokens = tuple(value["added_tokens"])
        return cls(**{**value, "cut": Cut(value["cut"]), "added_tokens": tokens})
