"""Runs to read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from env_service.domain.action import Text
from env_service.results.run_folder import RunFolder
from env_service.storage.signing_key import SigningKey
from tests.support.played_run import LOSING, WINNING, Player, lab_manifest, play_run


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder with two finished runs of the laboratory: of four tasks the first wins two, the
    second one."""
    root, key = tmp_path / "runs", SigningKey.generate()
    root.mkdir()
    play_run(root, key)
    folder = RunFolder.open(
        root, replace(lab_manifest(), run_id="run-2", agent="<b>Other</b>"), key
    )
    player = Player(folder)
    for number, task_id in enumerate(folder.manifest.task_ids):
        player.play(task_id, 0, (Text("<script>"), *WINNING) if number == 0 else LOSING)
    folder.write_summary()
    folder.close()
    return root
