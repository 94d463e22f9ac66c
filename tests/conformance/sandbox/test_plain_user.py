"""A service that is not run by root, in bubblewrap, which then has no control groups to use."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance.sandbox.greed import DEVOURS, FORKS
from tests.conformance.sandbox.kit import CELLS

USER = 12345
ROOT = Path(__file__).resolve().parents[3]
SERVICE = """
import json, sys
from tests.conformance.sandbox import kit
with kit.laboratory(kit.CELLS["bwrap-watched"]) as lab:
    ended = []
    for code in sys.argv[1:]:
        ending, text = lab.run(code, pids=24)
        ended.append([ending.code, ending.out_of_memory, text])
    print(json.dumps(ended))
"""


@pytest.fixture
def python() -> str:
    """A Python that any user may run, with the service's packages."""
    if os.geteuid() != 0:
        return sys.executable
    for candidate in (sys.executable, f"/usr/bin/python3.{sys.version_info.minor}"):
        if _runs(candidate):
            return candidate
    pytest.skip("no Python of this version that a plain user may run")


def _runs(python: str) -> bool:
    try:
        tried = _as_user(python, "import grpc, pytest, env_service")
    except PermissionError:
        return False
    return tried.returncode == 0


def _as_user(python: str, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    user = USER if os.geteuid() == 0 else None
    return subprocess.run(
        [python, "-B", "-c", code, *arguments],
        env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "HOME": "/nonexistent",
             "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"},
        cwd="/",
        capture_output=True,
        text=True,
        user=user,
        group=user,
        extra_groups=() if user else None,
        timeout=120,
        check=False,
    )  # fmt: skip


def test_a_plain_user_holds_agents_in_as_well(python: str) -> None:
    CELLS["bwrap-watched"].need()
    done = _as_user(python, SERVICE, "print(os.getuid())", DEVOURS, FORKS)
    assert done.returncode == 0, done.stderr
    who, large, many = json.loads(done.stdout)
    assert who == [0, False, "10001\n"]
    assert large[:2] == [-9, True]
    assert "stopped:" in many[2]
    assert int(many[2].split("forked: ")[1]) <= 24
