"""The model of the agent ``vlm``, behind an OpenAI-compatible server, and its self-check."""

from __future__ import annotations

import difflib
import json
import time
from collections.abc import Iterator

from houseguest_model_client.client import ChatClient
from houseguest_model_client.config import EndpointConfig, Guided
from houseguest_model_client.transport import Caller

from ..answers.loose_json import find_values
from ..answers.reader import split_thinking
from ..model import CallUsage, Message, ModelError, Picture, RefusedError, Reply, Request, Role
from ..notices import Check, Log, State, notice
from ..pictures import plain_png


class EndpointModel:
    """A Model (see model.py) behind ``/chat/completions``."""

    def __init__(self, config: EndpointConfig, log: Log) -> None:
        """Opens no connection yet. Raises ClientError."""
        self._config = config
        caller = Caller(
            log,
            notify=lambda line: log(notice(line)),
            name="the agent",
            deadline="no longer than the service waits for the agent",
            blind_advice="Choose a vision model, or --pictures off with a condition that shows"
            " texts.",
        )
        self._client = ChatClient(config, caller)

    @property
    def name(self) -> str:
        """The model's name on the server."""
        return self._config.model

    @property
    def sees_pictures(self) -> bool:
        """Whether the user allows pictures."""
        return self._config.sees_pictures

    @property
    def guided(self) -> Guided:
        """How replies are constrained to a schema, as far as this is known so far."""
        return self._client.parameters.guided

    def configuration(self) -> dict[str, str]:
        """The settings that were really used; complete after the first reply. Holds no secret."""
        config = self._config
        declared = {
            "base_url": config.address.declared,
            **self._client.parameters.declared(),
            "pictures": "shown" if config.sees_pictures else "off",
        }
        if config.longer_tokens is not None:
            declared["longer_tokens"] = str(config.longer_tokens)
        if config.extra_body:
            declared["extra_body"] = json.dumps(dict(config.extra_body), sort_keys=True)
        if config.headers:
            declared["headers"] = ", ".join(sorted(config.headers))
        if self._client.usage_reported is not None:
            declared["usage"] = "reported" if self._client.usage_reported else "not reported"
        return {name: config.redact(value) for name, value in declared.items()}

    def reply(self, request: Request) -> Reply:
        """Asks the model. Raises ModelError."""
        completion = self._client.complete(
            request.messages,
            request.schema,
            deadline=request.deadline,
            draw=request.draw,
            slow=request.slow,
        )
        return Reply(
            completion.said,
            completion.reasoning,
            completion.finish,
            completion.usage,
            parameters={
                name: self._config.redact(json.dumps(value, ensure_ascii=False))
                for name, value in completion.parameters.items()
            },
        )

    def refusal(self) -> str:
        """Why a connection to the server fails, after one attempt; empty if it succeeds."""
        return self._client.refusal()

    def models(self) -> list[str]:
        """The names of the models that the server lists; may be empty."""
        return self._client.models()

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()


# --- Checks whether an endpoint can play, with a handful of small requests

SECONDS = 60.0
"""The limit for each question, including waiting."""

_START = "start the server, or correct --base-url, then try again"
_COLOURS = {"red": (220, 20, 20), "blue": (20, 40, 220)}
_SCHEMA = {
    "type": "object",
    "properties": {"colour": {"type": "string", "enum": ["green"]}},
    "required": ["colour"],
    "additionalProperties": False,
}


def check_endpoint(model: EndpointModel) -> Iterator[Check]:
    """Yields each check when it is done; the first connection problem ends them."""
    place = model.configuration()["base_url"]
    if refused := model.refusal():
        yield Check("endpoint", "problem", f"{place} does not reply: {refused}", _START)
        return
    try:
        reply = _ask(model, "Answer with the one word: ready")
    except ModelError as error:
        yield _unanswered(error, place)
        # A server that replies to nothing would only cost more time.
        if isinstance(error, RefusedError):
            listed = model.models()
            if listed and model.name not in listed:
                yield _known(model.name, listed)
        return
    yield Check("endpoint", "ok", f"{place} answers, and accepts the key")
    yield _known(model.name, model.models())
    yield _text(reply)
    if model.sees_pictures:
        yield _sight(model)
    else:
        yield Check("pictures", "note", "switched off (--pictures off)")
    yield _guided(model)
    yield _usage(model, reply.usage)


def _ask(model: EndpointModel, text: str, *parts: Picture, guided: bool = False) -> Reply:
    message = Message(Role.USER, (text, *parts))
    deadline = time.monotonic() + SECONDS
    return model.reply(Request((message,), schema=_SCHEMA if guided else None, deadline=deadline))


def _unanswered(error: ModelError, place: str) -> Check:
    if isinstance(error, RefusedError):
        mend = "fix what the server names, then try again"
        return Check("key and model", "problem", str(error), mend)
    return Check("endpoint", "problem", str(error), f"look at the log of the server at {place}")


def _known(name: str, listed: list[str]) -> Check:
    if name in listed:
        return Check("model", "ok", f"{name} is listed")
    if not listed:
        return Check("model", "note", f"{name} answers; the server lists no models")
    near = ", ".join(difflib.get_close_matches(name, listed, n=3, cutoff=0.3) or listed[:5])
    return Check(
        "model",
        "warning",
        f"{name} is not among the {len(listed)} models that the server lists; near: {near}",
        "some servers accept any name: make sure that this is the model you mean",
    )


def _text(reply: Reply) -> Check:
    said = split_thinking(reply.text).answer
    if "ready" in said.lower():
        return Check("text", "ok", "answers as asked")
    return Check(
        "text",
        "warning",
        f"asked for the word 'ready', the model answered {said[:80]!r}",
        "raise --reply-tokens if it was cut off; otherwise use an instruction-tuned model",
    )


def _sight(model: EndpointModel) -> Check:
    question = "What colour is this picture? Answer with one word."
    mend = "choose a vision model, or --pictures off with a condition that shows texts"
    seen = []
    try:
        for colour, rgb in _COLOURS.items():
            reply = _ask(model, question, Picture(plain_png(*rgb), "image/png"))
            said = split_thinking(reply.text).answer.lower()
            seen.append(colour in said)
    except ModelError as error:
        return Check("pictures", "problem", str(error), mend)
    if all(seen):
        return Check("pictures", "ok", "names the colour of a plain picture")
    return Check("pictures", "problem", "does not name the colour of a plain picture", mend)


def _guided(model: EndpointModel) -> Check:
    mend = "the agent reads replies without it; --guided off spares the server the attempt"
    try:
        reply = _ask(model, "Say the word banana, as JSON.", guided=True)
    except ModelError as error:
        return Check("guided decoding", "warning", str(error), mend)
    used = model.guided
    if used is Guided.OFF:
        return Check("guided decoding", "note", "the server accepts no answer format", mend)
    said = split_thinking(reply.text).answer
    values = list(find_values(said))
    if used is Guided.JSON_SCHEMA and values == [{"colour": "green"}]:
        return Check("guided decoding", "ok", "replies follow a JSON schema")
    if used is Guided.JSON_OBJECT and values:
        return Check("guided decoding", "ok", "replies are JSON, without a schema")
    return Check("guided decoding", "note", f"{used.value} is accepted, but has no effect", mend)


def _usage(model: EndpointModel, calls: tuple[CallUsage, ...]) -> Check:
    state: State = "ok" if model.configuration().get("usage") == "reported" else "warning"
    if state == "ok":
        tokens = sum(call.input_tokens + call.output_tokens for call in calls)
        return Check("usage", state, f"tokens are reported ({tokens} for the first question)")
    return Check(
        "usage", state, "the server reports no tokens", "budgets and costs cannot be tracked"
    )
