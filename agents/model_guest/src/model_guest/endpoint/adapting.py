"""Finds out which parameters a server takes, and remembers it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from ..notices import Log
from .config import EndpointConfig, Guided
from .failures import Failure, Kind

_NEWER_NAME = ("api.openai.com",)
_LADDER = {
    Guided.JSON_SCHEMA: Guided.JSON_OBJECT,
    Guided.JSON_OBJECT: Guided.OFF,
}
_CONTEXT = re.compile(r"maximum context length (?:is|of) (\d+)", re.IGNORECASE)
_PROMPT = re.compile(r"(\d+) (?:in the messages|input tokens|in the prompt|tokens from the input)")
_MOST = re.compile(
    r"at most (\d+) (?:completion|output)|\d > (\d+), which is the maximum"
    r"|less than or equal to [`'\"]?(\d+)|valid range of max_\w+ is \[\d+, ?(\d+)\]",
    re.IGNORECASE,
)
"""A model's longest reply, as OpenAI, Anthropic, Groq and DeepSeek word it."""
LEAST_REPLY = 256
"""Tokens. A reply that has less room than this is not worth asking for."""


class Parameters:
    """The parameters of requests, as far as the server takes them.

    What the guest itself chose is changed where the server asks for it: the name of the bound
    on a reply's length and the bound itself, and how the reply is held to a schema. A seed is
    dropped: it is a wish in any case. What the user chose otherwise is never changed.
    """

    def __init__(self, config: EndpointConfig, log: Log) -> None:
        self._config, self._log = config, log
        newer = config.address.azure or any(h in config.address.chat for h in _NEWER_NAME)
        self._tokens_name = "max_completion_tokens" if newer else "max_tokens"
        self._renamed = False
        self._most_tokens: int | None = None
        self._sends_seed = config.seed is not None
        auto = config.guided is Guided.AUTO
        self.guided = Guided.JSON_SCHEMA if auto else config.guided
        """What is asked of the server; with AUTO, the best that it has not refused."""

    def build(
        self, schema: Mapping[str, Any] | None, reply_tokens: int | None, draw: str = ""
    ) -> dict[str, Any]:
        """The parameters of one request, without its messages. ``draw`` tells it from others
        that shall get another seed."""
        config = self._config
        if reply_tokens is not None and self._most_tokens is not None:
            reply_tokens = min(reply_tokens, self._most_tokens)
        built: dict[str, Any] = {"model": config.model}
        optional = {
            "temperature": config.temperature,
            "top_p": config.top_p,
            "seed": _seed(config.seed, draw) if self._sends_seed else None,
            "reasoning_effort": config.reasoning_effort or None,
            self._tokens_name: reply_tokens,
            "response_format": self._format(schema),
        }
        built |= {name: value for name, value in optional.items() if value is not None}
        return {**built, "stream": False, **config.extra_body}

    def _format(self, schema: Mapping[str, Any] | None) -> dict[str, Any] | None:
        if schema is None or self.guided is Guided.OFF:
            return None
        if self.guided is Guided.JSON_OBJECT:
            return {"type": "json_object"}
        held = {"name": "reply", "strict": True, "schema": schema}
        return {"type": "json_schema", "json_schema": held}

    def adapt(self, failure: Failure, sent: Mapping[str, Any]) -> bool:
        """Whether another request may do better, with what this failure taught."""
        if failure.kind is not Kind.PARAMETER or failure.parameter in self._config.extra_body:
            return False
        if failure.parameter == "response_format":
            return self._loosen(failure, sent)
        if failure.parameter == "seed" and self._sends_seed:
            self._sends_seed = False
            self._log("  the server takes no seed; going on without")
            return True
        return failure.parameter == self._tokens_name and self._adapt_bound(failure, sent)

    def _adapt_bound(self, failure: Failure, sent: Mapping[str, Any]) -> bool:
        found = _MOST.search(failure.text)
        if found:
            most = int(next(filter(None, found.groups())))
            if LEAST_REPLY <= most < sent[self._tokens_name]:
                self._most_tokens = most
                self._log(f"  the model's replies have {most} tokens at most; asking for no more")
                return True
        other = "max_completion_tokens" if self._tokens_name == "max_tokens" else "max_tokens"
        if self._renamed or (other == "max_tokens" and "max_tokens" not in failure.text):
            return False
        self._tokens_name, self._renamed = other, True
        return True

    def _loosen(self, failure: Failure, sent: Mapping[str, Any]) -> bool:
        if self._config.guided is not Guided.AUTO or "response_format" not in sent:
            return False
        kind = sent["response_format"]["type"]
        used = Guided.JSON_SCHEMA if kind == "json_schema" else Guided.JSON_OBJECT
        if used is self.guided:
            self.guided = _LADDER[used]
            self._log(
                f"  the server takes no {used.value}: {failure.text[:120]};"
                f" going on with guided decoding {self.guided.value}"
            )
        return True

    def declared(self) -> dict[str, str]:
        """What is really used, by name."""
        config = self._config
        values = {
            "temperature": config.temperature,
            "top_p": config.top_p,
            "reasoning_effort": config.reasoning_effort or None,
        }
        declared = {name: str(value) for name, value in values.items() if value is not None}
        if config.seed is not None:
            declared["sampling_seed"] = (
                str(config.seed) if self._sends_seed else "refused by the server"
            )
        if config.reply_tokens is not None:
            tokens = min(config.reply_tokens, self._most_tokens or config.reply_tokens)
            declared["reply_tokens"] = f"{tokens} ({self._tokens_name})"
        asked = " (auto)" if config.guided is Guided.AUTO else ""
        return {**declared, "guided": self.guided.value + asked}


def _seed(chosen: int | None, draw: str) -> int | None:
    """A seed from the user's and what is drawn; 31 bits, which every server takes."""
    if chosen is None:
        return None
    digest = hashlib.sha256(f"{chosen}:{draw}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def room_for_reply(failure: Failure, asked: int | None) -> int | None:
    """Tokens that a too long request leaves for its reply, where the server says so.

    None where that is too little, or no less than was ``asked``: the prompt itself is too long.
    """
    context, prompt = _CONTEXT.search(failure.text), _PROMPT.search(failure.text)
    if not context or not prompt:
        return None
    room = int(context.group(1)) - int(prompt.group(1)) - 1
    return room if room >= LEAST_REPLY and (asked is None or room < asked) else None
