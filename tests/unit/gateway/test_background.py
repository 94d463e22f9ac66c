"""Work that is done beside the event loop: what it returns, what it raises, and how it ends."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from env_service.datasets.errors import DataPackMissingError
from env_service.domain.names import MalformedNameError, UnknownNameError
from env_service.domain.reasons import ProtocolError, Reason
from env_service.gateway import background as apart_module
from env_service.gateway.background import HelperProcesses, TooLongError, in_thread
from env_service.suites.base import ConditionError
from env_service.suites.process_pool import process_pool
from tests.support.command_line import until

LONG = 300.0


def using(
    apart: HelperProcesses, work: Callable[[HelperProcesses], Coroutine[Any, Any, None]]
) -> None:
    """Runs a test with helper processes, and ends them."""

    async def run() -> None:
        try:
            await work(apart)
        finally:
            apart.close()

    asyncio.run(run())


def die_once(marker: Path) -> str:
    """Kills its process, the first time."""
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def fail(error: Exception) -> None:
    raise error


def refuse_name() -> None:
    raise UnknownNameError("suite", "babyia", ["babyai"])


def refuse_form() -> None:
    raise MalformedNameError("task set", "builtin-x", "it has to be builtin-COUNT")


def lack_data() -> None:
    raise DataPackMissingError("alfred", ["a.json", "b.json"])


def hold_lock() -> None:
    error = ValueError("it holds what cannot be pickled")
    error.lock = threading.Lock()  # type: ignore[attr-defined]
    raise error


def sleep_on(pipe: Path) -> None:
    """Says that it runs, and then does for a long time."""
    pipe.write_text("it runs", encoding="utf-8")
    time.sleep(LONG)


def test_work_is_done_in_another_process_and_its_errors_come_whole() -> None:
    async def work(apart: HelperProcesses) -> None:
        assert await apart.call(os.getpid) != os.getpid()
        with pytest.raises(UnknownNameError, match="Did you mean 'babyai'") as unknown:
            await apart.call(refuse_name)
        assert (unknown.value.name, unknown.value.nearest) == ("babyia", "babyai")
        with pytest.raises(MalformedNameError, match="it has to be builtin-COUNT"):
            await apart.call(refuse_form)
        with pytest.raises(DataPackMissingError, match="houseguest data fetch alfred") as missing:
            await apart.call(lack_data)
        assert missing.value.files == ("a.json", "b.json")
        with pytest.raises(ConditionError, match="two settings"):
            await apart.call(fail, ConditionError("two settings do not go together"))
        with pytest.raises(RuntimeError, match="ValueError: it holds what cannot be pickled"):
            await apart.call(hold_lock)

    using(HelperProcesses(1), work)


def test_work_that_comes_at_once_shares_the_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    made = list[ProcessPoolExecutor]()

    def slowly(jobs: int, niceness: int) -> ProcessPoolExecutor:
        time.sleep(0.2)
        made.append(process_pool(jobs, niceness))
        return made[-1]

    monkeypatch.setattr(apart_module, "process_pool", slowly)

    async def work(apart: HelperProcesses) -> None:
        assert len(set(await asyncio.gather(*(apart.call(os.getpid) for _ in range(4))))) == 1
        assert len(made) == 1

    using(HelperProcesses(1), work)


def test_work_that_is_lost_with_its_process_is_done_again(tmp_path: Path) -> None:
    async def work(apart: HelperProcesses) -> None:
        assert await apart.call(die_once, tmp_path / "marker") == "done"

    using(HelperProcesses(1), work)


def test_a_process_that_died_while_it_was_idle_is_replaced() -> None:
    async def work(apart: HelperProcesses) -> None:
        before = await apart.call(os.getpid)
        end = os.pidfd_open(before)
        os.kill(before, signal.SIGKILL)
        await asyncio.to_thread(select.select, [end], [], [])
        os.close(end)
        pool = apart._pool
        assert pool is not None
        await asyncio.to_thread(until, lambda: pool._broken)  # type: ignore[attr-defined]
        assert await apart.call(os.getpid) != before

    using(HelperProcesses(1), work)


def test_work_that_takes_too_long_is_given_up() -> None:
    async def work(apart: HelperProcesses) -> None:
        for _ in range(2):
            with pytest.raises(TooLongError, match="cancelled after 2 s"):
                await apart.call(time.sleep, LONG)

    using(HelperProcesses(1, longest=2.0), work)


def test_a_close_ends_what_still_runs(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    async def work(apart: HelperProcesses) -> None:
        running = asyncio.ensure_future(apart.call(sleep_on, pipe))
        assert await asyncio.to_thread(pipe.read_text, encoding="utf-8") == "it runs"
        apart.close()
        with pytest.raises(ProtocolError) as caught:
            await running
        assert caught.value.reason is Reason.DRAINING
        with pytest.raises(ProtocolError):
            await apart.call(os.getpid)

    using(HelperProcesses(1), work)


def test_without_processes_work_is_done_at_once() -> None:
    async def work(apart: HelperProcesses) -> None:
        assert await apart.call(threading.get_ident) == threading.get_ident()

    using(HelperProcesses(0), work)


def test_a_caller_that_is_cancelled_waits_for_what_its_thread_writes() -> None:
    begun, go, done = threading.Event(), threading.Event(), threading.Event()

    def write() -> None:
        begun.set()
        assert go.wait(60)
        done.set()

    async def run() -> None:
        writing = asyncio.ensure_future(in_thread(write))
        await asyncio.to_thread(begun.wait, 60)
        writing.cancel()
        await asyncio.sleep(0)
        assert not writing.done()
        go.set()
        with pytest.raises(asyncio.CancelledError):
            await writing
        assert done.is_set()

    asyncio.run(run())


def test_helpers_let_the_service_go_first() -> None:
    async def ask(apart: HelperProcesses) -> None:
        lowest = 19
        wanted = min(os.nice(0) + apart_module.NICENESS, lowest)
        assert await apart.call(os.nice, 0) == wanted

    using(HelperProcesses(1), ask)
