"""What holds for the repository as a whole: who may import whom, words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GENERATED = ROOT / "proto" / "python" / "src"
OURS = ("env_service", "houseguest", "agents", "proto", "docs", "tests", "benchmarks", ".ci")
TEXT = (
    *(".py", ".md", ".toml", ".yaml", ".yml", ".proto", ".svg", ".txt", ".ts", ".mjs", ".js"),
    *(".json", ".html", ".css", ".sh", ""),
)
INSTALLED = {"node_modules", "dist", "generated", "__pycache__"}
"""Folders of what tools put there."""


def sources(*folders: str) -> list[Path]:
    """Python files below these folders, generated ones left out."""
    found = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return sorted(
        path for path in found if GENERATED not in path.parents and not INSTALLED & set(path.parts)
    )


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports, also inside functions and for type checking."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def offenders(files: list[Path], forbidden: tuple[str, ...]) -> list[str]:
    """ "file imports module", for every import of a forbidden module or of a part of one."""
    packages = {re.escape(module.partition(".")[0]) for module in forbidden}
    # Parsing every file would take seconds.
    some = re.compile(rf"\b(?:from|import)\s[^#\n]*\b(?:{'|'.join(packages)})\b")
    return [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files
        if some.search(path.read_text(encoding="utf-8"))
        for name in imports(path)
        if any(name == module or name.startswith(f"{module}.") for module in forbidden)
    ]


def words() -> list[Path]:
    """Every text file of ours."""
    # In a worktree, `.git` is a file that names the repository's folder.
    top = [path for path in ROOT.iterdir() if path.is_file() and path.name != ".git"]
    below = (path for folder in OURS for path in (ROOT / folder).rglob("*"))
    return sorted(
        path
        for path in (*top, *below)
        if path.is_file() and path.suffix in TEXT and not INSTALLED & set(path.parts)
    )


def test_agents_know_the_protocol_alone() -> None:
    assert offenders(sources("agents"), ("env_service", "houseguest.control")) == []


def test_the_service_does_not_import_its_python_api() -> None:
    ours = [path.stem for path in (ROOT / "houseguest").glob("*.py") if path.stem != "__init__"]
    api = tuple(f"houseguest.{name}" for name in ours)
    assert api
    assert offenders(sources("env_service", "agents"), api) == []


CORE = (
    *("chat", "cli", "conformance", "container", "datasets", "doctor", "domain", "engine"),
    *("evaluation", "exports", "gateway", "index", "processes", "results", "sandbox", "storage"),
    *("submissions", "sweep", "view", "wire"),
)
PLUG_INS = {"bundled_agents", "suites", "testing", "worlds"}
"""Folders with a part for each plug-in, and the kits that check them."""
AGENTS = "random|vlm|local|scripted|translation|typescript|human"
PLUGIN_WORDS = re.compile(
    "asgard|alfred|act_?plan|baby_?bench|baby_?ai|household|ai2.?thor|procthor|mini_?grid|ithor"
    rf"|floor_?plan|[\"'`](?:{AGENTS})[\"'`]|agents? (?:{AGENTS})\b",
    re.IGNORECASE,
)
"""Names of our suites, worlds and data packs; and those of our agents, which are plain words, where
one stands alone in quotes or after "agent"."""


def core() -> list[Path]:
    """The Python files of the core: env_service without the folders of plug-ins."""
    flat = [
        *(ROOT / "env_service").glob("*.py"),
        *(ROOT / "env_service" / "suites").glob("*.py"),
        *(ROOT / "env_service" / "worlds").glob("*.py"),
    ]
    return sorted([*flat, *sources(*(f"env_service/{name}" for name in CORE))])


def test_the_core_names_no_suite_no_world_and_no_agent() -> None:
    named = [
        f"{path.relative_to(ROOT)}, line {number}: {found[0]}"
        for path in core()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for found in PLUGIN_WORDS.finditer(line)
    ]
    assert named == []


def parts(folder: str) -> list[str]:
    """The packages in a folder of env_service."""
    found = (ROOT / "env_service" / folder).iterdir()
    return sorted(path.name for path in found if (path / "__init__.py").exists())


def test_every_folder_of_the_service_is_the_cores_or_a_plug_ins() -> None:
    assert set(parts(".")) <= {*CORE, *PLUG_INS}


def test_benchmarks_import_what_there_is() -> None:
    ours = ("env_service.", "benchmarks.", "tests.")
    found = ((path, name) for path in sources("benchmarks") for name in imports(path))
    wanted = [(path.name, name) for path, name in found if name.startswith(ours)]
    # What is imported from a module is in it, or a module below it.
    missing = [each for each in wanted if not (_is_module(each[1]) or _is_module(_above(each[1])))]
    assert missing == []


def _above(name: str) -> str:
    return name.rpartition(".")[0]


def _is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def test_the_licence_is_there() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
    assert "Version 2.0" in text


def test_no_package_registry_is_named() -> None:
    """Where packages come from is the installer's configuration, not the repository's."""
    hosts = re.compile(
        r"(pypi|pythonhosted|npmjs|registry\.\w+|anaconda|rubygems)\.(org|com|io)|buf\.build"
    )
    named = [
        f"{path.relative_to(ROOT)}: {found[0]}"
        for path in words()
        if path != Path(__file__).resolve()
        for found in hosts.finditer(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert named == []


def test_no_path_of_one_machine_is_named() -> None:
    home = re.compile(r"(?<![\w.])/(?:work|root|home/\w+)/")
    named = [
        f"{path.relative_to(ROOT)}: {found[0]}"
        for path in words()
        if path != Path(__file__).resolve()
        for found in home.finditer(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert named == []
