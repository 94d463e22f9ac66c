"""An agent's ``agent.toml``: how it is started, which options it takes, what it needs."""

from __future__ import annotations

import re
import sys
import tomllib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from env_service.plain_files import read_plain_text
from env_service.sandbox.errors import AgentSpecError
from env_service.sandbox.tables import Table

MANIFEST = "agent.toml"
PYTHON = "{python}"
"""In a command: the Python that runs the house."""

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
    """What an agent in Python has to import, and the extra of houseguest that installs it."""

    modules: tuple[str, ...] = ()
    extra: str = ""


@dataclass(frozen=True, slots=True)
class AgentManifest:
    """An agent's folder, as its ``agent.toml`` describes it.

    ``command`` starts the agent and ``check`` tests whether it could play (empty: no such
    test); both are ready to run in any folder. ``shared``: one process plays every seat of a
    run. ``requires`` is empty where the command runs in no Python of the house's.
    """

    folder: Path
    description: str
    command: tuple[str, ...]
    check: tuple[str, ...] = ()
    options: tuple[AgentOption, ...] = ()
    requires: Requires = Requires()
    shared: bool = False

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    def missing(self) -> tuple[str, ...]:
        """The required modules that the house's Python does not have."""
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
        table = Table(str(path), tomllib.loads(read_plain_text(path, _MOST_BYTES)))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise AgentSpecError(f"{path}: {error}") from error
    command, check = table.texts("command"), table.texts("check")
    if not command or not command[0]:
        raise table.error("command has to be a list of strings, and not empty")
    requires = _read_requires(table.table("requires"))
    manifest = AgentManifest(
        folder=folder,
        description=table.text("description"),
        command=tuple(_placed(word, folder) for word in command),
        check=tuple(_placed(word, folder) for word in check),
        options=tuple(_read_option(each) for each in table.tables("option")),
        requires=requires if any(PYTHON in word for word in command) else Requires(),
        shared=table.switch("shared"),
    )
    table.check_keys()
    names = [option.name for option in manifest.options]
    if twice := {name for name in names if names.count(name) > 1}:
        raise table.error(f"option {min(twice)} is declared twice")
    return manifest


def _read_requires(table: Table) -> Requires:
    requires = Requires(table.texts("modules"), table.text("extra"))
    table.check_keys()
    return requires


def _read_option(table: Table) -> AgentOption:
    content = table.switch("content")
    option = AgentOption(
        name=table.text("name"),
        metavar=table.text("metavar"),
        help=table.text("help"),
        default=table.scalar("default"),
        type=table.text("type") or TYPES[0],
        choices=table.texts("choices"),
        required=table.switch("required"),
        flag=table.switch("flag"),
        multiple=table.switch("multiple"),
        identity=table.switch("identity", default=True),
        path=table.switch("path") or content,
        content=content,
        variables=table.texts("variables"),
    )
    table.check_keys()
    if not _NAME.fullmatch(option.name):
        raise table.error(f"name has to be like --base-url, not {option.name!r}")
    if option.type not in TYPES:
        raise table.error(f"type has to be one of {', '.join(TYPES)}, not {option.type!r}")
    plain = AgentOption(option.name, help=option.help, flag=True, identity=option.identity)
    if option.flag and option != plain:
        raise table.error(f"{option.name} is a flag: it takes no value, and is never required")
    if option.default and option.choices and option.default not in option.choices:
        raise table.error(f"default {option.default!r} is none of the choices of {option.name}")
    if option.content and not option.identity:
        raise table.error(f"{option.name} has content = true, which is for options of the identity")
    return option


def _placed(word: str, folder: Path) -> str:
    """A word of a command: the interpreter, or a file beside the manifest."""
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
