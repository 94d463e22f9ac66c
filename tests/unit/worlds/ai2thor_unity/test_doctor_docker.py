"""Docker, as far as AI2-THOR in a container needs it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from env_service.doctor.diagnosis import Diagnosis, DiagnosisState, DoctorRequest
from env_service.worlds.ai2thor_unity import doctor
from env_service.worlds.ai2thor_unity.graphics import nvidia
from env_service.worlds.ai2thor_unity.graphics.external_tools import ToolAnswer
from tests.support.thor_tools import tools

ASKED = DoctorRequest(Path("runs"), world="ai2thor")
RUNC = {"runc": {"path": "runc"}}


def found(
    monkeypatch: pytest.MonkeyPatch, answer: ToolAnswer | str | None, *, gpus: bool = True
) -> Mapping[str, Diagnosis]:
    said = {} if answer is None else {"docker": answer}
    monkeypatch.setattr(doctor, "ask", tools(said))
    monkeypatch.setattr(nvidia, "look", lambda: nvidia.Nvidia(kernel=gpus))
    return {each.name: each for each in doctor.docker(ASKED)}


def info(**facts: object) -> str:
    return json.dumps({"ServerVersion": "28.0.1", "Runtimes": RUNC, **facts})


def test_nobody_is_told_who_does_not_ask() -> None:
    assert list(doctor.docker(DoctorRequest(Path("runs")))) == []


def test_no_docker_and_no_engine_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = found(monkeypatch, None)["docker"]
    assert (missing.state, "install Docker" in missing.mend) == (DiagnosisState.NOTE, True)

    fault = "docker ended with status 1: Cannot connect to the Docker daemon"
    silent = found(monkeypatch, ToolAnswer(1, json.dumps({"ServerVersion": ""}), fault))["docker"]
    assert (silent.state, "DOCKER_HOST" in silent.mend) == (DiagnosisState.NOTE, True)
    assert "Cannot connect" in silent.found
    assert found(monkeypatch, "nonsense")["docker"].state is DiagnosisState.NOTE


def test_an_engine_without_a_way_to_gpus_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    findings = found(monkeypatch, info(CDISpecDirs=[]))

    assert findings["docker"].found == "engine 28.0.1"
    assert "nvidia-ctk runtime configure" in findings["docker gpus"].mend
    assert "docker gpus" not in found(monkeypatch, info(), gpus=False)


def test_the_runtime_or_cdi_is_a_way(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    runtimes = {**RUNC, "nvidia": {"path": "nvidia-container-runtime"}}
    assert found(monkeypatch, info(Runtimes=runtimes))["docker gpus"].state is DiagnosisState.OK

    (tmp_path / "nvidia.yaml").write_text("cdiVersion: 0.6.0\n")
    by_cdi = found(monkeypatch, info(CDISpecDirs=[str(tmp_path)]))["docker gpus"]
    assert (by_cdi.state, "nvidia.yaml" in by_cdi.found) == (DiagnosisState.OK, True)
