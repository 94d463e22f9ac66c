"""The files of this machine that an agent sees, among them those that its program needs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import env_service
from env_service.plugins import Group, installed
from env_service.sandbox.agent_manifest import MANIFEST
from env_service.sandbox.bwrap.keeper_plan import Operation
from env_service.sandbox.errors import AgentStartError
from env_service.sandbox.options import MODEL, TAKEN, ReadOnlyMount, is_within

_SETTINGS = (
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "timezone"),
    *("ssl/openssl.cnf", "ssl/certs", "ca-certificates", "pki/tls", "mime.types", "fonts"),
)
"""Files of /etc that programs need, with nothing about this machine's users."""
SCRATCH = "/tmp"  # noqa: S108 - the agent's own
_USERS = "guest:x:{uid}:{uid}:guest:/tmp:/usr/sbin/nologin\n"
_GROUPS = "guest:x:{uid}:\n"
_HOSTS = "127.0.0.1 localhost\n::1 localhost\n"


@dataclass(slots=True)
class FilesystemView:
    """Places that an agent can read, and places within them that it cannot.

    ``shown`` maps a path in the sandbox to the file or folder that the agent finds there.
    """

    shown: dict[PurePosixPath, Path] = field(default_factory=dict)
    hidden: set[PurePosixPath] = field(default_factory=set)

    def show(self, place: Path) -> None:
        """Shows a file or folder where it lies, and all that it links to on the way."""
        hop = place
        while hop.is_symlink() and PurePosixPath(hop) not in self.shown:
            self.shown[PurePosixPath(hop)] = hop
            hop = Path(os.path.normpath(hop.parent / hop.readlink()))
        for each in (hop, place.resolve()):
            self.shown[PurePosixPath(each)] = each

    def hide(self, folder: Path) -> None:
        """Puts an empty folder in place of one that would be seen otherwise."""
        self.hidden.add(PurePosixPath(folder.resolve()))

    def operations(self, home: Sequence[Operation] = ()) -> Iterator[Operation]:
        """bubblewrap's options, outer places before those within them.

        ``home`` are those that make the agent's own /tmp.
        """
        yield from home
        closed: list[Operation] = []
        for place in sorted({*self.shown, *self.hidden}, key=lambda each: len(each.parts)):
            if place in self.shown:
                if not self._seen(place):
                    yield ("--ro-bind", str(self.shown[place]), str(place))
            elif self._seen(place):
                yield ("--tmpfs", str(place))
                closed.append(("--remount-ro", str(place)))
        yield from closed

    def holds(self, folder: Path) -> bool:
        """Whether the agent has this folder, be it with a part of what is in it."""
        place = PurePosixPath(folder)
        return any(each.is_relative_to(place) or place.is_relative_to(each) for each in self.shown)

    def _seen(self, place: PurePosixPath) -> bool:
        """Whether a mounted parent folder already shows this place unchanged."""
        for outer in place.parents:
            if outer in self.hidden and outer not in self.shown:
                return False
            if outer in self.shown:
                there = self.shown[outer] / place.relative_to(outer)
                return there == self.shown.get(place, Path(place))
        return any(place.is_relative_to(folder) for folder in SYSTEM)


def command_view(command: Sequence[str]) -> tuple[FilesystemView, Program]:
    """What a command needs: its program, and the files and folders that its words name.

    With a file the agent sees the file's folder, where a program looks for its modules; but never
    a home folder or the service's folder. Raises AgentStartError.
    """
    program = find_program(command[0])
    view = FilesystemView()
    view.hide(Path(env_service.__file__).parent)
    for place in program.needs:
        view.show(place)
    for folder in program.hidden:
        view.hide(folder)
    for place in _named(command):
        view.show(place)
    return view, program


def add_mounts(view: FilesystemView, mounts: Iterable[ReadOnlyMount]) -> None:
    """Shows what the user wants to be seen. Raises AgentStartError for what cannot be."""
    for mount in mounts:
        _check_target(mount)
        if not mount.source.exists():
            raise AgentStartError(f"--mount {mount.source}: no such file or folder")
        if mount.source.is_socket() or mount.source.is_block_device():
            raise AgentStartError(f"--mount {mount.source}: only files and folders can be mounted")
        view.shown[mount.target] = mount.source.resolve()


def base_operations(uid: int) -> Iterator[Operation]:
    """The machine's programs and libraries, and the little of /etc that they need."""
    for name in SYSTEM:
        folder = Path(name)
        if folder.is_symlink():
            yield ("--symlink", str(folder.readlink()), name)
        elif folder.is_dir():
            yield ("--ro-bind", name, name)
    for setting in _SETTINGS:
        file = Path("/etc") / setting
        if file.exists():
            yield ("--ro-bind", str(file.resolve()), str(file))
    for name, content in (("passwd", _USERS), ("group", _GROUPS), ("hosts", _HOSTS)):
        yield ("--ro-bind-data", content.format(uid=uid), f"/etc/{name}")


def _named(command: Sequence[str]) -> Iterator[Path]:
    """The files and folders that a command's words name, as ``-m module`` does, too."""
    before = ""
    for word in command[1:]:
        texts = [word, word.partition("=")[2]] if word.startswith("-") else [word]
        if before == "-m":
            first = word.split(".")[0]
            texts += [first, f"{first}.py"]
        before = word
        for text in filter(None, texts):
            place = Path(os.path.abspath(text))  # noqa: PTH100 - seen where it is named
            shown = _with_siblings(place) if _exists(place) else None
            if shown is not None:
                yield shown


def _with_siblings(place: Path) -> Path | None:
    """The folder, or a file's folder; None for a folder that no agent may see."""
    folder = place if place.is_dir() else place.parent
    own = (folder / MANIFEST).is_file() or not holds_service(folder)
    if own and not is_home(folder) and not _reserved(folder):
        return folder
    return None if place.is_dir() else place


def _reserved(folder: Path) -> bool:
    """Whether the agent has a private folder at this path, or sees the machine's anyway."""
    place = PurePosixPath(folder)
    around = any(PurePosixPath(each).is_relative_to(place) for each in TAKEN)
    own = tuple(each for each in TAKEN if each != SCRATCH)
    return around or any(is_within(place, each) for each in (*own, *SYSTEM, "/etc"))


def _exists(place: Path) -> bool:
    try:
        return place.is_file() or place.is_dir()
    except OSError:
        # No name that a file could have.
        return False


def _check_target(mount: ReadOnlyMount) -> None:
    """Raises AgentStartError for a place that is the agent's own, or the machine's."""
    own = (each for each in TAKEN if each != str(MODEL))
    for folder in (*own, *SYSTEM, "/etc"):
        within = is_within(mount.target, folder)
        if within or PurePosixPath(folder).is_relative_to(mount.target):
            raise AgentStartError(
                f"--mount {mount.source}:{mount.target}: {folder} must not be changed; choose"
                f" another place, such as --mount {mount.source}:/data"
            )


# --- Which files a program needs to run, where the machine's own folders do not hold it

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""What every agent can read."""
PACKAGE = "env_service"
"""The service's own package: no agent needs it, and it holds what no agent should see."""
_QUESTION_SECONDS = 60.0
_LINE = 256

_QUESTION = """
import json, site, sys
modules = (sys.modules.get(getattr(each, "__module__", "")) for each in sys.meta_path)
mapped = [path for each in modules for path in getattr(each, "MAPPING", {}).values()]
user = site.getuserbase() if site.ENABLE_USER_SITE else ""
print(json.dumps({
    "prefixes": [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix],
    "path": [each for each in sys.path if each] + mapped,
    "user": user,
    "executable": sys.executable,
}))
"""


@dataclass(frozen=True, slots=True)
class Program:
    """A program's file, the files and folders that it needs in addition to SYSTEM, and variables.

    ``hidden`` are folders within these that agents may not see.
    """

    file: Path
    needs: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()


def find_program(word: str) -> Program:
    """What the first word of a command runs. Raises AgentStartError where there is none."""
    found = shutil.which(word)
    if found is None:
        raise AgentStartError(f"the program {word} does not exist or may not be executed")
    file = Path(os.path.abspath(found))  # noqa: PTH100 - a link into a venv must stay one
    if file.name.startswith("python"):
        return _python(file)
    if _in_system(file) and _in_system(file.resolve()):
        return Program(file)
    named = _shebang(file)
    if named is None:
        return Program(file, _installation(file))
    runs = find_program(named)
    return Program(file, (*_installation(file), *runs.needs), runs.hidden, runs.environment)


def is_home(folder: Path) -> bool:
    """Whether a folder is, or holds, somebody's whole home, or the machine's root."""
    homes = (Path.home(), Path("/home"), Path("/root"))
    return any(home.resolve().is_relative_to(folder.resolve()) for home in homes)


def holds_service(folder: Path) -> bool:
    """Whether a folder contains the service's package."""
    return (folder / PACKAGE / "__init__.py").is_file()


def _python(file: Path) -> Program:
    """Asks the interpreter, since only it can resolve venvs and editable installs."""
    clean = {name: os.environ[name] for name in ("HOME", "PATH", "LANG") if name in os.environ}
    try:
        asked = subprocess.run(
            [file, "-c", _QUESTION],
            env=clean,
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_QUESTION_SECONDS,
            check=True,
        )
        answer = json.loads(asked.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise AgentStartError(f"{file} does not run as a Python: {error}") from error
    # Not always what was asked: a version manager has scripts that lead to the interpreter.
    file = Path(answer["executable"])
    prefixes = {Path(each) for each in answer["prefixes"]}
    if home := next(filter(is_home, prefixes), None):
        raise AgentStartError(
            f"{file} is installed directly in {home}, which agents must not see: install it in"
            " another folder"
        )
    paths = {Path(each) for each in answer["path"] if Path(each).exists()}
    imported = {each for each in paths if not holds_service(each)}
    within = {each / PACKAGE for each in paths - imported if _is_within(each, prefixes)}
    # A checkout that is installed editable is on the path as a whole: it stays out.
    outside = {each for each in imported if each.name != PACKAGE and not is_home(each)}
    user = (("PYTHONUSERBASE", answer["user"]),) if answer["user"] else ()
    # The one part of the service's package that agents are meant to read.
    prompts = filter(None, (each.folder() for each in installed(Group.PROMPTS).values()))
    inside = (each for each in paths if _is_within(each, prefixes))
    needs = {file, *prefixes, *outside, *inside, *prompts}
    return Program(file, tuple(sorted(needs)), tuple(sorted(within)), user)


def _is_within(path: Path, folders: set[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _shebang(file: Path) -> str | None:
    """The program that a script names in its first line; None for anything else."""
    with file.open("rb") as script:
        line = script.read(_LINE).split(b"\n")[0]
    words = os.fsdecode(line[2:]).split() if line.startswith(b"#!") else []
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-")]
    return words[0] if words else None


def _installation(file: Path) -> tuple[Path, ...]:
    """The folder above ``bin``, where the libraries of a program lie; else just its file."""
    files = {file, file.resolve()}
    above = {each.parent.parent for each in files if each.parent.name == "bin"}
    return (*sorted(files), *sorted(each for each in above if not is_home(each)))


def _in_system(file: Path) -> bool:
    return any(file.is_relative_to(folder) for folder in SYSTEM)
