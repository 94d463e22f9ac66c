"""Which files a program needs to run, where the machine's own folders do not hold it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from env_service.sandbox.errors import GuestStartError

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""What every guest can read."""
PACKAGE = "env_service"
"""The house's own package: no guest needs it, and it holds what no guest should see."""
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
    """A program's file, the files and folders that it needs beside SYSTEM's, and variables.

    ``hidden`` are folders within these that guests are not to see.
    """

    file: Path
    needs: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()


def find_program(word: str) -> Program:
    """What the first word of a command runs. Raises GuestStartError where there is none."""
    found = shutil.which(word)
    if found is None:
        raise GuestStartError(f"there is no program {word}, or it may not be executed")
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


def holds_house(folder: Path) -> bool:
    """Whether the house's own package lies in a folder."""
    return (folder / PACKAGE / "__init__.py").is_file()


def _python(file: Path) -> Program:
    """Asks the interpreter itself: only it knows about venvs and editable installs."""
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
        raise GuestStartError(f"{file} is no Python that runs: {error}") from error
    # Not always what was asked: a version manager has scripts that lead to the interpreter.
    file = Path(answer["executable"])
    prefixes = {Path(each) for each in answer["prefixes"]}
    if home := next(filter(is_home, prefixes), None):
        raise GuestStartError(f"{file} has its files right in {home}, which no guest may see")
    paths = {Path(each) for each in answer["path"] if Path(each).exists()}
    imported = {each for each in paths if not holds_house(each)}
    within = {each / PACKAGE for each in paths - imported if _is_within(each, prefixes)}
    # A checkout that is installed editable is on the path as a whole: it stays out.
    outside = {each for each in imported if each.name != PACKAGE and not is_home(each)}
    user = (("PYTHONUSERBASE", answer["user"]),) if answer["user"] else ()
    needs = {file, *prefixes, *outside, *(each for each in paths if _is_within(each, prefixes))}
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
