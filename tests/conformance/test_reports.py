"""Every suite's report design works on a run of it, played by its expert."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.suites.registry import load_suite, suite_names
from env_service.testing.reports import check_design

LAB = "tests.support.lab:LabSuite"
OF_DATA = ("asgard", "alfred", "actplan")
"""Suites whose tasks need a data pack; their own tests report on them."""


@pytest.mark.parametrize("name", [*(name for name in suite_names() if name not in OF_DATA), LAB])
def test_the_design_shows_what_the_expert_did(name: str, tmp_path: Path) -> None:
    check_design(load_suite(name), tmp_path / "report")
