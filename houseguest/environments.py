"""Tasks as Gymnasium environments, each with a service that it starts and stops itself."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, Literal

import uvloop

from env_service.gateway.grpc_server import (
    GrpcServer,
    practice_server_options,
    private_endpoints,
)
from env_service.gateway.practice import PracticeRequest
from houseguest.errors import MissingPackageError, translated

try:
    from houseguest_agent import Client
    from houseguest_agent.gymnasium import HouseguestEnv
except ImportError as missing:
    raise MissingPackageError(
        'hg.make needs Gymnasium and the agents\' SDK: pip install "houseguest-agent[gymnasium]"'
    ) from missing


class PracticeEnv(HouseguestEnv):
    """A `houseguest_agent.gymnasium.HouseguestEnv` that stops its service when it is closed."""

    def __init__(self, service: _Service, **settings: Any) -> None:
        """Connects to the service. Raises as HouseguestEnv does."""
        # The constructor below closes the environment if it fails.
        self._end: Callable[[], object] = service.stop
        super().__init__(address=service.address, token=service.token, **settings)
        self._end = weakref.finalize(self, _end, service, self._client)

    def close(self) -> None:
        """Ends the episode and the service. Idempotent."""
        super().close()
        self._end()


def _end(service: _Service, client: Client | None) -> None:
    if client is not None:
        client.close()
    service.stop()


def make(  # noqa: PLR0913 - keywords of gymnasium.make
    suite: str,
    task: str = "",
    *,
    task_set: str = "",
    world: str = "",
    condition: str = "",
    settings: Mapping[str, str] | None = None,
    seed: int = 0,
    actions: Literal["discrete", "text"] = "discrete",
    reward: Literal["success", "goal_conditions_gained", "goal_conditions"] = "success",
    render_mode: str | None = None,
) -> PracticeEnv:
    """A task of a suite as a Gymnasium environment, for training and for trying things out.

        env = hg.make("babyai", "GoToLocal/2", reward="goal_conditions_gained")
        observation, info = env.reset(seed=1)
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        env.close()

    ``task`` is a task id, a group or a shell pattern, of which the first task is taken; empty: the
    suite's first task. ``condition`` and ``settings`` are a named condition and values of single
    settings. ``seed`` is for episodes that you reset without a seed. The other arguments are those
    of ``houseguest_agent.gymnasium.HouseguestEnv``.

    Nothing is recorded or scored. The service runs in this process and on worker processes, and
    ends with ``env.close()``, with the environment's last reference, or with the program. Raises
    UsageError for a name that does not exist, and MissingPackageError without Gymnasium.
    """
    named = {"condition": condition} if condition else {}
    request = PracticeRequest(
        suite=suite,
        task_set=task_set,
        tasks=(task,) if task else (),
        world=world,
        condition={**named, **(settings or {})},
        seed=seed,
        sessions=1,
        unused_seconds=None,
    )
    service = _Service(request)
    with translated():
        service.start()
    try:
        return PracticeEnv(service, actions=actions, reward=reward, render_mode=render_mode)
    except BaseException:
        service.stop()
        raise


class _Service:
    """A practice service on a thread of this process."""

    def __init__(self, request: PracticeRequest) -> None:
        self._request = request
        self._loop = uvloop.new_event_loop()
        self._stop = asyncio.Event()
        self._opened: Future[tuple[str, str]] = Future()
        # A daemon: the interpreter joins other threads before it runs the finalizer that stops it.
        self._thread = threading.Thread(target=self._run, name="houseguest-practice", daemon=True)

    def start(self) -> None:
        """Starts the service. Raises what EnvironmentService.open_practice raises."""
        self._thread.start()
        self.address, self.token = self._opened.result()

    def stop(self) -> None:
        """Stops the service and its workers. Idempotent."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._serve())
        except BaseException as error:  # noqa: BLE001 - raised again where the user waits
            if not self._opened.done():
                self._opened.set_exception(error)

    async def _serve(self) -> None:
        with private_endpoints() as place:
            async with GrpcServer(practice_server_options(self._request, place)) as service:
                practice = await service.environment.open_practice(self._request)
                token = service.environment.lease_token(practice, 0)
                self._opened.set_result((service.agent_addresses[0], token))
                await self._stop.wait()
