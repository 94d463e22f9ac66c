"""Packages, against distributions made for the test."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from env_service.doctor import packages
from env_service.doctor.diagnosis import Diagnosis, DiagnosisState, DoctorRequest
from env_service.doctor.packages import suites

SUBJECT = DoctorRequest(Path("runs"))
Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts a distribution's metadata where Python finds it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(packages, "OURS", "tested-house")

    def put(name: str, version: str, *lines: str) -> None:
        folder = tmp_path / f"{name.replace('-', '_')}-{version}.dist-info"
        folder.mkdir()
        head = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
        (folder / "METADATA").write_text("\n".join([*head, *lines, ""]), encoding="utf-8")

    return put


def test_everything_there_is_one_line(install: Install) -> None:
    install("tested-house", "1.0", "Requires-Dist: shelf>=2", "Requires-Dist: lamp")
    install("shelf", "2.5")
    install("lamp", "0.1")

    (found,) = packages.required(SUBJECT)

    assert found.state is DiagnosisState.OK
    assert "tested-house 1.0" in found.found
    assert "2 packages" in found.found


def test_what_is_missing_or_too_old_is_named_with_its_cure(install: Install) -> None:
    install(
        "tested-house",
        "1.0",
        "Requires-Dist: shelf>=2",
        "Requires-Dist: no-such-lamp<3,>=1",
        'Requires-Dist: elsewhere; sys_platform == "plan9"',
    )
    install("shelf", "1.9")

    old, missing = packages.required(SUBJECT)

    assert (old.name, old.state) == ("package shelf", DiagnosisState.PROBLEM)
    assert "1.9" in old.found
    assert ">=2" in old.found
    assert old.mend == f"{sys.executable} -m pip install 'shelf>=2'"
    assert (missing.name, missing.state) == ("package no-such-lamp", DiagnosisState.PROBLEM)
    assert "not installed" in missing.found


def test_an_extra_that_is_absent_is_a_note(install: Install) -> None:
    install(
        "tested-house",
        "1.0",
        "Requires-Dist: shelf",
        "Provides-Extra: lights",
        'Requires-Dist: no-such-lamp; extra == "lights"',
        "Provides-Extra: dev",
        'Requires-Dist: no-such-tool; extra == "dev"',
    )
    install("shelf", "1")

    (found,) = packages.extras(SUBJECT)

    assert (found.name, found.state) == ("extra lights", DiagnosisState.NOTE)
    assert "no-such-lamp is not installed" in found.found
    assert "'tested-house[lights]'" in found.mend


def test_what_an_extra_brings_from_another_extra_counts(install: Install) -> None:
    install(
        "tested-house",
        "1.0",
        "Provides-Extra: local",
        'Requires-Dist: guest[weights]==1; extra == "local"',
    )
    install("guest", "1", "Provides-Extra: weights", 'Requires-Dist: no-torch; extra == "weights"')

    (found,) = packages.extras(SUBJECT)

    assert found.state is DiagnosisState.NOTE
    assert found.found == "no-torch is not installed"


def test_a_service_that_is_not_installed_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(packages, "OURS", "no-such-house")

    (found,) = packages.required(SUBJECT)

    assert found.state is DiagnosisState.PROBLEM
    assert "pip install -e ." in found.mend
    assert list(packages.extras(SUBJECT)) == []
    assert next(iter(packages.python(SUBJECT))).state is DiagnosisState.OK


def test_another_python_is_a_problem(install: Install) -> None:
    install("tested-house", "1.0", "Requires-Python: >=99")

    found = next(iter(packages.python(SUBJECT)))

    assert found.state is DiagnosisState.PROBLEM
    assert ">=99" in found.found


# --- What the doctor says of suites, and of the data that they lack


def test_a_suite_without_its_data_names_the_tasks_that_need_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOUSEGUEST_DATA", str(tmp_path))
    found = {each.name: each for each in suites(DoctorRequest(tmp_path))}
    assert found["suite babyai"] == Diagnosis("suite babyai", DiagnosisState.OK, "8,320 tasks")
    for name in ("asgard", "alfred", "actplan"):
        finding = found[f"suite {name}"]
        assert finding.state is DiagnosisState.NOTE
        assert finding.found == (
            f"some tasks need files of the data pack {name}, which are missing;"
            " --task-set builtin needs no data pack"
        )
