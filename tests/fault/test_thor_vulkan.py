"""Vulkan as this machine really has it, in software, broken, and without its tool."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from env_service.worlds.ai2thor_unity.graphics import vulkan
from env_service.worlds.ai2thor_unity.graphics.external_tools import ask
from env_service.worlds.ai2thor_unity.graphics.vulkan import VulkanDevice
from env_service.worlds.base import WorldUnavailableError

needs_vulkan = pytest.mark.skipif(
    shutil.which("vulkaninfo") is None,
    reason="there is no vulkaninfo (Debian: apt-get install vulkan-tools mesa-vulkan-drivers)",
)


def software(*, environment: dict[str, str]) -> VulkanDevice:
    """The processor as Vulkan's device, if Mesa's driver is here."""
    for device in vulkan.look(environment).devices:
        if device.software:
            return device
    pytest.skip("there is no Vulkan in software (Debian: apt-get install mesa-vulkan-drivers)")


@needs_vulkan
def test_vulkan_in_software_is_recognised_as_such() -> None:
    device = software(environment=dict(os.environ))

    assert device.kind == "cpu"
    assert len(device.uuid) == 32
    assert device not in vulkan.look().gpus


@needs_vulkan
def test_short_and_long_answers_say_the_same() -> None:
    software(environment=dict(os.environ))
    clean = {name: value for name, value in os.environ.items() if name not in vulkan.OF_DISPLAYS}

    at_length = list(vulkan.read_devices(ask("vulkaninfo", environment=clean).output))

    assert at_length == list(vulkan.look().devices)


@needs_vulkan
def test_a_display_that_is_not_there_changes_nothing() -> None:
    here = software(environment=dict(os.environ))

    assert software(environment={**os.environ, "DISPLAY": ":4711"}) == here


@needs_vulkan
@pytest.mark.parametrize("variable", vulkan.ONLY)
def test_a_driver_that_is_lost_is_named(variable: str, tmp_path: Path) -> None:
    others = {name: value for name, value in os.environ.items() if name not in vulkan.ONLY}
    lost = tmp_path / "lost_icd.json"

    found = vulkan.look({**others, variable: str(lost)})

    assert (found.devices, found.lost, found.answered) == ((), (lost,), True)
    assert found.fault.startswith("vulkaninfo ended with status")


def test_without_any_tool_a_gpu_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert (vulkan.look().answered, vulkan.look().tool) == (False, False)
    with pytest.raises(WorldUnavailableError, match="GPU 0 is asked for"):
        vulkan.vulkan_index(0)
