"""The model of the agent ``vlm``, and the parameters that its server takes."""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from houseguest_agent import ModelUsage

from ..model import ContextOverflowError, Finish, ModelError, Picture, RefusedError, Reply, Request
from ..notices import Log
from .failures import Failure, Kind
from .http_client import Exchange, FailureError
from .messages import BodyWriter, Completion, read_completion
from .options import EndpointConfig, Guided

EMPTY_REPLIES = 3
"""How often a model is asked again that says nothing, before that is taken for its answer."""


class EndpointModel:
    """A Model (see model.py) behind ``/chat/completions``."""

    def __init__(self, config: EndpointConfig, log: Callable[[str], None]) -> None:
        """Connects to nothing yet. Raises ClientError."""
        self._config = config
        self._exchange = Exchange(config, log)
        self._parameters = Parameters(config, log)
        self._writer = BodyWriter()
        self._usage_reported: bool | None = None

    @property
    def name(self) -> str:
        """The model's name, as the server knows it."""
        return self._config.model

    @property
    def sees_pictures(self) -> bool:
        """As the user said."""
        return self._config.sees_pictures

    @property
    def guided(self) -> Guided:
        """How replies are held to a schema, as far as is known by now."""
        return self._parameters.guided

    def configuration(self) -> dict[str, str]:
        """What was really used; complete once the model has replied. Holds no secret."""
        config = self._config
        declared = {
            "base_url": config.address.declared,
            **self._parameters.declared(),
            "pictures": "shown" if config.sees_pictures else "off",
        }
        if config.longer_tokens is not None:
            declared["longer_tokens"] = str(config.longer_tokens)
        if config.extra_body:
            declared["extra_body"] = json.dumps(dict(config.extra_body), sort_keys=True)
        if config.headers:
            declared["headers"] = ", ".join(sorted(config.headers))
        if self._usage_reported is not None:
            declared["usage"] = "reported" if self._usage_reported else "not reported"
        return {name: config.redact(value) for name, value in declared.items()}

    def reply(self, request: Request) -> Reply:
        """Asks the model. Raises ModelError."""
        spent: list[ModelUsage] = []
        try:
            return self._reply(request, spent)
        except ModelError as error:
            error.usage = (*spent, *error.usage)
            raise

    def _reply(self, request: Request, spent: list[ModelUsage]) -> Reply:
        patience = self._exchange.patience(request.deadline, request.slow)
        pictures = sum(isinstance(p, Picture) for m in request.messages for p in m.parts)
        read = partial(read_completion, model=self.name, pictures=pictures)
        limit, empty = self._config.reply_tokens, 0
        while True:
            sent = self._parameters.build(request.schema, limit, f"{request.draw}:{empty}")
            body = self._writer.write(request.messages, sent)
            try:
                completion = self._exchange.post(body, tuple(sent), patience, read)
            except FailureError as error:
                failure = error.failure
                if failure.kind is Kind.FILTERED:
                    text = self._config.redact(failure.text)
                    return Reply(text, finish=Finish.REFUSED, usage=tuple(spent))
                room = room_for_reply(failure, limit) if failure.kind is Kind.TOO_LONG else None
                if room is not None:
                    limit = room
                elif not self._parameters.adapt(failure, sent):
                    raise self._explained(failure, sent=tuple(sent)) from error
                continue
            self._usage_reported = completion.usage_reported
            spent += completion.reply.usage
            if completion.empty and empty < EMPTY_REPLIES:
                empty += 1
                patience.wait("the model's reply is empty")
            elif self._cut(completion, limit):
                limit = self._config.longer_tokens
            else:
                said = completion.reply
                return Reply(said.text, said.reasoning, said.finish, tuple(spent))

    def _cut(self, completion: Completion, limit: int | None) -> bool:
        """Whether the reply was cut and a longer one may be asked for."""
        longer = self._config.longer_tokens
        cut = completion.reply.finish is Finish.LENGTH
        return cut and longer is not None and limit is not None and longer > limit

    def _explained(self, failure: Failure, sent: tuple[str, ...]) -> ModelError:
        status = f" (HTTP {failure.status})" if failure.status else ""
        text = self._config.redact(failure.text + status)
        place, model = self._config.address.declared, self.name
        if failure.kind is Kind.TOO_LONG:
            return ContextOverflowError(
                f"The request is longer than the model {model} can read: {text}"
            )
        advice = {
            Kind.KEY: "The server refuses the API key. Set HOUSEGUEST_API_KEY (or the variable"
            " that --api-key-env names) to a key that is good for this endpoint:",
            Kind.MODEL: f"The server has no model {model!r}.{self._nearest()} It says:",
            Kind.PATH: f"There is no chat endpoint at {place}; check --base-url. The server says:",
            Kind.TRUST: f"No safe connection to {place}: its certificate is not trusted, or it"
            " speaks no TLS (then --base-url begins with http:). SSL_CERT_FILE names a file with"
            " the authority to trust:",
            Kind.PAYMENT: "The account behind the API key cannot pay; top it up or raise its"
            " limit. The server says:",
            Kind.NO_PICTURES: f"The model {model} takes no pictures. Choose a model that sees, or"
            " --pictures off with a condition that shows texts. The server says:",
            Kind.PARAMETER: f"The server does not take {failure.parameter!r} as it was given;"
            " change or leave out the option that sets it. The server says:",
        }
        words = advice.get(
            failure.kind, f"The server refuses the request (parameters: {', '.join(sent)}):"
        )
        return RefusedError(f"{words} {text}")

    def _nearest(self) -> str:
        listed = self._exchange.models()
        near = difflib.get_close_matches(self.name, listed, n=3, cutoff=0.3) or listed[:5]
        return f" Did you mean {', '.join(near)}?" if near else ""

    def refusal(self) -> str:
        """Why no connection to the server can be made, after one attempt; empty where one can."""
        return self._exchange.refusal()

    def models(self) -> list[str]:
        """The names of the models that the server lists; empty where it lists none."""
        return self._exchange.models()

    def close(self) -> None:
        """Closes the connections."""
        self._exchange.close()


# --- Finds out which parameters a server takes, and remembers it

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
