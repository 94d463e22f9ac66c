"""The Python programs that guides show, run as they are."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from env_service.cli.main import run
from tests.support.command_line import ROOT, houseguest

CODE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def programs(page: str) -> list[str]:
    """The programs of a page, in order."""
    return CODE.findall((ROOT / "docs" / page).read_text(encoding="utf-8"))


def names_of(program: str) -> dict[str, Any]:
    """The names that a program defines."""
    names: dict[str, Any] = {"__name__": "guide"}
    exec(compile(program, "guide.py", "exec"), names)
    return names


def test_the_guides_report_design_has_its_tables_and_figures() -> None:
    (program,) = programs("report-design.md")
    design = names_of(program)["DESIGN"]
    assert {"feedback", "paths", "by-length", "kinds"} <= {item.id for item in design.items}
    assert [reference.table for reference in design.references] == ["feedback"]


def test_the_guides_program_reads_a_generated_data_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    levels = ("--levels", "GoToObj,BossLevel", "--seeds", "1-2")
    assert run(["babybench", "generate", "--task", "predict", *levels, "--out", "predict"]) == 0
    (program,) = programs("babybench-data.md")
    names = names_of(program)
    assert (len(names["rows"]), len(names["hard"])) == (4, 2)
    assert "BossLevel" in capsys.readouterr().out


def test_the_guides_program_queries_the_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("sqlalchemy")
    monkeypatch.chdir(tmp_path)
    tasks = ("--suite", "babyai", "--tasks", "GoToObj", "--limit", "2", "--agent", "random")
    assert run(["run", *tasks, "--seed", "0", "--signing-key", str(tmp_path / "key.pem")]) == 0
    capsys.readouterr()
    (program,) = programs("index-runs.md")
    best = names_of(program)["best"]
    assert [row.suite for row in best.rows] == ["babyai"]
    assert best.rows[0].agent in capsys.readouterr().out


def test_the_guides_environments_play_a_practice(tmp_path: Path) -> None:
    pytest.importorskip("gymnasium")
    service = houseguest(tmp_path, "practice", "babyai", "GoToObj", "--sessions", "4", "--json")
    try:
        assert service.stdout is not None
        opened = json.loads(service.stdout.readline())
        for number, program in enumerate(programs("practice.md")):
            file = tmp_path / f"guide_{number}.py"
            file.write_text(program, encoding="utf-8")
            # As `houseguest practice` prints them.
            place = {
                "HOUSEGUEST_ADDRESS": opened["address"],
                "HOUSEGUEST_TOKENS": ",".join(opened["tokens"]),
            }
            ended = subprocess.run(
                [sys.executable, str(file)],
                env={"PATH": "", **place},
                capture_output=True,
                text=True,
                timeout=180,
                check=False,
            )
            assert ended.returncode == 0, ended.stderr
    finally:
        service.send_signal(signal.SIGTERM)
        service.communicate(timeout=60)


def test_the_guides_controller_picks_up_a_mug(capsys: pytest.CaptureFixture[str]) -> None:
    program = next(each for each in programs("household.md") if "HouseholdController" in each)
    names = names_of(program)
    assert names["event"].metadata["lastAction"] == "PickupObject"
    assert capsys.readouterr().out.startswith("True")
