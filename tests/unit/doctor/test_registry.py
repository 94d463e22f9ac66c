"""The doctor survives whatever its checks do."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from env_service.doctor.diagnosis import Diagnosis, DiagnosisState, DoctorRequest, worst
from env_service.doctor.packages import plugins
from env_service.doctor.registry import DoctorCheck, all_checks, examine, plugin_checks
from tests.support.installed_plugins import install

SUBJECT = DoctorRequest(Path("runs"))


def well(subject: DoctorRequest) -> Iterator[Diagnosis]:
    yield Diagnosis("well", DiagnosisState.OK, str(subject.runs))


def broken(subject: DoctorRequest) -> Iterator[Diagnosis]:
    yield Diagnosis("before", DiagnosisState.NOTE, "seen", "Look again.")
    raise RuntimeError("out of luck")


def hanging(subject: DoctorRequest) -> Iterator[Diagnosis]:
    yield Diagnosis("before", DiagnosisState.OK, "seen")
    time.sleep(60)


def check(name: str, seconds: float = 20.0) -> DoctorCheck:
    return DoctorCheck(name, f"{__name__}:{name}", seconds)


def test_findings_come_in_order_and_are_announced() -> None:
    started: list[str] = []
    found = list(examine(SUBJECT, [check("well"), check("well")], started.append))

    assert [(each.name, each.found) for each in found] == [("well", "runs")] * 2
    assert started == ["well", "well"]


def test_a_check_that_breaks_is_reported_and_the_rest_go_on() -> None:
    before, fault, after = examine(SUBJECT, [check("broken"), check("well")])

    assert (before.name, after.name) == ("before", "well")
    assert (fault.name, fault.state) == ("broken", DiagnosisState.PROBLEM)
    assert "RuntimeError: out of luck" in fault.found
    assert fault.mend


def test_a_check_that_cannot_be_imported_is_reported() -> None:
    missing = DoctorCheck("gpu", "env_service.no_such_module:gpu")
    fault, after = examine(SUBJECT, [missing, check("well")])

    assert (fault.name, fault.state) == ("gpu", DiagnosisState.PROBLEM)
    assert "no_such_module" in fault.found
    assert after.state is DiagnosisState.OK


def test_a_check_that_hangs_is_left_behind() -> None:
    before, fault, after = examine(SUBJECT, [check("hanging", 1.0), check("well")])

    assert (before.name, after.name) == ("before", "well")
    assert (fault.name, fault.state) == ("hanging", DiagnosisState.PROBLEM)
    assert "1 s" in fault.found


def test_the_worst_state_counts() -> None:
    states = [
        DiagnosisState.NOTE,
        DiagnosisState.PROBLEM,
        DiagnosisState.OK,
        DiagnosisState.WARNING,
    ]
    for most in range(len(states)):
        mildest = sorted(states, key=list(DiagnosisState).index)[:most]
        found = [Diagnosis("one", state, "seen", "Look again.") for state in mildest]
        assert worst(found) is (found[-1].state if found else DiagnosisState.OK)


def test_a_plug_ins_check_is_run_before_the_agents(site: Path) -> None:
    (site / "their_check.py").write_text(
        "from env_service.doctor.registry import DoctorCheck\n"
        "CHECK = DoctorCheck('theirs', 'their_check:look', world='their-world',"
        " extras={'theirs': 'what they need'})\n"
    )
    install(site, "their-world", "[houseguest.doctor_checks]\ntheirs = their_check:CHECK\n")
    plugin_checks.cache_clear()
    names = [each.name for each in all_checks()]
    plugin_checks.cache_clear()
    assert names[-2:] == ["theirs", "agents"]
    assert names.index("data packs") < names.index("ai2thor") < names.index("docker")
    assert names.index("docker") < names.index("ai2thor start")


def test_a_plug_in_that_cannot_be_loaded_is_a_finding(site: Path) -> None:
    install(site, "torn", "[houseguest.doctor_checks]\ntorn = torn_check:CHECK\n")
    plugin_checks.cache_clear()
    assert "torn" not in [each.name for each in all_checks()]
    plugin_checks.cache_clear()
    (fault,) = plugins(SUBJECT)
    assert (fault.name, fault.state) == ("doctor check torn", DiagnosisState.PROBLEM)
    assert "torn_check" in fault.found
