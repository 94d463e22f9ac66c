"""What the doctor says of the household world."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.doctor.diagnosis import DiagnosisState, DoctorRequest
from env_service.worlds.household.doctor import renderer
from env_service.worlds.household.render.selection import VARIABLE

SUBJECT = DoctorRequest(Path("runs"))


def test_it_names_what_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "soft")
    (found,) = renderer(SUBJECT)
    assert (found.state, found.found) == (DiagnosisState.OK, "renderer soft")


def test_a_renderer_that_there_is_not_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "crayon")
    (found,) = renderer(SUBJECT)
    assert found.state is DiagnosisState.PROBLEM
    assert "crayon" in found.found
    assert VARIABLE in found.mend
