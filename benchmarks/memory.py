"""Whether a service that plays many episodes keeps its memory flat.

    python -m benchmarks.memory                     # 50,000 episodes of one run, then of 50 runs
    python -m benchmarks.memory --episodes 5000 --runs 1

`houseguest serve` plays one-step episodes of the laboratory suite with a few agents at once. The
table shows what the gateway process holds (`/proc/PID/smaps_rollup`) after so many episodes.
"grown" is against the first row, which is the end of the warm-up. The workers of a run are
separate processes and have the last column. The aim is a gateway that has grown by at most
10 %.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc
from houseguest.agent.v1 import action_pb2, agent_pb2, agent_pb2_grpc
from houseguest.control.v1 import control_pb2, control_pb2_grpc

from benchmarks import children
from benchmarks.own import LAB

TASKS = 50
"""Of the laboratory suite's first task set."""
SESSIONS = 8
WARM_UP = 0.05
"""Of the episodes."""
ROWS = 10
AIM = 1.10
WIN = action_pb2.Action(skill=action_pb2.SkillCall(name="win"))
Metadata = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Serving:
    """A service in a separate process."""

    pid: int
    agents: str
    control: str
    operator: Metadata


@contextmanager
def serving(folder: Path) -> Iterator[Serving]:
    """Runs `houseguest serve`, and stops it at the end."""
    command = ["-m", "env_service", "serve", "--json", "--drain", "0"]
    command += ["--agents", f"unix:{folder}/a.sock", "--control", f"unix:{folder}/c.sock"]
    command += ["--out", str(folder / "runs"), "--signing-key", str(folder / "key.pem")]
    process = children.start(*command)
    try:
        if process.stdout is None:
            raise RuntimeError("the service has no standard output")
        opened = json.loads(process.stdout.readline())
        token = Path(opened["operator_token_file"]).read_text(encoding="utf-8").strip()
        operator = (("authorization", f"Bearer {token}"),)
        yield Serving(process.pid, opened["agents"][0], opened["control"][0], operator)
    finally:
        children.end(process)


def held(pid: int) -> tuple[float, float]:
    """Resident and proportional MiB of a process."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    found = dict(re.findall(r"^(Rss|Pss): +(\d+) kB", text, re.MULTILINE))
    return int(found["Rss"]) / 1024, int(found["Pss"]) / 1024


def workers(pid: int) -> float:
    """Proportional MiB of a process's children."""
    tasks = Path(f"/proc/{pid}/task")
    children = [child for file in tasks.glob("*/children") for child in file.read_text().split()]
    total = 0.0
    for child in children:
        try:
            total += held(int(child))[1]
        except OSError:
            continue
    return total


class Table:
    """Prints a row now and then."""

    def __init__(self, pid: int, episodes: int) -> None:
        self._pid = pid
        self._began = time.monotonic()
        warm = max(1, int(episodes * WARM_UP))
        self._due = [warm, *(warm + (episodes - warm) * n // ROWS for n in range(1, ROWS + 1))]
        self._first: float | None = None
        self.grown = 0.0
        print(
            f"{'episodes':>9}{'seconds':>9}{'RSS MiB':>9}{'PSS MiB':>9}{'grown':>9}{'workers':>9}"
        )

    def show(self, episodes: int) -> None:
        """Prints a row, if one is due after so many episodes."""
        if not self._due or episodes < self._due[0]:
            return
        del self._due[0]
        self.row(episodes)

    def row(self, episodes: int) -> None:
        """Prints a row."""
        rss, pss = held(self._pid)
        self._first = self._first or rss
        self.grown = rss / self._first
        seconds = time.monotonic() - self._began
        print(
            f"{episodes:>9}{seconds:>9.0f}{rss:>9.1f}{pss:>9.1f}"
            f"{100 * (self.grown - 1):>8.1f}%{workers(self._pid):>9.1f}",
            flush=True,
        )


class Player:
    """Plays runs on a service."""

    def __init__(self, serving: Serving, table: Table) -> None:
        self._serving = serving
        self._table = table
        self._played = 0

    async def play(self, name: str, repeats: int) -> None:
        """Creates a run and plays it to its end."""
        async with grpc.aio.insecure_channel(self._serving.control) as channel:
            stub = control_pb2_grpc.ControlServiceStub(channel)
            request = control_pb2.CreateRunRequest(
                request_id=name, agent=name, suite=LAB, repeats=repeats, parallel_sessions=SESSIONS
            )
            created = await stub.CreateRun(request, metadata=self._serving.operator)
            await asyncio.gather(*map(self._session, created.lease_tokens))
            asked = control_pb2.GetRunRequest(run_id=created.run.run_id)
            run = (await stub.GetRun(asked, metadata=self._serving.operator)).run
            if run.state != control_pb2.RUN_STATE_SUCCEEDED:
                raise RuntimeError(f"the run ended otherwise: {run}")

    async def _session(self, token: str) -> None:
        lease = (("authorization", f"Bearer {token}"),)
        async with grpc.aio.insecure_channel(self._serving.agents) as channel:
            stub = agent_pb2_grpc.AgentServiceStub(channel)
            events = stub.Attach(agent_pb2.AttachRequest(), metadata=lease)
            async for event in events:
                if event.HasField("granted"):
                    break
            who = {"session_id": event.granted.session_id, "session_epoch": 1}
            ordinal = 0
            while True:
                asked = agent_pb2.BeginEpisodeRequest(**who, episode_ordinal=ordinal)
                begun = await stub.BeginEpisode(asked, metadata=lease)
                if begun.HasField("all_done"):
                    return
                step = agent_pb2.StepRequest(
                    **who, episode_id=begun.episode.episode_id, step_index=0, action=WIN
                )
                await stub.Step(step, metadata=lease)
                ordinal += 1
                self._played += 1
                self._table.show(self._played)


def measure(episodes: int, runs: int, folder: Path | None) -> float:
    """Plays so many episodes in so many runs, one after the other; returns how the memory grew."""
    repeats = max(1, episodes // (TASKS * runs))
    total = repeats * TASKS * runs
    print(f"\n{total} episodes in {runs} run{'s' * (runs > 1)}")
    with (
        tempfile.TemporaryDirectory(prefix="memory-", dir=folder) as name,
        serving(Path(name)) as service,
    ):
        table = Table(service.pid, total)

        async def play() -> None:
            player = Player(service, table)
            for number in range(runs):
                await player.play(f"run-{number}", repeats)

        asyncio.run(play())
        time.sleep(2)
        print("when all is over:")
        table.row(total)
        return table.grown


@children.none_left()
def main() -> None:
    """Measures one long run, and many short ones."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--episodes", type=int, default=50_000, help="default: 50,000")
    parser.add_argument("--runs", type=int, action="append", help="may be repeated; default: 1, 50")
    parser.add_argument("--folder", type=Path, help="for the run folders; default: a temporary one")
    options = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}, {SESSIONS} sessions at once")
    for runs in options.runs or (1, 50):
        grown = measure(options.episodes, runs, options.folder)
        verdict = "met" if grown <= AIM else "MISSED"
        print(f"grown by {100 * (grown - 1):.1f} %, aim at most 10 %: {verdict}", flush=True)


if __name__ == "__main__":
    main()
