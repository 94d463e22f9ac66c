"""The agents and the operator's program that the documentation shows, as they stand there."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from env_service.cli.main import run

ROOT = Path(__file__).resolve().parents[2]
CODE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
HOUSEGUEST = (sys.executable, "-m", "env_service")


def shown(page: str, containing: str) -> str:
    """The page's Python block that contains some words."""
    blocks = CODE.findall((ROOT / page).read_text(encoding="utf-8"))
    (block,) = (block for block in blocks if containing in block)
    return str(block)


def play(folder: Path, agent: str, *options: str) -> Path:
    """Runs an agent's source on two tasks; returns the run's folder."""
    script = folder / "my_agent.py"
    script.write_text(agent, encoding="utf-8")
    selection = ("--suite", "babyai", "--tasks", "GoToLocal", "--limit", "2")
    key = ("--signing-key", str(folder / "key.pem"), "--out", str(folder / "runs"))
    command = [*HOUSEGUEST, "run", *selection, *key, "--agent", f"cmd:python {script}", *options]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    (found,) = (folder / "runs").glob("babyai-*")
    return found


@pytest.mark.parametrize(
    ("page", "containing"),
    [("README.md", "random.choice"), ("docs/write-an-agent.md", "agent_pb2_grpc")],
)
def test_a_documented_agent_plays_a_run_that_verifies(
    tmp_path: Path, page: str, containing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = play(tmp_path, shown(page, containing), "--parallel", "2")
    assert run(["show", str(folder), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)["summary"]
    assert (summary["planned"], summary["complete"]) == (2, True)
    assert summary["voids"] == {}
    assert run(["verify", str(folder)]) == 0


def test_the_readmes_agent_sends_only_skills_that_fit_and_ends_questions(tmp_path: Path) -> None:
    script = tmp_path / "my_agent.py"
    script.write_text(shown("README.md", "random.choice"), encoding="utf-8")
    rules = ("--only", "action-fits,answer-mode")
    assert run(["conformance", "agent", str(script), *rules]) == 0


def test_the_documented_shared_agent_plays_every_session(tmp_path: Path) -> None:
    bundle = tmp_path / "batched"
    bundle.mkdir()
    manifest = 'command = ["{python}", "agent.py"]\nshared = true\n'
    (bundle / "agent.toml").write_text(manifest, encoding="utf-8")
    source = shown("docs/write-an-agent.md", "HOUSEGUEST_TOKENS")
    (bundle / "agent.py").write_text(source, encoding="utf-8")
    folder = play(tmp_path, source, "--agent", str(bundle), "--parallel", "2")
    declared = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["declared"]
    assert declared[0]["agent_name"] == "batched"
    assert [log.name for log in (folder / "logs").glob("guest-*")] == ["guest-0.log"]


def test_the_sdks_example_plays_with_a_models_words(tmp_path: Path) -> None:
    model = "def ask_my_model(rules, instruction, text):\n    return 'Action: left'\n\n\n"
    agent = shown("docs/write-an-agent.md", "ask_my_model")
    folder = play(tmp_path, model + agent)
    (log,) = (folder / "logs").glob("guest-*.log")
    assert "SUCCEEDED" in log.read_text(encoding="utf-8")
    declared = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["declared"]
    assert declared[0]["configuration"] == {"prompt": "v2"}


def test_the_readmes_training_program_plays_a_practice() -> None:
    practice = ("practice", "babyai", "GoToLocal/2", "--json")
    with started(*HOUSEGUEST, *practice) as serving:
        opened = json.loads(first_lines(serving, 1)[0])
        variables = {
            "HOUSEGUEST_ADDRESS": opened["address"],
            "HOUSEGUEST_TOKEN": opened["tokens"][0],
        }
        program = (sys.executable, "-c", shown("README.md", "gymnasium"))
        with started(*program, variables=variables) as playing:
            playing.communicate(timeout=180)
        assert playing.returncode == 0
        serving.send_signal(signal.SIGTERM)
        assert serving.wait(timeout=180) == 0


def test_the_operators_program_runs_an_agent(tmp_path: Path) -> None:
    options = ("--agents", f"unix:{tmp_path}/agent.sock", "--control", "127.0.0.1:0", "--json")
    key = ("--signing-key", str(tmp_path / "key.pem"), "--out", str(tmp_path / "runs"))
    with started(*HOUSEGUEST, "serve", *options, *key) as serving:
        opened = json.loads(first_lines(serving, 1)[0])
        program = shown("docs/operate.md", "CreateRunRequest")
        program = program.replace("127.0.0.1:7001", opened["control"][0])
        program = program.replace("limit=12", "limit=2").replace("sep=", "flush=True, sep=")
        with ExitStack() as stack:
            operator = stack.enter_context(started(sys.executable, "-c", program, cwd=tmp_path))
            folder, *tokens = first_lines(operator, 3)
            agent = (sys.executable, "-c", shown("README.md", "random.choice"))
            seats = [
                {"HOUSEGUEST_ADDRESS": opened["agents"][0], "HOUSEGUEST_TOKEN": token}
                for token in tokens
            ]
            guests = [stack.enter_context(started(*agent, variables=seat)) for seat in seats]
            for guest in guests:
                guest.communicate(timeout=180)
            events, _ = operator.communicate(timeout=180)
        assert [guest.returncode for guest in guests] == [0, 0]
        assert events.count("episode_closed") == 2
        assert (Path(folder) / "summary.json").exists()
        serving.send_signal(signal.SIGTERM)
        assert serving.wait(timeout=180) == 0


@contextmanager
def started(
    *command: str, cwd: Path = ROOT, variables: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A process that does not outlive the block."""
    environment = {**os.environ, **(variables or {})}
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def first_lines(process: subprocess.Popen[str], count: int) -> list[str]:
    """The next lines that a process prints."""
    assert process.stdout is not None
    return [process.stdout.readline().strip() for _ in range(count)]
