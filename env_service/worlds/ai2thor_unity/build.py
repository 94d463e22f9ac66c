"""The Unity build in a home folder, where the package `ai2thor` looks for it.

Layout (docs/ai2thor.md, "Player lifetime and deadlines"): ``~/.ai2thor/releases/NAME/`` holds the
executable NAME and ``metadata.json``, NAME being ``thor-PLATFORM-COMMIT``. The checks of this
module run before the package, and find everything that would make it download a build, fall back to
its broken web transport, or start something else.
"""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from env_service.worlds.ai2thor_unity.settings import COMMIT_ID, Platform
from env_service.worlds.base import WorldUnavailableError

PLATFORMS = (Platform.CLOUD_RENDERING, Platform.LINUX64)
"""Platforms that a build is published for."""

METADATA = "metadata.json"
TRANSPORT = "FIFO"
"""The one transport that works on Linux (docs/ai2thor.md, "Platforms")."""


class DamagedBuildError(WorldUnavailableError):
    """The pinned build exists but cannot start. The message says how to mend it."""


@dataclass(frozen=True, slots=True)
class InstalledBuild:
    """A build that can start. ``executable`` is in ``folder``; ``server_types`` are its transports,
    as its metadata names them."""

    platform: Platform
    commit: str
    folder: Path
    executable: Path
    server_types: tuple[str, ...]


def installed(platform: Platform, home: Path | None = None) -> InstalledBuild:
    """The pinned build for a platform, in a home folder; None: the user's.

    Raises:
        ValueError: no build is published for the platform.
        WorldUnavailableError: it is missing, or only other commits are installed; the message has
            the command that installs it. DamagedBuildError if it is installed but damaged.
    """
    folder = releases(home) / build_name(platform)
    if not folder.is_dir():
        raise WorldUnavailableError(_missing(platform, home))
    executable = folder / folder.name
    if not executable.is_file():
        raise DamagedBuildError(f"{executable} is missing. {_mend(platform, home)}")
    if not os.access(executable, os.X_OK):
        raise DamagedBuildError(
            f"{executable} may not be executed by this user: run chmod a+rx on it, or mount its"
            " file system without noexec."
        )
    if shlex.split(str(executable)) != [str(executable)]:
        raise DamagedBuildError(
            f"{executable}: ai2thor cannot start a player whose path has spaces or quotes."
            " Set HOUSEGUEST_THOR_HOME to another folder, and install the build there."
        )
    server_types = _server_types(folder / METADATA, _mend(platform, home))
    return InstalledBuild(platform, COMMIT_ID, folder, executable, server_types)


def other_commits(platform: Platform, home: Path | None = None) -> tuple[str, ...]:
    """The commits of other installed builds for the platform, sorted."""
    prefix = f"thor-{platform.value}-"
    found = (each.name.removeprefix(prefix) for each in releases(home).glob(f"{prefix}*/"))
    return tuple(sorted(commit for commit in found if commit != COMMIT_ID))


def build_name(platform: Platform) -> str:
    """The pinned build's name. Raises ValueError for a platform that has none."""
    if platform not in PLATFORMS:
        raise ValueError(
            f"no build is published for {platform.value!r}; only for {_named(PLATFORMS)}"
        )
    return f"thor-{platform.value}-{COMMIT_ID}"


def releases(home: Path | None = None) -> Path:
    """The folder of the builds, which need not exist.

    Raises WorldUnavailableError where the user has no home folder.
    """
    return base_folder(home) / "releases"


def base_folder(home: Path | None = None) -> Path:
    """The package's own folder below a home folder: builds, locks, logs.

    Raises WorldUnavailableError where the user has no home folder.
    """
    try:
        return (home or Path.home()).absolute() / ".ai2thor"
    except RuntimeError as error:
        raise WorldUnavailableError(
            "this user has no home folder, where ai2thor stores its builds. Set HOME or"
            " HOUSEGUEST_THOR_HOME to a folder."
        ) from error


def install_command(platform: Platform, home: Path | None = None) -> str:
    """The command that installs the build."""
    words = ["houseguest", "thor", "install", "--platform", platform.value]
    return shlex.join([*words, *(() if home is None else ("--home", str(home)))])


def _missing(platform: Platform, home: Path | None) -> str:
    others = other_commits(platform, home)
    beside = f", only of commit {', '.join(others)}" if others else ""
    return (
        f"no AI2-THOR build of commit {COMMIT_ID} for {platform.value} is installed in"
        f" {releases(home)}{beside}. Install it: {install_command(platform, home)}"
    )


def _server_types(path: Path, mend: str) -> tuple[str, ...]:
    try:
        metadata: Any = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise DamagedBuildError(f"{path} is missing. {mend}") from error
    except (OSError, ValueError) as error:
        raise DamagedBuildError(f"{path} cannot be read: {error}. {mend}") from error
    found = metadata.get("server_types") if isinstance(metadata, dict) else None
    if not isinstance(found, list) or TRANSPORT not in found:
        raise DamagedBuildError(
            f"{path} lists the transports {found!r}, without {TRANSPORT}, the only one that is"
            f" driven. {mend}"
        )
    return tuple(map(str, found))


def _mend(platform: Platform, home: Path | None) -> str:
    return f"Install the build again: {install_command(platform, home)}"


def _named(platforms: tuple[Platform, ...]) -> str:
    return " and ".join(platform.value for platform in platforms)
