"""What ``--agent`` means, and what a user hears who wrote it wrong."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from env_service.domain.names import UnknownNameError
from env_service.sandbox.agents import GuestCommand, bundled_agents, find_agent, parse_agent
from env_service.sandbox.choosing import Given
from env_service.sandbox.errors import AgentSpecError


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty shelf of the user's own."""
    monkeypatch.setenv("HOUSEGUEST_AGENTS", str(tmp_path))
    return tmp_path


def put(shelf: Path, name: str, manifest: str, *files: str) -> Path:
    """An agent's folder on a shelf."""
    folder = shelf / name
    folder.mkdir(parents=True)
    (folder / "agent.toml").write_text(manifest, encoding="utf-8")
    for file in files:
        (folder / file).write_text("", encoding="utf-8")
    return folder


def command(text: str, arguments: str = "", given: Given | None = None) -> tuple[str, ...]:
    guest = parse_agent(text, arguments, given).guest
    assert guest is not None
    return guest.command


class TestCommands:
    @pytest.mark.parametrize(
        "text",
        [
            "cmd:python a.py",
            'cmd:"python a.py"',  # as a shell leaves it where all was in single quotes
            "cmd:python  'a.py'",
            "cmd:python3 a.py",
        ],
    )
    def test_python_is_the_one_that_runs_the_house(self, text: str) -> None:
        assert command(text) == (sys.executable, "a.py")

    def test_other_programs_are_left_alone(self) -> None:
        assert command("cmd:node agent.js") == ("node", "agent.js")
        assert command("cmd:/usr/bin/python a.py") == ("/usr/bin/python", "a.py")
        assert command("cmd:./run") == ("./run",)

    def test_quotes_hold_a_word_together(self) -> None:
        assert command("cmd:node 'my agent.js' --name \"a b\"") == (
            *("node", "my agent.js"),
            *("--name", "a b"),
        )
        assert command("cmd:\"node 'my agent.js'\"") == ("node", "my agent.js")

    def test_arguments_come_last_split_as_by_a_shell(self) -> None:
        assert command("cmd:node a.js", "--seed 7 --note 'two words'") == (
            *("node", "a.js"),
            *("--seed", "7"),
            *("--note", "two words"),
        )

    @pytest.mark.parametrize("text", ["cmd:", "cmd:  "])
    def test_no_command(self, text: str) -> None:
        with pytest.raises(AgentSpecError, match="needs a command"):
            parse_agent(text)

    def test_a_quote_that_is_never_closed(self) -> None:
        with pytest.raises(AgentSpecError, match=r"--agent cmd:python 'a\.py"):
            parse_agent("cmd:python 'a.py")
        with pytest.raises(AgentSpecError, match="--agent-args '--note \"two'"):
            parse_agent("cmd:node a.js", '--note "two')


class TestExternal:
    def test_somebody_else_starts_it(self) -> None:
        spec = parse_agent("external")
        assert (spec.label, spec.guest) == ("external", None)

    def test_it_takes_no_arguments(self) -> None:
        with pytest.raises(AgentSpecError, match="takes no --agent-args"):
            parse_agent("external", "--seed 7")


class TestNames:
    @pytest.mark.parametrize("name", ["random", "scripted"])
    def test_bundled_agents_are_files_that_python_runs(
        self, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("HOUSEGUEST_AGENTS", raising=False)
        python, script = command(name)
        assert python == sys.executable
        assert Path(script).is_absolute()
        assert Path(script).is_file()

    @pytest.mark.parametrize("name", ["randon", "Random", "rand"])
    def test_an_unknown_name_is_answered_with_the_nearest(self, name: str) -> None:
        with pytest.raises(UnknownNameError, match="'random'") as caught:
            parse_agent(name)
        assert caught.value.nearest == "random"

    def test_a_name_like_no_other_is_answered_with_all(self) -> None:
        with pytest.raises(UnknownNameError, match="external") as caught:
            parse_agent("qqq")
        assert "cmd:" in str(caught.value)

    def test_the_label_tells_agents_with_other_arguments_apart(self) -> None:
        assert parse_agent("random").label == "random"
        assert parse_agent("cmd:node a.js", " -v   --seed 7").label == "cmd:node a.js -v --seed 7"

    def test_arguments_are_for_commands(self) -> None:
        with pytest.raises(AgentSpecError, match="random takes its options directly"):
            parse_agent("random", "--seed 7")


class TestShelves:
    def test_a_users_agent_is_found_and_its_files_placed(self, shelf: Path) -> None:
        text = 'description = "Mine."\ncommand = ["{python}", "play.py", "data", "--fast"]'
        folder = put(shelf, "mine", text, "play.py")
        script = str(folder / "play.py")
        assert command("mine") == (sys.executable, script, "data", "--fast")
        manifest = find_agent("mine")
        assert manifest is not None
        assert (manifest.name, manifest.description) == ("mine", "Mine.")

    def test_a_users_agent_hides_a_bundled_one_of_its_name(self, shelf: Path) -> None:
        put(shelf, "random", 'command = ["mine"]')
        assert parse_agent("random").guest == GuestCommand(("mine",))
        assert command("scripted")[0] == sys.executable

    def test_of_two_shelves_the_first_wins(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("one", "two"):
            put(tmp_path / name, "mine", f'command = ["{name}"]')
        put(tmp_path / "two", "other", 'command = ["other"]')
        shelves = [str(tmp_path / name) for name in ("nowhere", "one", "two")]
        monkeypatch.setenv("HOUSEGUEST_AGENTS", os.pathsep.join(shelves))
        assert command("mine") == ("one",)
        assert command("other") == ("other",)

    def test_a_folder_without_a_manifest_is_no_agent(self, shelf: Path) -> None:
        (shelf / "notes").mkdir()
        assert "notes" not in bundled_agents()


class TestFolders:
    """A folder of the user's own, with an agent.toml."""

    MANIFEST = 'command = ["{python}", "play.py"]\nshared = true'

    def test_a_path_names_it_however_it_is_spelled(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = put(tmp_path, "mine", self.MANIFEST, "play.py")
        monkeypatch.chdir(tmp_path)
        specs = [
            parse_agent(text) for text in ("./mine", "path:mine", f"{folder}/", "mine/../mine")
        ]
        assert {spec.guest for spec in specs} == {
            GuestCommand((sys.executable, str(folder / "play.py")), shared=True)
        }
        (label,) = {spec.label for spec in specs}
        assert label.startswith("mine@sha256:")

    def test_it_is_known_by_its_content(self, tmp_path: Path) -> None:
        folder = put(tmp_path, "mine", self.MANIFEST, "play.py")
        before = parse_agent(str(folder)).label
        (folder / "__pycache__").mkdir()
        (folder / "__pycache__" / "play.pyc").write_bytes(b"made by Python")
        assert parse_agent(str(folder)).label == before
        (folder / "play.py").write_text("print('another')", encoding="utf-8")
        assert parse_agent(str(folder)).label != before

    @pytest.mark.parametrize("text", ["./nowhere", "path:nowhere"])
    def test_a_folder_without_a_manifest_is_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
    ) -> None:
        monkeypatch.chdir(tmp_path)
        with pytest.raises(AgentSpecError, match=r"there is no nowhere/agent\.toml"):
            parse_agent(text)


def test_the_chosen_options_reach_the_command_and_the_label(shelf: Path) -> None:
    options = '[[option]]\nname = "--model"\n[[option]]\nname = "--wait"\nidentity = false'
    put(shelf, "mine", f'command = ["mine"]\n{options}')
    given = {"--wait": ("9",), "--model": ("a b",)}
    assert command("mine", given=given) == ("mine", "--model", "a b", "--wait", "9")
    assert parse_agent("mine", given=given).label == "mine --model 'a b'"


def test_one_that_lacks_what_it_imports_is_not_started(shelf: Path) -> None:
    put(shelf, "mine", 'command = ["{python}"]\n[requires]\nmodules = ["no_such"]\nextra = "x"')
    with pytest.raises(AgentSpecError, match=r"needs no_such.*pip install 'houseguest\[x\]'"):
        parse_agent("mine")


@pytest.mark.parametrize("text", ["cmd:node \udcff.js", "mine"])
def test_what_no_manifest_can_hold_is_refused(shelf: Path, text: str) -> None:
    """Bytes of the command line that are not UTF-8."""
    put(shelf, "mine", 'command = ["mine"]\n[[option]]\nname = "--model"')
    with pytest.raises(AgentSpecError, match=r"udcff.*have to be UTF-8"):
        parse_agent(text, given={"--model": ("\udcff",)})
