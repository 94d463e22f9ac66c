"""A guest that holds thousands of connections keeps nobody else out."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
USUAL = 256
"""Descriptors that the service is started with; a desktop's session gives 1024."""
HELD = 600

SERVICE = f"""
import resource, sys
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, ({USUAL}, hard))

from tests.support.service import open_service
with open_service() as service:
    print(service.address.removeprefix("unix:"), flush=True)
    sys.stdin.readline()
    run = service.open_run(limit=1)
    agent = service.agent(run)
    agent.begin()
    print("played", agent.episode.instruction != "", flush=True)
"""


def test_one_that_holds_more_connections_than_a_process_usually_may() -> None:
    command = [sys.executable, "-c", SERVICE]
    held = []
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as service:
        assert service.stdin is not None
        assert service.stdout is not None
        try:
            path = service.stdout.readline().strip()
            for _ in range(HELD):
                held.append(socket.socket(socket.AF_UNIX))
                held[-1].connect(path)
            service.stdin.write("\n")
            service.stdin.flush()
            assert service.stdout.readline() == "played True\n"
        finally:
            for each in held:
                each.close()
            service.stdin.close()
            service.wait(60)
