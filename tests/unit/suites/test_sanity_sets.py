"""Sanity tasks are there without a data pack."""

from __future__ import annotations

import pytest

from env_service.suites.base import SanitySet
from env_service.suites.registry import load_suite, suite_names
from env_service.suites.selection import settle_condition
from tests.support.lab import LabSuite


@pytest.mark.parametrize("name", suite_names())
def test_sanity_tasks_need_no_data(name: str) -> None:
    suite = load_suite(name)
    for each in suite.sanity_sets():
        assert each.task_set in suite.task_sets()
        assert not any(suite.data(each.task_set, world) for world in suite.worlds)
        settle_condition(suite, each.condition)


def test_a_suite_that_names_none_is_tried_with_its_first_two_tasks() -> None:
    assert LabSuite().sanity_sets() == (SanitySet(limit=2),)
