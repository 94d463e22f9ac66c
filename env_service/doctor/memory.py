"""The memory that workers share with their engine, and what this process may have."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from pathlib import Path

from env_service.doctor.finding import Finding, State, Subject
from env_service.domain.english import counted
from env_service.engine.page import ReadablePage, WritablePage, make_page

LITTLE = 2**30
"""Bytes: a service, a worker and an agent, with some room."""
FEW_FILES = 512
"""Open files: a seat needs about ten, for its worker, agent, logs and connections."""


def memory(subject: Subject) -> Iterator[Finding]:
    """Shared memory, free memory, and the limit of open files."""
    del subject
    yield _shared()
    free = _available()
    if free is not None:
        low = free < LITTLE
        mend = "Close something, or play with fewer --parallel and --workers." if low else ""
        state = State.WARNING if low else State.OK
        yield Finding("memory", state, f"{free / 2**30:,.1f} GiB free", mend)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < FEW_FILES:
        more = hard if 0 < hard < 4096 else 4096
        mend = f"ulimit -n {more}" if more > soft else "Let an administrator raise the limit."
        found = f"{soft}: enough for {counted(max(1, soft // 10 - 2), 'session')} at once"
        yield Finding("open files", State.WARNING, found, mend)
    else:
        yield Finding("open files", State.OK, "no limit" if soft < 0 else f"up to {soft:,}")


def _shared() -> Finding:
    words = b"a picture"
    try:
        fd = make_page()
        page = WritablePage(fd)
        page.append(words)
        # Takes over the descriptor, and with it the closing.
        other = ReadablePage(fd)
        came = other.read(0, len(words), page.size)
        other.close()
    except OSError as error:
        found = f"cannot be made: {error.strerror or error}"
        mend = "Let TMPDIR name a folder with room, on a local disk."
        return Finding("shared memory", State.PROBLEM, found, mend)
    if came != words:
        mend = "Play on another machine: this one's kernel loses what processes share."
        return Finding("shared memory", State.PROBLEM, "what was written did not arrive", mend)
    how = "in memory" if hasattr(os, "memfd_create") else "in a temporary file"
    return Finding("shared memory", State.OK, f"works, {how}")


def _available() -> int | None:
    """Bytes that programs can have; None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    values = dict(line.split(":", 1) for line in lines if ":" in line)
    words = values.get("MemAvailable", "").split()
    return int(words[0]) * 1024 if words else None
