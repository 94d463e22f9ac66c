"""What a guest starts goes with it."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from env_service.sandbox.agents import parse_agent
from env_service.sandbox.interface import AgentStart
from env_service.sandbox.process import ProcessAgent

PARENT = """
import signal, subprocess, sys, time
ignore = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
child = subprocess.Popen([sys.executable, "-c", ignore])
print("child", child.pid, flush=True)
{then}
"""


@pytest.mark.parametrize("then", ["time.sleep(600)", "sys.exit(0)"])
def test_children_end_with_the_guest(tmp_path: Path, then: str) -> None:
    script = tmp_path / "guest.py"
    script.write_text(PARENT.format(then=then), encoding="utf-8")
    spec = parse_agent(f"cmd:python {script}")
    assert spec.launch is not None
    log = tmp_path / "guest.log"

    async def live() -> int:
        guest = await ProcessAgent.start(spec.launch, AgentStart("unix:/x", ("token",), 0), log)  # type: ignore[arg-type]
        await asyncio.to_thread(_wait_for, log)
        await guest.stop(patience=0.5)
        return int(log.read_text(encoding="utf-8").split("child ")[1].split()[0])

    child = asyncio.run(live())
    deadline = time.monotonic() + 60
    while _alive(child):
        assert time.monotonic() < deadline, "the child lives on"
        time.sleep(0.02)


def _wait_for(log: Path) -> None:
    while b"child" not in (log.read_bytes() if log.exists() else b""):
        time.sleep(0.02)


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"
