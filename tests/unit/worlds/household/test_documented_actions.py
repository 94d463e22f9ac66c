"""The page about the world's actions tells of them as they are."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from env_service.worlds.household.render.selection import choose
from env_service.worlds.household.simulation.absent_actions import ABSENT
from env_service.worlds.household.simulator import HouseholdSimulator
from tests.support.small_home import Homes, home

DOCS = Path(__file__).resolve().parents[4] / "docs"
PAGE = (DOCS / "household-actions.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    name = "generate_household_actions"
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_as_it_is_generated(generator: ModuleType) -> None:
    assert generator.page(PAGE) == PAGE, "run `python docs/generate_household_actions.py`"


def test_every_action_is_listed_once_and_no_other(generator: ModuleType) -> None:
    first, second = PAGE.split("## Refused actions")
    assert sorted(named(first)) == sorted(generator.actions())
    assert sorted(named(second)) == sorted(ABSENT)


def named(text: str) -> list[str]:
    """The actions in the rows of a table."""
    rows = re.findall(r"^\| ([A-Z][^|]*?) \|", text, re.MULTILINE)
    return [name for row in rows if not row.startswith("Action") for name in row.split(", ")]


def test_what_the_page_calls_refused_is_refused() -> None:
    simulator = HouseholdSimulator(Homes(home()), "small-home", pictures=choose("none"))
    for name, reason in ABSENT.items():
        assert simulator.perform({"action": name}).error.endswith(reason)
    for mode in re.findall(r"agent modes (.*?),? and more", PAGE, re.DOTALL)[0].split("`")[1::2]:
        assert mode in simulator.perform({"action": "Initialize", "agentMode": mode}).error
    simulator.close()
