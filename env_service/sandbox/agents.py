"""Which agent a user means: a name, a folder, a command, an image, or one that comes by itself."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from env_service.domain.names import UnknownNameError
from env_service.sandbox.choosing import Given, choose
from env_service.sandbox.digest import content_label
from env_service.sandbox.errors import AgentSpecError
from env_service.sandbox.image_reference import check_reference
from env_service.sandbox.manifest import MANIFEST, AgentManifest, read_manifest

EXTERNAL = "external"
COMMAND_PREFIX = "cmd:"
IMAGE_PREFIX = "image:"
PATH_PREFIX = "path:"


@dataclass(frozen=True, slots=True)
class GuestCommand:
    """How to start a guest, in the current folder. ``shared``: one for every seat of a run.
    ``folder`` holds the agent's ``agent.toml``; None for a command of the user's."""

    command: tuple[str, ...]
    shared: bool = False
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class ImageGuest:
    """An image to start a guest from, by its name or its id.

    ``arguments`` replace the image's command, and follow its entry point. ``shared``: one
    container for every seat of a run. ``image_id`` (``sha256:…``) is the image that was meant when
    the engine was asked; empty before.
    """

    reference: str
    arguments: tuple[str, ...] = ()
    shared: bool = False
    image_id: str = ""


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """What ``--agent`` means.

    ``label`` is the agent's part of the run's identity. ``guest`` is None exactly for an
    external agent, which somebody else starts.
    """

    label: str
    guest: GuestCommand | ImageGuest | None

    def __post_init__(self) -> None:
        """Raises AgentSpecError for a label that no manifest could hold."""
        try:
            self.label.encode()
        except UnicodeEncodeError as error:
            raise AgentSpecError(
                f"--agent {self.label!a}: the agent and its options have to be UTF-8"
            ) from error


def parse_agent(text: str, arguments: str = "", given: Given | None = None) -> AgentSpec:
    """Reads ``random``, ``./my_agent``, ``cmd:"python my_agent.py"``, ``image:REF`` or
    ``external``.

    ``arguments`` are appended to the command of a ``cmd:`` agent and to the entry point of an
    image, split as a shell would; ``given`` are options that the agent's manifest declares, which
    the caller has checked. Whether there is such an image is not looked at here.
    Raises UnknownNameError for a name that is not bundled, AgentSpecError for anything else.
    """
    manifest = find_agent(text)
    if manifest is not None:
        if arguments:
            raise AgentSpecError(
                f"--agent-args is for {COMMAND_PREFIX} and {IMAGE_PREFIX} agents: {manifest.name}"
                " takes its options directly"
            )
        return _bundled(text, manifest, given or {})
    try:
        extra = tuple(shlex.split(arguments))
    except ValueError as error:
        raise AgentSpecError(f"--agent-args {arguments!r}: {error}") from error
    if text.startswith(IMAGE_PREFIX):
        return _image(text.removeprefix(IMAGE_PREFIX), extra)
    if text != EXTERNAL:
        return AgentSpec(" ".join((text, *extra)), _command(text, extra))
    if extra:
        raise AgentSpecError("an external agent is not started here: it takes no --agent-args")
    return AgentSpec(text, None)


def find_agent(text: str) -> AgentManifest | None:
    """The manifest of the agent that is meant; None for a command, an image, an external one.

    A name is looked up in ``bundled_agents``; what begins with ``path:`` or holds a slash is a
    folder. Raises UnknownNameError and AgentSpecError.
    """
    if text == EXTERNAL or text.startswith((COMMAND_PREFIX, IMAGE_PREFIX)):
        return None
    if _is_path(text):
        folder = Path(text.removeprefix(PATH_PREFIX))
        if not (folder / MANIFEST).is_file():
            raise AgentSpecError(f"--agent {text}: there is no {folder / MANIFEST}")
        return read_manifest(folder)
    agents = bundled_agents()
    if text not in agents:
        valid = [*agents, EXTERNAL, f'{COMMAND_PREFIX}"…"', f"{IMAGE_PREFIX}NAME", "./FOLDER"]
        raise UnknownNameError("agent", text, valid)
    return read_manifest(agents[text])


def bundled_agents() -> dict[str, Path]:
    """Folders of agents by name: from ``HOUSEGUEST_AGENTS`` (folders joined by ``:``), the
    checkout, and the installed package; the first to have a name wins."""
    found: dict[str, Path] = {}
    for shelf in _shelves():
        for manifest in sorted(shelf.glob(f"*/{MANIFEST}")):
            found.setdefault(manifest.parent.name, manifest.parent)
    return found


def _shelves() -> Iterator[Path]:
    for path in filter(None, os.environ.get("HOUSEGUEST_AGENTS", "").split(os.pathsep)):
        yield Path(path).absolute()
    package = Path(__file__).resolve().parents[1]
    yield package.parent / "agents"
    yield package / "bundled_agents"


def _is_path(text: str) -> bool:
    return text.startswith(PATH_PREFIX) or "/" in text


def _bundled(text: str, manifest: AgentManifest, given: Given) -> AgentSpec:
    manifest.check_requirements()
    chosen = choose(manifest.options, given)
    # A folder of the user's has no version but its content.
    name = f"{manifest.name}@{content_label(manifest.folder)}" if _is_path(text) else text
    label = f"{name} {chosen.label}".rstrip()
    command = (*manifest.command, *chosen.words)
    return AgentSpec(label, GuestCommand(command, manifest.shared, manifest.folder))


def _image(reference: str, arguments: tuple[str, ...]) -> AgentSpec:
    if not reference:
        raise AgentSpecError(f"--agent {IMAGE_PREFIX} needs an image, as in {IMAGE_PREFIX}my-agent")
    check_reference(reference)
    label = " ".join((IMAGE_PREFIX + reference, shlex.join(arguments))).rstrip()
    return AgentSpec(label, ImageGuest(reference, arguments))


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
