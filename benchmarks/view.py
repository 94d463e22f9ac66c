"""What the viewer's service costs: ``python -m benchmarks.view --cache FOLDER``.

Serves the runs of ``benchmarks.index`` (10,000 episodes, 300,000 steps) with ``houseguest view``,
asks each question that its pages ask over HTTP, and prints the service's milliseconds on the
processor and those by the clock, and its memory.

With ``--watched``: plays a short run with and without a viewer of its folder, in turn, and prints
the run's CPU seconds.

With ``--export RUNS``: exports a folder of runs with ``houseguest view --export``, first with
replays, and then once more with those kept, and prints seconds and sizes.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote, urlsplit

from benchmarks.index import EPISODES, RUNS, STEPS, write_runs

_HOUSEGUEST = (sys.executable, "-m", "env_service")
_RUN = (
    *("run", "--suite", "babyai", "--limit", "40", "--agent", "random"),
    *("--parallel", "1", "--json", "--fresh"),
)
_TICKS = os.sysconf("SC_CLK_TCK")
AIM_MB = 200.0


@contextmanager
def viewing(runs: Path, index: str = "") -> Iterator[tuple[HTTPConnection, int]]:
    """A connection to ``houseguest view`` of the runs, and its process. ``index``: a database
    other than the one beside the runs."""
    command = [*_HOUSEGUEST, "view", str(runs), "--listen", "127.0.0.1:0", "--json"]
    elsewhere = ["--index", index] if index else []
    with subprocess.Popen([*command, *elsewhere], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        launch = json.loads(process.stdout.readline())
        place = urlsplit(launch["viewer"])
        try:
            yield HTTPConnection(place.hostname or "", place.port, timeout=600), process.pid
        finally:
            process.send_signal(signal.SIGINT)


def _get(connection: HTTPConnection, path: str) -> bytes:
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"{path}: {answer.status} {body[:200]!r}")
    return body


def _cpu(process: int) -> float:
    """Seconds of a process on the processor."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _memory(process: int) -> dict[str, float]:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    found = dict(line.split(":", 1) for line in lines if ":" in line)
    return {name: round(int(found[name].split()[0]) / 1024, 1) for name in ("VmRSS", "VmHWM")}


def _questions(connection: HTTPConnection) -> dict[str, str]:
    def rows(path: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(_get(connection, path))["rows"]
        return found

    first, second = rows("/api/runs?limit=2")
    run, other = quote(first["path"]), quote(second["path"])
    episode = rows(f"/api/runs/{run}/episodes?limit=1")[0]["episode_id"]
    peer = rows(f"/api/runs/{other}/episodes?limit=1")[0]["episode_id"]
    place = f"/api/runs/{run}/episodes/{episode}"
    pair = f"first={run}&second={other}"
    return {
        "runs": "/api/runs?limit=100",
        "runs, verified": "/api/runs?verified=passed&limit=100",
        "runs, filtered": f"/api/runs?agent={quote(first['agent'])}&sort=rate&limit=100",
        "facets": "/api/facets",
        "leaderboards": "/api/leaderboards",
        "hardest tasks": "/api/tasks?limit=50",
        "one run": f"/api/runs/{run}",
        "its failed episodes": f"/api/runs/{run}/episodes?outcome=failure&limit=100",
        "facets of episodes": "/api/episode-facets",
        "facets of failed episodes, by label": (
            "/api/episode-facets?outcome=failure&label=kind%3Dkind-2"
        ),
        "facets of a searched text": "/api/episode-facets?episode_search=task-7",
        "episodes of all runs": "/api/episodes?sort=steps&order=desc&limit=100",
        "one episode": place,
        "its steps": f"{place}/steps?limit=100",
        "comparison": f"/api/comparisons?{pair}&limit=100",
        "parting": f"/api/partings?{pair}&first_episode={episode}&second_episode={peer}",
        "annotations": f"/api/annotations?run={run}&episode={episode}",
    }


def _asked(connection: HTTPConnection, process: int, rounds: int) -> dict[str, dict[str, float]]:
    found = {}
    for name, path in _questions(connection).items():
        size = len(_get(connection, path))
        cpu, walls = _cpu(process), []
        for _ in range(rounds):
            began = time.perf_counter()
            _get(connection, path)
            walls.append(time.perf_counter() - began)
        found[name] = {
            "cpu_ms": round(1000 * (_cpu(process) - cpu) / rounds, 1),
            "wall_ms": round(1000 * statistics.median(walls), 1),
            "kb": round(size / 1000, 1),
        }
    return found


def many_runs(cache: Path) -> Path:
    """The made-up runs, which are written if they are not in the cache."""
    runs = cache / f"runs-{RUNS}-{EPISODES}-{STEPS}"
    if not runs.exists():
        write_runs(runs)
    return runs


def _served(cache: Path, rounds: int) -> dict[str, Any]:
    runs = many_runs(cache)
    with viewing(runs, str(cache / "view.sqlite3")) as (connection, process):
        while json.loads(_get(connection, "/api/episodes?limit=1"))["total"] < RUNS * EPISODES:
            time.sleep(1)
        began = _memory(process)
        asked = _asked(connection, process, rounds)
        cpu, wall = _cpu(process), time.perf_counter()
        time.sleep(10)
        idle = (_cpu(process) - cpu) / (time.perf_counter() - wall)
        return {
            "questions": asked,
            "memory_mb_before": began,
            "memory_mb": _memory(process),
            "aim_memory_mb": AIM_MB,
            "idle_share_of_a_core": round(idle, 4),
        }


def _played(*arguments: str) -> float:
    """CPU seconds of a command with its workers and agent."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([*_HOUSEGUEST, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _exported(runs: Path) -> dict[str, Any]:
    found = {}
    with TemporaryDirectory() as name:
        site = Path(name) / "site"
        arguments = ("view", str(runs), "--index", f"{name}/view.sqlite3", "--export", str(site))
        for when in ("first", "again"):
            began = time.perf_counter()
            cpu = _played(*arguments)
            files = [each for each in site.rglob("*") if each.is_file()]
            found[when] = {
                "cpu_seconds": round(cpu, 2),
                "wall_seconds": round(time.perf_counter() - began, 2),
                "files": len(files),
                "mb": round(sum(each.stat().st_size for each in files) / 1e6, 2),
            }
    return found


def _watched(rounds: int) -> dict[str, Any]:
    alone, watched, viewer = [], [], []
    with TemporaryDirectory() as name:
        place = Path(name)
        for number in range(rounds):
            alone.append(_played(*_RUN, "--out", str(place / f"alone-{number}")))
            runs = place / f"watched-{number}"
            runs.mkdir()
            with viewing(runs, str(place / f"{number}.sqlite3")) as (connection, process):
                _get(connection, "/api/runs")
                began = _cpu(process)
                watched.append(_played(*_RUN, "--out", str(runs)))
                viewer.append(_cpu(process) - began)
    pairs = [second / first - 1 for first, second in zip(alone, watched, strict=True)]
    return {
        "alone_cpu_seconds": [round(each, 3) for each in alone],
        "watched_cpu_seconds": [round(each, 3) for each in watched],
        "viewer_cpu_seconds": [round(each, 3) for each in viewer],
        "slower_median": round(statistics.median(pairs), 4),
    }


def main() -> None:
    """Prints the numbers as JSON."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, help="where the made-up runs are kept")
    parser.add_argument("--watched", action="store_true")
    parser.add_argument("--export", type=Path, metavar="RUNS", help="runs to export")
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    if given.watched:
        result = _watched(given.rounds)
    elif given.export:
        result = _exported(given.export)
    elif given.cache:
        result = _served(given.cache, given.rounds)
    else:
        parser.error("--cache is needed")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
