"""The Python package `ai2thor`: whether the right version is installed, and what is built on it."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from env_service.worlds.ai2thor_unity.settings import COMMIT_ID, PACKAGE_VERSION
from env_service.worlds.base import WorldUnavailableError

_MEND = "Install it: pip install 'houseguest[ai2thor]'"

LAUNCH_PARAMETERS = frozenset(
    {
        "add_depth_noise",
        "agentControllerType",
        "branch",
        "commit_id",
        "depth_format",
        "download_only",
        "fullscreen",
        "gpu_device",
        "headless",
        "height",
        "host",
        "image_dir",
        "include_private_scenes",
        "local_build",
        "local_executable_path",
        "platform",
        "port",
        "quality",
        "save_image_per_frame",
        "scene",
        "server_class",
        "server_start_timeout",
        "server_timeout",
        "start_unity",
        "width",
        "x_display",
    }
)
"""What the package's controller takes for itself (docs/ai2thor.md, "Player lifetime and
deadlines"), and one that it refuses: none of them reaches Initialize."""


def driver() -> Any:
    """The module `supervised`, which needs the package.

    Raises:
        WorldUnavailableError: the package is not there, or is another version.
    """
    try:
        found = version("ai2thor")
    except PackageNotFoundError:
        raise WorldUnavailableError(f"the package ai2thor is not installed. {_MEND}") from None
    if found != PACKAGE_VERSION:
        raise WorldUnavailableError(
            f"the package ai2thor is version {found}, and only {PACKAGE_VERSION} drives the build "
            f"{COMMIT_ID}. {_MEND}"
        )
    try:
        return import_module("env_service.worlds.ai2thor_unity.supervised_controller")
    except ImportError as error:
        raise WorldUnavailableError(
            f"the package ai2thor cannot be imported: {error}. {_MEND}"
        ) from error


def check_initialization(names: Iterable[str]) -> None:
    """Raises ValueError for parameters of Initialize that would not get there."""
    taken = sorted(LAUNCH_PARAMETERS.intersection(names))
    if taken:
        raise ValueError(
            f"{', '.join(taken)}: no parameter of Initialize. Sizes and quality belong to "
            "ThorStart itself, how a player is run to ThorSettings"
        )
