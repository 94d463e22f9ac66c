"""What the documentation says is there is there."""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.util
import re
import shlex
from pathlib import Path
from types import ModuleType

import click
import pytest

from env_service.cli.main import cli
from env_service.domain.reasons import Reason
from env_service.exports.formats import MissingExtraError
from env_service.gateway.limits import PROTOCOL_REVISION
from env_service.sandbox.agent_manifest import read_manifest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
CODE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)?(?:#([^)\s]+))?\)")
COMMAND = re.compile(r"^\s*(?:PYTHONPATH=\S+ )?(?:\.venv/bin/)?houseguest (.+)$", re.MULTILINE)
OURS = ("env_service", "houseguest")
"""Packages of this repository that programs import."""
EXAMPLES = {"AGENT": "random", "HEX": "0" * 64}
"""Words of a real command in place of those that stand for one."""


def blocks(page: Path) -> list[str]:
    """The page's Python code."""
    return CODE.findall(page.read_text(encoding="utf-8"))


def generator() -> ModuleType:
    """docs/generate_protocol.py, imported."""
    path = ROOT / "docs" / "generate_protocol.py"
    spec = importlib.util.spec_from_file_location("generate_protocol", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("reason", Reason, ids=lambda reason: reason.name)
def test_every_reason_is_in_the_protocols_table(reason: Reason) -> None:
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    row = f"| `{reason.name}` | `{reason.status.name}` | {reason.meaning} | {reason.remedy} |"
    assert row.replace("|", "¦") in page.replace("|", "¦")


def test_the_protocols_page_is_up_to_date() -> None:
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    assert generator().page() == page, "run `make docs`"


def test_every_message_and_call_is_in_the_reference() -> None:
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    for file in (ROOT / "proto" / "houseguest").rglob("*.proto"):
        text = file.read_text(encoding="utf-8")
        for kind, name in re.findall(r"^\s*(message|enum|service|rpc) (\w+)", text, re.MULTILINE):
            wanted = f"**`{name}(" if kind == "rpc" else f"#### {name}\n"
            assert wanted in page, f"{kind} {name} of {file.name} is missing"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_python_block_compiles(page: Path) -> None:
    for block in blocks(page):
        ast.parse(block, filename=page.name)


def exists(dotted: str) -> bool:
    """Whether a dotted name is a module, or a name in one."""
    module, _, name = dotted.rpartition(".")
    if hasattr(importlib.import_module(module), name):
        return True
    try:
        return importlib.util.find_spec(dotted) is not None
    except ModuleNotFoundError:
        return False


NAMED = re.compile(r"`(env_service(?:\.\w+)+)`|`(env_service/[\w./-]+)`")
"""A module, or a file of the service, that a page names."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_modules_and_files_that_pages_name_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    lost = {
        f"{node.module}.{alias.name}"
        for block in blocks(page)
        for node in ast.walk(ast.parse(block))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(OURS)
        for alias in node.names
        if not exists(f"{node.module}.{alias.name}")
    }
    for dotted, path in NAMED.findall(text):
        if not (exists(dotted) if dotted else (ROOT / path).exists()):
            lost.add(dotted or path)
    assert lost == set()


def test_the_readmes_agent_has_ten_lines() -> None:
    agent, _ = blocks(ROOT / "README.md")
    assert len(agent.strip().splitlines()) <= 10


def test_the_readme_is_short() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    assert len(text.split()) <= 900


def test_no_page_is_long() -> None:
    exempt = (*GENERATED, ROOT / "CHANGELOG.md", ROOT / "docs" / "protocol.template.md")
    words = {page.name: len(page.read_text(encoding="utf-8").split()) for page in PAGES}
    long = {name: count for name, count in words.items() if count > 1500}
    assert set(long) <= {page.name for page in exempt}, long


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for path, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        if path.startswith("https://"):
            continue
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name} links to {path}, which does not exist"
        if anchor:
            assert anchor in anchors(target), f"{page.name} links to {path}#{anchor}"


def anchors(page: Path) -> set[str]:
    """What a link into the page can name."""
    made = {re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in headings(page)}
    return made | set(re.findall(r'<a id="([^"]+)">', page.read_text(encoding="utf-8")))


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the pages' commands name, and a command line that takes other paths to
    exist."""
    (tmp_path / "my_agent").mkdir()
    # Other pages start an agent of this name without the options of the one shown.
    optional = shown_bundle().replace("required = true\n", "")
    (tmp_path / "my_agent" / "agent.toml").write_text(optional, encoding="utf-8")
    (tmp_path / "my_agent.py").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(click.Path, "convert", lambda self, value, param, ctx: Path(value))
    return tmp_path


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_can_be_typed(page: Path) -> None:
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    for line in COMMAND.findall(text):
        typed = re.split(r"&&| \| | > |[&…]\s*$", line)[0]
        words = [EXAMPLES.get(word, word) for word in shlex.split(typed, comments=True)]
        command: click.Command = cli
        while isinstance(command, click.Group) and words and not words[0].startswith("-"):
            name = words.pop(0)
            found = command.get_command(click.Context(command), name)
            assert found is not None, f"{page.name}: houseguest {line}"
            command = found
        # A page may name a command without the arguments that it needs.
        if words and "--help" not in words:
            # An extra that is not installed here says nothing about the page.
            with contextlib.suppress(MissingExtraError):
                command.make_context(line, words)


def shown_bundle() -> str:
    """The agent.toml that docs/bundle-an-agent.md shows."""
    page = (ROOT / "docs" / "bundle-an-agent.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```toml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    return str(shown)


def test_the_bundle_that_is_shown_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "agent.toml").write_text(shown_bundle(), encoding="utf-8")
    assert read_manifest(tmp_path).options


def test_the_contracts_revision_is_kept() -> None:
    kept = {path.name for path in (ROOT / "proto" / "baseline").iterdir()}
    assert kept == {f"revision-{n + 1}.binpb" for n in range(PROTOCOL_REVISION)}


ENTRY = re.compile(r"^\| ([a-z][a-z -]*) \| (.+) \|$", re.MULTILINE)


def test_the_glossary_is_short_and_gives_each_word_one_meaning() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    words = [word for word, _ in ENTRY.findall(page) if word != "word"]
    assert 0 < len(words) <= 40
    assert words == sorted(set(words))
    meanings = [meaning for _, meaning in ENTRY.findall(page)]
    assert len(set(meanings)) == len(meanings)


@pytest.mark.parametrize("page", ["README.md", "docs/write-an-agent.md", "docs/protocol.md"])
def test_the_glossary_is_linked_where_readers_begin(page: str) -> None:
    assert "glossary.md)" in (ROOT / page).read_text(encoding="utf-8")


GENERATED = (ROOT / "docs" / "protocol.md", ROOT / "docs" / "conformance-rules.md")
CITATION = re.compile(
    r"docs/([\w/-]+)\.md(?:,(?:\s+|\s*\n\s*(?:#|//|\*)?\s*)"
    r"(\"[^\"]+\"|[A-Z][\w ,'-]*?(?=[).;:]|\n\n|$)))?",
    re.DOTALL,
)
"""A page that code cites, and perhaps one of its headings."""
CODE_FILES = sorted(
    path
    for folder in ("env_service", "houseguest", "agents", "proto", "tests", "benchmarks")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".toml", ".ts", ".proto"} and "node_modules" not in path.parts
)


def test_citations_of_pages_lead_somewhere() -> None:
    lost = []
    for path in CODE_FILES:
        for name, heading in CITATION.findall(path.read_text(encoding="utf-8")):
            page = ROOT / "docs" / f"{name}.md"
            plain = re.sub(r"\s*\n\s*(?:#|//|\*)?\s*", " ", heading).strip('"')
            if not page.exists() or (plain and plain not in headings(page)):
                lost.append(f"{path.relative_to(ROOT)}: docs/{name}.md, {plain}")
    assert lost == []


NOT_HERE = re.compile(r"\(spec\s+\d|\bspec:\s+[\w-]+\.md|[\w-]+\.md (?:sections?|§) *\d")
"""A citation of a document that the repository does not have."""


def test_no_citation_names_a_document_that_readers_do_not_have() -> None:
    lost = [
        f"{path.relative_to(ROOT)}: {found[0]}"
        for path in CODE_FILES
        if path != Path(__file__)
        for found in NOT_HERE.finditer(path.read_text(encoding="utf-8"))
    ]
    assert lost == []


def headings(page: Path) -> set[str]:
    """The headings of a page as written."""
    return set(re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE))
