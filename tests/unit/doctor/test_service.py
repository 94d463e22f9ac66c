"""What the doctor says of suites, and of the data that they lack."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.doctor.diagnosis import Diagnosis, DiagnosisState, DoctorRequest
from env_service.doctor.packages import suites


def test_a_suite_without_its_data_names_the_tasks_that_need_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOUSEGUEST_DATA", str(tmp_path))
    found = {each.name: each for each in suites(DoctorRequest(tmp_path))}
    assert found["suite babyai"] == Diagnosis("suite babyai", DiagnosisState.OK, "8,320 tasks")
    for name in ("asgard", "alfred", "actplan"):
        finding = found[f"suite {name}"]
        assert finding.state is DiagnosisState.NOTE
        assert finding.found == (
            f"some tasks need the data pack {name}, of which files are not here;"
            " --task-set builtin needs none"
        )
