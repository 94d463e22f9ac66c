"""For every test of the whole."""

from __future__ import annotations

from contextlib import chdir
from pathlib import Path

import pytest

from env_service.cli.main import run
from tests.support.command_line import ROOT, Ask


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, and a home of its own for the signing key."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path


@pytest.fixture
def ask(place: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    """Runs a command in this process, in that folder, and gives back what it printed on its two
    outputs; it has to end with ``code``. For what need not be a process, which takes a second."""

    def asked(*arguments: str, code: int = 0) -> tuple[str, str]:
        capsys.readouterr()
        with chdir(place):
            status = run(arguments)
        out, err = capsys.readouterr()
        assert status == code, out + err
        return out, err

    return asked
