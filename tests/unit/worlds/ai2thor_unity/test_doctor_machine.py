"""AI2-THOR's checks: silent where nobody asks, and clear about what is missing where somebody
does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from env_service.doctor.diagnosis import Diagnosis, DiagnosisState, DoctorRequest
from env_service.worlds.ai2thor_unity import doctor
from env_service.worlds.ai2thor_unity.graphics import displays, nvidia, xvfb
from env_service.worlds.ai2thor_unity.graphics.displays import Survey
from env_service.worlds.household.player import stand_in_build
from tests.support.thor_tools import NO_DRIVER, SMI, SOFTWARE, SUMMARY, pretend

ASKED = DoctorRequest(Path("runs"), world="ai2thor")
NOT_ASKED = DoctorRequest(Path("runs"))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with nothing but an empty home folder, Xvfb and the Python package."""
    for name in ("CUDA_VISIBLE_DEVICES", "AI2THOR_VISIBILITY_DISTANCE", "DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    pretend(monkeypatch, {}, libraries=())
    monkeypatch.setattr(nvidia, "in_container", lambda *_: False)
    monkeypatch.setattr(displays, "survey", lambda *_: Survey(xvfb="/usr/bin/Xvfb"))
    monkeypatch.setattr(xvfb, "program", lambda: "/usr/bin/Xvfb")
    monkeypatch.setattr(doctor, "version", lambda _: "5.0.0")
    return tmp_path


def found(subject: DoctorRequest = ASKED) -> Mapping[str, Diagnosis]:
    findings = {each.name: each for each in doctor.machine(subject)}
    assert all(each.mend or each.state is DiagnosisState.OK for each in findings.values())
    return findings


def states(findings: Mapping[str, Diagnosis], *names: str) -> list[DiagnosisState]:
    return [findings[name].state for name in names]


def test_who_does_not_use_it_gets_one_note(home: Path) -> None:
    findings = found(NOT_ASKED)

    assert [(each.name, each.state) for each in findings.values()] == [
        ("world ai2thor", DiagnosisState.NOTE)
    ]
    assert "--world ai2thor" in findings["world ai2thor"].mend


def test_asked_for_and_not_there_is_a_problem_with_a_cure(home: Path) -> None:
    findings = found()

    assert states(findings, "build Linux64", "world ai2thor") == [DiagnosisState.PROBLEM] * 2
    assert states(findings, "build CloudRendering", "vulkan", "nvidia") == [DiagnosisState.NOTE] * 3
    assert findings["build Linux64"].mend.endswith("houseguest thor install --platform Linux64")
    assert "nearest is Linux64" in findings["world ai2thor"].found


def test_half_set_up_is_a_problem_without_asking(home: Path) -> None:
    folder = home / ".ai2thor/releases/thor-Linux64-0123456789abcdef"
    folder.mkdir(parents=True)

    findings = found(NOT_ASKED)

    assert findings["build Linux64"].state is DiagnosisState.PROBLEM
    assert "only of commit 0123456789abcdef" in findings["build Linux64"].found


def test_settings_in_the_environment_count_as_asking(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOUSEGUEST_THOR_PLATFORM", "CloudRendering")

    findings = found(NOT_ASKED)

    assert states(findings, "build CloudRendering", "vulkan") == [DiagnosisState.PROBLEM] * 2
    assert findings["build Linux64"].state is DiagnosisState.NOTE
    assert "libvulkan1" in findings["vulkan"].mend


def test_settings_that_make_no_sense_are_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOUSEGUEST_THOR_PLATFORM", "playstation")

    assert "HOUSEGUEST_THOR_PLATFORM" in found()["ai2thor settings"].found


def test_linux64_with_an_xvfb_is_well(home: Path) -> None:
    stand_in_build.install(home, "Linux64")

    findings = found(NOT_ASKED)

    assert findings["world ai2thor"].state is DiagnosisState.OK
    assert "Linux64, found to work" in findings["world ai2thor"].found
    assert "f0825767cd50" in findings["build Linux64"].found
    assert DiagnosisState.PROBLEM not in {each.state for each in findings.values()}


def test_a_machine_with_gpus_is_well(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in_build.install(home)
    pretend(monkeypatch, {"vulkaninfo": SUMMARY, "nvidia-smi": SMI})
    monkeypatch.setenv("HOUSEGUEST_THOR_GPU", "1")

    findings = found()

    assert findings["world ai2thor"].found.startswith("CloudRendering, found to work: Vulkan on 0")
    assert "driver 550.54.15; GPU 0: NVIDIA L40S, 44 of 45 GiB free" in findings["nvidia"].found
    assert findings["gpu 1"].found == "is Vulkan's device 0"
    assert findings["build Linux64"].state is DiagnosisState.NOTE


def test_a_container_without_graphics_is_told_what_it_lacks(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in_build.install(home)
    pretend(monkeypatch, {"vulkaninfo": NO_DRIVER, "nvidia-smi": SMI})
    monkeypatch.setattr(nvidia, "in_container", lambda *_: True)
    monkeypatch.setenv("NVIDIA_DRIVER_CAPABILITIES", "compute,utility")

    findings = found()

    assert states(findings, "capability graphics", "vulkan") == [DiagnosisState.PROBLEM] * 2
    assert "is compute,utility" in findings["capability graphics"].found
    assert "=compute,utility,graphics" in findings["capability graphics"].mend


def test_a_gpu_that_is_asked_for_in_vain_is_a_problem(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in_build.install(home, "Linux64")
    monkeypatch.setenv("HOUSEGUEST_THOR_GPU", "0")

    findings = found()

    assert states(findings, "gpu 0", "world ai2thor") == [DiagnosisState.PROBLEM] * 2
    assert "nearest is CloudRendering" in findings["world ai2thor"].found


def test_a_gpu_that_goes_unused_is_a_warning(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in_build.install(home)
    stand_in_build.install(home, "Linux64")
    pretend(monkeypatch, {"vulkaninfo": NO_DRIVER, "nvidia-smi": SMI})

    findings = found()

    assert findings["world ai2thor"].found.startswith("Linux64")
    assert findings["vulkan"].state is DiagnosisState.WARNING


def test_vulkan_in_software_alone_is_a_warning_where_it_is_used(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in_build.install(home)
    pretend(monkeypatch, {"vulkaninfo": SOFTWARE})
    monkeypatch.setenv("HOUSEGUEST_THOR_PLATFORM", "CloudRendering")

    findings = found()

    assert states(findings, "vulkan", "world ai2thor") == [
        DiagnosisState.WARNING,
        DiagnosisState.OK,
    ]
    assert "llvmpipe" in findings["vulkan"].found


def test_without_vulkaninfo_nothing_is_known(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, {})
    monkeypatch.setenv("HOUSEGUEST_THOR_PLATFORM", "CloudRendering")

    assert states(found(), "vulkan") == [DiagnosisState.WARNING]
    assert "vulkan-tools" in found()["vulkan"].mend


@pytest.mark.parametrize(
    ("said", "mend"),
    [
        ("Failed to initialize NVML: Driver/library version mismatch", "restart the machine"),
        ("Failed to initialize NVML: Unknown Error", "restart it"),
        ("nvidia-smi is not installed", "utility"),
        ("NVIDIA-SMI has failed", "install the driver"),
    ],
)
def test_a_driver_that_fails_has_its_cure(
    home: Path, monkeypatch: pytest.MonkeyPatch, said: str, mend: str
) -> None:
    broken = nvidia.Nvidia(kernel=True, fault=said)
    monkeypatch.setattr(nvidia, "look", lambda *_: broken)

    assert found()["nvidia"].state is DiagnosisState.PROBLEM
    assert mend in found()["nvidia"].mend


def test_displays_are_told_with_their_faults(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        displays, "survey", lambda *_: Survey(":0.0", "Xvfb", ("display :1.0: it is small",))
    )
    findings = found()
    assert ":0.0 has GLX, 24 bits and room for 1024x1024" in findings["x display"].found
    assert findings["other x display"].state is DiagnosisState.NOTE

    monkeypatch.setattr(displays, "survey", lambda *_: Survey())
    findings = found()
    assert findings["x display"].state is DiagnosisState.PROBLEM
    assert "apt-get install xvfb" in findings["x display"].mend


def test_an_executable_is_checked_alone(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOUSEGUEST_THOR_EXECUTABLE", "/no/such/player")
    findings = found()
    assert findings["world ai2thor"].state is DiagnosisState.PROBLEM
    assert "/no/such/player" in findings["world ai2thor"].found

    monkeypatch.setenv("HOUSEGUEST_THOR_EXECUTABLE", stand_in_build.command())
    findings = found()
    assert findings["world ai2thor"].state is DiagnosisState.OK
    assert "build Linux64" not in findings


def test_another_version_of_the_package_is_a_problem(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "version", lambda _: "4.3.0")

    assert "only 5.0.0 is driven" in found()["package ai2thor"].found
    assert "houseguest[ai2thor]" in found()["package ai2thor"].mend


def test_variables_that_would_change_results_are_noted(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    monkeypatch.setenv("AI2THOR_VISIBILITY_DISTANCE", "3")

    findings = found()

    assert (
        states(findings, "CUDA_VISIBLE_DEVICES", "AI2THOR_VISIBILITY_DISTANCE")
        == [DiagnosisState.NOTE] * 2
    )
    assert "'0,1'" in findings["CUDA_VISIBLE_DEVICES"].found


def test_a_home_that_cannot_be_written_is_a_problem(home: Path) -> None:
    (home / ".config").write_text("in the way")

    findings = found()

    assert findings["ai2thor home"].state is DiagnosisState.PROBLEM
    assert "HOUSEGUEST_THOR_HOME" in findings["ai2thor home"].mend


def test_builds_that_cannot_be_written_are_a_note(home: Path) -> None:
    (home / ".ai2thor").mkdir()
    (home / ".ai2thor/releases").write_text("in the way")

    findings = found()

    assert states(findings, "ai2thor home", "ai2thor builds") == [
        DiagnosisState.OK,
        DiagnosisState.NOTE,
    ]


@pytest.mark.parametrize(
    ("text", "state", "words"),
    [
        ('{"0": 1, "1": 0}', DiagnosisState.OK, "is true"),
        (
            '{"0": 0}',
            DiagnosisState.WARNING,
            "stale: it gives the GPUs 0 as Vulkan's 0, and they are 0 as",
        ),
        ("{}", DiagnosisState.WARNING, "gives the GPUs none"),
        ("[]", DiagnosisState.WARNING, "cannot be read"),
        ('{"0": null}', DiagnosisState.WARNING, "cannot be read"),
        ('{"0', DiagnosisState.WARNING, "cannot be read"),
    ],
)
def test_the_packages_file_of_gpus_is_compared(
    home: Path, monkeypatch: pytest.MonkeyPatch, text: str, state: DiagnosisState, words: str
) -> None:
    pretend(monkeypatch, {"vulkaninfo": SUMMARY, "nvidia-smi": SMI})
    path = home / ".ai2thor/cuda-vulkan-mapping.json"
    path.parent.mkdir()
    path.write_text(text)

    finding = found()["ai2thor gpu file"]

    assert finding.state is state
    assert words in finding.found
    assert finding.mend.startswith("rm ") == (state is not DiagnosisState.OK)
