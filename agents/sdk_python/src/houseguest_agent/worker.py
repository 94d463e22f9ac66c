"""A thread that runs what other threads hand to it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from queue import SimpleQueue

_log = logging.getLogger("houseguest_agent")

Job = Callable[[], None]


class Worker:
    """Runs jobs one after another, none of which may wait for long."""

    def __init__(self, name: str) -> None:
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def do(self, job: Job) -> None:
        """Has ``job`` run soon, unless the worker has been told to end."""
        self._jobs.put(job)

    def end(self, seconds: float) -> bool:
        """Waits until the jobs before it are done and the thread has ended; false if it has not.

        May be called again, also after an exception has interrupted it.
        """
        self._jobs.put(None)
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                job()
            except Exception:  # noqa: BLE001 - whoever asked has a time-out; later jobs go on
                _log.exception("a call could not be made")
