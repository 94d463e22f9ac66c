"""What an agent.toml may say, and how a wrong one is named."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from env_service.sandbox.agent_manifest import (
    AgentManifest,
    AgentOption,
    ChosenOptions,
    Requires,
    choose,
    read_manifest,
)
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


def test_without_a_command_agent_py_is_started(tmp_path: Path) -> None:
    (tmp_path / "agent.py").touch()
    read = manifest(tmp_path, "shared = true")
    assert read.shared
    assert read.command == (sys.executable, str(tmp_path / "agent.py"))


OPTION = 'command = ["x"]\n[[option]]\n'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("command = [", "Invalid"),
        ('description = "No command."', "command must be a list of texts"),
        ('command = "python agent.py"', "command: is 'python agent.py', not a list: put it in"),
        ("command = [1, 2]", r"command\[0\]: is 1, not a text: put it in quotes"),
        ("command = []", "command must be a list of texts that is not empty"),
        ('command = [""]', "command must be a list of texts that is not empty"),
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
        (
            OPTION + 'name = "--a"\ncontent = true\nidentity = false',
            "cannot be used with identity = false",
        ),
        (OPTION + 'name = "--a"\ndefault = "z"\nchoices = ["x"]', "'z' is not among the choices"),
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


# --- What of an agent's options reaches its command, and what defines the run


MODEL = AgentOption("--model")
HEAT = AgentOption("--temperature", type="float", default="0")
WAIT = AgentOption("--wait", identity=False)
STOP = AgentOption("--stop", multiple=True)
GUIDED = AgentOption("--guided", flag=True)
CACHE = AgentOption("--cache", path=True)
PROMPTS = AgentOption("--prompts", path=True, content=True)


def test_nothing_given_is_nothing_added() -> None:
    assert choose([MODEL, HEAT, GUIDED, PROMPTS], {}) == ChosenOptions((), "")


def test_the_manifests_order_counts_not_the_one_typed() -> None:
    one = choose([MODEL, HEAT], {"--temperature": ("1",), "--model": ("x",)})
    other = choose([MODEL, HEAT], {"--model": ("x",), "--temperature": ("1",)})
    assert (
        one
        == other
        == ChosenOptions(("--model", "x", "--temperature", "1.0"), "--model x --temperature 1.0")
    )


def test_a_number_has_one_spelling() -> None:
    labels = {choose([HEAT], {"--temperature": (text,)}).label for text in ("0.70", ".7", "7e-1")}
    assert labels == {"--temperature 0.7"}


@pytest.mark.parametrize("text", ["0", "0.0", "0e3"])
def test_a_declared_default_is_passed_on_but_defines_nothing(text: str) -> None:
    assert choose([HEAT], {"--temperature": (text,)}) == ChosenOptions(("--temperature", "0.0"), "")


def test_a_default_in_words_equals_no_number() -> None:
    heat = AgentOption("--temperature", type="float", default="the server's")
    assert choose([heat], {"--temperature": ("0",)}).label == "--temperature 0.0"


def test_a_default_without_end_is_one() -> None:
    wait = AgentOption("--wait", type="float", default="inf")
    assert choose([wait], {}) == ChosenOptions((), "")
    assert choose([wait], {"--wait": ("inf",)}) == ChosenOptions(("--wait", "inf"), "")


@pytest.mark.parametrize("text", ["warm", "nan", "inf", "1e999"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(AgentSpecError, match=f"--temperature {text}"):
        choose([HEAT], {"--temperature": (text,)})


def test_what_is_no_part_of_the_identity_is_only_passed_on() -> None:
    assert choose([MODEL, WAIT], {"--wait": ("9",), "--model": ("x",)}) == ChosenOptions(
        ("--model", "x", "--wait", "9"), "--model x"
    )


def test_a_flag_has_no_value() -> None:
    assert choose([GUIDED], {"--guided": ("",)}) == ChosenOptions(("--guided",), "--guided")


def test_a_repeated_option_keeps_its_order() -> None:
    chosen = choose([STOP], {"--stop": ("b", "a b")})
    assert chosen.words == ("--stop", "b", "--stop", "a b")
    assert chosen.label == "--stop b --stop 'a b'"


def test_a_value_like_an_option_stays_a_value() -> None:
    assert choose([MODEL], {"--model": ("-1",)}).words == ("--model=-1",)


def test_a_path_is_the_same_from_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path)
    one = choose([CACHE], {"--cache": ("new",)})
    monkeypatch.chdir(tmp_path / "below")
    assert one == choose([CACHE], {"--cache": ("../new",)})
    assert one.words == ("--cache", str(tmp_path / "new"))


def test_a_path_typed_like_the_default_is_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agent's own default lies wherever the agent has it, not in the user's folder."""
    monkeypatch.chdir(tmp_path)
    cache = AgentOption("--cache", path=True, default="cache")
    assert choose([cache], {}).label == ""
    assert choose([cache], {"--cache": ("cache",)}).label == f"--cache {tmp_path / 'cache'}"


@pytest.mark.parametrize("option", [CACHE, PROMPTS], ids=["path", "content"])
def test_an_empty_path_is_not_the_current_folder(option: AgentOption) -> None:
    with pytest.raises(AgentSpecError, match="the path is empty"):
        choose([option], {option.name: ("",)})


class TestContent:
    def label(self, path: Path) -> str:
        chosen = choose([PROMPTS], {"--prompts": (str(path),)})
        assert chosen.words == ("--prompts", str(path))
        return chosen.label

    @pytest.fixture
    def prompts(self, tmp_path: Path) -> Path:
        folder = tmp_path / "prompts"
        (folder / "babyai").mkdir(parents=True)
        (folder / "babyai" / "system.txt").write_text("You are in a grid.", encoding="utf-8")
        return folder

    def test_a_folder_is_known_by_what_it_holds(self, prompts: Path) -> None:
        before = self.label(prompts)
        assert before.startswith("--prompts sha256:")
        moved = prompts.rename(prompts.with_name("elsewhere"))
        assert self.label(moved) == before

    @pytest.mark.parametrize(
        "edit",
        [
            lambda file: file.write_text("You are in a house.", encoding="utf-8"),
            lambda file: file.rename(file.with_name("user.txt")),
            lambda file: file.with_name("more.txt").touch(),
        ],
    )
    def test_an_edited_one_is_another(self, prompts: Path, edit: object) -> None:
        before = self.label(prompts)
        edit(prompts / "babyai" / "system.txt")  # type: ignore[operator]
        assert self.label(prompts) != before

    def test_what_an_editor_leaves_behind_does_not_count(self, prompts: Path) -> None:
        before = self.label(prompts)
        (prompts / ".system.txt.swp").touch()
        (prompts / ".git").mkdir()
        (prompts / ".git" / "HEAD").touch()
        assert self.label(prompts) == before

    def test_linked_folders_count_and_loops_end(self, prompts: Path, tmp_path: Path) -> None:
        before = self.label(prompts)
        (tmp_path / "more").mkdir()
        (prompts / "linked").symlink_to(tmp_path / "more")
        (prompts / "loop").symlink_to(prompts)
        assert self.label(prompts) == before, "they hold no file of their own yet"
        (tmp_path / "more" / "hint.txt").write_text("Look around.", encoding="utf-8")
        assert self.label(prompts) != before

    def test_a_file_is_known_by_its_bytes(self, tmp_path: Path) -> None:
        file = tmp_path / "prompt.txt"
        file.write_bytes(b"abc")
        # The SHA-256 of "abc": FIPS 180-4, its first example.
        assert self.label(file) == "--prompts sha256:ba7816bf8f01"

    def test_one_that_does_not_exist_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(AgentSpecError, match=r"--prompts .*nowhere: no such file"):
            self.label(tmp_path / "nowhere")

    def test_a_link_to_itself_is_no_file(self, tmp_path: Path) -> None:
        (tmp_path / "loop").symlink_to("loop")
        with pytest.raises(AgentSpecError, match=r"loop: no such file"):
            self.label(tmp_path / "loop")

    def test_nobody_waits_for_a_pipe(self, prompts: Path) -> None:
        pipe = prompts / "pipe"
        os.mkfifo(pipe)
        with pytest.raises(AgentSpecError, match=r"pipe: no such file"):
            self.label(pipe)
        with pytest.raises(OSError, match="only plain files are read") as caught:
            self.label(prompts)
        assert caught.value.filename == str(pipe)
