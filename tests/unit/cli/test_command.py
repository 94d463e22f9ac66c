"""Examples in --help name a suite that is installed, and simulators that the doctor knows."""

from __future__ import annotations

import pytest

from env_service.cli import doctor
from env_service.cli.command import with_sample
from env_service.conformance import sample
from env_service.conformance.sample import find_sample


def test_a_suite_and_tasks_that_are_installed_stand_in_the_text() -> None:
    found = find_sample()
    assert with_sample("--suite SUITE --tasks TASKS") == (
        f"--suite {found.suite} --tasks {','.join(found.tasks)}"
    )


def test_without_a_sample_the_text_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample, "installed", lambda _: {})
    assert with_sample("--suite SUITE") == "--suite SUITE"


def test_the_doctor_takes_simulators_from_the_checks_of_plug_ins() -> None:
    assert doctor.WORLDS == ["ai2thor"]
