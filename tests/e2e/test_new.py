"""A suite, a world and an agent of somebody else's: each a distribution of its own, in a folder
outside this repository, made by ``houseguest new`` and installed by pip beside Houseguest.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import ROOT
from tests.support.whole import everything, sample

LIBRARIES = ("sdk_python", "model_client", "model_guest")
KINDS = {"suite": "parcels", "world": "dusk", "agent": "careful"}
SUITES = (("alfred", "--set", "pictures=on"), ("asgard", "--condition", "text-only-simple"))
COUNTED = re.compile(r"(\d+) (\w+)")


class Newcomer:
    """A user with an environment of their own, in which Houseguest is installed, and a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "theirs"
        self.folder.mkdir()
        environment = folder / "environment"
        venv.create(environment, with_pip=False, symlinks=True)
        self.python = environment / "bin" / "python"
        (site,) = (environment / "lib").glob("python*/site-packages")
        # What this environment has, the new one has after its own.
        (site / "ours.pth").write_text("".join(f"{path}\n" for path in self._here()))
        sources = (self.folder / name / "src" for name in KINDS.values())
        self.import_path = os.pathsep.join(map(str, (site, *sources)))

    @staticmethod
    def _here() -> list[str]:
        paths = [path for path in sys.path if "site-packages" in path or "dist-packages" in path]
        sources = ("", "proto/python/src", *(f"agents/{each}/src" for each in LIBRARIES))
        return [*paths, *(str(ROOT / each) for each in sources)]

    def run(self, *words: str, code: int = 0, own: bool = True) -> str:
        """What ``python -m …`` prints on standard output; it has to end with ``code``.

        Not ``own``: by the Python of this process, with what is installed in theirs.
        """
        done = subprocess.run(
            (str(self.python) if own else sys.executable, "-m", *words),
            cwd=self.folder,
            env=dict(os.environ) if own else {**os.environ, "PYTHONPATH": self.import_path},
            capture_output=True,
            text=True,
            timeout=400,
            check=False,
        )
        assert done.returncode == code, f"{words}\n{done.stdout}{done.stderr}"
        return done.stdout

    def houseguest(self, *words: str, code: int = 0, own: bool = False) -> dict[str, Any]:
        """The last JSON document that a command prints."""
        out = self.run("env_service", *words, "--json", code=code, own=own)
        try:
            document: dict[str, Any] = json.loads(out)
        except json.JSONDecodeError:
            document = json.loads(out.splitlines()[-1])
        return document

    def play(self, *words: str, episodes: int, own: bool = False) -> Path:
        """The folder of a run that is played to its end, verified by replay and reported."""
        done = self.houseguest("run", *words, own=own)
        folder = self.folder / done["folder"]
        verified = self.houseguest("verify", str(folder), own=own)
        assert verified["good"], verified
        assert verified["replayed"] == verified["episodes"] == episodes
        self.run("env_service", "report", str(folder), own=own)
        return folder

    def check(self, name: str, tests: int, sampled: int = 0, words: Sequence[str] = ()) -> None:
        """The tests that a distribution came with pass, at least ``tests`` of them. In `make test`
        those that ``words`` of pytest select, at least ``sampled`` of them."""
        chosen = () if everything() else words
        out = self.run("pytest", "-q", "-p", "no:cacheprovider", *chosen, name)
        counted = {word: int(number) for number, word in COUNTED.findall(out.splitlines()[-1])}
        assert counted.keys() <= {"passed", "deselected", "warning", "warnings"}, out
        assert counted["passed"] >= (sampled if chosen else tests), out
        assert counted["passed"] + counted.get("deselected", 0) >= tests, out


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Newcomer:
    """One who has made and installed one of each kind."""
    user = Newcomer(tmp_path_factory.mktemp("new"))
    for kind, name in KINDS.items():
        made = user.houseguest("new", kind, name)
        assert sorted(made["files"]) == files(user.folder / name)
        # No index is asked: pip builds with the hatchling that is here.
        quiet = ("--no-index", "--no-deps", "--no-build-isolation", "--quiet")
        user.run("pip", "install", *quiet, "--editable", str(user.folder / name))
    return user


@pytest.fixture(scope="module", autouse=True)
def _no_file_of_ours_is_touched(newcomer: Newcomer) -> Any:
    before = state()
    yield
    assert state() == before


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def state() -> Mapping[str, tuple[int, int]]:
    """Size and time of each file that belongs to the product."""
    folders = ("env_service", "agents", "proto", "docs")
    every = [path for each in folders for path in (ROOT / each).rglob("*")]
    every += [*ROOT.glob("*.toml"), *ROOT.glob("*.md")]
    return {
        str(path): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in every
        if path.is_file() and "__pycache__" not in path.parts and "node_modules" not in path.parts
    }


def test_the_suite_is_listed_played_by_a_bundled_agent_verified_and_reported(
    newcomer: Newcomer,
) -> None:
    listed = newcomer.houseguest("tasks", "--suite", "parcels", own=True)
    assert len(listed["tasks"]) == 6
    played = ("--suite", "parcels", "--agent", "random", "--seed", "1")
    newcomer.play(*played, episodes=6, own=True)


def test_model_agents_find_the_suites_prompts(newcomer: Newcomer) -> None:
    program = "from model_guest.prompt_set import PromptLibrary as L"
    program += "; found = L(None, {}).find('parcels'); print(found.name, found.folder)"
    done = subprocess.run(
        [newcomer.python, "-c", program], cwd=newcomer.folder, capture_output=True, check=True
    )
    name, folder = done.stdout.decode().split()
    assert name == "parcels"
    assert Path(folder) == newcomer.folder / "parcels/src/parcels/prompts"


def test_the_agent_plays_the_suite(newcomer: Newcomer) -> None:
    newcomer.play("--suite", "parcels", "--agent", "careful", "--tries", "50", episodes=6)


@pytest.mark.parametrize("suite", sample(SUITES, SUITES[:1]))
def test_the_world_is_played_by_suites_of_ours(newcomer: Newcomer, suite: tuple[str, ...]) -> None:
    task = ("--suite", *suite, "--task-set", "builtin-1", "--agent", "random")
    folder = newcomer.play(*task, "--world", "dusk", episodes=1, own=True)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["world"] == "dusk"
    assert "60 %" in json.dumps(manifest)


def test_commands_about_worlds_know_the_new_one(newcomer: Newcomer) -> None:
    listed = newcomer.houseguest(
        "scenes", "list", "--world", "dusk", "household-kitchen-*", own=True
    )
    assert "household-kitchen-1" in json.dumps(listed)


def test_the_suites_own_tests_pass(newcomer: Newcomer) -> None:
    newcomer.check("parcels", 25)


def test_the_agents_own_test_passes(newcomer: Newcomer) -> None:
    if everything():
        newcomer.check("careful", 1)
    else:
        rules = ("--houseguest-agent", "careful", "-k", "action-fits or answer-mode")
        newcomer.check("careful", 10, 2, rules)


def test_the_worlds_own_tests_pass(newcomer: Newcomer) -> None:
    chosen = "darker or says_what_it_is or reset_gives or picking_up or masks_do_not or none_leaves"
    newcomer.check("dusk", 60, 7, ("-k", chosen))


def test_a_name_that_is_taken_and_a_folder_that_is_not_empty_are_refused(
    newcomer: Newcomer,
) -> None:
    taken = newcomer.houseguest("new", "suite", "parcels", "--out", "elsewhere", code=2)
    assert taken["error"]["kind"] == "NameTakenError"
    assert "is a suite of the distribution parcels" in taken["error"]["message"]
    before = files(newcomer.folder / "parcels")
    full = newcomer.houseguest("new", "suite", "other", "--out", "parcels", code=2)
    assert full["error"]["kind"] == "FileExistsError"
    assert files(newcomer.folder / "parcels") == before
    for name in ("class", "Parcels", "two-words", "json", "env_service"):
        refused = newcomer.houseguest("new", "suite", name, code=2)
        assert repr(name) in refused["error"]["message"]
    assert not (newcomer.folder / "class").exists()
    ours = newcomer.houseguest("new", "agent", "random", code=2)
    assert ours["error"]["kind"] == "NameTakenError"
    outside = newcomer.houseguest("new", "agent", "external", code=2)
    assert "you start yourself" in outside["error"]["message"]
