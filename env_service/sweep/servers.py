"""Model servers: whether they answer, and which models they list."""

from __future__ import annotations

import time
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor

from houseguest_model_client.client import ChatClient
from houseguest_model_client.transport import Caller

from env_service.domain.names import nearest
from env_service.sweep.plan import Endpoint

_AGAIN = 5.0
"""Seconds until a server is asked again."""
_LISTED = 8


def _ask(endpoint: Endpoint, *, models: bool) -> tuple[str, list[str]]:
    """Why the server does not answer (empty if it does), and the models that it lists."""
    client = ChatClient(endpoint.config, Caller(log=_quiet, notify=_quiet, name="the sweep"))
    try:
        refusal = client.refusal()
        return refusal, client.models() if models and not refusal else []
    finally:
        client.close()


def _quiet(_text: str) -> None:
    """Drops a message: the sweep has its own."""


def check_models(endpoints: Iterable[Endpoint]) -> tuple[dict[Endpoint, str], dict[str, str]]:
    """Asks each server once.

    Returns what is wrong with each endpoint whose server does not have its model, and why each
    server that does not answer fails. A server that lists no models is not checked.
    """
    wanted = list(dict.fromkeys(endpoints))
    servers = {each.url: each for each in wanted}
    if not servers:
        return {}, {}
    with ThreadPoolExecutor(min(len(servers), 16)) as threads:
        answers = threads.map(lambda each: _ask(each, models=True), servers.values())
        found = dict(zip(servers, answers, strict=True))
    problems = {}
    for each in wanted:
        _, models = found[each.url]
        if each.model and models and each.model not in models:
            near = nearest(each.model, models)
            guess = f" Did you mean {near!r}?" if near else ""
            listed = ", ".join(models[:_LISTED]) + (", …" if len(models) > _LISTED else "")
            problems[each] = (
                f"the server {each.url} has no model {each.model!r}.{guess} It has: {listed}."
            )
    return problems, {url: refusal for url, (refusal, _) in found.items() if refusal}


class ServerWatch:
    """Asks servers in the background whether they answer, so that nothing waits for one that does
    not."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="servers")
        self._asked: dict[str, tuple[float, Future[tuple[str, list[str]]]]] = {}
        self._known: dict[str, str] = {}

    def refusal(self, endpoint: Endpoint) -> str | None:
        """Why the server does not answer, by the latest attempt; empty if it does, None if that is
        not known yet."""
        now = time.monotonic()
        asked, answer = self._asked.get(endpoint.url, (0.0, None))
        if answer is not None and answer.done():
            self._known[endpoint.url] = answer.result()[0]
        if answer is None or (answer.done() and now - asked > _AGAIN):
            asking = self._threads.submit(_ask, endpoint, models=False)
            self._asked[endpoint.url] = now, asking
        return self._known.get(endpoint.url)

    def close(self) -> None:
        """Stops asking. Does not wait for an attempt in progress."""
        self._threads.shutdown(wait=False, cancel_futures=True)
