"""docs/asgard.md and its rules page describe what the suite does."""

from pathlib import Path

import pytest

from env_service.suites.asgard.conditions import NAMED
from env_service.suites.asgard.rules import differences
from env_service.suites.asgard.suite import AsgardSuite

DOCS = Path(__file__).resolve().parents[4] / "docs"
PAGE = (DOCS / "asgard.md").read_text(encoding="utf-8")
RULES = (DOCS / "asgard-upstream.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("difference", differences(), ids=lambda each: each.name)
def test_each_difference_of_the_rules_is_told(difference):
    told = (f"`{difference.name}`", difference.paper, difference.code)
    assert f"| {' | '.join(told)} |" in RULES


@pytest.mark.parametrize("name", NAMED)
def test_each_condition_is_told(name):
    assert f"| `{name}` |" in PAGE


def test_each_task_set_is_told():
    for name in AsgardSuite().task_sets():
        assert f"| `{name}` |" in PAGE
