"""An agent's own options, on the command line of `houseguest run`."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path

import pytest

from env_service.cli.agent_options import check_collisions
from env_service.cli.run import run_command
from env_service.cli.sandbox_options import SHORT_NAMES
from env_service.sandbox.agent_manifest import read_manifest
from env_service.sandbox.agents import agent_folders
from tests.support.command_line import LAB, Ask, done, finish, houseguest, lines, orphans, until

MANIFEST = """
description = "Wins, after a while."
command = ["{python}", "agent.py"]

[[option]]
name = "--model"
metavar = "NAME"
help = "Which model."
required = true

[[option]]
name = "--heat"
type = "float"
default = 0
help = "Of sampling."

[[option]]
name = "--wait"
type = "float"
default = 0
help = "Seconds before each action."
identity = false

[[option]]
name = "--prompts"
metavar = "DIR"
help = "What the model is told."
content = true
"""
AGENT = """
import os, sys, threading, time
from houseguest_agent import Client, Options

wait = float(sys.argv[sys.argv.index("--wait") + 1]) if "--wait" in sys.argv else 0
print(*sys.argv[1:], flush=True)

def play(token):
    with Client("winner", options=Options(token=token)) as client:
        for episode in client.episodes():
            time.sleep(wait)
            episode.act("win")

threads = [
    threading.Thread(target=play, args=(token,))
    for token in os.environ["HOUSEGUEST_TOKENS"].split(",")
]
for thread in threads:
    thread.start()
"""
RUN = ("run", "--suite", LAB, "--limit", "2")


@pytest.fixture
def agent(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an agent that is known as ``winner``."""
    folder = place / "shelf" / "winner"
    folder.mkdir(parents=True)
    (folder / "agent.toml").write_text(MANIFEST, encoding="utf-8")
    (folder / "agent.py").write_text(AGENT, encoding="utf-8")
    monkeypatch.setenv("HOUSEGUEST_AGENTS", str(place / "shelf"))
    return folder


@pytest.mark.usefixtures("agent")
class TestUsage:
    def test_help_shows_the_agents_options_beside_runs_own(self, ask: Ask) -> None:
        out, _ = ask("run", "--agent=winner", "--help")
        own, heading, agents = out.partition("Options of the agent winner:")
        assert heading
        assert "--parallel" in own
        assert "--model NAME" in agents
        assert "[required]" in agents
        assert "[default: 0]" in agents

    def test_help_without_an_agent_says_how_to_see_its_options(self, ask: Ask) -> None:
        out, _ = ask("run", "--help")
        options, _, _ = out.partition("Examples:")
        assert "--model " not in options
        assert "houseguest agents" in options

    @pytest.mark.parametrize(
        ("arguments", "named"),
        [
            (["--agent", "winner"], "Missing option '--model'"),
            (["--agent", "winner", "--modle", "x"], "--model"),
            (["--agent", "winner", "--paralel", "2"], "--parallel"),
            (["--agent", "winner", "--model", "x", "--heat", "warm"], "--heat"),
            (["--agent", "winner", "--model", "x", "--prompts", "nowhere"], "--prompts nowhere"),
            (["--agent", "winner", "--model", "x", "--agent-args", "--heat 1"], "directly"),
            (["--model", "x"], "--agent"),
            (["--agent", "cmd:true", "--model", "x"], "--agent-args"),
            (["--agent", "./nowhere"], "nowhere: no such file or folder"),
        ],
    )
    def test_wrong_usage_is_refused_before_anything_starts(
        self, place: Path, ask: Ask, arguments: list[str], named: str
    ) -> None:
        _, err = ask(*RUN, *arguments, code=2)
        assert named in err
        assert "Traceback" not in err
        assert not (place / "runs").exists()

    def test_the_nearest_option_is_in_the_json_document(self, ask: Ask) -> None:
        command = [*RUN, "--agent", "winner", "--modle", "x", "--json"]
        out, _ = ask(*command, code=2)
        assert json.loads(out)["error"]["nearest"] == "--model"

    def test_agents_are_listed_and_one_shows_its_options(self, ask: Ask) -> None:
        out, _ = ask("agents")
        assert re.search(r"^winner +Wins, after a while\.$", out, re.MULTILINE)
        assert "--model NAME" not in out
        out, _ = ask("agents", "winner")
        assert "winner: Wins, after a while." in out
        assert "--model NAME" in out
        out, _ = ask("agents", "--json")
        (winner,) = (each for each in json.loads(out)["agents"] if each["name"] == "winner")
        assert [option["name"] for option in winner["options"]] == [
            *("--model", "--heat", "--wait", "--prompts")
        ]

    def test_a_broken_agent_hides_no_other(self, ask: Ask, agent: Path) -> None:
        (agent / "agent.toml").write_text("command = 1", encoding="utf-8")
        out, err = ask("agents", code=1)
        assert "random" in out
        assert str(agent / "agent.toml") in err

    def test_an_option_that_run_has_itself_is_refused(self, ask: Ask, agent: Path) -> None:
        clash = MANIFEST.replace("--heat", "--seed")
        (agent / "agent.toml").write_text(clash, encoding="utf-8")
        _, err = ask(*RUN, "--agent", "winner", "--model", "x", code=2)
        assert "--seed is also an option of `houseguest run`" in err


@pytest.mark.parametrize("folder", agent_folders().values(), ids=lambda folder: folder.name)
def test_no_bundled_agent_takes_an_option_of_runs_own(folder: Path) -> None:
    check_collisions(read_manifest(folder), run_command.params, SHORT_NAMES)


def play(place: Path, *arguments: str) -> str:
    """The folder in which a run ended up."""
    out, _ = finish(houseguest(place, *RUN, "--json", *arguments))
    return str(done(out)["folder"])


@pytest.mark.usefixtures("agent")
class TestIdentity:
    def test_order_and_what_defines_nothing_do_not_change_the_run(self, place: Path) -> None:
        first = play(place, "--agent", "winner", "--model", "x y", "--heat", "0.5")
        again = play(
            place, "--heat", ".50", "--wait", "0.01", "--model", "x y", "--agent", "winner"
        )
        assert again == first
        manifest = json.loads((place / first / "manifest.json").read_text(encoding="utf-8"))
        assert manifest["agent"] == "winner --model 'x y' --heat 0.5"
        (log,) = (place / first / "logs").glob("guest-*.log")
        assert lines(log)[0] == "--model x y --heat 0.5"

    def test_another_value_is_another_run(self, place: Path) -> None:
        model = ("--agent", "winner", "--model")
        folders = {play(place, *model, "x"), play(place, *model, "y")}
        folders.add(play(place, *model, "x", "--heat", "0"))
        assert len(folders) == 2

    def test_an_edited_prompt_is_another_run(self, place: Path) -> None:
        prompts = place / "prompts"
        prompts.mkdir()
        (prompts / "system.txt").write_text("Win.", encoding="utf-8")
        told = ("--agent", "winner", "--model", "x", "--prompts")
        first = play(place, *told, "prompts")
        assert play(place, *told, f"{place}/prompts/") == first
        (prompts / "system.txt").write_text("Please win.", encoding="utf-8")
        assert play(place, *told, "prompts") != first

    def test_a_stopped_run_goes_on_with_another_value_of_what_defines_nothing(
        self, place: Path
    ) -> None:
        command = ["run", "--suite", LAB, "--limit", "3", "--agent", "winner", "--model", "x"]
        slow = houseguest(place, *command, "--wait", "600")
        until(lambda: list(place.glob("runs/*/logs/guest-0.log")))
        slow.send_signal(signal.SIGINT)
        finish(slow, code=130)
        out, _ = finish(houseguest(place, *command, "--json"))
        assert done(out)["summary"]["overall"]["successes"] == 3
        assert len(list(place.glob("runs/*/manifest.json"))) == 1


class TestFolder:
    """A shared agent in a folder of the user's own."""

    def start(self, place: Path, agent: Path, *arguments: str) -> list[str]:
        (agent / "agent.toml").write_text("shared = true\n" + MANIFEST, encoding="utf-8")
        agent.rename(place / "mine")
        named = ["--agent", "./mine", "--model", "x", *arguments]
        return ["run", "--suite", LAB, "--limit", "6", "--parallel", "3", *named]

    def test_one_process_plays_every_session(self, place: Path, agent: Path) -> None:
        out, _ = finish(houseguest(place, *self.start(place, agent), "--json"))
        folder = place / done(out)["folder"]
        assert done(out)["summary"]["overall"]["successes"] == 6
        assert lines(folder / "logs" / "guest-0.log") == ["--model x"]
        name = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["agent"]
        assert name.startswith("mine@sha256:")

    @pytest.mark.new_processes  # a clone's command line is not the agent's
    @pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
    def test_it_ends_with_the_service(self, place: Path, agent: Path, sign: signal.Signals) -> None:
        service = houseguest(place, *self.start(place, agent, "--wait", "600"))
        until(lambda: any(map(lines, place.glob("runs/*/logs/guest-0.log"))))
        assert any("agent.py" in command for command in orphans(place))
        service.send_signal(sign)
        service.communicate(timeout=120)
        until(lambda: orphans(place) == [])
