"""The options of ``houseguest run`` and of its agent, on one command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import pytest

from env_service.cli.run import run_command

MANIFEST = """
command = ["x"]
[[option]]
name = "--model"
required = true
[[option]]
name = "--heat"
type = "float"
[[option]]
name = "--stop"
multiple = true
[[option]]
name = "--guided"
flag = true
"""


@pytest.fixture(autouse=True)
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent called mine."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "agent.toml").write_text(MANIFEST, encoding="utf-8")
    monkeypatch.setenv("HOUSEGUEST_AGENTS", str(tmp_path))


def read(*words: str) -> dict[str, Any]:
    """What the command line comes to."""
    with run_command.make_context("run", ["--suite", "lab", *words]) as context:
        return context.params


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (("--agent=mine", "--model", "x"), {"--model": ("x",)}),
        (("--model=a=b", "--agent", "mine"), {"--model": ("a=b",)}),
        (("--agent", "other", "--agent", "mine", "--model", "x"), {"--model": ("x",)}),
        (("--agent", "mine", "--model", "-1"), {"--model": ("-1",)}),
        (
            ("--agent", "mine", "--model=-1", "--heat", "-.5"),
            {"--model": ("-1",), "--heat": ("-0.5",)},
        ),
        (("--agent", "mine", "--model", "--seed"), {"--model": ("--seed",)}),
        (("--agent", "mine", "--model", ""), {"--model": ("",)}),
        (
            ("--stop", "b", "--guided", "--agent", "mine", "--stop", "a", "--model", "x"),
            {"--model": ("x",), "--stop": ("b", "a"), "--guided": ("",)},
        ),
    ],
)
def test_the_agents_options_are_found_wherever_they_stand(
    words: Sequence[str], options: dict[str, tuple[str, ...]]
) -> None:
    read_ones = read(*words)
    assert read_ones["agent"] == "mine"
    assert read_ones["agent_options"] == options


@pytest.mark.parametrize("words", [("--model",), ("--model", "x", "--heat")])
def test_a_value_that_is_missing_is_missed(words: Sequence[str]) -> None:
    with pytest.raises(click.BadOptionUsage, match=f"'{words[-1]}' requires an argument"):
        read("--agent", "mine", *words)


def test_runs_own_options_are_read_beside_them() -> None:
    words = ("--agent", "mine", "--seed", "7", "--model", "x", "--json", "--out", "here")
    read_ones = read(*words)
    assert (read_ones["seed"], read_ones["as_json"], read_ones["out"]) == (7, True, Path("here"))
