"""The event loop serves every step of every session, and so it never does what may take long."""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from houseguest.control.v1 import control_pb2

from env_service.domain.task import TaskSet
from env_service.results.manifest import Manifest
from tests.support.service import LAB, TIMEOUT, OpenService, RawAgent, open_service, skill

FILES = {
    *("open", "import", "subprocess.Popen", "shutil.rmtree"),
    *("os.listdir", "os.scandir", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.truncate"),
}
"""Audit events of the interpreter that tell of files, modules and processes."""


class Watched:
    """Notes what a thread does that may take long. Python cannot remove an audit hook: it is made
    once, and watches while ``thread`` is set."""

    def __init__(self) -> None:
        self.thread = 0
        self.seen: list[str] = []
        sys.addaudithook(self._hear)

    def _hear(self, event: str, given: tuple[Any, ...]) -> None:
        # A file that is given as a number is open already.
        if event in FILES and not isinstance(given[0], int):
            self.note(f"{event} {given[:1]}")

    def note(self, what: str) -> None:
        """Adds what was done, and where."""
        if threading.get_ident() == self.thread:
            # Else the note would read source files, and note that.
            thread, self.thread = self.thread, 0
            frames = traceback.extract_stack(limit=12)[:-2]
            where = " < ".join(f"{f.name}:{f.lineno}" for f in reversed(frames))
            self.seen.append(f"{what}: {where}")
            self.thread = thread


WATCHED = Watched()


def noting(what: str, work: Callable[..., Any]) -> Callable[..., Any]:
    """``work``, which notes where it is called."""

    def noted(*given: Any, **named: Any) -> Any:
        WATCHED.note(what)
        return work(*given, **named)

    return noted


@contextmanager
def watching(service: OpenService, patch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What the loop of a service does meanwhile that may take long."""
    patch.setattr(os, "fsync", noting("fsync", os.fsync))
    patch.setattr(TaskSet, "digest", noting("digest", TaskSet.digest))
    patch.setattr(Manifest, "identity", noting("identity", Manifest.identity))
    patch.setattr(hashlib, "file_digest", noting("file_digest", hashlib.file_digest))
    WATCHED.seen, WATCHED.thread = [], service.loop_thread
    try:
        yield WATCHED.seen
    finally:
        WATCHED.thread = 0


@pytest.fixture(scope="module")
def service() -> Iterator[OpenService]:
    with open_service(helpers=1) as opened:
        yield opened


class Storm:
    """Makes every call of the control service, and plays meanwhile."""

    def __init__(self, service: OpenService, number: int) -> None:
        self.service, self.number = service, number
        self.stub = service.control()
        self.options: dict[str, Any] = {"metadata": service.operator, "timeout": TIMEOUT}

    def blow(self) -> None:
        """One call of each kind, at least."""
        self.list_all()
        first = self.create("first", parallel_sessions=2)
        agent = RawAgent(self.service.address, first.lease_tokens[0])
        agent.attach()
        agent.begin()
        agent.step(skill("raise"))
        agent.begin()
        agent.step(skill("win"))
        agent.begin()
        renew = control_pb2.IssueLeaseRequest(run_id=first.run.run_id, session_number=1)
        leaver = RawAgent(
            self.service.address, self.stub.IssueLease(renew, **self.options).lease_token
        )
        leaver.attach()
        leaver.begin()
        leaver.withdraw()
        self.stub.GetRun(control_pb2.GetRunRequest(run_id=first.run.run_id), **self.options)
        cancel = control_pb2.CancelRunRequest(run_id=first.run.run_id)
        self.stub.CancelRun(cancel, **self.options)
        again = self.create("again", parallel_sessions=2)
        assert again.run.episodes_done == 1
        agent = RawAgent(self.service.address, again.lease_tokens[0])
        agent.attach()
        assert agent.play_out() > 0
        watch = control_pb2.WatchRunRequest(run_id=again.run.run_id)
        assert list(self.stub.WatchRun(watch, **self.options))
        self.practise()

    def list_all(self) -> None:
        """The two lists."""
        assert self.stub.ListSuites(control_pb2.ListSuitesRequest(), **self.options).suites
        self.stub.ListRuns(control_pb2.ListRunsRequest(), **self.options)

    def create(self, name: str, **changes: Any) -> control_pb2.CreateRunResponse:
        """A run; the same one for the same storm."""
        request = control_pb2.CreateRunRequest(
            request_id=f"{name}-{self.number}",
            suite=LAB,
            limit=4,
            agent=f"agent-{self.number}",
            condition={"frame": "64"},
            **changes,
        )
        return self.stub.CreateRun(request, **self.options)

    def practise(self) -> None:
        """A practice, from its opening to its end."""
        request = control_pb2.CreatePracticeRequest(request_id=f"p-{self.number}", suite=LAB)
        created = self.stub.CreatePractice(request, **self.options)
        agent = RawAgent(self.service.address, created.lease_tokens[0])
        agent.attach()
        agent.begin()
        close = control_pb2.ClosePracticeRequest(practice_id=created.practice.practice_id)
        self.stub.ClosePractice(close, **self.options)


def test_no_call_has_the_loop_load_list_hash_read_or_write_files(
    service: OpenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    with watching(service, monkeypatch) as seen, ThreadPoolExecutor(3) as threads:
        list(threads.map(lambda number: Storm(service, number).blow(), range(3)))
    assert seen == []
