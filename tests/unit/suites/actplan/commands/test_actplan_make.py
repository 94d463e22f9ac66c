"""``houseguest actplan make``: its options and its help."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest

from env_service.suites.actplan.commands.make import make_command
from env_service.suites.actplan.commands.make_options import KIND_NAMES
from env_service.suites.actplan.making.files import KINDS
from tests.support.command_line import ROOT


def options(name: str, *arguments: str) -> dict[str, object]:
    """What a command makes of its arguments."""
    return make_command.commands[name].make_context(name, list(arguments)).params


def test_the_kinds_are_those_that_there_are() -> None:
    assert tuple(each.value for each in KINDS) == KIND_NAMES
    assert options("circumstances")["kinds"] == KIND_NAMES
    asked = options("counterfactual", "--kinds", "event_causality,object_property")
    assert asked["kinds"] == ("object_property", "event_causality")


def test_a_kind_that_there_is_not_is_refused() -> None:
    with pytest.raises(click.UsageError, match="unknown kind 'magic'"):
        options("counterfactual", "--kinds", "magic")


@pytest.mark.parametrize("command", make_command.commands.values(), ids=lambda each: each.name)
def test_every_command_has_examples(command: click.Command) -> None:
    assert "Examples:" in (command.epilog or "")
    assert "Exit status" in (command.epilog or "")


def test_help_is_quick_to_come() -> None:
    code = "import sys; import env_service.suites.actplan.commands.make; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert (
        not {"requests", "jinja2", "numpy", "env_service.suites.actplan.making.requests"} & loaded
    )
