"""The summary of a large run, computed elsewhere, is the one that would be computed here."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.results import summing
from env_service.results.keys import SigningKey
from env_service.results.layout import EPISODES
from env_service.results.summing import SummingError, summary_of
from tests.support.played_run import play_run


def test_both_ways_come_to_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, here = play_run(tmp_path, SigningKey.generate())
    assert here.overall.n > 0
    assert summary_of(folder, folder / EPISODES) == here
    monkeypatch.setattr(summing, "MOST_BYTES", 0)
    assert summary_of(folder, folder / EPISODES) == here


def test_a_folder_that_cannot_be_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summing, "MOST_BYTES", 0)
    (tmp_path / EPISODES).write_text("no record\n", encoding="utf-8")
    with pytest.raises(SummingError, match="manifest"):
        summary_of(tmp_path, tmp_path / EPISODES)
