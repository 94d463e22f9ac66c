"""What a user may choose about weights on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Score(Enum):
    """What decides between candidates."""

    SUM = "sum"
    """The log-probability of the whole candidate."""
    MEAN = "mean"
    """The same by token, so that long candidates are not at a disadvantage."""


class Switch(Enum):
    """Whether to use something that may not be there."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


DTYPES = ("auto", "bfloat16", "float16", "float32")


@dataclass(frozen=True, slots=True)
class WeightsOptions:
    """Which weights, where they run, and how they answer."""

    model: str
    """A folder in the Hugging Face layout, or a name (``org/model``) in the local cache."""

    revision: str = ""
    """Branch, tag or commit, for a name. Empty: the cache's main branch."""

    device: str = "auto"
    """``cpu``, ``cuda``, ``cuda:N``; auto: the first GPU, or the CPU where there is none."""

    dtype: str = "auto"
    """One of DTYPES. auto: the checkpoint's own on a GPU, float32 on the CPU."""

    allow_download: bool = False
    """Whether a name that is not in the cache may be downloaded."""

    trust_remote_code: bool = False
    """Whether Python files beside the weights may run."""

    pictures: bool = True
    """Whether a model that sees is shown pictures."""

    template: Mapping[str, Any] = field(default_factory=dict)
    """Variables for the chat template, such as ``{"enable_thinking": False}``."""

    reply_tokens: int = 512
    """The longest reply."""

    temperature: float = 0.0
    """0 takes the likeliest token; above it tokens are drawn."""

    top_p: float = 1.0
    """Draws come from the likeliest tokens that hold this share of the probability."""

    top_k: int = 0
    """Draws come from so many of the likeliest tokens; 0: from all."""

    seed: int = 0
    """Of all draws."""

    batch: int = 8
    """How many requests at most go through the model together."""

    wait: float = 0.01
    """Seconds that a first request waits for others."""

    guided: Switch = Switch.AUTO
    """Whether replies are held to a request's schema. auto: where llguidance is installed."""

    score: Score = Score.SUM
    """What decides between candidates."""

    score_end: bool = True
    """Whether a candidate's score counts that the reply ends there. Without it a candidate that
    begins another one is never less likely than that."""

    def __post_init__(self) -> None:
        """Raises ValueError naming the option that is out of range."""
        positive = {"reply_tokens": self.reply_tokens, "batch": self.batch}
        for name, value in positive.items():
            if value < 1:
                raise ValueError(f"{name} has to be at least 1, not {value}")
        for name, number in {"temperature": self.temperature, "wait": self.wait}.items():
            if not 0 <= number < float("inf"):
                raise ValueError(f"{name} has to be 0 or more, not {number}")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p has to be above 0 and at most 1, not {self.top_p}")
        if self.top_k < 0:
            raise ValueError(f"top_k has to be 0 or more, not {self.top_k}")
        if self.dtype not in DTYPES:
            raise ValueError(f"dtype has to be one of {', '.join(DTYPES)}, not {self.dtype!r}")
        if not self.model:
            raise ValueError("model is empty: name a folder or a model in the cache")
