"""What can never be played is not taken in."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.submissions.admission import add
from env_service.submissions.failures import PhasesError
from env_service.submissions.queue import Queue
from tests.support.submitted import FakeClock


@pytest.mark.parametrize(
    ("phase", "told"),
    [
        ('suite = "babybench"\ntask_sets = ["plan:Smal-4Dists:1"]', "phase quick: .*Smal-4Dists"),
        ('suite = "babyai"\ntask_sets = ["evaluaton"]', "phase quick: .*mean 'evaluation'"),
        ('suite = "babyai"\nworld = "household"', "phase quick: .*household"),
        ('suite = "babyai"\nsettings = {view = "none"}', "phase quick: .*view"),
    ],
)
def test_a_phase_that_cannot_be_played_takes_no_submission(
    tmp_path: Path, phase: str, told: str
) -> None:
    text = f'[quick]\nsandbox = "process"\n{phase}\n'
    (tmp_path / "phases.toml").write_text(text, encoding="utf-8")
    queue = Queue(tmp_path, FakeClock())
    with pytest.raises(PhasesError, match=told) as caught:
        add(queue, "./my_agent", "a", "quick")
    assert str(tmp_path / "phases.toml") in str(caught.value)
    assert not list(queue.jobs())
