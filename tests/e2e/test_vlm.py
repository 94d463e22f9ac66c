"""``houseguest run --agent vlm``, with a model's server that comes and goes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from env_service.cli.main import run as command_line
from env_service.results.prompts import PromptReader
from tests.support.model_server import MODEL, Expert, ModelServer, obliges

ROOT = Path(__file__).resolve().parents[2]
TASKS = ("--suite", "babyai", "--tasks", "GoToLocal", "--limit", "3")


@pytest.fixture(scope="module")
def expert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The expert's actions in the tasks."""
    path = tmp_path_factory.mktemp("expert") / "expert.jsonl"
    assert command_line(["expert", *TASKS, "--jobs", "1", "--out", str(path)]) == 0
    return path


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, a home of its own for the signing key, and no key of anybody's."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return tmp_path


@pytest.fixture
def server(expert: Path) -> Iterator[ModelServer]:
    with ModelServer(Expert(expert)) as running:
        yield running


def houseguest(place: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "env_service", *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=place, stdout=pipe, stderr=pipe, text=True)


def finish(process: subprocess.Popen[str], code: int = 0) -> tuple[str, str]:
    out, err = process.communicate(timeout=300)
    assert process.returncode == code, out + err
    return out, err


def run(server: ModelServer, *more: str) -> list[str]:
    model = ("--base-url", server.url, "--model", MODEL)
    return ["run", *TASKS, "--agent", "vlm", *model, *more]


def episodes(place: Path) -> list[dict[str, Any]]:
    (journal,) = place.glob("runs/*/episodes.jsonl")
    return [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]


def until(asked: int, server: ModelServer) -> None:
    end = time.monotonic() + 150
    while len(server.asked) < asked:
        assert time.monotonic() < end, "the guest asks nothing"
        time.sleep(0.01)


def test_it_solves_what_its_model_can(place: Path, server: ModelServer) -> None:
    finish(houseguest(place, *run(server, "--set", "observation=text+picture")))
    assert [episode["success"] for episode in episodes(place)] == [True] * 3
    (manifest,) = place.glob("runs/*/manifest.json")
    (declared,) = json.loads(manifest.read_text(encoding="utf-8"))["declared"]
    assert declared["model"] == MODEL
    assert declared["configuration"]["usage"] == "reported"
    assert all(asked.pictures[0].startswith(b"\x89PNG") for asked in server.asked[1:])


def test_the_transcript_has_every_prompt_as_the_server_got_it(
    place: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.key = "sk-a-key-that-nobody-reads"
    monkeypatch.setenv("HOUSEGUEST_API_KEY", server.key)
    finish(houseguest(place, *run(server, "--set", "observation=text+picture", "--seed", "3")))
    prompts = [
        prompt
        for path in place.glob("runs/*/transcripts/*.jsonl")
        for prompt in prompts_of(path.read_text(encoding="utf-8"))
    ]
    # The first request checks the server, before any episode.
    asked = [as_prompt(each.body) for each in server.asked[1:]]
    assert len(asked) > 6
    assert sorted(map(str, prompts)) == sorted(map(str, asked))
    shown = {path.stem for path in place.glob("runs/*/frames/**/*") if path.is_file()}
    assert digests(place) <= shown
    stored = [path.read_bytes() for path in place.glob("runs/**/*") if path.is_file()]
    assert not any(server.key.encode() in content for content in stored)
    finish(houseguest(place, "verify", "runs"))
    finish(houseguest(place, "export", "runs", "--to", "sft", "--include-evaluation-tasks"))
    chats = [json.loads(line) for line in (place / "export-sft" / "axolotl.jsonl").open()]
    exported = [as_prompt({"messages": each["messages"][:-1]}) for each in chats]
    assert sorted(map(str, exported)) == sorted(str((messages, [])) for messages, _ in asked)
    assert {each["messages"][-1]["role"] for each in chats} == {"assistant"}


def prompts_of(transcript: str) -> list[Any]:
    """The prompts of a transcript, each with its pictures' digests left out."""
    reader = PromptReader()
    found = []
    for line in map(json.loads, transcript.splitlines()):
        if (line.get("trace") or {}).get("prompt"):
            prompt = reader.read(line["trace"]["prompt"])
            assert prompt is not None
            messages = [
                (each["role"], [part.get("text", part.get("media_type")) for part in each["parts"]])
                for each in prompt["messages"]
            ]
            parameters = {name: json.loads(text) for name, text in prompt["parameters"].items()}
            found.append((messages, sorted(parameters.items(), key=str)))
    return found


def as_prompt(body: dict[str, Any]) -> Any:
    """A request in the same form."""
    messages = []
    for message in body["messages"]:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        messages.append(
            (
                message["role"],
                [part["text"] if part["type"] == "text" else "image/png" for part in parts],
            )
        )
    others = {name: value for name, value in body.items() if name != "messages"}
    return messages, sorted(others.items(), key=str)


def digests(place: Path) -> set[str]:
    """Of the pictures that the prompts name."""
    text = "".join(path.read_text() for path in place.glob("runs/*/transcripts/*.jsonl"))
    found = set(re.findall(r'"picture":"([0-9a-f]{64})"', text))
    assert found
    return found


def test_the_server_may_be_away_for_a_while(place: Path, server: ModelServer) -> None:
    process = houseguest(place, *run(server))
    until(4, server)
    server.stop()
    threading.Timer(1.0, server.start).start()
    finish(process)
    assert [episode["success"] for episode in episodes(place)] == [True] * 3


def test_a_server_that_stays_away_stops_the_run_which_goes_on_later(
    place: Path, server: ModelServer
) -> None:
    command = run(server, "--patience", "1")
    process = houseguest(place, *command)
    until(8, server)
    server.stop()
    _, err = finish(process, 1)
    assert "--patience" in err
    before = episodes(place)
    assert len(before) < 3
    assert all(episode["success"] for episode in before)
    server.start()
    finish(houseguest(place, *command))
    assert [episode["success"] for episode in episodes(place)] == [True] * 3


def test_the_operator_is_told_at_once_that_nothing_listens(
    place: Path, server: ModelServer
) -> None:
    server.stop()
    process = houseguest(place, *run(server, "--patience", "600"))
    assert process.stderr is not None
    told = next(line for line in process.stderr if line.startswith("session 0: "))
    process.send_signal(signal.SIGINT)
    finish(process, 130)
    assert f"The model's server at {server.url}" in told
    assert "does not reply: the connection is refused" in told
    assert "tries again until" in told
    assert "Ctrl-C stops the run" in told


def test_without_a_server_no_run_is_begun(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOUSEGUEST_BASE_URL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    command = ("--agent", "vlm", "--model", MODEL)
    _, err = finish(houseguest(place, "run", *TASKS, *command), 2)
    (line,) = err.splitlines()
    assert "needs --base-url URL" in line
    assert "HOUSEGUEST_BASE_URL" in line
    assert not (place / "runs").exists()
    out, _ = finish(houseguest(place, "doctor", *command), 1)
    assert "--base-url URL" in out


def test_the_doctor_does_not_wait_for_a_server_that_does_not_run(
    place: Path, server: ModelServer
) -> None:
    server.stop()
    model = ("--base-url", server.url, "--model", MODEL)
    out, _ = finish(houseguest(place, "doctor", "--agent", "vlm", *model), 1)
    assert "connection" in out
    assert "step-budget" not in out


def test_a_wrong_key_stops_the_run_at_once(
    place: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.key = "the right one"
    monkeypatch.setenv("HOUSEGUEST_API_KEY", "sk-this-is-wrong")
    _, err = finish(houseguest(place, *run(server)), 1)
    assert "HOUSEGUEST_API_KEY" in err
    assert episodes(place) == []
    stored = [path.read_bytes() for path in place.glob("runs/**/*") if path.is_file()]
    assert not any(b"sk-this-is-wrong" in content for content in stored)
    monkeypatch.setenv("HOUSEGUEST_API_KEY", server.key)
    finish(houseguest(place, *run(server)))
    assert len(episodes(place)) == 3


def test_a_model_that_is_shown_no_pictures_leaves_a_run_of_pictures(
    place: Path, server: ModelServer
) -> None:
    blind = ("--pictures", "off", "--set", "observation=picture")
    _, err = finish(houseguest(place, *run(server, *blind)), 1)
    assert "shows only pictures" in err
    assert episodes(place) == []


def test_the_self_check(place: Path, server: ModelServer) -> None:
    server.default = obliges
    agent = ROOT / "agents" / "vlm" / "agent.py"
    command = [sys.executable, str(agent), "--base-url", server.url, "--model", MODEL, "--check"]
    good = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    assert good.returncode == 0, good.stdout + good.stderr
    checks = json.loads(good.stdout)["checks"]
    assert {check["state"] for check in checks} == {"ok"}
    server.models = ["another-vlm"]
    bad = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    assert bad.returncode == 1
    (problem,) = [c for c in json.loads(bad.stdout)["checks"] if c["state"] == "problem"]
    assert "another-vlm" in problem["found"]
