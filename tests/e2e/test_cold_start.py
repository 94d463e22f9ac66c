"""Every command once in a new interpreter, which has imported nothing else.

Other tests run commands in one process, or in clones of a process that has imported every module:
there a command may rely on what another one has imported.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from env_service.cli.main import COMMANDS
from env_service.plugins import Group, installed
from tests.support.command_line import LAB, ROOT, finish, houseguest
from tests.support.whole import sample

pytestmark = pytest.mark.new_processes

AGENT = """
from houseguest_agent import Client

with Client("winner") as client:
    for episode in client.episodes():
        episode.act("win")
"""
PROGRAM = "cmd:python win.py"
RUN = f"run --suite {LAB} --limit 1 --agent"
VIEW = "view runs --listen 127.0.0.1:0"
NOTHING_MADE = "parity --no-play --scenes household-bathroom-1 --length 5 --save-scripts s.jsonl"

ACTIONS = {
    "suites": ("suites babyai", 0),
    "tasks": ("tasks --suite babyai --tasks GoToLocal", 0),
    "agents": ("agents", 0),
    "sweep": ("sweep small.toml", 0),
    "init": ("init", 0),
    "play": (f"play {LAB} lab/1", 0),
    "show": ("show runs", 0),
    "report": ("report runs", 0),
    "compare": ("compare runs/one runs/two", 0),
    "export": ("export runs --to atif", 0),
    "trace": ("trace runs/one lab/0 --no-replay", 0),
    "index": ("index runs", 0),
    "verify": (f"verify runs/one --suite {LAB}", 0),
    "submit": ("submit check ./nobody", 1),
    "queue": ("queue list", 0),
    "expert": (f"expert --suite {LAB} --limit 1 --out expert.jsonl", 0),
    "new": ("new agent mine", 0),
    "data": ("data list", 0),
    "actplan": ("actplan lint broken.bddl", 1),
    "alfred": ("alfred classify no.log", 1),
    "babybench": ("babybench generate --task predict --levels GoToLocal --seeds 1 --out made", 0),
    "parity": (NOTHING_MADE, 0),
    "refine": ("refine alfred check no.json", 1),
    "render": ("render object Mug --out mug.png", 0),
    "scenes": ("scenes show .", 0),
    "thor": ("thor status", 1),
}
"""By command: words that have it do its work, and the status that it ends with."""

CHEAP = [name for name in ACTIONS if name not in ("sweep", "report", "parity", "play")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with two runs, ``runs/one`` and ``runs/two``."""
    place = tmp_path_factory.mktemp("cold")
    small = (
        f'out = "swept"\n[[agents]]\nagent = "{PROGRAM}"\n[[suites]]\nsuite = "{LAB}"\nlimit = 1\n'
    )
    files = {"win.py": AGENT, "broken.bddl": "(", "no.log": "", "no.json": "", "small.toml": small}
    for name, text in files.items():
        (place / name).write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        for name, path in {"PYTHONPATH": ROOT, "XDG_DATA_HOME": place, "HOME": place}.items():
            patch.setenv(name, str(path))
        for seed, name in enumerate(("one", "two")):
            finish(houseguest(place, *RUN.split(), PROGRAM, "--seed", str(seed)))
            (made,) = (place / "runs").glob("labsuite-*")
            made.rename(place / "runs" / name)
        yield place


def test_a_run_is_played(folder: Path) -> None:
    assert (folder / "runs" / "one" / "summary.json").exists()


@pytest.mark.parametrize("command", sample(list(ACTIONS), CHEAP))
def test_a_command_does_its_work(folder: Path, command: str) -> None:
    words, status = ACTIONS[command]
    out, err = finish(houseguest(folder, *words.split()), status)
    assert "Traceback" not in out + err


@pytest.mark.parametrize("command", ["serve", f"practice {LAB}", VIEW])
def test_a_service_begins_and_ends(folder: Path, command: str) -> None:
    process = houseguest(folder, *command.split(), "--json")
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err


def test_an_agent_is_tested(folder: Path) -> None:
    finish(houseguest(folder, "conformance", "agent", PROGRAM, "--only", "finishes"))


def test_the_machine_is_checked(folder: Path) -> None:
    out, _ = finish(houseguest(folder, "doctor", "--json"))
    assert json.loads(out)["checks"]


def test_no_command_is_left_out() -> None:
    # `mcp` needs an extra: tests/e2e/test_mcp.py starts it.
    alone = {"run", "serve", "practice", "view", "conformance", "doctor", "mcp"}
    assert {*COMMANDS, *installed(Group.COMMANDS)} <= {*ACTIONS, *alone}
