"""A worker's sign of life for the job that it has in hand."""

from __future__ import annotations

import logging
import signal
import sqlite3
import threading
from dataclasses import dataclass

from env_service.submissions.queue import Beat, Queue

LOG = logging.getLogger(__name__)
BEATS_A_LEASE = 4
"""Signs of life within one lease: a few may fail before the job is another's."""


@dataclass(slots=True)
class _Heard:
    beat: Beat = Beat.KEPT


class Heart:
    """Renews a lease from a thread of its own, whatever the worker does. A context manager.

    Where the job was lost or cancelled, it interrupts the main thread as Ctrl-C would, so that
    guests are stopped first; ``beat`` then says which it was.
    """

    def __init__(self, queue: Queue, job_id: str, worker: str, lease_seconds: float) -> None:
        self._queue, self._job_id, self._worker = queue, job_id, worker
        self._lease_seconds = lease_seconds
        self._heard = _Heard()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heart", daemon=True)

    def __enter__(self) -> Heart:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def beat(self) -> Beat:
        """What was heard last."""
        return self._heard.beat

    def stop(self) -> None:
        """Beats no more; the main thread is not interrupted from here on. Idempotent."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(self._lease_seconds / BEATS_A_LEASE):
            try:
                beat = self._queue.beat(self._job_id, self._worker, self._lease_seconds)
            except (OSError, sqlite3.Error):
                LOG.exception("the lease of %s could not be renewed", self._job_id)
                continue
            if beat is not Beat.KEPT:
                self._heard.beat = beat
                if not self._over.is_set():
                    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
                return
