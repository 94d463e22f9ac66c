"""An agent's ``agent.toml``: its command and options; and what a user's options add to the command
and to the run's identity.
"""

import math
import os
import re
import shlex
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from env_service.domain.data_node import DataError, DataNode
from env_service.plugins import Group
from env_service.sandbox.content_digest import content_label
from env_service.sandbox.errors import AgentSpecError
from env_service.storage.plain_files import read_plain_text

MANIFEST = "agent.toml"
PYTHON = "{python}"
"""In a command: the service's own Python."""
PROGRAM = "agent.py"
"""What is started in a folder that names no command."""

TYPES = ("text", "int", "float")
_MOST_BYTES = 2**20
_NAME = re.compile(r"--[a-z][a-z0-9]*(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class AgentOption:
    """An option that an agent takes.

    ``name`` is as typed, ``--base-url``. ``metavar`` and ``help`` are for people. ``default``
    is shown; the agent has it itself. ``type`` is one of TYPES. ``choices`` are the values
    allowed; empty: any. A ``flag`` takes no value; a ``multiple`` option may be repeated.
    ``identity`` says whether the value is part of what defines a run. The value of a ``path``
    is a file or folder; of a ``content`` option that exists and is read as a whole, so that
    its bytes, rather than its place, are part of the identity. ``variables`` are environment
    variables that the agent reads where the option is not given; of a ``required`` option the
    first that is set will do.
    """

    name: str
    metavar: str = ""
    help: str = ""
    default: str = ""
    type: str = "text"
    choices: tuple[str, ...] = ()
    required: bool = False
    flag: bool = False
    multiple: bool = False
    identity: bool = True
    path: bool = False
    content: bool = False
    variables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Requires:
    """What an agent in Python needs.

    Attributes:
        modules: what it has to import.
        extra: the extra of houseguest that installs these.
        data: groups of entry points that name folders of data which the agent reads.
    """

    modules: tuple[str, ...] = ()
    extra: str = ""
    data: tuple[Group, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentManifest:
    """An agent's folder, as its ``agent.toml`` describes it.

    ``command`` starts the agent and ``check`` tests whether it could play (empty: no such
    test); both are ready to run in any folder. ``shared``: one process plays every session of a
    run. ``person``: a person plays through it. ``waits_for_clients``: programs that somebody else
    starts play through it. ``requires`` is empty if the command does not use the service's Python.
    """

    folder: Path
    description: str
    command: tuple[str, ...]
    check: tuple[str, ...] = ()
    options: tuple[AgentOption, ...] = ()
    requires: Requires = Requires()
    shared: bool = False
    person: bool = False
    waits_for_clients: bool = False

    @property
    def plays_alone(self) -> bool:
        """Whether a run with it ends without anybody's help."""
        return not (self.person or self.waits_for_clients)

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    def missing(self) -> tuple[str, ...]:
        """The required modules that the service's Python does not have."""
        return tuple(module for module in self.requires.modules if not _importable(module))

    def check_requirements(self) -> None:
        """Raises AgentSpecError with the command that installs what is missing."""
        missing = self.missing()
        if not missing:
            return
        listed = self.folder / "requirements.txt"
        if self.requires.extra:
            mend = f"pip install 'houseguest[{self.requires.extra}]'"
        else:
            mend = f"pip install -r {listed}" if listed.is_file() else ""
        verb = "is" if len(missing) == 1 else "are"
        raise AgentSpecError(
            f"agent {self.name} needs {', '.join(missing)}, which {verb} not installed", mend
        )


def read_manifest(folder: Path) -> AgentManifest:
    """Reads ``agent.toml`` in an agent's folder.

    Raises AgentSpecError naming the file and what is wrong in it, and OSError.
    """
    folder = folder.resolve()
    path = folder / MANIFEST
    try:
        table = tomllib.loads(read_plain_text(path, _MOST_BYTES))
        return _read_table(DataNode(table, str(path)), folder)
    except DataError as error:
        raise AgentSpecError(str(error)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise AgentSpecError(f"{path}: {error}") from error


def _read_table(table: DataNode, folder: Path) -> AgentManifest:
    command, check = table.get("command", []).strings(), table.get("check", []).strings()
    if not command and (folder / PROGRAM).is_file():
        command = (PYTHON, PROGRAM)
    if not command or not command[0]:
        raise table.error(
            "command must be a list of texts that is not empty, such as"
            f' ["{PYTHON}", "{PROGRAM}"]; it is optional only if the folder has a file {PROGRAM}'
        )
    requires = _read_requires(table.get("requires", {}))
    manifest = AgentManifest(
        folder=folder,
        description=table.get("description", "").string(),
        command=tuple(_placed(word, folder) for word in command),
        check=tuple(_placed(word, folder) for word in check),
        options=tuple(map(_read_option, table.get("option", []).items())),
        requires=requires if any(PYTHON in word for word in command) else Requires(),
        shared=table.get("shared", default=False).flag(),
        person=table.get("person", default=False).flag(),
        waits_for_clients=table.get("waits_for_clients", default=False).flag(),
    )
    table.check_keys()
    names = [option.name for option in manifest.options]
    if twice := {name for name in names if names.count(name) > 1}:
        raise table.error(f"option {min(twice)} is declared twice")
    return manifest


def _read_requires(table: DataNode) -> Requires:
    modules, extra = table.get("modules", []).strings(), table.get("extra", "").string()
    groups = table.get("data", []).strings()
    table.check_keys()
    if other := set(groups) - {Group.PROMPTS}:
        raise table.error(f"data can name only {Group.PROMPTS.value}, not {min(other)!r}")
    return Requires(modules, extra, tuple(map(Group, groups)))


def _read_option(table: DataNode) -> AgentOption:
    content = table.get("content", default=False).flag()
    option = AgentOption(
        name=table["name"].string(),
        metavar=table.get("metavar", "").string(),
        help=table.get("help", "").string(),
        default=_text_or_number(table.get("default", "")),
        type=table.get("type", TYPES[0]).one_of("type", TYPES),
        choices=table.get("choices", []).strings(),
        required=table.get("required", default=False).flag(),
        flag=table.get("flag", default=False).flag(),
        multiple=table.get("multiple", default=False).flag(),
        identity=table.get("identity", default=True).flag(),
        path=table.get("path", default=False).flag() or content,
        content=content,
        variables=table.get("variables", []).strings(),
    )
    table.check_keys()
    if not _NAME.fullmatch(option.name):
        raise table["name"].error(f"has to be like --base-url, not {option.name!r:.60}")
    plain = AgentOption(option.name, help=option.help, flag=True, identity=option.identity)
    if option.flag and option != plain:
        raise table.error(f"{option.name} is a flag: it cannot have a value or be required")
    if option.default and option.choices and option.default not in option.choices:
        raise table.error(f"default {option.default!r} is not among the choices of {option.name}")
    if option.content and not option.identity:
        raise table.error(f"{option.name}: content = true cannot be used with identity = false")
    return option


def _text_or_number(node: DataNode) -> str:
    if isinstance(node.value, bool) or not isinstance(node.value, str | int | float):
        raise node.error(f"is {node.value!r:.60}, not a text or a number")
    return str(node.value)


def _placed(word: str, folder: Path) -> str:
    """A word of a command: the interpreter, or a file in the manifest's folder."""
    beside = folder / word
    try:
        if beside.is_file():
            return str(beside)
    except OSError:
        # No name that a file could have: a script after ``sh -c``, for one, may be too long.
        pass
    return word.replace(PYTHON, sys.executable)


def _importable(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        # A part of a package that is absent, or a module without a specification.
        return False


# --- From a user's options to the agent's command and the run's identity

Given = Mapping[str, tuple[str, ...]]
"""The values of each option that was given, by its name; one empty value for a flag."""


@dataclass(frozen=True, slots=True)
class ChosenOptions:
    """``words`` go to the agent's command; ``label`` names the choice in the run's identity.

    Both are in the manifest's order, whatever was typed first. The label leaves out options that
    are not part of the identity, and values that equal their declared default. ``places`` has the
    path, as typed, of each content that the label names by its digest.
    """

    words: tuple[str, ...]
    label: str
    places: Mapping[str, str] = field(default_factory=dict, compare=False)


def choose(options: Iterable[AgentOption], given: Given) -> ChosenOptions:
    """The choice that the given options make; the caller has checked names, choices and required
    ones.

    Raises AgentSpecError for an invalid number, and for a path that does not exist where
    its content counts.
    """
    words: list[str] = []
    label: list[str] = []
    places: dict[str, str] = {}
    for option in options:
        values = tuple(settle(option, value) for value in given.get(option.name, ()))
        for value in values:
            words += _typed(option, _located(option, value))
        if option.identity and not _is_default(option, values):
            for value in values:
                label += _typed(option, identified := _identified(option, value))
                if option.content:
                    places[identified] = value
    return ChosenOptions(tuple(words), shlex.join(label), places)


def _is_default(option: AgentOption, values: tuple[str, ...]) -> bool:
    """Whether the value equals the agent's default. The default path is the agent's, and a path
    that is typed the user's: the same words, but not the same place."""
    if option.path or not option.default:
        return False
    return values == (settle(option, option.default),)


def settle(option: AgentOption, value: str) -> str:
    """The value in its canonical form: 0.70 and .7 are 0.7.

    Raises AgentSpecError for an invalid number; a default may be any text.
    """
    number = {"int": int, "float": float}.get(option.type)
    if number is None:
        return value
    try:
        settled = number(value)
    except ValueError as error:
        if value == option.default:
            return value
        problem = f"{option.name} {value}: the value must be of type {option.type}"
        raise AgentSpecError(problem) from error
    if not math.isfinite(settled) and value != option.default:
        raise AgentSpecError(f"{option.name} {value}: the number must be finite")
    return repr(settled)


def _located(option: AgentOption, value: str) -> str:
    """What the agent gets: an absolute path."""
    if not option.path:
        return value
    if not value:
        raise AgentSpecError(f"{option.name}: the path is empty")
    # Not Path.resolve, which raises another error for a link to itself.
    path = Path(os.path.realpath(value))
    if option.content and not (path.is_file() or path.is_dir()):
        raise AgentSpecError(f"{option.name} {value}: no such file or folder ({path})")
    return str(path)


def _identified(option: AgentOption, value: str) -> str:
    """What the identity holds: for a ``content`` option the digest, not the path."""
    located = _located(option, value)
    return content_label(Path(located)) if option.content else located


def _typed(option: AgentOption, value: str) -> list[str]:
    """The option on a command line. A value like ``-1`` would be taken for an option."""
    if option.flag:
        return [option.name]
    return [f"{option.name}={value}"] if value.startswith("-") else [option.name, value]
