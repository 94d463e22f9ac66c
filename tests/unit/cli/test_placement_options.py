"""Where worlds are to run, as it is said on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from env_service.cli.placement_options import check_workers, placement_options, read_placement
from env_service.engine.placement import Placement
from tests.support.fake_nvidia import fake_nvidia, no_nvidia


def received(*arguments: str) -> dict[str, Any]:
    """The parameters of a command, for a command line; ``error`` is what was wrong with it."""
    caught: dict[str, Any] = {}

    @click.command()
    @placement_options
    def command(**parameters: Any) -> None:
        caught.update(parameters)

    result = CliRunner().invoke(command, list(arguments))
    return caught if result.exit_code == 0 else {"error": result.output}


def test_score_unanswered_is_no_placement() -> None:
    assert received() == {"gpus": "", "worlds_per_gpu": 0, "world_memory": None}
    assert read_placement("", 0) is None
    check_workers(None, 1000)


def test_gpus_host_four_worlds_each_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_nvidia(tmp_path, monkeypatch)
    assert read_placement("all", 0) == Placement((0, 1), 4)
    assert read_placement("1", 2, shared=True) == Placement((1,), 2, shared=True)
    assert read_placement("none", 0) == Placement(())


def test_a_machine_that_does_not_tell_is_an_error_with_advice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_nvidia(tmp_path, monkeypatch)
    with pytest.raises(click.BadParameter, match="give their indices, such as 0,1"):
        read_placement("all", 0)


def test_workers_that_do_not_fit_are_told() -> None:
    with pytest.raises(click.BadParameter, match="9 workers do not fit"):
        check_workers(Placement((0, 1)), 9)


@pytest.mark.parametrize(("said", "held"), [("1.5", 3 * 2**29), ("0.1", 107374182)])
def test_memory_is_said_in_gib(said: str, held: int) -> None:
    assert received("--world-memory", said)["world_memory"] == held


@pytest.mark.parametrize(
    "arguments",
    [
        ("--world-memory", "0"),
        ("--world-memory", "nan"),
        ("--worlds-per-gpu", "0"),
        ("--worlds-per-gpu", "-3"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: tuple[str, str]) -> None:
    assert "is not" in received(*arguments)["error"]
