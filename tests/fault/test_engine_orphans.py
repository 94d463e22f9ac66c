"""kill -9 of the engine's own process leaves nothing behind."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conformance.engine_kit import is_alive

ROOT = Path(__file__).resolve().parents[2]

SCRIPT = """
import asyncio, pathlib, sys
from env_service.domain.action import SkillCall
from env_service.engine.config import LocalEngineConfig
from env_service.engine.local import LocalEngine
from tests.conformance.engine_kit import living_children, order

async def main(folder, skill):
    suite = "tests.support.lab:LabSuite"
    engine = LocalEngine(LocalEngineConfig(suite, "light", pathlib.Path(folder), workers=2))
    await engine.start()
    for number in range(2):
        handle, _ = await engine.begin(order(number), None)
        text = (await handle.act(SkillCall("spawn"))).observation.text
        print(text.rpartition(" ")[2])
        if skill:
            asyncio.ensure_future(handle.act(SkillCall(skill)))
    print(*living_children(), sep="\\n")
    await asyncio.sleep(0.2)
    print("ready", flush=True)
    await asyncio.sleep(3600)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize("skill", ["", "hang", "freeze"])
def test_no_process_outlives_a_killed_engine(tmp_path: Path, skill: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "log"), skill],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as engine:
        assert engine.stdout is not None
        pids = []
        while (line := engine.stdout.readline().strip()) != "ready":
            pids.append(int(line))
        assert len(pids) == 4
        assert all(map(is_alive, pids))
        engine.kill()
        engine.wait()
        end = time.monotonic() + 20
        while any(map(is_alive, pids)) and time.monotonic() < end:
            time.sleep(0.02)
        assert not any(map(is_alive, pids))
