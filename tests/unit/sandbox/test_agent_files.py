"""What an agent's command is made of: an edited agent is another one, a touched one is not."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from env_service.sandbox.agent_files import MOST_BYTES, AgentFiles, files_of, imported_names
from env_service.sandbox.agents import AgentCommand, AgentImage, AgentSpec, parse_agent

SCRIPT = """
import json
import helper
from planning.search import plan

def late():
    import optional
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder of somebody's own agent."""
    (tmp_path / "my_agent.py").write_text(SCRIPT)
    (tmp_path / "helper.py").write_text("import deeper\n")
    (tmp_path / "deeper.py").write_text("DEPTH = 1\n")
    (tmp_path / "optional.py").write_text("")
    (tmp_path / "unrelated.py").write_text("")
    (tmp_path / "planning").mkdir()
    (tmp_path / "planning" / "__init__.py").write_text("")
    (tmp_path / "planning" / "search.py").write_text("def plan(): ...\n")
    (tmp_path / "planning" / "prompt.txt").write_text("Plan.")
    (tmp_path / "uv.lock").write_text("version = 1\n")
    (tmp_path / "requirements-dev.txt").write_text("pytest\n")
    return tmp_path


def files(place: Path, command: str) -> AgentFiles:
    found = files_of(parse_agent(f"cmd:{command}"), place)
    assert found is not None
    return found


def names(place: Path, command: str) -> set[str]:
    return set(files(place, command).files)


def test_a_script_counts_with_what_it_imports_and_its_locks(place: Path) -> None:
    assert names(place, "python my_agent.py") == {
        "my_agent.py",
        "helper.py",
        "deeper.py",
        "optional.py",
        "planning/__init__.py",
        "planning/search.py",
        "planning/prompt.txt",
        "uv.lock",
        "requirements-dev.txt",
    }


@pytest.mark.parametrize(
    "edited", ["my_agent.py", "helper.py", "deeper.py", "planning/prompt.txt", "uv.lock"]
)
def test_an_edit_makes_another_agent(place: Path, edited: str) -> None:
    before = files(place, "python my_agent.py")
    with (place / edited).open("a") as file:
        file.write("\n# edited\n")
    after = files(place, "python my_agent.py")
    assert after.digest != before.digest
    assert {name for name in after.files if after.files[name] != before.files[name]} == {edited}


def test_a_touched_agent_is_the_same_agent(place: Path) -> None:
    before = files(place, "python my_agent.py")
    for path in place.rglob("*.py"):
        os.utime(path, (1, 1))
    (place / "unrelated.py").write_text("CHANGED = 1\n")
    assert files(place, "python my_agent.py") == before


def test_it_is_the_same_agent_wherever_its_folder_lies(place: Path, tmp_path: Path) -> None:
    before = files(place, "python my_agent.py")
    moved = place.rename(tmp_path.parent / f"{tmp_path.name}-moved")
    assert files(moved, "python my_agent.py") == before


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("python -m helper", {"helper.py", "deeper.py", "uv.lock", "requirements-dev.txt"}),
        ("python -u -m planning.search", {"planning/search.py"}),
        ("uv run -m helper", {"helper.py"}),
        ("python -c 'import helper; helper.main()'", {"helper.py", "deeper.py"}),
        ("sh -c 'cd . && exec python my_agent.py'", {"my_agent.py", "helper.py"}),
        ("env SEED=1 python my_agent.py", {"my_agent.py"}),
        ("python my_agent.py --settings=deeper.py", {"my_agent.py", "deeper.py"}),
        ("python my_agent.py planning", {"my_agent.py", "planning/prompt.txt"}),
        ("python planning", {"planning/search.py"}),
    ],
)
def test_ways_to_name_files(place: Path, command: str, expected: set[str]) -> None:
    assert expected <= names(place, command)


@pytest.mark.parametrize(
    "command",
    [
        "python my_agent.py --log-dir notes",
        "python my_agent.py --out=notes/result.txt",
        "python my_agent.py --save_to notes",
        "sh -c 'python my_agent.py > notes/result.txt'",
        "python my_agent.py --root .",
    ],
)
def test_what_the_agent_writes_is_no_part_of_it(place: Path, command: str) -> None:
    (place / "notes").mkdir()
    (place / "notes" / "result.txt").write_text("1")
    assert not any(name.startswith(("notes", "unrelated")) for name in names(place, command))


def test_other_languages_count_with_the_files_that_they_name(tmp_path: Path) -> None:
    (tmp_path / "start.sh").write_text("#!/bin/sh\nexec node agent.js\n")
    (tmp_path / "agent.js").write_text("const plan = require('./plan')\nimport x from './lib'\n")
    (tmp_path / "plan.js").write_text("")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "index.js").write_text("")
    (tmp_path / "package-lock.json").write_text("{}")
    (tmp_path / "other.js").write_text("")
    assert names(tmp_path, "sh start.sh") == {
        "start.sh",
        "agent.js",
        "plan.js",
        "lib/index.js",
        "package-lock.json",
    }


def test_a_program_of_ones_own_counts_by_its_bytes(tmp_path: Path) -> None:
    program = tmp_path / "agent"
    program.write_bytes(b"\x7fELF one")
    program.chmod(0o755)
    before = files(tmp_path, "./agent")
    program.write_bytes(b"\x7fELF two")
    assert set(before.files) == {"agent"}
    assert files(tmp_path, "./agent").digest != before.digest


def test_another_python_counts_by_its_version_and_packages(place: Path) -> None:
    environment = place / "venv"
    site = environment / "lib" / "python3.12" / "site-packages" / "solver-1.2.dist-info"
    site.mkdir(parents=True)
    (site / "METADATA").write_text("Name: solver\nVersion: 1.2\n")
    (site / "top_level.txt").write_text("solver\n")
    (environment / "bin").mkdir()
    (environment / "bin" / "python").symlink_to(sys.executable)
    (environment / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.12.1\n")
    (place / "my_agent.py").write_text("import solver\n")

    found = files(place, "venv/bin/python my_agent.py")

    assert found.packages == {"python": "3.12.1", "solver": "1.2"}


def test_installed_packages_count_by_their_versions(place: Path) -> None:
    (place / "my_agent.py").write_text("import click\nimport os\n")
    assert set(files(place, "python my_agent.py").packages) == {"click"}


def test_an_agent_counts_with_the_protocols_stubs_and_without_the_services_python_api(
    place: Path,
) -> None:
    (place / "my_agent.py").write_text("from houseguest.agent.v1 import agent_pb2\n")
    found = files(place, "python my_agent.py")
    named = {*found.files, *found.packages}
    assert {"houseguest/", "houseguest-proto"} & named
    assert {"houseguest", "env_service/"} & named == set()


def test_bundled_agents_count_with_the_libraries_that_they_bring(tmp_path: Path) -> None:
    """Suites bring prompts for model agents: an edited prompt is another agent."""
    found = files_of(parse_agent("vlm", given={"--model": ("m",)}), tmp_path)
    assert found is not None
    assert {"agent.py", "agent.toml"} <= set(found.files)
    assert any(name.startswith("model_guest") for name in (*found.files, *found.packages))
    assert "houseguest.prompts/asgard/" in found.files


def test_a_folder_with_a_manifest_counts_as_a_whole(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "agent.toml").write_text('description = "x"\ncommand = ["{python}", "agent.py"]\n')
    (folder / "agent.py").write_text("")
    (folder / "prompt.md").write_text("hello")
    (folder / "run.log").write_text("written by the agent")
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "x.js").write_text("")

    found = files_of(parse_agent(str(folder)), tmp_path)

    assert found is not None
    assert set(found.files) == {"agent.toml", "agent.py", "prompt.md"}


def test_large_folders_count_by_names_and_sizes(tmp_path: Path) -> None:
    (tmp_path / "weights").mkdir()
    with (tmp_path / "weights" / "model.bin").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    before = files(tmp_path, "./none weights")
    assert before.files["weights/"].startswith("sizes:")
    (tmp_path / "weights" / "more.bin").write_bytes(b"1")
    assert files(tmp_path, "./none weights").digest != before.digest


def test_special_files_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    os.mkfifo(tmp_path / "data" / "pipe")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "data" / "file").write_text("1")
    assert names(tmp_path, "./none data pipe") == {"data/file"}


def test_images_count_by_their_id_and_external_agents_are_unknown() -> None:
    image = files_of(AgentSpec("image:x", AgentImage("x", image_id="sha256:12")))
    assert image is not None
    assert image.packages == {"image": "sha256:12"}
    assert files_of(AgentSpec("external", None)) is None


def test_a_command_that_names_nothing_is_known_by_its_words(tmp_path: Path) -> None:
    found = files_of(AgentSpec("cmd:none", AgentCommand(("none", "--x", "\0"))), tmp_path)
    assert found == AgentFiles()


def test_imports_are_found_anywhere_and_broken_scripts_have_none() -> None:
    assert imported_names(SCRIPT) == ["helper", "json", "optional", "planning"]
    assert imported_names("from . import sibling\nimport a.b.c as d") == ["a"]
    assert imported_names("def broken(:") == []
