"""Other people's command line tools, asked with a time limit."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

PATIENCE = 30.0
"""Seconds. vulkaninfo wakes every GPU there is, which takes some seconds on a large machine."""
_SHOWN = 300


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The result of a tool.

    ``status`` is its exit status; None if it could not start, or did not end in time, which
    ``fault`` then explains. ``installed`` is false if the tool is missing. After a failure
    ``fault`` holds the tool's last words; otherwise it is empty.
    """

    status: int | None
    output: str = ""
    fault: str = ""
    installed: bool = True

    @property
    def well(self) -> bool:
        """Whether it ended with status 0."""
        return self.status == 0


def ask(
    *command: str, seconds: float = PATIENCE, environment: Mapping[str, str] | None = None
) -> ToolAnswer:
    """Runs a command to its end. Never raises because of it, and never waits longer."""
    name = command[0]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment,
            timeout=seconds,
            check=False,
        )
    except FileNotFoundError:
        return ToolAnswer(None, fault=f"{name} is not installed", installed=False)
    except subprocess.TimeoutExpired:
        return ToolAnswer(None, fault=f"{name} did not end within {seconds:g} s")
    except OSError as error:
        return ToolAnswer(None, fault=f"{name} cannot be started: {error.strerror or error}")
    output = done.stdout.decode(errors="replace")
    if done.returncode == 0:
        return ToolAnswer(0, output)
    said = done.stderr.decode(errors="replace").strip() or output.strip()
    return ToolAnswer(done.returncode, output, _failure(command, done.returncode, said))


def _failure(command: Sequence[str], status: int, said: str) -> str:
    how = f"ended with status {status}" if status >= 0 else f"was killed by signal {-status}"
    last = said.splitlines()[-1].strip() if said else ""
    return f"{command[0]} {how}{': ' if last else ''}{last[:_SHOWN]}"
