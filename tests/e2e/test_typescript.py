"""The SDK and the guest in TypeScript: their own tests, and real runs.

`make node` installs and builds what they need; without it they are skipped, unless REQUIRE_NODE=1.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from env_service.gateway.environment_service import RunRequest
from env_service.gateway.run import Run
from env_service.gateway.run_state import RunState
from tests.support.command_line import ROOT, Ask, run_folder
from tests.support.cutting_link import CuttingLink, cut_now_and_then
from tests.support.listening import listening_server, self_signed
from tests.support.service import LAB, OpenService, assert_played, open_service

HOME = ROOT / "agents" / "typescript"
BUILT = HOME / "dist" / "src" / "agent.js"
Done = subprocess.CompletedProcess[str]


def lacking() -> str:
    """What keeps the guest from being run; empty where nothing does."""
    if shutil.which("node") is None:
        return "there is no node"
    if not (HOME / "node_modules").is_dir() or not BUILT.is_file():
        return "agents/typescript is not built: make node"
    folders = ("src", "test", "sdk/src", "sdk/test")
    sources = (path for folder in folders for path in (HOME / folder).glob("*.ts"))
    late = [path.name for path in sources if path.stat().st_mtime > BUILT.stat().st_mtime]
    return f"{late[0]} is newer than what was built of it: make node" if late else ""


LACKING = lacking()
REQUIRED = os.environ.get("REQUIRE_NODE") == "1"
pytestmark = pytest.mark.skipif(bool(LACKING) and not REQUIRED, reason=LACKING)


@pytest.fixture(scope="module")
def service() -> Iterator[OpenService]:
    with open_service() as opened:
        yield opened


def node(
    script: str, address: str, token: str, **settings: str
) -> subprocess.CompletedProcess[str]:
    """Runs an agent that is a script, to its end."""
    given = {"HOUSEGUEST_ADDRESS": address, "HOUSEGUEST_TOKEN": token, **settings}
    return subprocess.run(
        ["node", "--input-type=module", "--eval", script],
        cwd=HOME,
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def records(place: Path) -> list[dict[str, Any]]:
    """The episodes of the one run that was played in a place."""
    journal = run_folder(place) / "episodes.jsonl"
    return [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]


def test_nothing_is_lacking() -> None:
    assert not LACKING


def test_their_own_tests_pass() -> None:
    tests = sorted(map(str, [*HOME.glob("sdk/dist/test/*.test.js"), *HOME.glob("dist/test/*.js")]))
    assert tests, "there are none"
    command = ["node", "--test", "--test-reporter=tap", *tests]
    done = subprocess.run(
        command, cwd=HOME, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert "\n# fail 0\n" in done.stdout


@pytest.mark.parametrize("arguments", [["--policy", "wild"], ["--seed", "x"], ["--speed", "1"]])
def test_a_wrong_command_line_is_told_what_is_right(arguments: list[str]) -> None:
    command = ["sh", str(HOME / "launch.sh"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert arguments[0] in done.stderr
    assert "usage: " in done.stderr


@pytest.mark.parametrize("question", ["predict:GoToLocal:1", "decompose:GoToSeq:1"])
def test_it_answers_babybench(place: Path, ask: Ask, question: str) -> None:
    options = ("--task-set", question, "--set", "formatter=narrative")
    ask("run", "--suite", "babybench", *options, "--agent", "typescript")
    played = records(place)
    assert {record["failure"] for record in played} <= {None, "goal_not_reached"}
    assert {record["labels"]["answer"] for record in played} == {"parsed"}


def test_it_walks_through_grids_and_the_same_each_time(place: Path, ask: Ask) -> None:
    options = ("--suite", "babyai", "--limit", "2", "--repeats", "2", "--seed", "5")
    agent = ("--agent", "typescript", "--policy", "attentive")
    played = []
    for sessions in ("1", "2"):
        ask("run", *options, *agent, "--parallel", sessions, "--workers", "1", "--out", sessions)
        (journal,) = (place / sessions).glob("*/episodes.jsonl")
        episodes = map(json.loads, journal.read_text(encoding="utf-8").splitlines())
        played.append(sorted((each["task_id"], each["repeat"], each["steps"]) for each in episodes))
    assert played[0] == played[1]
    assert len(played[0]) == 4


def test_it_plays_asgard(place: Path, ask: Ask) -> None:
    options = ("--task-set", "builtin-2", "--limit", "1", "--condition", "text-only-simple")
    ask("run", "--suite", "asgard", *options, "--agent", "typescript")
    (played,) = records(place)
    assert played["failure"] in {None, "max_steps", "max_failures", "max_repeats"}
    assert played["steps"] > 1


STEADY = """
import assert from "node:assert/strict";
import { play } from "houseguest-agent";

const [transport] = process.env.WANTED.split(" ");
const retry = { firstWait: 0.01, longestWait: 0.1 };
await play({ name: "steady" }, async (episode) => {
  for (let number = 1; number <= 15; number++) {
    const { observation } = await episode.act("slow", { seconds: 0.01 });
    assert.ok(observation.text.endsWith(`step ${number}`), observation.text);
  }
  assert.equal((await episode.act("win")).status, "terminated");
}, { transport, retry, log: () => {} });
"""


@pytest.mark.parametrize("transport", ["play", "unary"])
def test_a_link_that_keeps_breaking_costs_no_step_and_repeats_none(
    service: OpenService, transport: str
) -> None:
    run = service.open_run(limit=4, fresh=True)
    link = CuttingLink(service.address, service.folder / f"ts-{transport}.sock")
    with cut_now_and_then(link, seed=5) as cuts:
        done = node(STEADY, link.address, service.token(run), WANTED=transport)
    link.close()
    assert done.returncode == 0, done.stderr
    assert len(cuts) > 4
    assert_played(service, run, steps=16)


PATIENT = """
import { play } from "houseguest-agent";

await play({ name: "patient" }, async (episode) => {
  await episode.act("slow", { seconds: 1 });
  await episode.act("win");
}, { retry: { timeout: 0.2, firstWait: 0.01 }, log: () => {} });
"""


def test_a_late_answer_is_waited_for_and_the_step_taken_once(service: OpenService) -> None:
    run = service.open_run(limit=1, fresh=True)
    done = node(PATIENT, service.address, service.token(run))
    assert done.returncode == 0, done.stderr
    assert_played(service, run, steps=2)


DOOMED = """
import { play } from "houseguest-agent";

await play({ name: "doomed" }, async (episode) => {
  const before = episode.observation.image.digest;
  const doomed = episode.history.length === 0;
  for (let left = 5; left > 0; left--) {
    const after = (await episode.act("noop")).observation.image.digest;
    if (after !== before) throw new Error("a still picture changed");
  }
  if (doomed) process.kill(process.pid, "SIGKILL");
  await episode.act("win");
});
"""


def test_a_killed_agent_goes_on_where_it_stopped(service: OpenService, tmp_path: Path) -> None:
    run = service.open_run(limit=1, fresh=True, condition={"frame": "64", "picture": "still"})
    state = str(tmp_path / "state.json")
    told = (service.address, service.token(run))
    doomed = node(DOOMED, *told, HOUSEGUEST_STATE_FILE=state)
    assert doomed.returncode == -signal.SIGKILL, doomed.stderr
    again = node(DOOMED, *told, HOUSEGUEST_STATE_FILE=state)
    assert again.returncode == 0, again.stderr
    assert_played(service, run, steps=11)
    assert not Path(state).exists()


WINNER = """
import { play } from "houseguest-agent";

await play({ name: "winner" }, async (episode) => { await episode.act("win"); });
"""


def test_a_service_elsewhere_is_played_in_over_tls(tmp_path: Path) -> None:
    (tmp_path / "tls").mkdir()
    tls = self_signed(tmp_path / "tls")

    async def scene() -> tuple[Run, Done]:
        async with listening_server(tmp_path, "127.0.0.1:0", tls=tls) as server:
            run = await server.environment.open_run(RunRequest(LAB, limit=1, fresh=True))
            token = server.environment.lease_token(run, 0)
            address = server.agent_addresses[0]
            ca = str(tls.certificate)
            done = await asyncio.to_thread(node, WINNER, address, token, HOUSEGUEST_CA=ca)
            return run, done

    run, done = asyncio.run(scene())
    assert done.returncode == 0, done.stderr
    assert run.state is RunState.SUCCEEDED
