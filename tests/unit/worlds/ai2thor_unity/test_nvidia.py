"""NVIDIA's driver and GPUs, with and without each of their parts."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.worlds.ai2thor_unity.graphics import nvidia
from env_service.worlds.ai2thor_unity.graphics.external_tools import ToolAnswer
from tests.support.thor_tools import FIRST, SMI, pretend


def test_gpus_are_listed_with_what_they_have(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, {"nvidia-smi": SMI}, libraries=("GLX_nvidia",))

    found = nvidia.look({}, Path("/nowhere"))

    assert (found.driver, found.fault, found.present) == ("550.54.15", "", True)
    first, second = found.gpus
    assert (first.index, first.name, first.uuid) == (0, "NVIDIA L40S", f"GPU-{FIRST}")
    assert (first.memory_total, first.memory_free) == (46068 * 2**20, 45500 * 2**20)
    assert second.memory_free == 0
    assert found.libraries == ("GLX_nvidia",)


def test_a_machine_without_nvidia_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, {})

    found = nvidia.look({}, Path("/nowhere"))

    assert (found.gpus, found.present, found.lacks_graphics) == ((), False, False)
    assert found.fault == "nvidia-smi is not installed"


def test_a_driver_that_fails_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    said = "nvidia-smi ended with status 18: Failed to initialize NVML: Driver/library mismatch"
    pretend(monkeypatch, {"nvidia-smi": ToolAnswer(18, fault=said)})
    assert nvidia.look({}, Path("/nowhere")).fault == said

    pretend(monkeypatch, {"nvidia-smi": "No devices were found\n"})
    assert nvidia.look({}, Path("/nowhere")).fault == "nvidia-smi lists no GPU"


def test_a_container_with_the_gpu_for_computing_alone_lacks_graphics(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".dockerenv").touch()
    pretend(monkeypatch, {"nvidia-smi": SMI})
    default = {"NVIDIA_DRIVER_CAPABILITIES": "compute, utility"}

    assert nvidia.look(default, tmp_path).lacks_graphics
    assert nvidia.look({}, tmp_path).lacks_graphics
    for listed in ("all", "compute,graphics"):
        named = nvidia.look({"NVIDIA_DRIVER_CAPABILITIES": listed}, tmp_path)
        assert not named.lacks_graphics
    assert not nvidia.look(default, Path("/nowhere")).lacks_graphics


def test_libraries_that_came_another_way_are_enough(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".dockerenv").touch()
    pretend(monkeypatch, {"nvidia-smi": SMI}, libraries=nvidia.LIBRARIES)

    assert not nvidia.look({}, tmp_path).lacks_graphics


def test_a_loaded_kernel_driver_is_seen_without_the_tool(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    driver = tmp_path / "proc/driver/nvidia"
    driver.mkdir(parents=True)
    (driver / "version").write_text("NVRM version: NVIDIA UNIX x86_64 Kernel Module 550.54.15\n")
    pretend(monkeypatch, {})

    found = nvidia.look({}, tmp_path)

    assert (found.kernel, found.present, found.gpus) == (True, True, ())


@pytest.mark.parametrize("mark", [".dockerenv", "run/.containerenv", "proc/1/cgroup"])
def test_containers_are_recognised(tmp_path: Path, mark: str) -> None:
    path = tmp_path / mark
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("12:memory:/kubepods/burstable/pod1\n")

    assert nvidia.in_container({}, tmp_path)


def test_a_plain_machine_is_no_container(tmp_path: Path) -> None:
    (tmp_path / "proc/1").mkdir(parents=True)
    (tmp_path / "proc/1/cgroup").write_text("0::/init.scope\n")

    assert not nvidia.in_container({}, tmp_path)
    assert nvidia.in_container({"container": "podman"}, tmp_path)
