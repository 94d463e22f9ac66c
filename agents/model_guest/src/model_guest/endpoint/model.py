"""The model of the agent ``vlm``, behind an OpenAI-compatible server."""

from __future__ import annotations

import json

from houseguest_model_client.client import ChatClient
from houseguest_model_client.config import EndpointConfig, Guided
from houseguest_model_client.transport import Caller

from ..model import Reply, Request
from ..notices import Log, notice


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
        return Reply(completion.said, completion.reasoning, completion.finish, completion.usage)

    def refusal(self) -> str:
        """Why a connection to the server fails, after one attempt; empty if it succeeds."""
        return self._client.refusal()

    def models(self) -> list[str]:
        """The names of the models that the server lists; may be empty."""
        return self._client.models()

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()
