"""What ``--agent`` means: a name, a folder, a command, an image, or an external agent."""

import os
import re
import shlex
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from env_service.domain.names import UnknownNameError
from env_service.plugins import Group, PluginError, find_plugin, installed
from env_service.sandbox.agent_manifest import (
    MANIFEST,
    PROGRAM,
    AgentManifest,
    AgentOption,
    Given,
    choose,
    read_manifest,
)
from env_service.sandbox.content_digest import content_label
from env_service.sandbox.errors import AgentSpecError

EXTERNAL = "external"
COMMAND_PREFIX = "cmd:"
IMAGE_PREFIX = "image:"
PATH_PREFIX = "path:"
SCRIPT = ".py"
"""The suffix of files that the service's Python runs."""
SUBMISSION = "houseguest-agent.yaml"
"""What a folder for an image has; see ``env_service.submissions.manifest``."""


@dataclass(frozen=True, slots=True)
class AgentCommand:
    """How to start an agent, in the current folder.

    ``shared``: one for every session of a run. ``folder`` holds the agent's ``agent.toml``; None
    for a command of the user's. ``wants`` are required options that were not given: for each of
    them one of its variables has to be set where the agent runs.
    """

    command: tuple[str, ...]
    shared: bool = False
    folder: Path | None = field(default=None, compare=False)
    wants: tuple[AgentOption, ...] = ()

    def check_wants(self, environment: Mapping[str, str]) -> None:
        """Raises AgentSpecError if a required variable is missing."""
        for option in self.wants:
            if not any(environment.get(name) for name in option.variables):
                words = f"{option.name} {option.metavar}".rstrip()
                raise AgentSpecError(
                    f"the agent needs {words}: {option.help} You can also set the variable"
                    f" {' or '.join(option.variables)}."
                )


@dataclass(frozen=True, slots=True)
class AgentImage:
    """An image to start an agent from, by its name or its id.

    ``arguments`` replace the image's command, and follow its entry point. ``shared``: one
    container for every session of a run. ``image_id`` (``sha256:…``) is the image that the engine
    found when it was asked; empty before.
    """

    reference: str
    arguments: tuple[str, ...] = ()
    shared: bool = False
    image_id: str = ""


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """What ``--agent`` means.

    ``label`` is the agent's part of the run's identity. ``launch`` is None exactly for an
    external agent, which somebody else starts. ``places`` has the path, as it was typed, of each
    word of the label that names a content by its digest.
    """

    label: str
    launch: AgentCommand | AgentImage | None
    places: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        """Raises AgentSpecError for a label that no manifest could hold."""
        try:
            self.label.encode()
        except UnicodeEncodeError as error:
            raise AgentSpecError(
                f"--agent {self.label!a}: the agent and its options must be valid UTF-8"
            ) from error


def parse_agent(text: str, arguments: str = "", given: Given | None = None) -> AgentSpec:
    """Reads ``NAME``, ``./my_agent``, ``my_agent.py``, ``cmd:"python my_agent.py"``,
    ``image:REF`` or ``external``.

    A path to a program means the ``cmd:`` agent that runs it. ``arguments`` are appended to the
    command of a ``cmd:`` agent and to the entry point of an image, split as a shell would;
    ``given`` are options that the agent's manifest declares, which the caller has checked. Whether
    there is such an image is not looked at here.
    Raises UnknownNameError for a name that is not installed, AgentSpecError for anything else.
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
    program = _path(text)
    if program is not None:
        text = f"{COMMAND_PREFIX}{shlex.join(_started(program))}"
    if text.startswith(IMAGE_PREFIX):
        return _image(text.removeprefix(IMAGE_PREFIX), extra)
    if text != EXTERNAL:
        return AgentSpec(" ".join((text, *extra)), _command(text, extra))
    if extra:
        raise AgentSpecError("--agent-args cannot be used with an agent that you start yourself")
    return AgentSpec(text, None)


def find_agent(text: str) -> AgentManifest | None:
    """The manifest of the agent that is meant; None for a program or a command, an image, an
    external one.

    A name is looked up in ``agent_folders``. What begins with ``path:``, holds a slash, or is
    no such name and exists in the current folder, is a path: to a program, or to a folder with an
    ``agent.toml`` or an ``agent.py``. Raises UnknownNameError, AgentSpecError, and
    PluginError for an agent of a distribution that cannot be loaded.
    """
    if _has_prefix(text):
        return None
    path = _path(text)
    if path is not None:
        return _manifest_at(path)
    agents = agent_folders()
    if text not in agents:
        if text in installed(Group.AGENTS):
            return read_manifest(_folder(text))
        if Path(text).suffix == SCRIPT:
            raise AgentSpecError(f"--agent {text}: no such file in {Path.cwd()}")
        valid = [
            *agents,
            *(EXTERNAL, f'{COMMAND_PREFIX}"python my_agent.py"', f"{IMAGE_PREFIX}NAME"),
            "a path to a program or to an agent's folder",
        ]
        raise UnknownNameError("agent", text, valid)
    return read_manifest(agents[text])


def _manifest_at(path: Path) -> AgentManifest | None:
    """What starts the agent in a folder; None for a program. Raises AgentSpecError."""
    if path.name == MANIFEST and path.is_file():
        path = path.parent
    if (path / MANIFEST).is_file():
        return read_manifest(path)
    if path.is_file():
        _started(path)
        return None
    if not path.is_dir():
        raise AgentSpecError(f"--agent {path}: no such file or folder")
    script = path.resolve() / PROGRAM
    if script.is_file():
        command = (sys.executable, str(script))
        return AgentManifest(path.resolve(), "", command)
    hint = ""
    if (path / SUBMISSION).is_file():
        hint = f" {SUBMISSION} describes an image: build it, then use --agent {IMAGE_PREFIX}NAME."
    raise AgentSpecError(
        f"--agent {path}: the folder has neither {MANIFEST}, which says how the agent is started,"
        f" nor {script.name}.{hint} To start a program in it, use"
        f" --agent '{COMMAND_PREFIX}\"python {path / 'my_agent.py'}\"'"
    )


def _started(program: Path) -> tuple[str, ...]:
    """The words that start a program in the current folder. Raises AgentSpecError."""
    if program.suffix == SCRIPT:
        return ("python", str(program))
    if os.access(program, os.X_OK):
        return (str(program) if program.parts[1:] else f"./{program}",)
    raise AgentSpecError(
        f"--agent {program}: this is neither a Python file nor executable. Make it executable"
        f" (chmod +x {shlex.quote(str(program))}), or name the program that runs it:"
        f" --agent '{COMMAND_PREFIX}\"PROGRAM {program}\"'"
    )


def agent_folders() -> dict[str, Path]:
    """Folders of agents by name: from ``HOUSEGUEST_AGENTS`` (folders joined by ``:``), then from
    entry points of ``houseguest.agents``; the first to have a name wins.

    An entry point whose agent cannot be had is left out: asking for it by name raises its error.
    """
    found: dict[str, Path] = {}
    for folder in filter(None, os.environ.get("HOUSEGUEST_AGENTS", "").split(os.pathsep)):
        for manifest in sorted(Path(folder).absolute().glob(f"*/{MANIFEST}")):
            found.setdefault(manifest.parent.name, manifest.parent)
    for name in installed(Group.AGENTS):
        if name not in found:
            with suppress(PluginError, AgentSpecError):
                found[name] = _folder(name)
    return found


def agent_for_people() -> str:
    """The name of the first agent by which a person plays. Raises AgentSpecError for none."""
    for name, folder in sorted(agent_folders().items()):
        with suppress(AgentSpecError, OSError):
            if read_manifest(folder).person:
                return name
    raise AgentSpecError("no installed agent lets a person play: see `houseguest agents`")


def _folder(name: str) -> Path:
    """The folder that an entry point leads to. Raises PluginError, and AgentSpecError where there
    is none."""
    plugin = find_plugin(Group.AGENTS, name)
    led_to = plugin.load()
    paths = [led_to] if isinstance(led_to, Path) else list(getattr(led_to, "__path__", ()))
    for path in map(Path, paths):
        if (path / MANIFEST).is_file():
            return path
    raise AgentSpecError(
        f"agent {name} of the distribution {plugin.distributions[0]} is not part of this"
        f" installation: {plugin.path} leads to no folder with {MANIFEST}"
    )


def _has_prefix(text: str) -> bool:
    return text == EXTERNAL or text.startswith((COMMAND_PREFIX, IMAGE_PREFIX))


def _path(text: str) -> Path | None:
    """The path that is meant; None for anything else."""
    if _has_prefix(text):
        return None
    if text.startswith(PATH_PREFIX):
        return Path(text.removeprefix(PATH_PREFIX))
    known = "/" not in text and text in agent_folders()
    return Path(text) if "/" in text or (not known and text and Path(text).exists()) else None


def _bundled(text: str, manifest: AgentManifest, given: Given) -> AgentSpec:
    manifest.check_requirements()
    chosen = choose(manifest.options, given)
    # A folder of the user's has no version but its content.
    name, places = text, dict(chosen.places)
    if _path(text) is not None:
        name = f"{manifest.name}@{content_label(manifest.folder)}"
        places[name] = text
    label = f"{name} {chosen.label}".rstrip()
    wants = tuple(
        option
        for option in manifest.options
        if option.required and option.variables and option.name not in given
    )
    command = (*manifest.command, *chosen.words)
    launch = AgentCommand(command, manifest.shared, manifest.folder, wants)
    return AgentSpec(label, launch, places)


def _image(reference: str, arguments: tuple[str, ...]) -> AgentSpec:
    if not reference:
        raise AgentSpecError(
            f"--agent {IMAGE_PREFIX} needs an image, such as {IMAGE_PREFIX}my-agent"
        )
    check_reference(reference)
    label = " ".join((IMAGE_PREFIX + reference, shlex.join(arguments))).rstrip()
    return AgentSpec(label, AgentImage(reference, arguments))


def _command(text: str, extra: tuple[str, ...]) -> AgentCommand:
    try:
        words = tuple(shlex.split(text.removeprefix(COMMAND_PREFIX)))
        # cmd:"python a.py" reaches us with its inner quotes when the shell kept them.
        if len(words) == 1:
            words = tuple(shlex.split(words[0]))
    except ValueError as error:
        raise AgentSpecError(f"--agent {text}: {error}") from error
    if not any(words):
        raise AgentSpecError('--agent cmd: needs a command, such as cmd:"python my_agent.py"')
    if words[0] in ("python", "python3"):
        words = (sys.executable, *words[1:])
    return AgentCommand((*words, *extra))


# --- Names of container images, as Docker writes them

_PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_HOST = r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:]+\])(?::[0-9]+)?"
_TAG = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
_REFERENCE = re.compile(
    rf"(?P<name>(?:{_HOST}/)?{_PART}(?:/{_PART})*)(?::{_TAG})?(?:@sha256:[0-9a-f]{{64}})?"
)
"""``[HOST[:PORT]/]NAME[:TAG][@DIGEST]``, the grammar of the OCI distribution specification."""
_ID = re.compile(r"sha256:[0-9a-f]{64}|[0-9a-f]{64}")
"""A whole image id. A shorter one counts as a name, which the engine resolves."""


def check_reference(text: str) -> None:
    """Raises AgentSpecError for what cannot be the name or the id of an image."""
    if _ID.fullmatch(text) or (len(text) <= 512 and _REFERENCE.fullmatch(text)):
        return
    shown = text if len(text) <= 80 else f"{text[:80]}…"
    hint = "use lower case; " if text != text.lower() else ""
    raise AgentSpecError(
        f"--agent image:{shown}: {shown!r} is not the name of an image; {hint}write it as"
        " Docker does, such as image:my-agent or image:registry.example/team/my-agent:1.2"
    )


def repository(reference: str) -> str:
    """The name without tag and digest; empty for an image id."""
    if _ID.fullmatch(reference) or reference.startswith("sha256:"):
        return ""
    found = _REFERENCE.fullmatch(reference)
    return found["name"] if found is not None else ""
