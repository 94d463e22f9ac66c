"""Combines the requests of several threads into batches, which one thread processes."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Condition, Thread
from typing import Generic, TypeVar

Job = TypeVar("Job")
Answer = TypeVar("Answer")

_log = logging.getLogger("model_guest.weights")


class TooLargeError(Exception):
    """A batch did not fit into memory."""


@dataclass(frozen=True, slots=True)
class Limits:
    """At most ``most`` jobs per batch; a batch waits ``wait`` seconds for more jobs."""

    most: int
    wait: float


class Batcher(Generic[Job, Answer]):
    """Calls ``work`` with lists of jobs of one ``kind``, and returns each caller its answer.

    ``work`` returns one answer per job, or raises. TooLargeError halves the batch, for this and
    all later ones; any other error repeats the jobs one by one, so that only the faulty job
    fails.
    """

    def __init__(
        self,
        work: Callable[[Sequence[Job]], Sequence[Answer]],
        kind: Callable[[Job], Hashable],
        limits: Limits,
    ) -> None:
        self._work, self._kind = work, kind
        self._most, self._wait = limits.most, limits.wait
        self._waiting: deque[tuple[Job, Future[Answer]]] = deque()
        self._changed = Condition()
        self._closed = False
        self._thread = Thread(target=self._serve, name="weights", daemon=True)
        self._thread.start()

    @property
    def most(self) -> int:
        """The current maximum number of jobs per batch."""
        return self._most

    def ask(self, job: Job) -> Answer:
        """Waits for the job's answer. Raises what ``work`` raised, or RuntimeError once closed."""
        future: Future[Answer] = Future()
        with self._changed:
            if self._closed:
                raise RuntimeError("the model was closed")
            self._waiting.append((job, future))
            self._changed.notify_all()
        return future.result()

    def close(self) -> None:
        """Finishes the current batch; jobs still waiting fail. Idempotent."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def _serve(self) -> None:
        while batch := self._next_batch():
            self._run(batch)
        for _, future in self._waiting:
            future.set_exception(RuntimeError("the model was closed"))

    def _next_batch(self) -> list[tuple[Job, Future[Answer]]]:
        """Jobs of the first one's kind, in the order of arrival; empty once closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            deadline = time.monotonic() + self._wait
            while not self._closed and len(self._alike()) < self._most:
                if not self._changed.wait(max(0.0, deadline - time.monotonic())):
                    break
            if self._closed:
                return []
            batch = self._alike()
            taken = {id(future) for _, future in batch}
            self._waiting = deque(each for each in self._waiting if id(each[1]) not in taken)
            return batch

    def _alike(self) -> list[tuple[Job, Future[Answer]]]:
        if not self._waiting:
            return []
        kind = self._kind(self._waiting[0][0])
        return [each for each in self._waiting if self._kind(each[0]) == kind][: self._most]

    def _run(self, batch: list[tuple[Job, Future[Answer]]]) -> None:
        problem: Exception | None = None
        try:
            answers = self._work([job for job, _ in batch])
        except Exception as error:  # noqa: BLE001 - the asking threads get it, whatever it is
            problem = error
        if problem is not None:
            self._recover(batch, problem)
            return
        for (_, future), answer in zip(batch, answers, strict=True):
            future.set_result(answer)

    def _recover(self, batch: list[tuple[Job, Future[Answer]]], problem: Exception) -> None:
        if len(batch) == 1:
            batch[0][1].set_exception(problem)
            return
        parts = [[each] for each in batch]
        if isinstance(problem, TooLargeError):
            half = (len(batch) + 1) // 2
            self._most = min(self._most, half)
            _log.warning("out of memory: at most %d requests per batch from now on", self._most)
            parts = [batch[:half], batch[half:]]
        for part in parts:
            self._run(part)
