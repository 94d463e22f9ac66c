"""Which platform is chosen, from what a machine has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from env_service.worlds.ai2thor_unity.graphics import platform_choice
from env_service.worlds.ai2thor_unity.graphics.displays import Survey
from env_service.worlds.ai2thor_unity.graphics.nvidia import Gpu, Nvidia
from env_service.worlds.ai2thor_unity.graphics.platform_choice import (
    MachineFacts,
    choose,
    decide,
    renders,
)
from env_service.worlds.ai2thor_unity.graphics.vulkan import Vulkan, read_devices
from env_service.worlds.ai2thor_unity.settings import Platform, ThorSettings
from env_service.worlds.base import WorldUnavailableError
from tests.support.thor_tools import FIRST, NO_DRIVER, SOFTWARE, SUMMARY

AUTO, CLOUD, LINUX, OTHER = (
    Platform.AUTO,
    Platform.CLOUD_RENDERING,
    Platform.LINUX64,
    Platform.EXECUTABLE,
)
BOTH = {CLOUD: "", LINUX: ""}
NONE = {CLOUD: "there is no cloud build. Install it.", LINUX: "there is no linux build."}
CARD = Vulkan("libvulkan.so.1", tool=True, answered=True, devices=tuple(read_devices(SUMMARY)))
PROCESSOR = Vulkan(
    "libvulkan.so.1", tool=True, answered=True, devices=tuple(read_devices(SOFTWARE))
)
BROKEN = Vulkan("libvulkan.so.1", tool=True, answered=True, fault=NO_DRIVER.fault)
UNKNOWN = Vulkan("libvulkan.so.1", fault="vulkaninfo is not installed")
SLOW = Vulkan("libvulkan.so.1", tool=True, fault="vulkaninfo did not end within 30 s")
XVFB = Survey(xvfb="/usr/bin/Xvfb")
GPU = Nvidia("550", (Gpu(0, "NVIDIA L40S", f"GPU-{FIRST}"),))
BEST = MachineFacts(BOTH, vulkan=CARD, nvidia=GPU, displays=XVFB)

CHOSEN = {
    "a graphics card": (ThorSettings(), BEST, CLOUD),
    "a graphics card, by its number": (ThorSettings(gpu=0), BEST, CLOUD),
    "no cloud build": (ThorSettings(), replace(BEST, builds={**BOTH, CLOUD: "no"}), LINUX),
    "no linux build": (ThorSettings(), replace(BEST, builds={**BOTH, LINUX: "no"}), CLOUD),
    "software Vulkan and an Xvfb": (ThorSettings(), replace(BEST, vulkan=PROCESSOR), LINUX),
    "software Vulkan alone": (
        ThorSettings(),
        replace(BEST, vulkan=PROCESSOR, displays=Survey()),
        CLOUD,
    ),
    "broken Vulkan": (ThorSettings(), replace(BEST, vulkan=BROKEN), LINUX),
    "Vulkan of which nothing is known": (ThorSettings(), replace(BEST, vulkan=UNKNOWN), LINUX),
    "a GPU that Vulkan lacks, on a display": (
        ThorSettings(gpu=3),
        replace(BEST, displays=Survey(":0.3")),
        LINUX,
    ),
    "linux asked for, with a GPU": (ThorSettings(platform=LINUX, gpu=0), BEST, LINUX),
    "an executable": (ThorSettings(executable="player"), BEST, OTHER),
    "linux asked for": (ThorSettings(platform=LINUX), BEST, LINUX),
    "a display is there": (
        ThorSettings(platform=LINUX),
        replace(BEST, displays=Survey(":0.0")),
        LINUX,
    ),
    "cloud asked for": (ThorSettings(platform=CLOUD), BEST, CLOUD),
    "cloud asked for, in software": (
        ThorSettings(platform=CLOUD),
        replace(BEST, vulkan=PROCESSOR),
        CLOUD,
    ),
    "cloud asked for, nothing known": (
        ThorSettings(platform=CLOUD),
        replace(BEST, vulkan=UNKNOWN),
        CLOUD,
    ),
    "cloud asked for, a slow answer": (
        ThorSettings(platform=CLOUD),
        replace(BEST, vulkan=SLOW),
        CLOUD,
    ),
    "an executable asked for": (ThorSettings(OTHER, executable="player"), MachineFacts(), OTHER),
}

REFUSED = {
    "nothing installed": (
        ThorSettings(),
        replace(BEST, builds=NONE),
        [
            "Tried:",
            "Linux64: there is no linux build.",
            "CloudRendering: there is no cloud build.",
            "houseguest doctor --world ai2thor",
        ],
    ),
    "no display and broken Vulkan": (
        ThorSettings(),
        replace(BEST, vulkan=BROKEN, displays=Survey(tried=("display :1.0: it lacks GLX",))),
        ["ERROR_INCOMPATIBLE_DRIVER", ":1.0: it lacks GLX", "apt-get install xvfb"],
    ),
    "no loader": (
        ThorSettings(platform=CLOUD),
        replace(BEST, vulkan=Vulkan()),
        ["CloudRendering, which was asked for", "libvulkan1"],
    ),
    "the build of what is asked for": (
        ThorSettings(platform=CLOUD),
        replace(BEST, builds=NONE),
        ["there is no cloud build. Install it."],
    ),
    "broken Vulkan, asked for": (
        ThorSettings(platform=CLOUD),
        replace(BEST, vulkan=BROKEN),
        ["ERROR_INCOMPATIBLE_DRIVER"],
    ),
    "a GPU that is not there": (
        ThorSettings(platform=CLOUD, gpu=3),
        BEST,
        ["no such GPU: 3; there are 0 (NVIDIA L40S)"],
    ),
    "a GPU that is not there, in software": (
        ThorSettings(gpu=3),
        BEST,
        ["no such GPU: 3", "GPU 3 is asked for, and an Xvfb draws in software"],
    ),
    "no executable": (ThorSettings(platform=OTHER), BEST, ["HOUSEGUEST_THOR_EXECUTABLE"]),
    "an executable that is lost": (
        ThorSettings(executable="player"),
        replace(BEST, executable="the executable 'player' is not there"),
        ["executable: the executable 'player' is not there"],
    ),
}


@pytest.mark.parametrize(("settings", "facts", "platform"), CHOSEN.values(), ids=CHOSEN)
def test_the_best_that_works_is_chosen(
    settings: ThorSettings, facts: MachineFacts, platform: Platform
) -> None:
    assert decide(settings, facts) is platform
    assert renders(platform, facts)


@pytest.mark.parametrize(("settings", "facts", "words"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_work_is_explained(
    settings: ThorSettings, facts: MachineFacts, words: list[str]
) -> None:
    with pytest.raises(WorldUnavailableError) as caught:
        decide(settings, facts)
    for each in words:
        assert each in str(caught.value)


def test_a_home_without_builds_is_refused_without_asking_any_tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(WorldUnavailableError, match="houseguest thor install"):
        choose(ThorSettings(home=tmp_path), 300, 300)


@pytest.mark.parametrize("command", ["/no/such/player -u", "'", " "])
def test_an_executable_that_cannot_be_started_is_refused(tmp_path: Path, command: str) -> None:
    with pytest.raises(WorldUnavailableError, match="the executable"):
        choose(ThorSettings(executable=command, home=tmp_path), 300, 300)


def test_an_executable_by_its_command_line_is_taken(tmp_path: Path) -> None:
    settings = ThorSettings(executable="sh -c 'exit 1'", home=tmp_path)

    assert choose(settings, 300, 300) is OTHER
    assert platform_choice.look(settings, 300, 300).executable == ""
