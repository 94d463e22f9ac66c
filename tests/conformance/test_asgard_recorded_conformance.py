"""Recorded questions keep the contract of a suite; the ones here are made up, and need no data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from env_service.domain.task import Task, TaskSet
from env_service.suites.asgard.recorded.task_set import NAME, WORLD, load_recorded
from env_service.suites.asgard.suite import AsgardSuite
from env_service.suites.base import Condition, Suite
from env_service.suites.selection import settle_condition
from env_service.testing.suites import SuiteConformance
from tests.support.asgard import TEXT_ONLY
from tests.support.asgard_recorded import plans_pack, recorded_pack

CONDITIONS: Sequence[Mapping[str, str]] = (
    {},
    {"previous_image": "grayscale", "hand": "0", "feedback": "detailed", "picture": "300"},
    {"previous_image": "none", "rules": "upstream", "memory": "off"},
    {**TEXT_ONLY, "feedback": "none"},
)


class RecordedAsgard(AsgardSuite):
    """The suite with made-up questions, and no others."""

    def __init__(self, task_set: TaskSet) -> None:
        self._made = task_set

    def task_sets(self) -> Mapping[str, TaskSet]:
        return {NAME: self._made}


class TestRecordedAsgard(SuiteConformance):
    world = WORLD

    @pytest.fixture(autouse=True)
    def _packs(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        pack = recorded_pack(tmp_path / "pack")
        self._task_set = load_recorded(pack, plans_pack(tmp_path / "plans")).task_set
        monkeypatch.setattr(
            "env_service.suites.asgard.recorded.episode.open_pack", lambda _name: pack
        )

    def make_suite(self) -> Suite:
        return RecordedAsgard(self._task_set)

    def expert_tasks(self, suite: Suite) -> Sequence[Task]:
        return suite.task_sets()[NAME].tasks

    def conditions(self, suite: Suite) -> Sequence[Condition]:
        return [settle_condition(suite, condition) for condition in CONDITIONS]
