"""Several agents on one service at once."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from benchmarks import children
from benchmarks.own import LabService
from benchmarks.peers.cpu import cpu_seconds

_LEAVING_SECONDS = 30.0
"""For a client to end after its last word."""


def measure_sessions(sessions: int, *, frame: bool, steps: int) -> float:
    """CPU milliseconds a step, of all clients, the gateway and the workers together.

    Raises RuntimeError when a client fails. No process of it is left then, nor otherwise.
    """
    with LabService(frame=frame, sessions=sessions) as service, ExitStack() as stack:
        clients = [
            stack.enter_context(_client(service.address, token, steps)) for token in service.tokens
        ]
        for client in clients:
            _expect(client, "ready")
        pids = service.pids()
        before = sum(map(cpu_seconds, pids))
        for client in clients:
            _tell(client)
        used = sum(_seconds(client) for client in clients)
        used += sum(map(cpu_seconds, pids)) - before
        for client in clients:
            _tell(client)
        for client in clients:
            client.wait(_LEAVING_SECONDS)
    return 1000 * used / (steps * sessions)


@contextmanager
def _client(address: str, token: str, steps: int) -> Iterator[subprocess.Popen[str]]:
    words = ("-m", "benchmarks.session_client", address, token, str(steps))
    client = children.start(*words, stdin=subprocess.PIPE)
    try:
        yield client
    finally:
        children.end(client)


def _line(client: subprocess.Popen[str]) -> str:
    if client.stdout is None:
        raise RuntimeError("a client without standard output")
    return client.stdout.readline().strip()


def _seconds(client: subprocess.Popen[str]) -> float:
    said = _line(client)
    try:
        return float(said)
    except ValueError:
        raise RuntimeError(f"a client said {said!r} instead of its CPU seconds") from None


def _expect(client: subprocess.Popen[str], word: str) -> None:
    if (said := _line(client)) != word:
        raise RuntimeError(f"a client said {said!r} instead of {word!r}")


def _tell(client: subprocess.Popen[str]) -> None:
    if client.stdin is None:
        raise RuntimeError("a client without standard input")
    client.stdin.write("go\n")
    client.stdin.flush()
