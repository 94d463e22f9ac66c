"""Vulkan's devices, and which of them is which NVIDIA GPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.worlds.ai2thor_unity.graphics import vulkan
from env_service.worlds.ai2thor_unity.graphics.external_tools import ToolAnswer
from env_service.worlds.ai2thor_unity.graphics.nvidia import Gpu, Nvidia
from env_service.worlds.ai2thor_unity.graphics.vulkan import Vulkan
from env_service.worlds.base import WorldUnavailableError
from tests.support.thor_tools import (
    AT_LENGTH,
    FIRST,
    NO_DRIVER,
    SMI,
    SOFTWARE,
    SUMMARY,
    pretend,
)

GRAPHICS_DRIVER = Path("/etc/vulkan/icd.d/nvidia_icd.json")
GPUS = Nvidia(driver="550", gpus=(Gpu(0, "NVIDIA L40S", f"GPU-{FIRST}"),))


def test_devices_are_read_from_the_summary() -> None:
    first, second, processor = vulkan.read_devices(SUMMARY)

    assert (first.index, first.name, first.kind) == (0, "NVIDIA L40S", "discrete")
    assert first.driver == "NVIDIA 550.54.15"
    assert (second.index, second.uuid) == (1, FIRST.replace("-", ""))
    assert not second.software
    assert (processor.kind, processor.software) == ("cpu", True)


def test_devices_are_read_from_the_long_form_too() -> None:
    (device,) = vulkan.read_devices(AT_LENGTH)

    assert (device.name, device.kind, device.uuid) == (
        "NVIDIA L40S",
        "discrete",
        FIRST.replace("-", ""),
    )


def test_nothing_is_read_from_something_else() -> None:
    assert list(vulkan.read_devices("GPU0:\n")) == []
    assert list(vulkan.read_devices("usage: vulkaninfo [--html]")) == []


def test_an_old_tool_without_a_summary_is_asked_at_length(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = "vulkaninfo - Summarize Vulkan information"
    pretend(monkeypatch, {"vulkaninfo --summary": usage, "vulkaninfo": AT_LENGTH})

    assert [device.name for device in vulkan.look({}).devices] == ["NVIDIA L40S"]


def test_cuda_indices_become_vulkan_indices_by_uuid(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, {"vulkaninfo": SUMMARY, "nvidia-smi": SMI})

    assert [vulkan.vulkan_index(index) for index in (0, 1)] == [1, 0]


def test_a_card_that_is_listed_twice_is_its_first_device() -> None:
    twice = SUMMARY + SUMMARY.replace("GPU0", "GPU3").replace("GPU1", "GPU4")
    devices = tuple(vulkan.read_devices(twice))

    assert vulkan.index_of(0, GPUS, Vulkan("libvulkan.so.1", devices=devices)) == 1


def test_a_gpu_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, {"vulkaninfo": SUMMARY, "nvidia-smi": SMI})
    with pytest.raises(
        WorldUnavailableError, match=r"no such GPU: 2; there are 0 \(NVIDIA L40S\), 1 "
    ):
        vulkan.vulkan_index(2)

    pretend(monkeypatch, {"vulkaninfo": SUMMARY})
    with pytest.raises(WorldUnavailableError, match="nvidia-smi is not installed"):
        vulkan.vulkan_index(0)


def test_a_gpu_that_vulkan_does_not_see_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, {"vulkaninfo": SOFTWARE, "nvidia-smi": SMI})
    with pytest.raises(WorldUnavailableError, match=r"none of Vulkan's devices \(0: llvmpipe"):
        vulkan.vulkan_index(0)

    pretend(monkeypatch, {"nvidia-smi": SMI})
    with pytest.raises(WorldUnavailableError, match="Install vulkaninfo"):
        vulkan.vulkan_index(0)


def test_no_tool_no_loader_and_no_driver_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, {}, libraries=())
    nothing = vulkan.look({}, Path("/nowhere"))
    assert (nothing.loader, nothing.tool, nothing.devices) == ("", False, ())
    assert "libvulkan1" in vulkan.advice(nothing, Nvidia())

    pretend(monkeypatch, {})
    no_tool = vulkan.look({}, Path("/nowhere"))
    assert no_tool.loader
    assert "vulkan-tools" in vulkan.advice(no_tool, Nvidia())

    pretend(monkeypatch, {"vulkaninfo": NO_DRIVER})
    no_driver = vulkan.look({}, Path("/nowhere"))
    assert (no_driver.tool, no_driver.devices) == (True, ())
    assert "ERROR_INCOMPATIBLE_DRIVER" in no_driver.fault
    assert "mesa-vulkan-drivers" in vulkan.advice(no_driver, Nvidia())


def test_a_tool_that_hangs_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(
        monkeypatch, {"vulkaninfo": ToolAnswer(None, fault="vulkaninfo did not end within 30 s")}
    )

    found = vulkan.look({}, Path("/nowhere"))

    assert (found.tool, found.answered) == (True, False)
    assert found.fault == "vulkaninfo did not end within 30 s"


def test_the_advice_names_the_classic_faults() -> None:
    found = Vulkan("libvulkan.so.1", tool=True, manifests=(Path("lvp_icd.json"),))
    container = Nvidia(kernel=True, container=True, capabilities=("compute", "utility"))
    host = Nvidia(kernel=True)

    assert "NVIDIA_DRIVER_CAPABILITIES=compute,utility,graphics" in vulkan.advice(found, container)
    assert "nvidia_icd.json" in vulkan.advice(found, host)
    whole = Vulkan("libvulkan.so.1", tool=True, manifests=(GRAPHICS_DRIVER,))
    assert "vulkaninfo --summary" in vulkan.advice(whole, host)
    lost = Vulkan("libvulkan.so.1", tool=True, lost=(GRAPHICS_DRIVER,))
    assert str(GRAPHICS_DRIVER) in vulkan.advice(lost, host)


def test_manifests_lie_in_the_standard_folders(tmp_path: Path) -> None:
    system = tmp_path / "usr/share/vulkan/icd.d"
    own = tmp_path / "home/.local/share/vulkan/icd.d"
    for folder in (system, own):
        folder.mkdir(parents=True)
        (folder / "a_icd.json").write_text("{}")
        (folder / "readme.txt").write_text("")

    named, found = vulkan.manifests({"HOME": str(tmp_path / "home")}, tmp_path)

    assert named == ()
    assert found == (system / "a_icd.json", own / "a_icd.json")


def test_variables_replace_the_folders(tmp_path: Path) -> None:
    there, lost = tmp_path / "there.json", tmp_path / "lost.json"
    there.write_text("{}")
    old = {"VK_ICD_FILENAMES": f"{there}:{lost}"}

    assert vulkan.manifests(old) == ((there, lost), (there,))
    assert vulkan.manifests({**old, "VK_DRIVER_FILES": str(lost)}) == ((lost,), ())
