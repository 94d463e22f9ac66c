"""Docker, as far as AI2-THOR in a container needs it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from env_service.doctor import thor_docker
from env_service.doctor.finding import Finding, State, Subject
from env_service.worlds.ai2thor import nvidia
from env_service.worlds.ai2thor.tools import Answer
from tests.support.thor_tools import tools

ASKED = Subject(Path("runs"), world="ai2thor")
RUNC = {"runc": {"path": "runc"}}


def found(
    monkeypatch: pytest.MonkeyPatch, answer: Answer | str | None, *, gpus: bool = True
) -> Mapping[str, Finding]:
    said = {} if answer is None else {"docker": answer}
    monkeypatch.setattr(thor_docker, "ask", tools(said))
    monkeypatch.setattr(nvidia, "look", lambda: nvidia.Nvidia(kernel=gpus))
    return {each.name: each for each in thor_docker.docker(ASKED)}


def info(**facts: object) -> str:
    return json.dumps({"ServerVersion": "28.0.1", "Runtimes": RUNC, **facts})


def test_nobody_is_told_who_does_not_ask() -> None:
    assert list(thor_docker.docker(Subject(Path("runs")))) == []


def test_no_docker_and_no_engine_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = found(monkeypatch, None)["docker"]
    assert (missing.state, "install Docker" in missing.mend) == (State.NOTE, True)

    fault = "docker ended with status 1: Cannot connect to the Docker daemon"
    silent = found(monkeypatch, Answer(1, json.dumps({"ServerVersion": ""}), fault))["docker"]
    assert (silent.state, "DOCKER_HOST" in silent.mend) == (State.NOTE, True)
    assert "Cannot connect" in silent.found
    assert found(monkeypatch, "nonsense")["docker"].state is State.NOTE


def test_an_engine_without_a_way_to_gpus_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    findings = found(monkeypatch, info(CDISpecDirs=[]))

    assert findings["docker"].found == "engine 28.0.1"
    assert "nvidia-ctk runtime configure" in findings["docker gpus"].mend
    assert "docker gpus" not in found(monkeypatch, info(), gpus=False)


def test_the_runtime_or_cdi_is_a_way(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    runtimes = {**RUNC, "nvidia": {"path": "nvidia-container-runtime"}}
    assert found(monkeypatch, info(Runtimes=runtimes))["docker gpus"].state is State.OK

    (tmp_path / "nvidia.yaml").write_text("cdiVersion: 0.6.0\n")
    by_cdi = found(monkeypatch, info(CDISpecDirs=[str(tmp_path)]))["docker gpus"]
    assert (by_cdi.state, "nvidia.yaml" in by_cdi.found) == (State.OK, True)
