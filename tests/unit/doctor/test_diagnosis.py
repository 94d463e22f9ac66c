"""What a finding has to say."""

from __future__ import annotations

import pytest

from env_service.doctor.diagnosis import Diagnosis, DiagnosisState


@pytest.mark.parametrize(
    "state", [DiagnosisState.NOTE, DiagnosisState.WARNING, DiagnosisState.PROBLEM]
)
def test_what_is_not_well_says_how_to_mend_it(state: DiagnosisState) -> None:
    assert Diagnosis("disk", state, "full", "Make room.").mend == "Make room."
    with pytest.raises(ValueError, match="disk"):
        Diagnosis("disk", state, "full")


def test_what_is_well_needs_no_mending() -> None:
    assert Diagnosis("disk", DiagnosisState.OK, "has room").mend == ""
