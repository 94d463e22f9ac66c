"""Runs that an earlier version recorded verify, replays included.

They are in ``earlier_runs``: the agent `random`, recorded with protocol revision 3. A result
contains sentences, such as why a plan failed, and a replay compares them as well. If such a
sentence has to change, raise the suite's rules version.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.results.verification import verify

RUNS = sorted((Path(__file__).parent / "earlier_runs").iterdir())


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_a_run_of_an_earlier_version_verifies(run: Path) -> None:
    report = verify(run)
    assert list(report.problems) == []
    assert report.replayed == report.episodes > 0
