"""The Docker engine, asked without ever holding up the event loop."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

import requests
from docker.client import DockerClient
from docker.context import ContextAPI
from docker.errors import APIError, DockerException
from docker.utils.utils import kwargs_from_env

from env_service.sandbox.errors import GuestStartError

P = ParamSpec("P")
T = TypeVar("T")

CALL_SECONDS = 120.0
"""How long the engine may take to answer one call, on a machine where many guests start."""
_THREADS = 8
"""Calls at once. Whatever waits long has a thread of its own."""
FAILURES = (DockerException, requests.RequestException, OSError)
"""What a call to the engine raises. A closed connection comes as an error of requests, or bare."""


def connect() -> DockerClient:
    """A client of the engine that the ``docker`` command would use: DOCKER_HOST, else the chosen
    context. Raises GuestStartError where none answers."""
    where = "the Docker engine"
    try:
        settings = kwargs_from_env()
        if not os.environ.get("DOCKER_HOST"):
            context = ContextAPI.get_current_context()
            if context is not None and context.Host:
                settings["base_url"] = context.Host
        where = f"the Docker engine at {settings.get('base_url') or 'its usual socket'}"
        client = DockerClient(timeout=int(CALL_SECONDS), max_pool_size=64, **settings)
        client.ping()
    except FAILURES as error:
        raise GuestStartError(_unreachable(where, error)) from error
    return client


class Calls:
    """A few threads for calls to the engine, none of which takes long."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="docker")
        self._ended = False

    async def make(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The call's result. Cancelling the wait does not stop the call.

        Raises what the call raises, and DockerException once they have ended.
        """
        if self._ended:
            raise DockerException("the sandbox is closed")
        work = partial(call, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    async def end(self) -> None:
        """Waits for every call that was begun, and takes no more."""
        self._ended = True
        await asyncio.to_thread(self._threads.shutdown)


def reason(error: BaseException) -> str:
    """What the engine, or the way to it, says is wrong; one line."""
    text = error.explanation if isinstance(error, APIError) and error.explanation else str(error)
    return " ".join(str(text).split())


def _unreachable(where: str, error: BaseException) -> str:
    told = reason(error)
    if "Permission denied" in told:
        return (
            f"{where} may not be used by this user: join the group docker"
            " (sudo usermod -aG docker $USER, then log in again), or use rootless Docker"
        )
    if any(sign in told for sign in ("No such file", "Connection refused", "FileNotFound")):
        return (
            f"{where} does not answer: install Docker and start it (sudo systemctl start docker),"
            " or set DOCKER_HOST to where it listens"
        )
    return f"{where} cannot be used: {told}"
