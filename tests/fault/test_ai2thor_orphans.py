"""However the owner of a player dies: its player does not outlive it, nor its files for long."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from env_service.worlds.ai2thor_unity.player_folder import sweep
from tests.support.ai2thor_adapter import files, gone, group, misbehave, own_place

pytest.importorskip("ai2thor", reason="needs houseguest[ai2thor]")

ROOT = Path(__file__).resolve().parents[2]

OWNER = """
import os, sys, tempfile, threading, time
from tests.support.ai2thor_adapter import started
tempfile.tempdir = sys.argv[1]
found = []

def play():
    controller = started()
    found.append(controller)
    print(controller.pid, flush=True)
    if sys.argv[2] == "hang":
        controller.step("Crouch")

threading.Thread(target=play, daemon=True).start()
while not found:
    time.sleep(0.01)
if sys.argv[2] == "exit":
    sys.exit()
time.sleep(600)
"""


FORKING = """
import os, signal, sys, tempfile
from tests.support.ai2thor_adapter import started
tempfile.tempdir = sys.argv[1]
controller = started()
signal.alarm(300)
child = os.fork()
if child:
    print(controller.pid, child, flush=True)
signal.alarm(300)
signal.pause()
"""


@pytest.mark.parametrize(
    ("state", "number"),
    [("idle", signal.SIGKILL), ("hang", signal.SIGKILL), ("idle", signal.SIGTERM), ("exit", 0)],
)
def test_no_process_outlives_its_owner(tmp_path: Path, state: str, number: int) -> None:
    """The player has a process of its own; a thread of the owner started it, and may be gone."""
    with own_place(tmp_path) as patch:
        patch.setenv("TINY_PLAYER_CHILD", "1")
        misbehave(patch, on=[{"action": "Crouch", "do": "hang"}])
        words = [sys.executable, "-c", OWNER, tempfile.gettempdir(), state]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT) as owner:
            assert owner.stdout is not None
            leader = int(owner.stdout.readline())
            if state != "exit":
                assert len(group(leader)) == 2
                os.kill(owner.pid, number)
            owner.wait(timeout=60)
        assert gone(leader)
        sweep()
        assert files() == []


def test_files_of_the_living_are_left_alone(tmp_path: Path) -> None:
    with own_place(tmp_path):
        words = [sys.executable, "-c", OWNER, tempfile.gettempdir(), "idle"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT) as owner:
            assert owner.stdout is not None
            leader = int(owner.stdout.readline())
            before = files()
            sweep()
            assert files() == before != []
            owner.kill()
        assert gone(leader)


def test_a_fork_of_the_owner_does_not_keep_the_player(tmp_path: Path) -> None:
    """It has copies of all descriptors, and lives on."""
    with own_place(tmp_path):
        words = [sys.executable, "-c", FORKING, tempfile.gettempdir()]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT) as owner:
            assert owner.stdout is not None
            leader, child = map(int, owner.stdout.readline().split())
            assert group(leader)
            owner.kill()
        try:
            assert gone(leader)
        finally:
            os.kill(child, signal.SIGKILL)
