"""The facts of episodes, from replays in a separate process: one at a time, kept in memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from subprocess import PIPE
from threading import Lock
from time import monotonic
from typing import Any

from env_service.results.episode_reader import transcript_lines, transcript_path
from env_service.results.pictures import RecordingError
from env_service.storage.canonical_json import parse
from env_service.view.moments import EpisodeFacts

WAIT_SECONDS = 3.0
"""How long a request waits for a replay; a later one asks again."""
DEADLINE = 180.0
"""Seconds of a replay, after which it is killed."""
MOST_ANSWER = 32 * 2**20
"""Bytes of the facts of one episode."""
MOST_KEPT = 16 * 2**20
"""Bytes of compressed facts to keep in memory, apart from the newest."""
MOST_QUEUED = 8
"""Replays that wait or run at once."""

READY, PENDING, NONE = "ready", "pending", "none"
STATES = (READY, PENDING, NONE)

Key = tuple[str, str, int, int]
"""A run's folder, an episode, and the size and time of its transcript."""


@dataclass(frozen=True, slots=True)
class FactsView:
    """What was true in an episode, as a replay found it.

    ``state`` is "ready"; "pending" while the replay runs, ask again then; "none" if there is
    nothing to replay, for the reason in ``problem``.
    """

    state: str
    problem: str
    facts: EpisodeFacts | None


class _Kept:
    """Compressed JSON by key. Drops what was requested least recently, never the newest."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Key, bytes] = OrderedDict()
        self._size = 0

    def get(self, key: Key) -> Mapping[str, Any] | None:
        if (found := self._kept.get(key)) is None:
            return None
        self._kept.move_to_end(key)
        value: Mapping[str, Any] = json.loads(zlib.decompress(found))
        return value

    def put(self, key: Key, text: bytes) -> None:
        packed = zlib.compress(text, 1)
        self._kept[key] = packed
        self._size += len(packed)
        while self._size > MOST_KEPT and len(self._kept) > 1:
            _, gone = self._kept.popitem(last=False)
            self._size -= len(gone)


class Replays:
    """Replays episodes that somebody asks for. For several threads; close it.

    ``together``: how many replays share a process, which saves its start. The process keeps the
    memory of a simulator until the last of them, so a service uses 1.
    """

    def __init__(self, together: int = 1) -> None:
        self._together = together
        self._done = 0
        self._kept = _Kept()
        self._lock = Lock()
        self._asked: dict[Key, Future[None]] = {}
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="replay")
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False

    def ask(self, run: Path, episode_id: str, seconds: float = WAIT_SECONDS) -> FactsView:
        """The facts; starts a replay if they are unknown, and waits for it for some seconds.

        Raises RecordingError if there is no such transcript.
        """
        key = _key(run, episode_id)
        if (known := self._known(key)) is not None:
            return known
        if not _is_over(run, episode_id):
            return FactsView(NONE, "the episode is still playing", None)
        with self._lock:
            if (asked := self._asked.get(key)) is None:
                if self._closed or len(self._asked) >= MOST_QUEUED:
                    return FactsView(PENDING, "other episodes are replayed first", None)
                asked = self._asked[key] = self._pool.submit(self._replay, key, run, episode_id)
        wait([asked], seconds)
        return self._known(key) or FactsView(PENDING, "", None)

    def close(self) -> None:
        """Ends the replay that runs, and drops those that wait."""
        with self._lock:
            self._closed = True
            if self._process is not None:
                self._process.kill()
        self._pool.shutdown(cancel_futures=True)
        if self._process is not None:
            self._process.communicate()

    def _known(self, key: Key) -> FactsView | None:
        with self._lock:
            found = self._kept.get(key)
        if found is None:
            return None
        problem = str(found["problem"])
        # The mapping has the fields of the dataclass: the replay's process wrote them.
        facts: Any = found if found["moments"] else None
        return FactsView(READY if facts else NONE, problem, facts)

    def _replay(self, key: Key, run: Path, episode_id: str) -> None:
        try:
            text = self._output(run, episode_id)
        except OSError as error:
            text = _failed(f"the replay cannot start: {error.strerror}")
        with self._lock:
            self._kept.put(key, text)
            del self._asked[key]

    def _output(self, run: Path, episode_id: str) -> bytes:
        command = [sys.executable, "-m", "env_service.view.replay"]
        with self._lock:
            if self._closed:
                return _failed("the viewer ends")
            if self._process is None:
                self._done = 0
                self._process = subprocess.Popen(
                    command, stdin=PIPE, stdout=PIPE, stderr=subprocess.DEVNULL
                )
            process = self._process
        self._done += 1
        text, problem = _answer(process, json.dumps([str(run), episode_id]))
        if problem or self._done >= self._together:
            if problem:
                process.kill()
            process.communicate()
            with self._lock:
                self._process = None
        return _failed(problem) if problem else text


def _answer(process: subprocess.Popen[bytes], question: str) -> tuple[bytes, str]:
    """A line of answer of a replay's process, or why there is none."""
    asking, answering = process.stdin, process.stdout
    if asking is None or answering is None:
        raise ValueError("the process needs pipes for its questions and answers")
    deadline, text = monotonic() + DEADLINE, bytearray()
    with suppress(BrokenPipeError):
        asking.write(f"{question}\n".encode())
        asking.flush()
    with DefaultSelector() as selector:
        selector.register(answering, EVENT_READ)
        while not text.endswith(b"\n"):
            if not selector.select(max(deadline - monotonic(), 0)):
                return b"", f"the replay took longer than {DEADLINE:g} seconds"
            part = os.read(answering.fileno(), 2**20)
            if not part:
                return b"", f"the replay's process ended with status {process.wait()}"
            text += part
            if len(text) > MOST_ANSWER:
                return b"", "the replay found more than can be shown"
    return bytes(text), ""


def _failed(problem: str) -> bytes:
    return json.dumps({"room": None, "things": [], "moments": [], "problem": problem}).encode()


def _key(run: Path, episode_id: str) -> Key:
    try:
        found = transcript_path(run, episode_id).lstat()
    except OSError as error:
        raise RecordingError("no such episode", missing=True) from error
    return (str(run), episode_id, found.st_size, found.st_mtime_ns)


def _is_over(run: Path, episode_id: str) -> bool:
    last = b""
    try:
        for _, line in transcript_lines(run, episode_id):
            last = line
        value = parse(last)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and value.get("kind") == "close"
