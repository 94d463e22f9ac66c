"""Owners in odd straits: few descriptors or many, closed standard ones, no place for files, forks;
and players that leave their group, or print without end."""

from __future__ import annotations

import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from env_service.domain.failure import WorldFault
from env_service.worlds.ai2thor_unity.graphics import xvfb
from env_service.worlds.ai2thor_unity.graphics.xvfb import Xvfb
from env_service.worlds.ai2thor_unity.settings import Deadlines
from env_service.worlds.base import WorldUnavailableError
from tests.support.ai2thor_adapter import (
    calm_down,
    gone,
    own_place,
    started,
    traces,
)

pytest.importorskip("ai2thor", reason="needs houseguest[ai2thor]")

ROOT = Path(__file__).resolve().parents[2]
OWNER = """
import sys, tempfile
tempfile.tempdir = sys.argv[1]
from tests.fault import test_ai2thor_straits as owners
getattr(owners, sys.argv[2])()
"""


@pytest.fixture(scope="module", autouse=True)
def _calm() -> None:
    calm_down()


@pytest.fixture
def patch(tmp_path: Path) -> Iterator[pytest.MonkeyPatch]:
    """A place that has to be, in the end, as it was before."""
    with own_place(tmp_path) as patch:
        before = traces()
        yield patch
        assert traces() == before


def play() -> None:
    with started() as controller:
        assert controller.step("Pass")
        leader = controller.pid
    assert gone(leader)


def without_standard_descriptors() -> None:
    for descriptor in range(3):
        os.close(descriptor)
    play()


def with_many_descriptors() -> None:
    """More than select(2) can count to."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (2048, most))
    held = [os.open("/dev/null", os.O_RDONLY) for _ in range(1100)]
    play()
    assert held


def with_its_children_ignored() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    play()


def with_few_descriptors() -> None:
    """In a process of its own: the limit is one on their numbers, which have no holes there."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    play()
    before, failures = traces(), []
    used = len(before["descriptors"]) + 1
    for spare in range(1, 12, 2):
        resource.setrlimit(resource.RLIMIT_NOFILE, (used + spare, hard))
        try:
            play()
        except (WorldFault, WorldUnavailableError) as error:
            failures.append(str(error))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert traces() == before, spare
    assert 0 < len(failures) < 6, failures
    assert all("Too many open files" in failure for failure in failures), failures


@pytest.mark.parametrize(
    "owner",
    [
        "without_standard_descriptors",
        "with_many_descriptors",
        "with_its_children_ignored",
        "with_few_descriptors",
    ],
)
def test_an_owner_in_odd_straits_plays(patch: pytest.MonkeyPatch, owner: str) -> None:
    words = [sys.executable, "-c", OWNER, tempfile.gettempdir(), owner]
    assert subprocess.run(words, cwd=ROOT, timeout=300, check=False).returncode == 0


def test_a_machine_without_a_place_for_files_is_told(patch: pytest.MonkeyPatch) -> None:
    with pytest.MonkeyPatch.context() as here:
        here.setattr(tempfile, "tempdir", None)
        here.setattr(tempfile, "_candidate_tempdir_list", lambda: ["/nonexistent"])
        with pytest.raises(WorldUnavailableError, match="Set TMPDIR to a writable"):
            started()
        here.setattr(xvfb, "program", lambda: "/bin/true")
        with pytest.raises(WorldUnavailableError, match="Xvfb cannot be started: "):
            Xvfb(64, 48)


def test_deadlines_may_be_endless(patch: pytest.MonkeyPatch) -> None:
    with started(deadlines=Deadlines(1e12, math.inf, 1e12, math.inf)) as controller:
        assert controller.step("Pass")


def program(folder: Path, text: str) -> str:
    path = folder / "player.py"
    path.write_text(text, encoding="utf-8")
    return f"{sys.executable} -I -S {path}"


def test_a_player_that_became_a_daemon_is_ended(patch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    left = tmp_path / "left"
    text = f"""
import os, time
reading, writing = os.pipe()
if os.fork():
    os.read(reading, 1)
    os._exit(0)
os.setsid()
open({str(left)!r}, "w").write(str(os.getpid()))
os.closerange(3, writing)
os.write(writing, b"x")
time.sleep(600)
"""
    with pytest.raises(WorldFault, match="ended with exit status 0 before its first message"):
        started(command=program(tmp_path, text))
    assert gone(int(left.read_text()))


def test_a_flood_of_words_does_not_fill_the_disk(patch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """At most what is printed between two looks; without any it would be twenty times as much."""
    text = "import os, time\nwhile True: os.write(1, b'x' * 65536); time.sleep(0.001)"
    sizes, ended = [0], threading.Event()

    def watch() -> None:
        while not ended.wait(0.02):
            for log in Path(tempfile.gettempdir()).glob("*/player.log"):
                sizes.append(log.stat().st_size)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        with pytest.raises(WorldFault, match="sent no first message within 1 s"):
            started(command=program(tmp_path, text), deadlines=Deadlines(1.0, 1.0, 1.0, 10.0))
    finally:
        ended.set()
        watcher.join()
    assert any(later < earlier for earlier, later in pairwise(sizes))
