"""For every test of the whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import ROOT


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, and a home of its own for the signing key."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path
