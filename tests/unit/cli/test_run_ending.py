"""What a run's exit status says, also when its disk was full."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from env_service.cli.errors import INTERRUPTED, PROBLEM, Failure
from env_service.cli.run_ending import conclude, exit_status
from env_service.gateway.run_state import RunState


def ended(state: RunState) -> Any:
    """As much of a run as its ending looks at."""
    table = SimpleNamespace(folder=SimpleNamespace(path=Path("runs/full")))
    return SimpleNamespace(state=state, summary=None, table=table, stopped="")


@pytest.mark.parametrize(
    ("state", "interrupted", "status"),
    [
        (RunState.SUCCEEDED, False, 0),
        (RunState.FAILED, False, PROBLEM),
        (RunState.CANCELLED, False, PROBLEM),
        (RunState.CANCELLED, True, INTERRUPTED),
    ],
)
def test_the_exit_status(state: RunState, interrupted: bool, status: int) -> None:
    assert exit_status(ended(state), interrupted=interrupted) == status


def test_without_a_summary_the_user_is_told_what_to_mend() -> None:
    with pytest.raises(Failure, match=r"runs/full.*same command goes on") as caught:
        conclude(ended(RunState.CANCELLED), interrupted=False, as_json=False)
    assert caught.value.exit_code == PROBLEM
