"""The summary of a large run, computed elsewhere, is the one that would be computed here."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from env_service.results import summary_process
from env_service.results.run_layout import EPISODES
from env_service.results.summary_process import SummaryProcessError, summary_of
from env_service.storage.signing_key import SigningKey
from tests.support.played_run import play_run


def test_both_ways_come_to_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, here = play_run(tmp_path, SigningKey.generate())
    assert here.overall.n > 0
    assert summary_of(folder, folder / EPISODES) == here
    monkeypatch.setattr(summary_process, "MOST_BYTES", 0)
    assert summary_of(folder, folder / EPISODES) == here


def test_a_folder_that_cannot_be_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summary_process, "MOST_BYTES", 0)
    (tmp_path / EPISODES).write_text("no record\n", encoding="utf-8")
    with pytest.raises(SummaryProcessError, match="manifest"):
        summary_of(tmp_path, tmp_path / EPISODES)


def test_what_takes_too_long_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, _ = play_run(tmp_path, SigningKey.generate())
    monkeypatch.setattr(summary_process, "MOST_BYTES", 0)
    monkeypatch.setattr(summary_process, "LONGEST_SECONDS", 0.001)
    with pytest.raises(SummaryProcessError, match="not counted within"):
        summary_of(folder, folder / EPISODES)


HELD_UP = """
import os, sys, time
if sys.orig_argv[-2:-1] == [{folder!r}]:
    from env_service.results import run_reader

    def wait(path):
        with open({pipe!r}, "w") as pipe:
            pipe.write(str(os.getpid()))
        time.sleep(300)

    run_reader.read_run = wait
"""
"""What Python imports at the start of the process that counts."""

CALLER = """
import sys
from pathlib import Path
sys.path.insert(0, {modules!r})
from env_service.results import summary_process
summary_process.MOST_BYTES = -1
summary_process.summary_of(Path({folder!r}), Path({folder!r}))
"""


def test_the_process_ends_with_the_one_that_asked(tmp_path: Path) -> None:
    pipe, modules, folder = (tmp_path / name for name in ("pipe", "modules", "run"))
    os.mkfifo(pipe)
    modules.mkdir()
    folder.mkdir()
    names = {"pipe": str(pipe), "modules": str(modules), "folder": str(folder)}
    (modules / "sitecustomize.py").write_text(HELD_UP.format(**names), encoding="utf-8")
    caller = subprocess.Popen([sys.executable, "-c", CALLER.format(**names)])
    try:
        opened = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        assert select.select([opened], [], [], 60)[0], "nobody counts"
        counting = os.pidfd_open(int(os.read(opened, 64)))
    finally:
        caller.kill()
        caller.wait()
    try:
        assert select.select([counting], [], [], 60)[0], "it goes on"
    finally:
        os.close(counting)
