"""The agent in TypeScript, as far as it can be looked at without Node.js."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from env_service.sandbox.agents import agent_folders

HOME = Path(__file__).resolve().parents[3] / "agents" / "typescript"


def launch(folder: Path, version: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Starts the agent of a folder where `node` says that it is of a version; "": there is none."""
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    if version:
        (tools / "node").write_text(f"#!/bin/sh\necho {version}\n", encoding="utf-8")
        (tools / "node").chmod(0o755)
    for tool in ("sh", "dirname"):
        (tools / tool).symlink_to(str(shutil.which(tool)))
    shutil.copy(HOME / "launch.sh", folder)
    return subprocess.run(
        [str(shutil.which("sh")), str(folder / "launch.sh"), *arguments],
        env={**os.environ, "PATH": str(tools)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("version", "problem"),
    [
        ("", "node is not on the PATH. Install Node.js 18 or newer."),
        ("16", "the version of node is 16. Install Node.js 18 or newer."),
        ("20", "it is not built. In {folder} run: npm ci && npm run build"),
    ],
)
def test_what_it_lacks_is_said_with_what_to_do(tmp_path: Path, version: str, problem: str) -> None:
    done = launch(tmp_path, version)
    assert done.returncode == 1
    assert problem.format(folder=tmp_path) in done.stderr


def test_its_check_says_the_same_to_the_doctor(tmp_path: Path) -> None:
    (check,) = json.loads(launch(tmp_path, "20", "--check").stdout)["checks"]
    assert (check["state"], check["found"]) == ("problem", "it is not built")
    assert check["mend"] == f"In {tmp_path} run: npm ci && npm run build"


def test_no_host_that_packages_come_from_is_recorded() -> None:
    lock = json.loads((HOME / "package-lock.json").read_text(encoding="utf-8"))
    places = {each.get("resolved") for each in lock["packages"].values()}
    # The SDK is a folder beside it.
    assert places == {None, "sdk"}
    packages = {name: each for name, each in lock["packages"].items() if "node_modules/" in name}
    sure = {"integrity", "link"}
    assert [name for name, each in packages.items() if not each.keys() & sure] == []


def test_it_is_an_agent_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOUSEGUEST_AGENTS", raising=False)
    assert agent_folders()["typescript"] == HOME
