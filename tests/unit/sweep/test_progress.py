"""What a sweep prints where no terminal shows bars."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from env_service.sweep.progress import Lines
from env_service.sweep.schedule import Status


def test_a_line_is_repeated_only_after_a_change_or_ten_minutes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = 0.0
    lines = Lines(quiet=False, clock=lambda: now)
    job: Any = SimpleNamespace(status=Status.PLAYING, done=0, run=SimpleNamespace(planned=40))
    for second in range(601):
        now = float(second)
        job.done = 3 if second >= 100 else 0
        lines.update([job])
    assert capsys.readouterr().err.splitlines() == [
        "0 of 1 run over, 0 of 40 episodes",
        "0 of 1 run over, 3 of 40 episodes",
    ]
    now = 701.0
    lines.update([job])
    assert capsys.readouterr().err == "0 of 1 run over, 3 of 40 episodes\n"
