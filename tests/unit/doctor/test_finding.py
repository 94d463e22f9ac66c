"""What a finding has to say."""

from __future__ import annotations

import pytest

from env_service.doctor.finding import Finding, State


@pytest.mark.parametrize("state", [State.NOTE, State.WARNING, State.PROBLEM])
def test_what_is_not_well_says_how_to_mend_it(state: State) -> None:
    assert Finding("disk", state, "full", "Make room.").mend == "Make room."
    with pytest.raises(ValueError, match="disk"):
        Finding("disk", state, "full")


def test_what_is_well_needs_no_mending() -> None:
    assert Finding("disk", State.OK, "has room").mend == ""
