"""The package `houseguest` as wheels: the Python API and the protocol's stubs in one folder."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.support.command_line import ROOT

STUBS = "from houseguest.agent.v1 import agent_pb2; from houseguest.control.v1 import control_pb2; "
WHERE = "print(houseguest.__file__, agent_pb2.__file__)"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a new environment that has dependencies, but nothing of ours."""
    environment = tmp_path_factory.mktemp("wheels") / "environment"
    venv.create(environment, with_pip=False, symlinks=True)
    (site,) = (environment / "lib").glob("python*/site-packages")
    # Editable installs are in .pth files, which Python does not read in folders that one adds.
    here = [path for path in sys.path if "site-packages" in path or "dist-packages" in path]
    (site / "dependencies.pth").write_text("".join(f"{path}\n" for path in here))
    return environment / "bin" / "python"


def install(python: Path, source: Path) -> None:
    """Builds a wheel of a project and installs it, without asking an index."""
    offline = ("--no-index", "--no-deps", "--no-build-isolation", "--quiet", "--ignore-installed")
    command = (str(python), "-m", "pip", "install", *offline, str(source))
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stderr


def ask(python: Path, program: str) -> list[str]:
    """The words that a program prints in a folder without sources."""
    done = subprocess.run(
        (str(python), "-c", program),
        cwd=python.parent,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_the_stubs_work_alone_and_together_with_the_python_api(python: Path) -> None:
    environment = str(python.parents[1])
    install(python, ROOT / "proto" / "python")
    alone, stubs = ask(python, f"import houseguest; {STUBS}{WHERE}")
    assert alone == "None"
    assert stubs.startswith(environment)
    install(python, ROOT)
    api, stubs = ask(python, f"import houseguest; {STUBS}houseguest.load; {WHERE}")
    assert api.startswith(environment)
    assert stubs.startswith(environment)
    assert ask(python, "import houseguest as hg; print(hg.Run.__module__)") == ["houseguest.runs"]
