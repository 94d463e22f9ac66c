"""Asks a model behind an OpenAI-compatible server, with the parameters that the server accepts."""

from __future__ import annotations

import difflib
import hashlib
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from .completion import CallUsage, Completion, Finish, read_completion
from .config import EndpointConfig, Guided
from .errors import ContextOverflowError, ModelError, RefusedError
from .failures import Failure, Kind
from .messages import BodyWriter, Message
from .transport import Caller, FailureError, RetryWait, Say, Transport

EMPTY_REPLIES = 3
"""How often the client asks again for an empty reply before it accepts that as the answer."""


class ChatClient:
    """A model behind ``/chat/completions``. Safe to use from several threads."""

    def __init__(
        self, config: EndpointConfig, caller: Caller, *, empty_replies: int = EMPTY_REPLIES
    ) -> None:
        """Opens no connection yet.

        Args:
            empty_replies: How often to ask again for an empty reply, with a wait before each.

        Raises:
            ClientError: The environment names a proxy or certificates that cannot be used.
        """
        self.config, self._caller, self._empty_replies = config, caller, empty_replies
        self._transport = Transport(config, caller)
        self.parameters = Parameters(config, caller.log)
        self._writer = BodyWriter()
        self.usage_reported: bool | None = None
        """Whether the server reported the tokens of its last reply; None before the first."""

    def complete(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, Any] | None = None,
        *,
        deadline: float | None = None,
        draw: str = "",
        slow: str = "",
    ) -> Completion:
        """Asks the model.

        Args:
            messages: The conversation; put what never changes first, so that a server can reuse
                it.
            schema: A JSON Schema for the reply; None for a free reply.
            deadline: The time, on the clock of ``time.monotonic``, after which a reply is useless;
                None for no deadline.
            draw: Distinguishes this request from others, which get another seed.
            slow: Advice to quote if the server works, but is too slow for the deadline.

        Raises:
            UnreachableError: The server does not reply within the patience, or by the deadline.
            ContextOverflowError: The request is too long for the model.
            RefusedError: The server refuses the request for another reason.
        """
        paid: list[CallUsage] = []
        try:
            patience = self._transport.patience(deadline, slow)
            return self._complete(messages, schema, draw, patience, paid)
        except ModelError as error:
            error.usage = (*paid, *error.usage)
            raise

    def _complete(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, Any] | None,
        draw: str,
        patience: RetryWait,
        paid: list[CallUsage],
    ) -> Completion:
        """`complete`; appends each paid call to ``paid``."""
        images = sum(len(message.pictures) for message in messages)
        read = partial(read_completion, model=self.config.model, images=images)
        limit, empty = self.config.reply_tokens, 0
        while True:
            sent = self.parameters.build(schema, limit, f"{draw}:{empty}")
            body = self._writer.write(messages, sent)
            try:
                completion = self._transport.post(body, tuple(sent), patience, read)
            except FailureError as error:
                failure = error.failure
                if failure.kind is Kind.FILTERED:
                    refusal = self.config.redact(failure.text)
                    return Completion("", "", refusal, Finish.REFUSED, tuple(paid), sent)
                room = room_for_reply(failure, limit) if failure.kind is Kind.TOO_LONG else None
                if room is not None:
                    limit = room
                elif not self.parameters.adapt(failure, sent):
                    raise self._explained(failure, sent=tuple(sent)) from error
                continue
            paid += completion.usage
            self.usage_reported = completion.usage[-1].reported
            if completion.empty and empty < self._empty_replies:
                empty += 1
                patience.wait("the model's reply is empty")
            elif self._cut(completion, limit):
                limit = self.config.longer_tokens
            else:
                return replace(completion, usage=tuple(paid), parameters=sent)

    def _cut(self, completion: Completion, limit: int | None) -> bool:
        """Whether the reply was cut off and a longer one may be requested."""
        longer = self.config.longer_tokens
        cut = completion.finish is Finish.LENGTH
        return cut and longer is not None and limit is not None and longer > limit

    def _explained(self, failure: Failure, sent: tuple[str, ...]) -> ModelError:
        status = f" (HTTP {failure.status})" if failure.status else ""
        text = self.config.redact(failure.text + status)
        place, model = self.config.address.declared, self.config.model
        if failure.kind is Kind.TOO_LONG:
            return ContextOverflowError(
                f"The request is longer than the model {model} can read: {text}"
            )
        advice = {
            Kind.KEY: "The server refuses the API key. Set HOUSEGUEST_API_KEY (or the variable"
            " that --api-key-env names) to a key that is valid for this endpoint:",
            Kind.MODEL: f"The server has no model {model!r}.{self._nearest()} It says:",
            Kind.PATH: f"No chat endpoint found at {place}; check --base-url. The server says:",
            Kind.TRUST: f"No secure connection to {place}: its certificate is not trusted, or it"
            " does not use TLS (then --base-url starts with http:). SSL_CERT_FILE names a file"
            " with the authority to trust:",
            Kind.PAYMENT: "The account behind the API key cannot pay; top it up or raise its"
            " limit. The server says:",
            Kind.NO_PICTURES: f"The model {model} accepts no pictures. {self._caller.blind_advice}"
            " The server says:",
            Kind.PARAMETER: f"The server does not accept {failure.parameter!r} as given;"
            " change or omit the option that sets it. The server says:",
        }
        words = advice.get(
            failure.kind, f"The server refuses the request (parameters: {', '.join(sent)}):"
        )
        return RefusedError(f"{words} {text}")

    def _nearest(self) -> str:
        listed = self.models()
        near = difflib.get_close_matches(self.config.model, listed, n=3, cutoff=0.3) or listed[:5]
        return f" Did you mean {', '.join(near)}?" if near else ""

    def refusal(self) -> str:
        """Why a connection to the server fails, after one attempt; empty if it succeeds."""
        return self._transport.refusal()

    def models(self) -> list[str]:
        """The names of the models that the server lists; may be empty."""
        return self._transport.models()

    def close(self) -> None:
        """Closes the connections."""
        self._transport.close()


# --- Finds out which parameters a server accepts, and remembers it

_OLD, _NEW = "max_tokens", "max_completion_tokens"
_TAKES_NEW = "api.openai.com"
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
"""In tokens. A shorter reply is not worth requesting."""


class Parameters:
    """The parameters of requests, adapted to what the server accepts.

    If the server demands it, the client changes its defaults: the name and the value of the
    limit for replies, and how replies are constrained to a schema. It drops a seed that the server
    refuses, since a seed is only a wish. It never changes the user's other choices. Safe to use
    from several threads.
    """

    def __init__(self, config: EndpointConfig, log: Say) -> None:
        self._config, self._log = config, log
        self._lock = threading.Lock()
        newer = config.address.azure or _TAKES_NEW in config.address.chat
        self._tokens_name = _NEW if newer else _OLD
        self._renamed = False
        self._most_tokens: int | None = None
        self._sends_seed = config.seed is not None
        auto = config.guided is Guided.AUTO
        self.guided = Guided.JSON_SCHEMA if auto else config.guided
        """The format to request; with AUTO, the best one that the server has not refused."""

    def build(
        self, schema: Mapping[str, Any] | None, reply_tokens: int | None, draw: str = ""
    ) -> dict[str, Any]:
        """The parameters of one request, without its messages. ``draw`` distinguishes it from
        others, which get another seed."""
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
        """Learns from a failure; returns whether another request may succeed. ``sent`` holds the
        parameters of the failed request."""
        name = failure.parameter
        if failure.kind is not Kind.PARAMETER or name in self._config.extra_body:
            return False
        with self._lock:
            if name == "response_format":
                return self._loosen(failure, sent)
            if name == "seed" and "seed" in sent:
                if self._sends_seed:
                    self._sends_seed = False
                    self._log("  the server accepts no seed; continuing without")
                return True
            return name in (_OLD, _NEW) and name in sent and self._adapt_bound(failure, sent)

    def _adapt_bound(self, failure: Failure, sent: Mapping[str, Any]) -> bool:
        name = failure.parameter
        if name != self._tokens_name or sent[name] > (self._most_tokens or sent[name]):
            # Another thread has adapted it in the meantime.
            return True
        found = _MOST.search(failure.text)
        if found:
            most = int(next(filter(None, found.groups())))
            if LEAST_REPLY <= most < sent[name]:
                self._most_tokens = most
                self._log(f"  the model's replies have at most {most} tokens; asking for no more")
                return True
        other = _NEW if name == _OLD else _OLD
        if self._renamed or (other == _OLD and _OLD not in failure.text):
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
                f"  the server does not accept {used.value}: {failure.text[:120]};"
                f" continuing with guided decoding {self.guided.value}"
            )
        return True

    @property
    def reply_tokens(self) -> int | None:
        """The longest reply that is requested; None for no limit."""
        chosen = self._config.reply_tokens
        return chosen if chosen is None else min(chosen, self._most_tokens or chosen)

    def declared(self) -> dict[str, str]:
        """The values that are really used, by name."""
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
        if self.reply_tokens is not None:
            declared["reply_tokens"] = f"{self.reply_tokens} ({self._tokens_name})"
        asked = " (auto)" if config.guided is Guided.AUTO else ""
        return {**declared, "guided": self.guided.value + asked}


def _seed(chosen: int | None, draw: str) -> int | None:
    """A seed from the user's and ``draw``; 31 bits, which every server accepts."""
    if chosen is None:
        return None
    digest = hashlib.sha256(f"{chosen}:{draw}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def room_for_reply(failure: Failure, asked: int | None) -> int | None:
    """The tokens that a too long request leaves for its reply, if the server reports that.

    None if that is too little, or not less than ``asked``: the prompt itself is too long.
    """
    context, prompt = _CONTEXT.search(failure.text), _PROMPT.search(failure.text)
    if not context or not prompt:
        return None
    room = int(context.group(1)) - int(prompt.group(1)) - 1
    return room if room >= LEAST_REPLY and (asked is None or room < asked) else None
