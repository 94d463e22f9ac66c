"""A peer's server, seen from the process that started it."""

from __future__ import annotations

import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.peers.base import PeerError

_ROOT = Path(__file__).resolve().parents[2]
_START_SECONDS = 60.0
_STOP_SECONDS = 3.0


class ServerProcess:
    """Runs ``python -m <module> serve`` and waits until it says where it listens.

    The server inherits the environment, so settings of the C library's allocator hold for it
    too. Its stdin is the leash: the server ends when it closes, which the kernel does if this
    process is killed.
    """

    def __init__(self, module: str, *, frame: bool, compression: bool = True) -> None:
        """Raises PeerError when the server ends, or says nothing for a minute."""
        variant = ["--frame"] * frame + ["--no-compression"] * (not compression)
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, "serve", *variant],
            cwd=_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.address = self._await_address(module)

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._process.pid

    def stop(self) -> None:
        """Ends the server, by force after three seconds. Idempotent."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    @contextmanager
    def stopped_on_error(self) -> Iterator[None]:
        """Stops the server when the block fails, so that a failed connection leaves none behind."""
        try:
            yield
        except BaseException:
            self.stop()
            raise

    def _await_address(self, module: str) -> str:
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], _START_SECONDS)
        line = self._process.stdout.readline().decode() if ready else ""
        if line:
            return line.strip()
        self.stop()
        code = self._process.returncode
        raise PeerError(
            f"{module} did not say where it listens within {_START_SECONDS:g} s (exit code"
            f" {code}); stderr says more."
        )
