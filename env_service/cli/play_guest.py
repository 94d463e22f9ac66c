"""A guest that sits at the user's own terminal."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from contextlib import suppress

from env_service.sandbox.seating import Seating

_PREFIX = "HOUSEGUEST_"


class SeatedGuest:
    """One running guest, which reads and writes where this command does.

    It stays in the terminal's foreground group, as line editing needs: Ctrl-C reaches it too.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @staticmethod
    async def start(command: tuple[str, ...], seating: Seating) -> SeatedGuest:
        """Starts the guest's command. Raises OSError where there is no such program."""
        environment = _clean(os.environ) | seating.environment()
        process = await asyncio.create_subprocess_exec(*command, env=environment)
        return SeatedGuest(process)

    async def wait(self) -> int:
        """The exit status, negative for a signal, once the guest is gone."""
        return await self._process.wait()

    async def stop(self, patience: float = 5.0) -> None:
        """Asks the guest to leave its seat, then kills it. Idempotent."""
        if self._process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            self._process.terminate()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), patience)
            return
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()


def _clean(environment: Mapping[str, str]) -> dict[str, str]:
    """The user's environment, without what is meant for the house or another seat."""
    return {name: value for name, value in environment.items() if not name.startswith(_PREFIX)}
