"""Which modules a Python script imports, and where an interpreter has them. Imports none."""

from __future__ import annotations

import ast
import sys
import sysconfig
from importlib.machinery import PathFinder
from importlib.metadata import Distribution, distributions
from pathlib import Path

_SITES = ("site-packages", "dist-packages")


def imported_names(source: str) -> list[str]:
    """The top-level names of the modules that a script imports anywhere in it, in the order of
    names. Empty for what is no Python. Relative imports stay inside of their package."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.partition(".")[0])
    return sorted(found)


class InstalledPackages:
    """The packages that an interpreter finds: the service's own, or the one at ``python``, whose
    virtual environment is looked at and never run."""

    def __init__(self, *, own: bool, python: Path | None = None) -> None:
        self._own = own
        self._python = python
        self._sites = _own_sites() if own else _sites_of(python)
        self._by_module: dict[str, dict[str, str]] | None = None

    @property
    def python_version(self) -> str:
        """The interpreter's version where its environment tells it, else its real name. Empty for
        the service's own, and for an unknown one."""
        if self._python is None or self._own:
            return ""
        settings = self._python.absolute().parent.parent / "pyvenv.cfg"
        try:
            lines = settings.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            return self._python.resolve().name
        pairs = (line.partition("=") for line in lines)
        told = {key.strip(): value.strip() for key, _, value in pairs}
        return told.get("version") or told.get("version_info") or self._python.resolve().name

    def find(self, module: str) -> Path | dict[str, str]:
        """Where a top-level module lies that is installed from a working copy; else the versions
        of the distributions that have it, by name: none for the standard library's, and for one
        that is not found."""
        if module in sys.stdlib_module_names:
            return {}
        working = self._working_copy(module)
        return working or self._distributions(module)

    def _working_copy(self, module: str) -> Path | None:
        places = sys.path if self._own else _extended(self._sites)
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
        if self._by_module is None:
            self._by_module = {}
            for each in distributions(path=self._sites):
                for name in _modules_of(each):
                    self._by_module.setdefault(name, {})[each.name] = each.version
        return self._by_module.get(module, {})


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
    """Whether a module lies where installers put packages, or belongs to Python itself."""
    if any(part in _SITES for part in path.parts):
        return True
    library = Path(sysconfig.get_path("stdlib"))
    return path.is_relative_to(library)


def _modules_of(distribution: Distribution) -> set[str]:
    told = distribution.read_text("top_level.txt")
    if told:
        return set(told.split())
    tops = {file.parts[0] for file in distribution.files or () if file.suffix in (".py", ".so")}
    return {top.partition(".")[0] for top in tops}
