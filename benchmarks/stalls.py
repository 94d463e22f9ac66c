"""How long the service's event loop blocks while an operator calls it.

python -m benchmarks.stalls                # as `houseguest serve` does it
python -m benchmarks.stalls --helpers 0    # without helper processes, to compare

Prints for each kind of call the longest time that the loop blocked, and the slowest step of an
agent that plays meanwhile in a separate session. The loop counts as blocked for as long as a timer
of 2 ms is late. "own" is the most processor time that the service's process, with all its threads,
used while a timer was late: what it made the loop wait for, without what other processes of a busy
machine did. Aim: 50 ms.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import grpc
from houseguest.control.v1 import control_pb2, control_pb2_grpc

from env_service.cli.serve import HELPERS
from env_service.gateway.environment_service import RunRequest
from env_service.gateway.grpc_server import GrpcServer, GrpcServerOptions
from env_service.gateway.limits import ServiceLimits
from env_service.gateway.listeners import Endpoint
from env_service.gateway.runtime import run_service
from env_service.storage.signing_key import SigningKey
from env_service.suites.process_pool import process_pool
from env_service.suites.registry import load_all
from tests.support.service import LAB, RawAgent, bearer, skill

TICK = 0.002
QUIET = 3.0
STORM = 6
"""Operators that call at once in the storm."""
EXAMPLE_RUNS: tuple[dict[str, Any], ...] = (
    {"suite": LAB},
    {"suite": "babyai", "task_set": "dataset", "repeats": 100},
    {"suite": "asgard", "task_set": "builtin-10"},
    {"suite": "alfred", "task_set": "builtin-10"},
)


@dataclass(slots=True)
class Operator:
    """Calls the control service. ``name`` keeps its runs apart from others'."""

    address: str
    token: str
    name: str
    runs: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.runs = []

    def list_suites(self, stub: Any, who: Any) -> None:
        stub.ListSuites(control_pb2.ListSuitesRequest(), metadata=who)

    def create(self, number: int, stub: Any, who: Any) -> None:
        """A run of EXAMPLE_RUNS."""
        request = control_pb2.CreateRunRequest(
            request_id=f"{self.name}-{number}",
            agent=f"{self.name}-{number}",
            **EXAMPLE_RUNS[number],
        )
        self.runs.append(stub.CreateRun(request, metadata=who).run.run_id)

    def look(self, stub: Any, who: Any) -> None:
        """GetRun, ListRuns and IssueLease."""
        for run in self.runs:
            stub.GetRun(control_pb2.GetRunRequest(run_id=run), metadata=who)
            stub.IssueLease(control_pb2.IssueLeaseRequest(run_id=run), metadata=who)
        stub.ListRuns(control_pb2.ListRunsRequest(), metadata=who)

    def cancel(self, stub: Any, who: Any) -> None:
        """CancelRun, and WatchRun to the end."""
        for run in self.runs:
            stub.CancelRun(control_pb2.CancelRunRequest(run_id=run), metadata=who)
            list(stub.WatchRun(control_pb2.WatchRunRequest(run_id=run), metadata=who))
        self.runs.clear()

    def practise(self, stub: Any, who: Any) -> None:
        """CreatePractice and ClosePractice."""
        request = control_pb2.CreatePracticeRequest(
            request_id=self.name, suite="babyai", task_set="dataset"
        )
        opened = stub.CreatePractice(request, metadata=who).practice
        close = control_pb2.ClosePracticeRequest(practice_id=opened.practice_id)
        stub.ClosePractice(close, metadata=who)

    def kinds(self) -> dict[str, Callable[[Any, Any], None]]:
        """Every kind of call, in an order that works."""
        creating = {
            f"CreateRun, {run['suite'].rpartition(':')[2]} {run.get('task_set', '')}".strip(): (
                lambda stub, who, number=number: self.create(number, stub, who)
            )
            for number, run in enumerate(EXAMPLE_RUNS)
        }
        return {
            "ListSuites, first": self.list_suites,
            "ListSuites, again": self.list_suites,
            **creating,
            "GetRun, ListRuns, IssueLease": self.look,
            "CreatePractice, ClosePractice": self.practise,
            "CancelRun, WatchRun": self.cancel,
        }


def call(address: str, token: str, name: str, kinds: list[str], runs: list[str]) -> list[str]:
    """Makes calls, in a separate process; returns the runs that are open then."""
    operator = Operator(address, token, name)
    operator.runs.extend(runs)
    with grpc.insecure_channel(address) as channel:
        stub = control_pb2_grpc.ControlServiceStub(channel)
        for kind in kinds or list(operator.kinds()):
            operator.kinds()[kind](stub, bearer(token))
    return operator.runs


def storm(address: str, token: str) -> None:
    """All calls of several operators at once."""
    with ThreadPoolExecutor(STORM) as threads:
        names = [f"storm-{number}" for number in range(STORM)]
        list(threads.map(lambda name: call(address, token, name, [], []), names))


def play(address: str, token: str) -> list[tuple[float, float]]:
    """Steps until the run is over; returns when each began and how long it took, in seconds."""
    agent = RawAgent(address, token)
    agent.attach()
    agent.begin()
    times = []
    while True:
        began = time.monotonic()
        try:
            agent.step(skill("noop"))
        except grpc.RpcError:
            return times
        times.append((began, time.monotonic() - began))
        time.sleep(TICK)


async def measure(folder: Path, helpers: int) -> None:
    """Prints a row for each kind of call."""
    service = GrpcServer(
        GrpcServerOptions(
            runs=folder / "runs",
            key=SigningKey.load_or_create(folder / "key.pem"),
            agents=Endpoint((f"unix:{folder}/a.sock",)),
            control=Endpoint((f"unix:{folder}/c.sock",)),
            limits=ServiceLimits(),
            helpers=helpers,
        )
    )
    loop = asyncio.get_running_loop()
    late: list[tuple[float, float]] = []
    own: list[tuple[float, float]] = []
    windows: dict[str, tuple[float, float]] = {}

    async def tick() -> None:
        while True:
            due, used = time.monotonic() + TICK, time.process_time()
            await asyncio.sleep(TICK)
            wait = time.monotonic() - due
            late.append((due, wait))
            own.append((due, min(wait, time.process_time() - used)))

    with process_pool(2) as clients:
        async with service:
            address, token = service.control_addresses[0], service.operator_token
            run = await service.environment.open_run(
                RunRequest(LAB, condition={"steps": "1000000"})
            )
            seat = service.environment.lease_token(run, 0)
            playing = loop.run_in_executor(clients, play, service.agent_addresses[0], seat)
            await loop.run_in_executor(
                clients, call, address, token, "warm", ["CancelRun, WatchRun"], []
            )
            ticking = asyncio.ensure_future(tick())
            began = time.monotonic()
            await asyncio.sleep(QUIET)
            windows["nothing"] = began, time.monotonic()
            runs: list[str] = []
            for kind in Operator("", "", "").kinds():
                began = time.monotonic()
                runs = await loop.run_in_executor(
                    clients, call, address, token, "one", [kind], runs
                )
                windows[kind] = began, time.monotonic()
            began = time.monotonic()
            await loop.run_in_executor(clients, storm, address, token)
            windows[f"all of them, {STORM} operators"] = began, time.monotonic()
            ticking.cancel()
            await run.drain()
            steps = await playing
    print(f"{'call':36} {'seconds':>8} {'loop, ms':>9} {'own, ms':>9} {'step, ms':>9}")
    for kind, (start, end) in windows.items():
        found = (_longest(times, start, end) for times in (late, own, steps))
        print(f"{kind:36} {end - start:8.2f}", *(f"{each:9.1f}" for each in found))


def _longest(times: list[tuple[float, float]], start: float, end: float) -> float:
    """Milliseconds: of what began in a window."""
    return 1000 * max((took for began, took in times if start <= began < end), default=0.0)


def main() -> None:
    """Reads the options and measures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--helpers", type=int, default=HELPERS, help="helper processes")
    asked = parser.parse_args()
    load_all()
    with TemporaryDirectory(prefix="hg-") as folder:
        run_service(measure(Path(folder), asked.helpers))


if __name__ == "__main__":
    main()
