"""The model of the guest ``vlm``."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable
from functools import partial

from houseguest_agent import ModelUsage

from ..model import (
    ContextOverflowError,
    Finish,
    ModelError,
    Picture,
    RefusedError,
    Reply,
    Request,
)
from .adapting import Parameters, room_for_reply
from .body import BodyWriter
from .config import EndpointConfig, Guided
from .exchange import Exchange, FailureError
from .failures import Failure, Kind
from .replies import Completion, read_completion

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
