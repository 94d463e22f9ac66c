"""An agent in a project folder, where runs lie as well: it sees the one and not the other."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from env_service.sandbox.agents import AgentCommand
from env_service.sandbox.factory import open_sandbox
from env_service.sandbox.options import BWRAP, SandboxOptions
from tests.conformance.sandbox.kit import CELLS, GENTLE, laboratory

AGENT = """
import json, os
import beside
here = sorted(os.listdir("."))
print(json.dumps({"where": os.getcwd(), "here": here, "runs": os.listdir("runs")}))
"""


def test_an_agent_sees_its_project_without_the_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    CELLS["bwrap-watched"].need()
    with laboratory(CELLS["bwrap-watched"]) as lab:
        project = lab.folder / "project"
        log = project / "runs" / "new" / "logs" / "guest-0.log"
        earlier = project / "runs" / "earlier" / "transcript.jsonl"
        for file, text in (
            (project / "agent.py", AGENT),
            (project / "beside.py", ""),
            (earlier, ""),
        ):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        monkeypatch.chdir(project)

        async def play() -> None:
            command = AgentCommand((sys.executable, "agent.py"))
            sandbox = open_sandbox(command, SandboxOptions(kind=BWRAP, limits=GENTLE))
            agent = await sandbox.start(lab.agent_start(), log)
            await agent.wait()
            await agent.stop()
            await sandbox.close()

        asyncio.run(play())
        seen = json.loads(log.read_text())
        assert Path(seen["where"]) == project.resolve()
        assert {"agent.py", "beside.py"} <= set(seen["here"])
        assert seen["runs"] == []
