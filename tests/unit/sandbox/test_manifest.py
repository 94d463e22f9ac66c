"""What an agent.toml may say, and how a wrong one is named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from env_service.sandbox.agent_manifest import AgentManifest, AgentOption, Requires, read_manifest
from env_service.sandbox.agents import agent_folders
from env_service.sandbox.errors import AgentSpecError

FULL = """
description = "Asks a model."
command = ["{python}", "agent.py"]
check = ["{python}", "agent.py", "--check"]
shared = true

[requires]
modules = ["json", "no_such_module", "no_such.part"]
extra = "vlm"

[[option]]
name = "--model"
metavar = "NAME"
help = "Which model."
required = true

[[option]]
name = "--top-p"
type = "float"
default = 0.9

[[option]]
name = "--prompts"
content = true

[[option]]
name = "--wait"
default = "60"
identity = false
"""


def manifest(folder: Path, text: str) -> AgentManifest:
    (folder / "agent.toml").write_text(text, encoding="utf-8")
    return read_manifest(folder)


def test_everything_that_a_manifest_says_is_read(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("", encoding="utf-8")
    read = manifest(tmp_path, FULL)
    script = str(tmp_path / "agent.py")
    assert read == AgentManifest(
        folder=tmp_path,
        description="Asks a model.",
        command=(sys.executable, script),
        check=(sys.executable, script, "--check"),
        options=(
            AgentOption("--model", metavar="NAME", help="Which model.", required=True),
            AgentOption("--top-p", type="float", default="0.9"),
            AgentOption("--prompts", path=True, content=True),
            AgentOption("--wait", default="60", identity=False),
        ),
        requires=Requires(("json", "no_such_module", "no_such.part"), "vlm"),
        shared=True,
    )
    assert read.name == tmp_path.name


def test_what_is_not_installed_is_named_with_the_command_that_installs_it(tmp_path: Path) -> None:
    read = manifest(tmp_path, FULL)
    assert read.missing() == ("no_such_module", "no_such.part")
    with pytest.raises(AgentSpecError, match=r"pip install 'houseguest\[vlm\]'"):
        read.check_requirements()


def test_without_an_extra_the_requirements_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("no-such-module\n", encoding="utf-8")
    read = manifest(tmp_path, 'command = ["{python}"]\nrequires = {modules = ["no_such_module"]}')
    with pytest.raises(AgentSpecError, match=r"pip install -r .*requirements\.txt"):
        read.check_requirements()


def test_another_languages_agent_needs_nothing_of_our_python(tmp_path: Path) -> None:
    read = manifest(tmp_path, 'command = ["node"]\nrequires = {modules = ["no_such_module"]}')
    read.check_requirements()
    assert read.missing() == ()


def test_a_word_of_a_command_may_be_longer_than_a_files_name(tmp_path: Path) -> None:
    script = "exec node agent.js; " + "# " * 500
    assert manifest(tmp_path, f'command = ["sh", "-c", "{script}"]').command[2] == script


OPTION = 'command = ["x"]\n[[option]]\n'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("command = [", "Invalid"),
        ('description = "No command."', "command has to be a list of texts"),
        ('command = "python agent.py"', "command: is 'python agent.py', not a list: put it in"),
        ("command = [1, 2]", r"command\[0\]: is 1, not a text: put it in quotes"),
        ("command = []", "command has to be a list of texts, and not empty"),
        ('command = [""]', "command has to be a list of texts, and not empty"),
        ('command = ["x"]\ndescription = 1', "description: is 1, not a text: put it in quotes"),
        ('command = ["x"]\nshard = true', "Did you mean 'shared'"),
        ('command = ["x"]\nshared = "yes"', "shared: is 'yes', not true or false"),
        ('command = ["x"]\noptions = {}', "Did you mean 'option'"),
        ('command = ["x"]\noption = 1', "option: is 1, not a list: put it in brackets"),
        ('command = ["x"]\noption = [1]', r"option\[0\]: is 1, not an object of keys and values"),
        (
            'command = ["x"]\nrequires = ["httpx"]',
            r"requires: is \['httpx'\], not an object of keys",
        ),
        ('command = ["x"]\nrequires = {module = []}', "Did you mean 'requires.modules'"),
        (OPTION + 'help = "No name."', r"option\[0\]: lacks the key 'name'"),
        (OPTION + 'name = "-m"', "has to be like --base-url, not '-m'"),
        (OPTION + 'name = "--a b"', "has to be like --base-url"),
        (OPTION + 'name = "--a"\nmetvar = "A"', r"Did you mean 'option\[0\].metavar'"),
        (OPTION + 'name = "--a"\ntype = "number"', "no type 'number'. Valid: text, int, float"),
        (
            OPTION + 'name = "--a"\ndefault = true',
            r"option\[0\].default: is True, not a text or a number",
        ),
        (OPTION + 'name = "--a"\nflag = true\nmetavar = "N"', "--a is a flag"),
        (OPTION + 'name = "--a"\nflag = true\nrequired = true', "--a is a flag"),
        (OPTION + 'name = "--a"\ncontent = true\nidentity = false', "options of the identity"),
        (OPTION + 'name = "--a"\ndefault = "z"\nchoices = ["x"]', "'z' is none of the choices"),
        (OPTION + 'name = "--a"\n[[option]]\nname = "--a"', "--a is declared twice"),
    ],
)
def test_a_broken_manifest_is_named(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(AgentSpecError, match=problem) as caught:
        manifest(tmp_path, text)
    assert str(tmp_path / "agent.toml") in str(caught.value)


@pytest.mark.parametrize("folder", agent_folders().values(), ids=lambda folder: folder.name)
def test_every_bundled_agent_says_who_it_is_in_a_sentence(folder: Path) -> None:
    read = read_manifest(folder)
    assert read.description.endswith(".")
    assert all(option.help.endswith((".", ".)")) for option in read.options)
