"""Which agent a user means: a bundled one by name, a command, or one that comes by itself."""

from __future__ import annotations

import os
import shlex
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from env_service.domain.names import UnknownNameError

MANIFEST = "agent.toml"
EXTERNAL = "external"
COMMAND_PREFIX = "cmd:"


class AgentSpecError(ValueError):
    """An agent cannot be started as it is described; the message says what to mend."""


@dataclass(frozen=True, slots=True)
class GuestCommand:
    """How to start a guest, in the current folder."""

    command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """What ``--agent`` means.

    ``label`` is the agent's part of the run's identity. ``guest`` is None exactly for an
    external agent, which somebody else starts.
    """

    label: str
    guest: GuestCommand | None


def parse_agent(text: str, arguments: str = "") -> AgentSpec:
    """Reads ``random``, ``cmd:"python my_agent.py"`` or ``external``.

    ``arguments`` are appended to the guest's command, split as a shell would. Raises
    UnknownNameError for a name that is not bundled, AgentSpecError for anything else.
    """
    try:
        extra = tuple(shlex.split(arguments))
    except ValueError as error:
        raise AgentSpecError(f"--agent-args {arguments!r}: {error}") from error
    label = " ".join((text, *extra))
    if text == EXTERNAL:
        if extra:
            raise AgentSpecError("an external agent is not started here: it takes no --agent-args")
        return AgentSpec(label, None)
    if text.startswith(COMMAND_PREFIX):
        return AgentSpec(label, _command(text, extra))
    return AgentSpec(label, _bundled(text, extra))


def bundled_agents() -> dict[str, Path]:
    """Folders of agents by name: from ``HOUSEGUEST_AGENTS`` (folders joined by ``:``), the
    checkout, and the installed package; the first to have a name wins."""
    found: dict[str, Path] = {}
    for shelf in _shelves():
        for manifest in sorted(shelf.glob(f"*/{MANIFEST}")):
            found.setdefault(manifest.parent.name, manifest.parent)
    return found


def describe(folder: Path) -> str:
    """The one-line description in an agent's manifest."""
    return str(_manifest(folder).get("description", ""))


def _shelves() -> Iterator[Path]:
    for path in filter(None, os.environ.get("HOUSEGUEST_AGENTS", "").split(os.pathsep)):
        yield Path(path).absolute()
    package = Path(__file__).resolve().parents[1]
    yield package.parent / "agents"
    yield package / "bundled_agents"


def _command(text: str, extra: tuple[str, ...]) -> GuestCommand:
    try:
        words = tuple(shlex.split(text.removeprefix(COMMAND_PREFIX)))
        # cmd:"python a.py" reaches us with its inner quotes when the shell kept them.
        if len(words) == 1:
            words = tuple(shlex.split(words[0]))
    except ValueError as error:
        raise AgentSpecError(f"--agent {text}: {error}") from error
    if not any(words):
        raise AgentSpecError('--agent cmd: needs a command, as in cmd:"python my_agent.py"')
    if words[0] in ("python", "python3"):
        words = (sys.executable, *words[1:])
    return GuestCommand((*words, *extra))


def _bundled(name: str, extra: tuple[str, ...]) -> GuestCommand:
    agents = bundled_agents()
    if name not in agents:
        valid = [*agents, EXTERNAL, f'{COMMAND_PREFIX}"…"']
        raise UnknownNameError("agent", name, valid)
    folder = agents[name]
    command = _manifest(folder).get("command")
    if not isinstance(command, list) or not all(isinstance(word, str) for word in command):
        raise AgentSpecError(f"{folder / MANIFEST}: command has to be a list of strings")
    if not command:
        raise AgentSpecError(f"{folder / MANIFEST}: command is empty")
    return GuestCommand((*(_placed(word, folder) for word in command), *extra))


def _placed(word: str, folder: Path) -> str:
    """A word of a bundled command: the interpreter, or a file beside the manifest."""
    beside = folder / word
    return str(beside) if beside.is_file() else word.replace("{python}", sys.executable)


def _manifest(folder: Path) -> dict[str, object]:
    path = folder / MANIFEST
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise AgentSpecError(f"{path}: {error}") from error
