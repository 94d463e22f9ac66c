"""What ``--agent`` means, and what a user hears who wrote it wrong."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from env_service.domain.names import UnknownNameError
from env_service.plugins import PluginError
from env_service.sandbox.agent_manifest import Given
from env_service.sandbox.agents import (
    AgentCommand,
    AgentImage,
    agent_folders,
    agent_for_people,
    find_agent,
    parse_agent,
    repository,
)
from env_service.sandbox.errors import AgentSpecError
from tests.support.installed_plugins import install


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty shelf of the user's own."""
    monkeypatch.setenv("HOUSEGUEST_AGENTS", str(tmp_path))
    return tmp_path


def put(store: Path, name: str, manifest: str, *files: str) -> Path:
    """An agent's folder on a shelf."""
    folder = store / name
    folder.mkdir(parents=True)
    (folder / "agent.toml").write_text(manifest, encoding="utf-8")
    for file in files:
        (folder / file).write_text("", encoding="utf-8")
    return folder


def command(text: str, arguments: str = "", given: Given | None = None) -> tuple[str, ...]:
    agent = parse_agent(text, arguments, given).launch
    assert agent is not None
    return agent.command


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
    def test_python_is_the_one_that_runs_the_service(self, text: str) -> None:
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
        assert (spec.label, spec.launch) == ("external", None)

    def test_it_takes_no_arguments(self) -> None:
        with pytest.raises(AgentSpecError, match="--agent-args cannot be used"):
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
    def test_a_users_agent_is_found_and_its_files_placed(self, store: Path) -> None:
        text = 'description = "Mine."\ncommand = ["{python}", "play.py", "data", "--fast"]'
        folder = put(store, "mine", text, "play.py")
        script = str(folder / "play.py")
        assert command("mine") == (sys.executable, script, "data", "--fast")
        manifest = find_agent("mine")
        assert manifest is not None
        assert (manifest.name, manifest.description) == ("mine", "Mine.")

    def test_a_users_agent_hides_a_bundled_one_of_its_name(self, store: Path) -> None:
        put(store, "random", 'command = ["mine"]')
        assert parse_agent("random").launch == AgentCommand(("mine",))
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

    def test_a_folder_without_a_manifest_is_no_agent(self, store: Path) -> None:
        (store / "notes").mkdir()
        assert "notes" not in agent_folders()


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
        assert {spec.launch for spec in specs} == {
            AgentCommand((sys.executable, str(folder / "play.py")), shared=True)
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
    def test_a_path_that_does_not_exist_is_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
    ) -> None:
        monkeypatch.chdir(tmp_path)
        with pytest.raises(AgentSpecError, match="nowhere: no such file or folder"):
            parse_agent(text)

    def test_a_folder_with_an_agent_py_needs_no_manifest(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "mine").mkdir()
        script = tmp_path / "mine" / "agent.py"
        script.write_text("print('hello')", encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        for text in ("mine", "./mine", "path:mine"):
            spec = parse_agent(text)
            assert spec.launch == AgentCommand((sys.executable, str(script)))
            assert spec.label.startswith("mine@sha256:")

    def test_a_folder_that_starts_nothing_says_what_it_lacks(self, tmp_path: Path) -> None:
        with pytest.raises(AgentSpecError, match=r"neither agent\.toml.*nor agent\.py.*cmd:"):
            parse_agent(str(tmp_path))
        (tmp_path / "houseguest-agent.yaml").write_text("name: mine", encoding="utf-8")
        with pytest.raises(AgentSpecError, match=r"describes an image.*image:NAME"):
            parse_agent(str(tmp_path))


class TestPrograms:
    """A path to a program."""

    @pytest.fixture(autouse=True)
    def place(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "my_agent.py").write_text("print('hello')", encoding="utf-8")
        (tmp_path / "run.sh").write_text("#!/bin/sh\n", encoding="utf-8")
        return tmp_path

    @pytest.mark.parametrize("text", ["my_agent.py", "./my_agent.py", "path:my_agent.py"])
    def test_a_python_file_is_run_by_the_python_of_the_service(self, text: str) -> None:
        assert find_agent(text) is None
        assert command(text, "--seed 7") == (sys.executable, "my_agent.py", "--seed", "7")
        assert parse_agent(text).label == "cmd:python my_agent.py"

    def test_an_executable_file_is_run_as_it_is(self, place: Path) -> None:
        with pytest.raises(AgentSpecError, match=r"chmod \+x run\.sh.*cmd:.*PROGRAM run\.sh"):
            parse_agent("run.sh")
        (place / "run.sh").chmod(0o755)
        assert command("run.sh") == command("./run.sh") == ("./run.sh",)
        assert command(str(place / "run.sh")) == (str(place / "run.sh"),)

    def test_a_python_file_that_is_not_there_is_named(self) -> None:
        with pytest.raises(AgentSpecError, match=r"other\.py: no such file in /"):
            parse_agent("other.py")

    def test_a_bundled_name_goes_before_a_file_of_that_name(self, place: Path) -> None:
        (place / "random").write_text("", encoding="utf-8")
        assert parse_agent("random").label == "random"


class TestWants:
    """A required option for which a variable of the environment may stand in."""

    MANIFEST = """
        command = ["mine"]
        [[option]]
        name = "--base-url"
        metavar = "URL"
        help = "Where the server is."
        required = true
        variables = ["MY_URL", "OTHER_URL"]
        """

    def test_without_either_it_says_what_to_give(self, store: Path) -> None:
        put(store, "mine", self.MANIFEST)
        agent = parse_agent("mine").launch
        assert isinstance(agent, AgentCommand)
        with pytest.raises(
            AgentSpecError,
            match=r"needs --base-url URL: Where the server is\. .*variable MY_URL or OTHER_URL",
        ):
            agent.check_wants({"OTHER": "x"})
        agent.check_wants({"OTHER_URL": "http://127.0.0.1"})

    def test_the_option_itself_will_do(self, store: Path) -> None:
        put(store, "mine", self.MANIFEST)
        agent = parse_agent("mine", given={"--base-url": ("http://127.0.0.1",)}).launch
        assert isinstance(agent, AgentCommand)
        agent.check_wants({})


def test_the_chosen_options_reach_the_command_and_the_label(store: Path) -> None:
    options = '[[option]]\nname = "--model"\n[[option]]\nname = "--wait"\nidentity = false'
    put(store, "mine", f'command = ["mine"]\n{options}')
    given = {"--wait": ("9",), "--model": ("a b",)}
    assert command("mine", given=given) == ("mine", "--model", "a b", "--wait", "9")
    assert parse_agent("mine", given=given).label == "mine --model 'a b'"


def test_one_that_lacks_what_it_imports_is_not_started(store: Path) -> None:
    put(store, "mine", 'command = ["{python}"]\n[requires]\nmodules = ["no_such"]\nextra = "x"')
    with pytest.raises(AgentSpecError, match=r"needs no_such.*pip install 'houseguest\[x\]'"):
        parse_agent("mine")


@pytest.mark.parametrize("text", ["cmd:node \udcff.js", "mine"])
def test_what_no_manifest_can_hold_is_refused(store: Path, text: str) -> None:
    """Bytes of the command line that are not UTF-8."""
    put(store, "mine", 'command = ["mine"]\n[[option]]\nname = "--model"')
    with pytest.raises(AgentSpecError, match=r"udcff.*must be valid UTF-8"):
        parse_agent(text, given={"--model": ("\udcff",)})


class TestAnAgentOfAnotherDistribution:
    """It registers as the bundled ones do."""

    def test_it_is_found_in_its_package(self, site: Path) -> None:
        package = site / "wanderer"
        package.mkdir()
        (package / "__init__.py").touch()
        (package / "agent.toml").write_text('description = "Walks."\ncommand = ["walk"]\n')
        install(site, "wanderer", "[houseguest.agents]\nwanderer = wanderer\n")
        assert agent_folders()["wanderer"] == package
        assert parse_agent("wanderer").label == "wanderer"
        assert {"random", "human", "vlm"} <= agent_folders().keys()

    def test_it_may_be_a_folder_that_a_module_names(self, site: Path) -> None:
        (site / "walk_on").mkdir()
        (site / "walk_on" / "agent.toml").write_text('description = "W."\ncommand = ["walk"]\n')
        (site / "walking.py").write_text(
            "from pathlib import Path\nWALKER = Path(__file__).parent / 'walk_on'\n"
        )
        install(site, "walking", "[houseguest.agents]\nwalk_on = walking:WALKER\n")
        assert agent_folders()["walk_on"] == site / "walk_on"

    def test_the_users_own_folder_of_that_name_comes_first(self, store: Path) -> None:
        (store / "random").mkdir()
        (store / "random" / "agent.toml").write_text('description = "R."\ncommand = ["roll"]\n')
        assert agent_folders()["random"] == store / "random"

    def test_one_that_is_broken_is_told_when_it_is_asked_for(self, site: Path) -> None:
        (site / "away.py").write_text("AWAY = None\n")
        install(site, "torn", "[houseguest.agents]\ntorn = torn_agent\naway = away:AWAY\n")
        assert not {"torn", "away"} & agent_folders().keys()
        with pytest.raises(PluginError, match=r"agent 'torn' of the distribution torn"):
            parse_agent("torn")
        with pytest.raises(AgentSpecError, match=r"agent away of the distribution torn is not"):
            parse_agent("away")


class TestTheAgentByWhichAPersonPlays:
    """Its manifest says so."""

    def test_one_comes_along(self) -> None:
        assert agent_for_people() == "human"

    def test_the_first_by_name_is_taken(self, store: Path) -> None:
        (store / "by_hand").mkdir()
        (store / "by_hand" / "agent.toml").write_text(
            'description = "B."\ncommand = ["play"]\nperson = true\n'
        )
        assert agent_for_people() == "by_hand"


# --- What ``--agent image:REF`` means, and what a user hears who wrote it wrong


DIGEST = "a" * 64
GOOD = {
    "my-agent": "my-agent",
    "my-agent:1.2": "my-agent",
    "team/my_agent:latest": "team/my_agent",
    "registry.example:5000/team/my-agent:1.2": "registry.example:5000/team/my-agent",
    f"registry.example/agent@sha256:{DIGEST}": "registry.example/agent",
    f"agent:2@sha256:{DIGEST}": "agent",
    "[::1]:5000/agent": "[::1]:5000/agent",
    f"sha256:{DIGEST}": "",
    DIGEST: "",
    "sha256:0123456789ab": "",
}
BAD = (
    *("My-Agent", "agent:", "agent:tag:tag", "agent@sha256:12", "agent name", "-agent", "agent/"),
    *("/agent", "agent:a/b", "agent;rm", "--privileged", "agent\n", "../agent", "a" * 600),
)


@pytest.mark.parametrize(("reference", "name"), GOOD.items())
def test_a_name_is_read_as_docker_does(reference: str, name: str) -> None:
    spec = parse_agent(f"image:{reference}")
    assert spec.launch == AgentImage(reference)
    assert spec.label == f"image:{reference}"
    assert repository(reference) == name


@pytest.mark.parametrize("reference", BAD)
def test_what_is_no_name_is_refused(reference: str) -> None:
    with pytest.raises(AgentSpecError, match="is not the name of an image"):
        parse_agent(f"image:{reference}")


def test_a_name_in_capitals_gets_the_reason() -> None:
    with pytest.raises(AgentSpecError, match="lower case"):
        parse_agent("image:MyAgent")


def test_no_name_at_all_gets_an_example() -> None:
    with pytest.raises(AgentSpecError, match="such as image:my-agent"):
        parse_agent("image:")


def test_arguments_are_split_as_a_shell_would_and_are_part_of_the_label() -> None:
    spec = parse_agent("image:my-agent", "--model 'a b' --seed 3")
    assert spec.launch == AgentImage("my-agent", ("--model", "a b", "--seed", "3"))
    assert spec.label == "image:my-agent --model 'a b' --seed 3"


def test_an_image_has_no_manifest_of_ours() -> None:
    assert find_agent("image:team/my-agent") is None
