"""docs/alfred.md and its rules page describe what the suite does."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from env_service.suites.alfred.conditions import NAMED, SETTINGS
from env_service.suites.alfred.rules import Rules
from env_service.suites.alfred.task_sets import AlfredTaskSets

DOCS = Path(__file__).resolve().parents[4] / "docs"
PAGE = (DOCS / "alfred.md").read_text(encoding="utf-8")
RULES = (DOCS / "alfred-rules.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("difference", fields(Rules), ids=lambda each: each.name)
def test_each_difference_of_the_rules_is_told(difference) -> None:  # type: ignore[no-untyped-def]
    told = difference.metadata
    row = (f"`{difference.name}`", told["exact"], told["lota"])
    assert f"| {' | '.join(row)} |" in RULES


@pytest.mark.parametrize("name", NAMED)
def test_each_condition_is_told(name: str) -> None:
    assert f"| `{name}` |" in PAGE


def test_each_setting_and_task_set_is_told() -> None:
    for each in SETTINGS:
        assert f"`{each.name}`" in PAGE or f"{each.name}=" in PAGE
    for name in AlfredTaskSets():
        assert f"`{name}`" in PAGE
