"""The files and packages of an agent, by which a run recognises an edited agent."""

import ast
import csv
import hashlib
import os
import posixpath
import re
import shlex
import shutil
import stat
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.machinery import PathFinder
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

from env_service.plugins import installed
from env_service.sandbox.agent_manifest import read_manifest
from env_service.sandbox.agents import AgentCommand, AgentImage, AgentSpec
from env_service.storage.plain_files import PlainFileError, open_plain, read_plain

MOST_FILES = 5000
"""Files of one folder that are read; of a larger one count names and sizes alone."""
MOST_BYTES = 2**30
"""Bytes of one file or folder that are read. Of a larger one only the size counts."""
_MOST_SOURCE = 4 * 2**20
"""Bytes of a script that is searched for what it imports."""
_MOST_NAMED = 500
"""Files of a folder that are recorded one by one."""

_LAUNCHERS = frozenset(
    {
        *("sh", "bash", "dash", "zsh", "fish", "env", "nice", "nohup", "timeout", "stdbuf"),
        *("setsid", "time", "xvfb-run", "uv", "uvx", "poetry", "pipenv", "pdm", "conda", "mamba"),
        *("pixi", "npm", "npx", "pnpm", "yarn", "bundle", "cargo", "go", "make", "sudo", "doas"),
    }
)
"""Programs that start another one, and are not part of the agent."""
_ENVIRONMENTS = frozenset({"uv", "uvx", "poetry", "pipenv", "pdm", "conda", "mamba", "pixi"})
"""Launchers with a separate environment, which its lock file describes."""
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*")
_WRITES = frozenset(
    {
        *("log", "logs", "logdir", "logfile", "out", "output", "outputs", "outdir", "outfile"),
        *("save", "cache", "record", "records", "results", "tmp", "temp"),
    }
)
"""Parts of the name of an option behind which an agent writes."""
_REDIRECT = re.compile(r"\d*>>?|&>")
_LOCKS = re.compile(
    r"(?:uv|poetry|pdm|pixi|Pipfile|Cargo|Gemfile|composer|conda|yarn|bun|deno)\.lock"
    r"|requirements[\w.-]*\.txt|package-lock\.json|pnpm-lock\.yaml|conda-lock\.yml"
    r"|npm-shrinkwrap\.json|go\.sum|environment\.ya?ml"
)
_LEFT_OUT = frozenset({"__pycache__", "node_modules"})
_SOURCES = ("js", "mjs", "cjs", "ts", "rb", "sh", "py", "lua", "pl", "jl", "R")
_NAMED_SOURCE = re.compile(rf"[\w./+-]+\.(?:{'|'.join(_SOURCES)})\b")
_RELATIVE = re.compile(r"""["'`](\.{1,2}/[^"'`\n]+)["'`]|require_relative\s+["']([^"'\n]+)["']""")


@dataclass(frozen=True, slots=True)
class AgentFiles:
    """The files and packages of an agent.

    ``files`` has the digest of each file by its name as the command gives it, or relative to that;
    ``sizes:…`` where names and sizes replace the bytes. ``packages`` are versions by name.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of all of it."""
        lines = [f"{digest}  {name}" for name, digest in sorted(self.files.items())]
        lines += [f"{name}=={version}" for name, version in sorted(self.packages.items())]
        return hashlib.sha256("\n".join(lines).encode(errors="surrogateescape")).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """For a run's manifest."""
        return {
            "digest": self.digest,
            "files": {_printable(name): digest for name, digest in sorted(self.files.items())},
            "packages": dict(sorted(self.packages.items())),
        }


def files_of(agent: AgentSpec, place: Path | None = None) -> AgentFiles | None:
    """The files of an agent whose command starts in ``place`` (by default the current folder); None
    for an external agent, whose files are unknown."""
    launch = agent.launch
    if isinstance(launch, AgentCommand):
        return _of_command(launch, place or Path.cwd())
    if isinstance(launch, AgentImage):
        return AgentFiles(packages={"image": launch.image_id}) if launch.image_id else None
    return None


def _of_command(launch: AgentCommand, place: Path) -> AgentFiles:
    collection = _Collection(place)
    if launch.folder is not None:
        collection.take_agent(launch.folder)
    else:
        collection.take_words(launch.command)
    return AgentFiles(collection.files, collection.packages)


class _Collection:
    """Gathers what a command names."""

    def __init__(self, place: Path) -> None:
        self.files: dict[str, str] = {}
        self.packages: dict[str, str] = {}
        self._place = place
        self._seen: set[str] = set()
        self._installed = InstalledPackages(own=True)

    def take_agent(self, folder: Path) -> None:
        """A folder with an ``agent.toml``, what its Python imports from elsewhere, and the data
        that it reads of what others have installed."""
        self._folder(folder, "")
        for group in read_manifest(folder).requires.data:
            for name, plugin in installed(group).items():
                if data := plugin.folder():
                    self._folder(data, f"{group.value}/{name}/", most_named=0)

    def take_words(self, words: tuple[str, ...]) -> None:
        """A command: its program, and what its other words name."""
        self._program(words[0])
        self._arguments(words)

    def _arguments(self, words: tuple[str, ...]) -> None:
        rest = iter(words[1:])
        writes = False
        for word in rest:
            if word == "-m" and self._is_python(words):
                self._module(next(rest, ""))
            elif word == "-c":
                self._code(words, next(rest, ""))
            elif _REDIRECT.fullmatch(word):
                next(rest, None)
            elif not writes:
                self._word(word)
            writes = _is_written(word)

    def _word(self, word: str) -> None:
        name, equals, value = word.partition("=")
        if word.startswith("-") and (not equals or _is_written(name)):
            return
        named = value if equals and not self._exists(word) else word
        if self._exists(named) and not _is_root(self._place / named, self._place):
            self._path(self._place / named, posixpath.normpath(named))

    def _exists(self, word: str) -> bool:
        try:
            return bool(word) and (self._place / word).exists()
        except (OSError, ValueError):
            return False

    def _program(self, word: str) -> None:
        base = posixpath.basename(word)
        found = shutil.which(word) if "/" not in word else str(self._place / word)
        if found is None or base in _LAUNCHERS:
            python = None if base in _ENVIRONMENTS else shutil.which("python")
            self._starts_python(Path(python) if python else None)
            return
        if _PYTHON.fullmatch(base):
            self._starts_python(Path(found))
            if version := self._installed.python_version:
                self.packages["python"] = version
            return
        self._path(Path(found), posixpath.normpath(word))

    def _starts_python(self, python: Path | None) -> None:
        own = python is not None and python.absolute() == Path(sys.executable).absolute()
        self._installed = InstalledPackages(own=own, python=python)

    def _is_python(self, words: tuple[str, ...]) -> bool:
        """Whether ``-m`` names a module: a Python comes before it, or a launcher of one."""
        return any(
            _PYTHON.fullmatch(base) or base in _LAUNCHERS
            for base in map(posixpath.basename, words[: words.index("-m")])
        )

    def _module(self, module: str) -> None:
        self._locks(self._place, "")
        self._import(module.partition(".")[0], self._place, "")

    def _code(self, words: tuple[str, ...], code: str) -> None:
        if _PYTHON.fullmatch(posixpath.basename(words[0])):
            self._imports(code, self._place, "")
            return
        try:
            inner = tuple(shlex.split(code))
        except ValueError:
            return
        if inner:
            self._arguments(("sh", *inner))

    def _path(self, path: Path, name: str) -> None:
        if path.is_dir():
            self._folder(path, f"{name}/")
        else:
            self._file(path, name)

    def _file(self, path: Path, name: str) -> None:
        """A file that is named, and what it names if it is a script."""
        if not self._note(path, name):
            return
        try:
            source = read_plain(path, _MOST_SOURCE)
        except OSError:
            return
        folder, beside = path.parent, posixpath.dirname(name)
        if _is_python_source(path, source):
            self._locks(folder, beside)
            self._imports(source.decode(errors="replace"), folder, beside)
        elif b"\0" not in source[:4096] and (_is_source(path) or source.startswith(b"#!")):
            self._locks(folder, beside)
            self._named_sources(source.decode(errors="replace"), folder, beside)

    def _note(self, path: Path, name: str) -> bool:
        """Records a file's digest; whether it was not recorded before."""
        real = os.path.realpath(path)
        if real in self._seen:
            return False
        self._seen.add(real)
        try:
            self.files[name] = _digest(path)
        except OSError:
            return False
        return True

    def _locks(self, folder: Path, beside: str) -> None:
        try:
            names = sorted(entry.name for entry in os.scandir(folder))
        except OSError:
            return
        for name in filter(_LOCKS.fullmatch, names):
            self._note(folder / name, posixpath.join(beside, name))
        if beside and not posixpath.isabs(beside) and folder != self._place:
            self._locks(self._place, "")

    def _imports(self, source: str, folder: Path, beside: str) -> None:
        for name in imported_names(source):
            self._import(name, folder, beside)

    def _import(self, name: str, folder: Path, beside: str) -> None:
        """A top-level module: one in the script's folder, or an installed one."""
        if (folder / f"{name}.py").is_file():
            self._file(folder / f"{name}.py", posixpath.join(beside, f"{name}.py"))
        elif name not in sys.stdlib_module_names and (folder / name).is_dir():
            self._folder(folder / name, posixpath.join(beside, name) + "/")
        else:
            found = self._installed.find(name)
            if isinstance(found, Path):
                self._working_copy(found, name)
            else:
                self.packages |= found

    def _working_copy(self, found: Path, name: str) -> None:
        if found.is_dir():
            self._folder(found, f"{name}/", most_named=0)
        else:
            self._file(found, found.name)

    def _named_sources(self, source: str, folder: Path, beside: str) -> None:
        for token in _NAMED_SOURCE.findall(source):
            self._beside(token, folder, beside)
        for relative, required in _RELATIVE.findall(source):
            stem = relative or f"./{required}"
            for ending in ("", *(f".{each}" for each in _SOURCES), "/index.js"):
                self._beside(stem + ending, folder, beside)

    def _beside(self, token: str, folder: Path, beside: str) -> None:
        try:
            if not token.startswith("/") and (folder / token).is_file():
                name = posixpath.normpath(posixpath.join(beside, token))
                self._file(folder / token, name)
        except OSError:
            # A token that no file could be called.
            return

    def _folder(self, folder: Path, prefix: str, most_named: int = _MOST_NAMED) -> None:
        """Every file in a folder, and what its Python imports from elsewhere."""
        real = os.path.realpath(folder)
        if real in self._seen:
            return
        self._seen.add(real)
        sizes = dict(_sizes(folder))
        if len(sizes) > MOST_FILES or sum(sizes.values()) > MOST_BYTES:
            self.files[prefix or "./"] = _listing("sizes:", {n: str(s) for n, s in sizes.items()})
            return
        found = {}
        for name in sizes:
            try:
                found[name] = _digest(folder / name)
            except OSError:
                found[name] = "unreadable"
        if len(found) > most_named:
            self.files[prefix or "./"] = _listing("sha256:", found)
        else:
            self.files |= {prefix + name: digest for name, digest in found.items()}
        for name in found:
            if name.endswith(".py"):
                self._imports_of_folder(folder, name, prefix)

    def _imports_of_folder(self, folder: Path, name: str, prefix: str) -> None:
        try:
            source = read_plain(folder / name, _MOST_SOURCE).decode(errors="replace")
        except OSError:
            return
        for imported in imported_names(source):
            inside = (
                folder / f"{imported}.py",
                folder / imported,
                (folder / name).parent / imported,
            )
            if imported == folder.name or any(each.exists() for each in inside):
                continue
            self._import(
                imported, folder.parent if prefix else folder, posixpath.dirname(prefix[:-1])
            )


def _sizes(folder: Path) -> Iterator[tuple[str, int]]:
    """Each plain file of a folder with its size, in the order of names; hidden ones, other
    installations and logs are left out."""
    for place, below, names in os.walk(folder):
        below[:] = sorted(name for name in below if _counts(Path(place), name))
        for name in sorted(names):
            path = Path(place, name)
            try:
                found = path.stat()
            except OSError:
                continue
            if stat.S_ISREG(found.st_mode) and not name.startswith(".") and not _is_made(name):
                yield path.relative_to(folder).as_posix(), found.st_size


def _counts(place: Path, name: str) -> bool:
    hidden = name.startswith(".") or name in _LEFT_OUT
    return not hidden and not (place / name / "pyvenv.cfg").exists()


def _is_made(name: str) -> bool:
    return name.endswith((".log", ".pyc"))


def _is_written(option: str) -> bool:
    return option.startswith("-") and not _WRITES.isdisjoint(re.split("[-_]", option.lower()))


def _is_root(path: Path, place: Path) -> bool:
    """Whether a path contains the folder where the command starts, and so runs and other files that
    do not belong to the agent."""
    return place.resolve().is_relative_to(path.resolve())


def _is_python_source(path: Path, source: bytes) -> bool:
    first = source.partition(b"\n")[0]
    return path.suffix == ".py" or (first.startswith(b"#!") and b"python" in first)


def _is_source(path: Path) -> bool:
    return path.suffix.removeprefix(".") in _SOURCES


def _digest(path: Path) -> str:
    try:
        with open_plain(path, MOST_BYTES) as file:
            return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"
    except PlainFileError:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise
        return f"sizes:{found.st_size}"


def _listing(kind: str, entries: Mapping[str, str]) -> str:
    text = "\n".join(f"{value}  {name}" for name, value in sorted(entries.items()))
    return kind + hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()


def _printable(name: str) -> str:
    return name.encode(errors="surrogateescape").decode(errors="replace")


# --- The modules that a Python script imports, and where they lie. Imports none of them

_SITES = ("site-packages", "dist-packages")
_PROTOCOL, _STUBS, _PROTOCOL_DISTRIBUTION = "houseguest", "agent", "houseguest-proto"
"""The package of the protocol's stubs, which agents import. The service's Python API has the same
name in another distribution, and is not part of an agent."""


def imported_names(source: str) -> list[str]:
    """The top-level names of the modules that a script imports anywhere in it, sorted.

    Empty if the source is not Python. Relative imports do not count: they stay in their package.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found: set[str] = set()
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.partition(".")[0])
    return sorted(found)


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Every statement of a module. Skips expressions, which are most of a tree and import
    nothing."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for blocks in ("body", "orelse", "finalbody", "handlers", "cases"):
            waiting += getattr(node, blocks, ())


class InstalledPackages:
    """The packages that an interpreter finds: the service's own, or the one at ``python``, whose
    virtual environment is looked at and never run."""

    def __init__(self, *, own: bool, python: Path | None = None) -> None:
        self._own = own
        self._python = python
        self._sites = _own_sites() if own else _sites_of(python)
        self._modules: list[_Modules] | None = None
        self._found: dict[str, Path | dict[str, str]] = {}

    @property
    def python_version(self) -> str:
        """The interpreter's version if its environment has it, else its real name. Empty for
        the service's own, and for an unknown one."""
        if self._python is None or self._own:
            return ""
        settings = self._python.absolute().parent.parent / "pyvenv.cfg"
        try:
            lines = settings.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            return self._python.resolve().name
        pairs = (line.partition("=") for line in lines)
        values = {key.strip(): value.strip() for key, _, value in pairs}
        return values.get("version") or values.get("version_info") or self._python.resolve().name

    def find(self, module: str) -> Path | dict[str, str]:
        """Where a top-level module lies that is installed from a working copy; else the versions
        of the distributions that have it, by name: none for the standard library's, and for one
        that is not found."""
        if module in sys.stdlib_module_names:
            return {}
        if module not in self._found:
            self._found[module] = self._working_copy(module) or self._distributions(module)
        return self._found[module]

    def _working_copy(self, module: str) -> Path | None:
        places = sys.path if self._own else _extended(self._sites)
        if module == _PROTOCOL:
            parts = (Path(place, module) for place in places if place)
            stubs = next((part for part in parts if (part / _STUBS).is_dir()), None)
            return None if stubs is None or _is_installed(stubs) else stubs
        spec = PathFinder.find_spec(module, [place for place in places if place])
        if spec is None:
            return None
        if spec.submodule_search_locations:
            found = Path(next(iter(spec.submodule_search_locations)))
        elif spec.origin:
            found = Path(spec.origin)
        else:
            return None
        return None if _is_installed(found) else found

    def _distributions(self, module: str) -> dict[str, str]:
        if self._modules is None:
            self._modules = [_Modules(each) for each in distributions(path=self._sites)]
        # Each look at a distribution's metadata reads its file anew.
        found = [each.distribution.metadata for each in self._modules if module in each]
        if module == _PROTOCOL:
            found = [each for each in found if each["Name"] == _PROTOCOL_DISTRIBUTION]
        return {each["Name"]: each["Version"] for each in found}


def _own_sites() -> list[str]:
    return [place for place in sys.path if Path(place).name in _SITES]


def _sites_of(python: Path | None) -> list[str]:
    """The folders of packages of the virtual environment in which a Python lies."""
    if python is None:
        return []
    root = python.absolute().parent.parent
    return [str(place) for name in _SITES for place in sorted(root.glob(f"lib/python*/{name}"))]


def _extended(sites: list[str]) -> list[str]:
    """The folders, and those that ``.pth`` files in them add, as installers of working copies
    do."""
    places = list(sites)
    for site in sites:
        for listed in sorted(Path(site).glob("*.pth")):
            lines = listed.read_text(encoding="utf-8", errors="replace").splitlines()
            places += [line.strip() for line in lines if line.strip().startswith("/")]
    return places


def _is_installed(path: Path) -> bool:
    """Whether a module is in a folder of installed packages, or belongs to Python itself."""
    if any(part in _SITES for part in path.parts):
        return True
    library = Path(sysconfig.get_path("stdlib"))
    return path.is_relative_to(library)


class _Modules:
    """The top-level modules of a distribution: those of its ``top_level.txt`` if it has one, else
    those with Python files in its RECORD."""

    def __init__(self, distribution: Distribution) -> None:
        self.distribution = distribution
        self._listed = distribution.read_text("top_level.txt") or ""
        self._record = "" if self._listed else "\n" + (distribution.read_text("RECORD") or "")

    def __contains__(self, module: str) -> bool:
        if self._listed:
            return module in self._listed.split()
        if len(self._record) < 2:
            files = (file.as_posix() for file in self.distribution.files or ())
        elif f"\n{module}/" in self._record or f"\n{module}." in self._record:
            # Parsed only if it may be there. ``files`` makes an object of each of many lines.
            files = (row[0] for row in csv.reader(self._record.splitlines()) if row)
        else:
            return False
        tops = {file.partition("/")[0] for file in files if file.endswith((".py", ".so"))}
        return module in {top.partition(".")[0] for top in tops}
