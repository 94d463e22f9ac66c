"""Several agents on one house at once."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.own import ROOT, House
from benchmarks.peers.cpu import cpu_seconds


def measure_sessions(sessions: int, *, frame: bool, steps: int) -> float:
    """CPU milliseconds a step, of all clients, the gateway and the workers together."""
    house = House(frame=frame, sessions=sessions)
    clients = [_client(house.address, token, steps) for token in house.tokens]
    for client in clients:
        _expect(client, "ready")
    pids = house.pids()
    before = sum(map(cpu_seconds, pids))
    for client in clients:
        _tell(client)
    used = sum(float(_line(client)) for client in clients)
    used += sum(map(cpu_seconds, pids)) - before
    for client in clients:
        _tell(client)
    for client in clients:
        client.wait(30)
    house.stop()
    return 1000 * used / (steps * sessions)


def _client(address: str, token: str, steps: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "benchmarks.session_client", address, token, str(steps)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)


def _line(client: subprocess.Popen[str]) -> str:
    if client.stdout is None:
        raise RuntimeError("a client without standard output")
    return client.stdout.readline().strip()


def _expect(client: subprocess.Popen[str], word: str) -> None:
    if (said := _line(client)) != word:
        raise RuntimeError(f"a client said {said!r} instead of {word!r}")


def _tell(client: subprocess.Popen[str]) -> None:
    if client.stdin is None:
        raise RuntimeError("a client without standard input")
    client.stdin.write("go\n")
    client.stdin.flush()
