"""A guest as a plain process: for one's own code, with no isolation."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from env_service.engine.log import BoundedLog, LogPipe
from env_service.sandbox.agents import GuestCommand
from env_service.sandbox.guest import Ending
from env_service.sandbox.seating import Seating

_SEAT_VARIABLES = {
    *("HOUSEGUEST_ADDRESS", "HOUSEGUEST_TOKEN", "HOUSEGUEST_TOKENS", "HOUSEGUEST_SEED"),
    *("HOUSEGUEST_CA", "HOUSEGUEST_STATE_FILE", "GRPC_ENABLE_FORK_SUPPORT"),
}
LOG_BYTES = 10 * 2**20


class ProcessGuest:
    """One running guest. Its output goes to a bounded log.

    It leads a process group of its own, so that Ctrl-C in the terminal reaches the service
    alone, and it is killed by the kernel when the service goes away without a word.
    """

    def __init__(self, process: asyncio.subprocess.Process, output: _Output) -> None:
        self._process = process
        self._output = output

    @staticmethod
    async def start(guest: GuestCommand, seating: Seating, log_path: Path) -> ProcessGuest:
        """Starts the guest's command. A command that does not exist exits with code 1."""
        log = BoundedLog(log_path, LOG_BYTES)
        reading, writing = os.pipe()
        leash = (sys.executable, "-m", "env_service.sandbox.leash", str(reading))
        output_end, output = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                *leash,
                *guest.command,
                env=_clean(os.environ) | seating.environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=(reading,),
                start_new_session=True,
            )
        finally:
            os.close(reading)
            os.close(output)
        pipe = LogPipe(log)
        reader = os.fdopen(output_end, "rb", buffering=0)
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(lambda: pipe, reader)
        return ProcessGuest(process, _Output(log, pipe, transport, writing))

    async def wait(self) -> Ending:
        """How it ended, once it is gone; ``stop`` still has to be called, for what it left."""
        return Ending(await self._process.wait())

    def log_tail(self, lines: int = 10) -> str:
        """The last lines that the guest wrote."""
        return self._output.log.tail(lines)

    async def stop(self, patience: float = 2.0) -> None:
        """Asks the guest to end, then kills it and whatever it has started. Idempotent."""
        if self._process.returncode is None:
            self._signal(signal.SIGTERM)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), patience)
        if not self._output.closed:
            # Its children may live on in its group, also when it has left by itself.
            self._signal(signal.SIGKILL)
            await self._process.wait()
            await self._output.close()

    def _signal(self, sign: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, sign)


class ProcessSandbox:
    """Starts a command as a plain process of the user who runs the house: no sandbox at all."""

    isolation = "a plain process: none. It can read and change whatever you can."

    def __init__(self, guest: GuestCommand) -> None:
        self._guest = guest

    @property
    def shared(self) -> bool:
        """Whether one guest plays every seat of a run."""
        return self._guest.shared

    async def start(self, seating: Seating, log_path: Path) -> ProcessGuest:
        """Starts a guest. A command that does not exist exits with code 1."""
        return await ProcessGuest.start(self._guest, seating, log_path)

    async def close(self) -> None:
        """Nothing was made."""


class _Output:
    """What a guest writes, and the pipe that its life hangs on."""

    def __init__(
        self, log: BoundedLog, pipe: LogPipe, transport: asyncio.ReadTransport, lifeline: int
    ) -> None:
        self.log = log
        self._pipe = pipe
        self._transport = transport
        self._lifeline = lifeline

    @property
    def closed(self) -> bool:
        """Whether all was let go."""
        return self._lifeline < 0

    async def close(self) -> None:
        """Takes in the last words, then lets go. Idempotent."""
        if self.closed:
            return
        lifeline, self._lifeline = self._lifeline, -1
        with contextlib.suppress(TimeoutError):
            # A process that left the guest's group may hold the pipe open for ever.
            await asyncio.wait_for(self._pipe.ended.wait(), 1.0)
        self._transport.close()
        os.close(lifeline)
        self.log.close()


def _clean(environment: Mapping[str, str]) -> dict[str, str]:
    """The service's environment, without what is meant for us or another seat."""
    return {name: value for name, value in environment.items() if name not in _SEAT_VARIABLES}
