"""One guest in bubblewrap, by way of its keeper."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from pathlib import Path

from env_service.sandbox.bwrap import cgroups
from env_service.sandbox.bwrap.plan import KeeperReport, Plan
from env_service.sandbox.errors import GuestStartError
from env_service.sandbox.guest import Ending
from env_service.sandbox.output import GuestOutput

_KEEPER = ("-m", "env_service.sandbox.bwrap.keeper")
_KEEPER_SECONDS = 15.0
"""How long a keeper may take to clean up, until it is killed itself."""
_KILLED = -9


class BwrapGuest:
    """One running guest. Its output goes to a bounded log.

    Its keeper is a process of a session of its own, so that Ctrl-C in the terminal reaches the
    service alone, and kills the guest when the service goes away without a word.
    """

    def __init__(
        self,
        plan: Plan,
        keeper: asyncio.subprocess.Process,
        output: GuestOutput,
        lifeline: int,
    ) -> None:
        self._plan, self._keeper = plan, keeper
        self._output, self._lifeline = output, lifeline
        self._ending = asyncio.ensure_future(self._end())
        self._begun: asyncio.Future[KeeperReport] = asyncio.get_running_loop().create_future()

    @staticmethod
    async def start(plan: Plan, log_path: Path) -> BwrapGuest:
        """Starts the guest's command. Raises GuestStartError."""
        output = GuestOutput(log_path)
        reading, writing = os.pipe()
        try:
            keeper = await asyncio.create_subprocess_exec(
                *(sys.executable, *_KEEPER, str(reading)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=output.end,
                pass_fds=(reading,),
                start_new_session=True,
            )
        except BaseException:
            os.close(writing)
            await output.close()
            raise
        finally:
            os.close(reading)
        guest = BwrapGuest(plan, keeper, output, writing)
        try:
            await output.begin()
            await guest.begin()
        except BaseException:
            await guest.stop(patience=0)
            raise
        return guest

    @property
    def stopped(self) -> bool:
        """Whether all was let go."""
        return self._lifeline < 0

    async def begin(self) -> None:
        """Hands the keeper its plan, and waits until the guest runs. Raises GuestStartError."""
        if (plan := self._keeper.stdin) is not None:
            with contextlib.suppress(ConnectionError):
                plan.write(self._plan.dumps())
                await plan.drain()
                plan.close()
        report = await asyncio.shield(self._begun)
        if report.problem:
            await self.stop(patience=0)
            said = self.log_tail(3)
            raise GuestStartError(f"{report.problem}: {said}" if said else report.problem)

    async def wait(self) -> Ending:
        """How it ended, once it is gone; ``stop`` still has to be called. May be cancelled, and
        called again."""
        return await asyncio.shield(self._ending)

    def log_tail(self, lines: int = 10) -> str:
        """The last lines that the guest wrote."""
        return self._output.log.tail(lines)

    def notices(self) -> list[str]:
        """What it has told the operator since the last call."""
        return self._output.log.take_notices()

    async def stop(self, patience: float = 2.0) -> None:
        """Asks the guest to end, then kills it and whatever it has started. Idempotent."""
        if not self._ending.done() and not self.stopped and patience > 0:
            with contextlib.suppress(BrokenPipeError):
                os.write(self._lifeline, b"t")
            await asyncio.wait({self._ending}, timeout=patience)
        if not self.stopped:
            os.close(self._lifeline)
            self._lifeline = -1
        await asyncio.wait({self._ending}, timeout=_KEEPER_SECONDS)
        if self._keeper.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._keeper.kill()
        await self._ending
        if self._plan.groups is not None:
            cgroups.remove(self._plan.groups.folders)
        await self._output.close()

    async def _end(self) -> Ending:
        """Takes in what the keeper reports."""
        last = KeeperReport(problem="the keeper of the sandbox ended without a word")
        if (reports := self._keeper.stdout) is not None:
            async for line in reports:
                last = KeeperReport.loads(line)
                if not self._begun.done():
                    self._begun.set_result(last)
        if not self._begun.done():
            self._begun.set_result(last)
        await self._keeper.wait()
        code = _KILLED if last.code is None else last.code
        return Ending(code, out_of_memory=last.out_of_memory, out_of_time=last.out_of_time)
