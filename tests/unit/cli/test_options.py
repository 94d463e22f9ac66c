"""The shared options, as a command receives them."""

from __future__ import annotations

from typing import Any

import click
import pytest
from click.testing import CliRunner

from env_service.cli.options import json_option, parse_condition, selection_options, split_names
from env_service.cli.task_selection import load_named_suite


def received(*arguments: str) -> dict[str, Any]:
    """The parameters of a command with all shared options, for a command line."""
    caught: dict[str, Any] = {}

    @click.command()
    @selection_options
    @json_option
    def command(**parameters: Any) -> None:
        caught.update(parameters)

    result = CliRunner().invoke(command, ["--suite", "babyai", *arguments])
    assert result.exit_code == 0, result.output
    return caught


def test_defaults_name_nothing() -> None:
    assert received() == {
        "suite": "babyai",
        "task_set": "",
        "tasks": (),
        "limit": 0,
        "world": "",
        "condition": {},
        "as_json": False,
    }


def test_tasks_are_split_at_commas_and_joined_over_repeats() -> None:
    assert received("--tasks", "GoTo, Open", "--tasks", "Open,Synth/2")["tasks"] == (
        "GoTo",
        "Open",
        "Synth/2",
    )


def test_settings_are_collected() -> None:
    given = received("--set", "view=partial", "--set", " feedback = none ")
    assert given["condition"] == {"view": "partial", "feedback": "none"}


def test_a_named_condition_is_told_with_the_settings() -> None:
    given = received("--set", "hand=10", "--condition", "no-memory")
    assert given["condition"] == {"condition": "no-memory", "hand": "10"}


def test_a_setting_may_stand_where_a_condition_is_named() -> None:
    given = received("--condition", "wording=K", "--condition", "no-memory", "--set", "hand=10")
    assert given["condition"] == {"condition": "no-memory", "wording": "K", "hand": "10"}


def test_a_value_may_hold_an_equals_sign() -> None:
    assert parse_condition(["prompt=a=b"]) == {"prompt": "a=b"}


@pytest.mark.parametrize("text", ["view", "view=", "=full", ""])
def test_what_is_no_setting_is_refused_by_name(text: str) -> None:
    with pytest.raises(click.BadParameter, match=r"is not NAME=VALUE"):
        parse_condition([text])


def test_a_setting_given_twice_has_to_agree() -> None:
    assert parse_condition(["view=full", "view=full"]) == {"view": "full"}
    with pytest.raises(
        click.BadParameter, match="'view' is given twice, as 'full' and as 'partial'"
    ):
        parse_condition(["view=full", "view=partial"])


def test_empty_names_are_dropped() -> None:
    assert split_names([",", "a,,b", ""]) == ("a", "b")


@pytest.mark.parametrize("path", ["no_such_module:Suite", "json:NoSuchClass", ":Suite"])
def test_a_suite_that_cannot_be_loaded_is_a_usage_error(path: str) -> None:
    with pytest.raises(click.BadParameter, match="cannot be loaded"):
        load_named_suite(path)


def test_a_suite_can_be_given_by_its_path() -> None:
    assert load_named_suite("tests.support.lab:LabSuite").name == "lab"
