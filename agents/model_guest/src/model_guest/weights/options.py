"""A user's options for weights on this machine, and their part of the command line."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from ..options import count, named_value


class Score(Enum):
    """How to compare candidates."""

    SUM = "sum"
    """The log-probability of the whole candidate."""
    MEAN = "mean"
    """The mean per token, so that long candidates are not at a disadvantage."""


class Switch(Enum):
    """Whether to use an optional feature."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


DTYPES = ("auto", "bfloat16", "float16", "float32")


@dataclass(frozen=True, slots=True)
class WeightsOptions:
    """Which weights to use, where they run, and how they answer."""

    model: str
    """A folder in the Hugging Face layout, or a name (``org/model``) in the local cache."""

    revision: str = ""
    """Branch, tag or commit, for a name. Empty for the cache's main branch."""

    device: str = "auto"
    """``cpu``, ``cuda``, ``cuda:N``; auto is the first GPU, or the CPU if there is none."""

    dtype: str = "auto"
    """One of DTYPES. auto is the checkpoint's own on a GPU, and float32 on the CPU."""

    allow_download: bool = False
    """Whether a name that is not in the cache may be downloaded."""

    trust_remote_code: bool = False
    """Whether Python files in the model's folder may run."""

    pictures: bool = True
    """Whether a vision model gets pictures."""

    template: Mapping[str, Any] = field(default_factory=dict)
    """Variables for the chat template, such as ``{"enable_thinking": False}``."""

    reply_tokens: int = 512
    """The maximum number of tokens of a reply."""

    temperature: float = 0.0
    """0 takes the likeliest token; above 0, tokens are drawn."""

    top_p: float = 1.0
    """Draws come from the likeliest tokens that hold this share of the probability."""

    top_k: int = 0
    """Draws come from this many of the likeliest tokens; 0 for all."""

    seed: int = 0
    """The seed of all draws."""

    batch: int = 8
    """The maximum number of requests per batch."""

    wait: float = 0.01
    """Seconds that a first request waits for others."""

    guided: Switch = Switch.AUTO
    """Whether replies are constrained to a request's schema. auto: if llguidance is installed."""

    score: Score = Score.SUM
    """How to compare candidates."""

    score_end: bool = True
    """Whether a candidate's score includes the probability that the reply ends there. Without it,
    a candidate that is a prefix of another one is never less likely than that one."""

    def __post_init__(self) -> None:
        """Raises ValueError naming the option that is out of range."""
        positive = {"reply_tokens": self.reply_tokens, "batch": self.batch}
        for name, value in positive.items():
            if value < 1:
                raise ValueError(f"{name} must be at least 1, not {value}")
        for name, number in {"temperature": self.temperature, "wait": self.wait}.items():
            if not 0 <= number < float("inf"):
                raise ValueError(f"{name} must be 0 or more, not {number}")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p must be above 0 and at most 1, not {self.top_p}")
        if self.top_k < 0:
            raise ValueError(f"top_k must be 0 or more, not {self.top_k}")
        if self.dtype not in DTYPES:
            raise ValueError(f"dtype must be one of {', '.join(DTYPES)}, not {self.dtype!r}")
        if not self.model:
            raise ValueError("model is empty: name a folder or a model in the cache")


# --- The weights' part of the command line

_DEFAULT = WeightsOptions("default")


def add_weights_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options that read_weights reads, and ``--choose``, which read_settings reads."""
    what = parser.add_argument_group("weights")
    what.add_argument(
        "--model",
        required=True,
        metavar="PATH|NAME",
        help="a folder in the Hugging Face layout, or a name (org/model) in its local cache",
    )
    what.add_argument(
        "--revision", default="", metavar="REV", help="branch, tag or commit, for a name"
    )
    what.add_argument(
        "--allow-download",
        action="store_true",
        help="download a name that is not in the cache; without it nothing is ever downloaded",
    )
    what.add_argument(
        "--trust-remote-code", action="store_true", help="run Python files in the model's folder"
    )
    what.add_argument(
        "--device",
        default=_DEFAULT.device,
        metavar="DEVICE",
        help="cpu, cuda, cuda:N, or auto: the first GPU, else the CPU; default: auto",
    )
    what.add_argument(
        "--dtype",
        choices=DTYPES,
        default=_DEFAULT.dtype,
        help="auto: the checkpoint's own on a GPU, float32 on the CPU; default: auto",
    )
    what.add_argument(
        "--batch",
        type=_at_least_one,
        default=_DEFAULT.batch,
        metavar="N",
        help=f"the maximum number of requests per batch; default: {_DEFAULT.batch}",
    )
    _add_replies(parser)
    _add_choosing(parser)


def _add_replies(parser: argparse.ArgumentParser) -> None:
    how = parser.add_argument_group("replies")
    how.add_argument(
        "--template-set",
        action="append",
        default=[],
        type=_template_value,
        metavar="NAME=JSON",
        help="a variable of the chat template, such as enable_thinking=false; may be repeated",
    )
    how.add_argument(
        "--reply-tokens",
        type=_at_least_one,
        default=_DEFAULT.reply_tokens,
        metavar="N",
        help=f"the longest reply; default: {_DEFAULT.reply_tokens}",
    )
    how.add_argument(
        "--temperature",
        type=float,
        default=_DEFAULT.temperature,
        metavar="T",
        help="0 takes the likeliest token each time; default: 0",
    )
    how.add_argument("--top-p", type=float, default=_DEFAULT.top_p, metavar="P", help="default: 1")
    how.add_argument(
        "--top-k", type=count, default=_DEFAULT.top_k, metavar="K", help="0: all; default: 0"
    )
    how.add_argument(
        "--sampling-seed",
        type=int,
        metavar="N",
        help="seed of the draws at a temperature above 0; default: HOUSEGUEST_SEED, or 0",
    )
    how.add_argument(
        "--guided",
        choices=[each.value for each in Switch],
        default=_DEFAULT.guided.value,
        help="constrain replies to the action's JSON schema; auto: if llguidance is installed",
    )


def _add_choosing(parser: argparse.ArgumentParser) -> None:
    choosing = parser.add_argument_group("choosing")
    choosing.add_argument(
        "--choose",
        action="store_true",
        help="take the likeliest of all legal actions instead of writing one",
    )
    choosing.add_argument(
        "--score",
        choices=[each.value for each in Score],
        default=_DEFAULT.score.value,
        help="compare by the log-probability of the whole reply, or by its mean per token",
    )
    choosing.add_argument(
        "--score-open",
        action="store_true",
        help="exclude from the score that the reply ends where the candidate does",
    )


def read_weights(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> WeightsOptions:
    """The chosen options; exits with status 2 if one is out of range."""
    seed = arguments.sampling_seed
    if seed is None:
        seed = int(os.environ.get("HOUSEGUEST_SEED") or 0)
    try:
        return WeightsOptions(
            model=arguments.model,
            revision=arguments.revision,
            device=arguments.device,
            dtype=arguments.dtype,
            allow_download=arguments.allow_download,
            trust_remote_code=arguments.trust_remote_code,
            pictures=arguments.pictures != "off",
            template=dict(arguments.template_set),
            reply_tokens=arguments.reply_tokens,
            temperature=arguments.temperature,
            top_p=arguments.top_p,
            top_k=arguments.top_k,
            seed=seed,
            batch=arguments.batch,
            guided=Switch(arguments.guided),
            score=Score(arguments.score),
            score_end=not arguments.score_open,
        )
    except ValueError as error:
        parser.error(str(error))


def _at_least_one(text: str) -> int:
    value = count(text)
    if value < 1:
        raise argparse.ArgumentTypeError("it must be at least 1")
    return value


def _template_value(text: str) -> tuple[str, Any]:
    """NAME=JSON; a value that is not JSON is a plain text."""
    name, value = named_value(text)
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
