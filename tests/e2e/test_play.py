"""``houseguest play`` in a terminal: a person's episodes become an ordinary run."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from env_service.processes.process_tree import process_tree
from tests.support.command_line import (
    ROOT,
    Ask,
    finish,
    houseguest,
    lines,
    orphans,
    run_folder,
    until,
)

TASK = ("play", "babyai", "GoToLocal/2", "--player", "ada")
WALK = ("right", "forward", "forward", "forward", "right", "forward")
"""To the grey ball of GoToLocal/2."""


def played(place: Path, *arguments: str, typed: str, code: int = 0) -> tuple[str, str]:
    """What a person who types this gets to see, on both outputs."""
    command = [sys.executable, "-m", "env_service", *arguments]
    done = subprocess.run(
        command, cwd=place, input=typed, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout, done.stderr


def episodes(place: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines(run_folder(place) / "episodes.jsonl")]


def test_an_episode_is_quit_taken_up_again_and_becomes_a_run(place: Path, ask: Ask) -> None:
    out, err = played(place, *TASK, typed="right\nhistory\nquit\n")
    assert "1. right → done" in out
    assert "an open episode does not count" in out
    assert "0 of 1 episode; 1 to play" in err
    assert episodes(place) == []

    out, err = played(place, *TASK, typed="\n".join(WALK) + "\n\n")
    assert "Goal: go to the grey ball" in out
    _, over, rest = out.partition("This episode is over")
    assert over
    assert "Everything is played" in rest
    assert "success" not in rest + err
    (episode,) = episodes(place)
    assert (episode["success"], episode["steps"]) == (True, len(WALK))

    manifest = json.loads((run_folder(place) / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["agent"] == "human ada"
    assert manifest["budgets"] == {"agent_step_seconds": 3600.0, "agent_episode_seconds": 14400.0}
    declared = manifest["declared"][0]
    assert declared["configuration"] == {"player": "ada", "face": "terminal"}
    shown, _ = ask("show", str(run_folder(place)))
    assert "1 of 1" in shown
    assert "withdrawn by human ada: 1 episode (1 after the agent had acted)" in shown
    ask("verify", str(run_folder(place)))
    _, err = ask(*TASK)
    assert "all are played" in err


def test_giving_up_counts_and_the_next_task_comes(place: Path) -> None:
    two = ("play", "babyai", "GoToLocal/2", "GoToLocal/3")
    out, err = played(place, *two, typed="giveup\ny\n\nquit\n")
    assert out.count("Goal: ") == 2
    assert "1 of 2 episodes; 1 to play" in err
    (episode,) = episodes(place)
    assert (episode["success"], episode["failure"]) == (False, "gave_up")


class Terminal:
    """A terminal of its own with a command in it."""

    def __init__(self, place: Path, *arguments: str) -> None:
        self._leader, follower = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "env_service", *arguments],
            **{"cwd": place, "stdin": follower, "stdout": follower, "stderr": follower},
            start_new_session=True,
        )
        os.close(follower)
        self._seen = b""

    def type(self, text: bytes) -> None:
        os.write(self._leader, text)

    def press_ctrl_c(self) -> None:
        os.killpg(self.process.pid, signal.SIGINT)

    def read_until(self, words: bytes, poke: bytes = b"") -> None:
        """Reads on; where nothing comes for long, types ``poke``."""
        silences = 0
        while words not in self._seen:
            if select.select([self._leader], [], [], 5.0)[0]:
                self._seen += os.read(self._leader, 4096)
                continue
            silences += 1
            assert silences < 30, self._seen.decode(errors="replace")
            self.type(poke)
        self._seen = self._seen.partition(words)[2]

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._leader)


def test_ctrl_c_asks_before_it_leaves(place: Path) -> None:
    terminal = Terminal(place, *TASK)
    try:
        terminal.read_until(b"64 steps left) > ")
        terminal.press_ctrl_c()
        # A signal that comes just before readline begins to wait is heard with the next line.
        terminal.read_until(b"Once more to leave", poke=b"\n")
        terminal.type(b"right\n")
        terminal.read_until(b"63 steps left) > ")
        terminal.type(b"quit\ny\n")
        terminal.read_until(b"You left")
        terminal.read_until(b"1 to play")
        assert terminal.process.wait(180) == 0
    finally:
        terminal.close()
    assert orphans(place) == []


def test_a_guest_that_is_killed_fails_nothing(place: Path) -> None:
    process = houseguest(place, *TASK, "--browser", "--no-open")
    assert process.stdout is not None
    assert process.stdout.readline().startswith("Play here: http://127.0.0.1:")
    until(lambda: guests(process.pid))
    os.kill(guests(process.pid)[0], signal.SIGKILL)
    _, err = finish(process, code=1)
    assert "0 of 1 episode; 1 to play" in err
    assert episodes(place) == []


def test_a_house_that_is_killed_leaves_no_guest_behind(place: Path) -> None:
    process = houseguest(place, *TASK, "--browser", "--no-open")
    assert process.stdout is not None
    process.stdout.readline()
    process.kill()
    process.communicate()
    until(lambda: orphans(place) == [])


def guests(parent: int) -> list[int]:
    """The human guests that a process has started."""
    script = str(ROOT / "agents" / "human" / "agent.py")
    return [pid for pid in process_tree(parent) if pid != parent and script in command_of(pid)]


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8")
    except OSError:
        return ""


def test_run_starts_a_person_too(ask: Ask) -> None:
    run = ("run", "--suite", "babyai", "--tasks", "GoToLocal/2", "--agent", "human")
    _, err = ask(*run, code=1)
    assert "withdrew" in err
