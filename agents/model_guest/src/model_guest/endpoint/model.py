"""The model of the agent ``vlm``: one behind an OpenAI-compatible server."""

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
        """Connects to nothing yet. Raises ClientError."""
        self._config = config
        caller = Caller(
            log,
            notify=lambda line: log(notice(line)),
            name="the agent",
            deadline="no longer than the service waits for the agent",
            blind_advice="Choose a model that sees, or --pictures off with a condition that shows"
            " texts.",
        )
        self._client = ChatClient(config, caller)

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
        return self._client.parameters.guided

    def configuration(self) -> dict[str, str]:
        """What was really used; complete once the model has replied. Holds no secret."""
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
        """Why no connection to the server can be made, after one attempt; empty where one can."""
        return self._client.refusal()

    def models(self) -> list[str]:
        """The names of the models that the server lists; empty where it lists none."""
        return self._client.models()

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()
