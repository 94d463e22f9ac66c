"""The stand-in player laid out as an installed build of AI2-THOR.

`ai2thor` 5.0.0 looks for its build below the home folder; what it finds there it starts without a
download. This is the way to drive the player by
`Controller(platform=...)`, with everything that such a start involves.
"""

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

COMMIT = "f0825767cd50d69f666c7f282e54abfe58f1e917"
"""The build of `ai2thor` 5.0.0."""

PLATFORMS = ("CloudRendering", "Linux64")


def command(*arguments: str) -> str:
    """The player's command line, for `Controller(local_executable_path=...)`; quoted for a
    shell's rules, as that parameter is read."""
    return shlex.join([sys.executable, "-u", "-m", __package__, *arguments])


def install(
    home: Path,
    platform: str = "CloudRendering",
    *,
    commit: str = COMMIT,
    arguments: Sequence[str] = (),
) -> Path:
    """Writes the player as a build into a home folder and gives back the executable.

    Args:
        home: the HOME under which `ai2thor` will run.
        platform: one of PLATFORMS.
        commit: the build's commit.
        arguments: handed to the player at each start.

    Raises:
        ValueError: an unknown platform.
    """
    if platform not in PLATFORMS:
        raise ValueError(f"a platform is one of {', '.join(PLATFORMS)}, not {platform!r}")
    name = f"thor-{platform}-{commit}"
    folder = home / ".ai2thor" / "releases" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "metadata.json").write_text(json.dumps({"server_types": ["FIFO"]}), encoding="utf-8")
    executable = folder / name
    executable.write_text(f'#!/bin/sh\nexec {command(*arguments)} "$@"\n', encoding="utf-8")
    executable.chmod(0o755)
    return executable
