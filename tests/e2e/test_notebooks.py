"""The notebooks in examples/: each runs from top to bottom in an empty folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.extras import extra_module

nbclient = extra_module("nbclient", "houseguest[notebooks]", "REQUIRE_EXPORTS")
nbformat = extra_module("nbformat", "houseguest[notebooks]", "REQUIRE_EXPORTS")
extra_module("ipykernel", "houseguest[notebooks]", "REQUIRE_EXPORTS")

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Executes a notebook; returns its outputs as one text."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    # As in an activated environment.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")

    def execute(name: str) -> str:
        notebook = nbformat.read(EXAMPLES / name, 4)
        nbformat.validate(notebook)
        assert not any(cell.get("outputs") for cell in notebook.cells), "strip the outputs"
        nbclient.NotebookClient(
            notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}
        ).execute()
        outputs = [each for cell in notebook.cells for each in cell.get("outputs", ())]
        shown = (each.get("text") or str(each.get("data")) for each in outputs)
        return "\n".join(shown)

    return execute


def test_an_agent_is_evaluated_and_its_results_are_shown(executed: Any) -> None:
    shown = executed("evaluate_and_read_results.ipynb")
    assert "16/16 episodes" in shown
    assert shown.count("<iframe") == 2
    assert "data:text/html" in shown
    assert "p = 0." in shown


def test_a_sweep_ends_with_the_table_of_a_paper(executed: Any) -> None:
    shown = executed("paper_table.ipynb")
    assert "Nothing was started" in shown
    assert "12 of 12 runs, 60/60 episodes" in shown
    assert "GoToLocal low" in shown
    assert r"\begin{tabular}" in shown
