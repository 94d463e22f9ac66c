"""The small run with which the kit checks this service comes from a plug-in."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.conformance.sample import Sample, find_sample
from env_service.domain.names import UnknownNameError
from env_service.suites.registry import load_suite
from env_service.suites.selection import settle_condition
from tests.support.installed_plugins import install


def test_the_sample_that_comes_along_names_what_its_suite_has() -> None:
    sample = find_sample()
    suite = load_suite(sample.suite)
    settle_condition(suite, sample.condition)
    groups = {task.group for tasks in suite.task_sets().values() for task in tasks.tasks}
    assert sample.tasks
    assert set(sample.tasks) <= groups


def test_a_sample_of_another_distribution_is_found_by_its_name(site: Path) -> None:
    (site / "their_sample.py").write_text(
        "from env_service.conformance.sample import Sample\nSAMPLE = Sample('theirs')\n"
    )
    install(site, "their-suite", "[houseguest.conformance_samples]\nzz = their_sample:SAMPLE\n")
    assert find_sample("zz") == Sample("theirs")
    assert find_sample() != Sample("theirs")


def test_an_unknown_sample_is_answered_with_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match="babyai"):
        find_sample("babya")
