"""Measuring a tree of processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from env_service.sandbox.bwrap import process_tree
from tests.support.command_line import until

PARENT = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"


@pytest.fixture
def parent() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-c", PARENT], stdin=subprocess.PIPE)
    yield process
    process.stdin.close()  # type: ignore[union-attr]
    process.wait()


def stat(folder: Path, pid: int, parent: int, name: str, pages: int) -> None:
    """A process in a /proc of one's own."""
    entry = folder / str(pid)
    entry.mkdir()
    fields = ["S", str(parent), *["0"] * 15, "3", "0", "0", "0", str(pages), "0"]
    (entry / "stat").write_text(f"{pid} ({name}) {' '.join(fields)}\n")


def test_descendants_are_found_whatever_they_are_called(tmp_path: Path) -> None:
    for pid, parent, name in ((10, 1, "a"), (11, 10, "b) S 1 ("), (12, 11, "c d"), (13, 1, "e")):
        stat(tmp_path, pid, parent, name, 2)
    (tmp_path / "self").mkdir()
    found = process_tree.tree(10, tmp_path)
    assert [process.pid for process in found] == [10, 11, 12]
    assert sum(process.threads for process in found) == 9
    assert process_tree.memory(found, 10**9, tmp_path) == 6 * os.sysconf("SC_PAGE_SIZE")


def test_what_is_shared_counts_once_where_it_matters(tmp_path: Path) -> None:
    for pid in (10, 11):
        stat(tmp_path, pid, 1 if pid == 10 else 10, "x", 1000)
        (tmp_path / str(pid) / "smaps_rollup").write_text("a-b rw\nRss: 900 kB\nPss: 7 kB\n")
    found = process_tree.tree(10, tmp_path)
    assert process_tree.memory(found, 1, tmp_path) == 14 * 1024


def test_what_ended_since_it_was_counted_uses_nothing(tmp_path: Path) -> None:
    for pid in (10, 11):
        stat(tmp_path, pid, 1 if pid == 10 else 10, "x", 1000)
    found = process_tree.tree(10, tmp_path)
    shutil.rmtree(tmp_path / "11")
    assert process_tree.memory(found, 1, tmp_path) == 1000 * os.sysconf("SC_PAGE_SIZE")


def test_a_tree_that_is_gone_uses_nothing(tmp_path: Path) -> None:
    assert process_tree.tree(10, tmp_path) == []
    assert process_tree.memory([], 0, tmp_path) == 0


def test_real_processes_are_measured(parent: subprocess.Popen[bytes]) -> None:
    def measured() -> bool:
        # One that has only just begun holds next to nothing.
        found = process_tree.tree(parent.pid)
        return len(found) == 2 and all(process.resident > 2**20 for process in found)

    until(measured)
    assert not process_tree.gone([parent.pid])
