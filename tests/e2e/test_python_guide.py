"""The programs of the guide to the Python API, as they stand there, one after the other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import ROOT

CODE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def test_the_guides_programs_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    names: dict[str, Any] = {}
    page = ROOT / "docs" / "python.md"
    # inspect finds the source of a function only in a file.
    program = tmp_path / "guide.py"
    program.write_text("\n".join(CODE.findall(page.read_text(encoding="utf-8"))), encoding="utf-8")
    exec(compile(program.read_text(encoding="utf-8"), str(program), "exec"), names)
    printed = capsys.readouterr().out
    assert "GoToLocal/" in printed
    assert "python:agent" in printed
    assert len(names["runs"]) == 1
    assert len(names["frame"]) == 4
    assert names["sweep"].complete
    assert (tmp_path / "report" / "episodes.csv").is_file()
