"""A guest that holds thousands of connections keeps nobody else out."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
USUAL = 256
"""Descriptors that the house is started with; a desktop's session gives 1024."""
HELD = 600

HOUSE = f"""
import resource, sys
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, ({USUAL}, hard))

from tests.support.house import open_house
with open_house() as house:
    print(house.address.removeprefix("unix:"), flush=True)
    sys.stdin.readline()
    run = house.open_run(limit=1)
    agent = house.agent(run)
    agent.begin()
    print("played", agent.episode.instruction != "", flush=True)
"""


def test_one_that_holds_more_connections_than_a_process_usually_may() -> None:
    command = [sys.executable, "-c", HOUSE]
    held = []
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as house:
        assert house.stdin is not None
        assert house.stdout is not None
        try:
            path = house.stdout.readline().strip()
            for _ in range(HELD):
                held.append(socket.socket(socket.AF_UNIX))
                held[-1].connect(path)
            house.stdin.write("\n")
            house.stdin.flush()
            assert house.stdout.readline() == "played True\n"
        finally:
            for each in held:
                each.close()
            house.stdin.close()
            house.wait(60)
