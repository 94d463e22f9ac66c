"""The commands that a report prints to play runs again: each can be pasted, and means that run."""

from __future__ import annotations

import ast
import shlex
from pathlib import Path
from typing import Any, cast

import pytest

from env_service.cli.main import cli
from env_service.results.report.number_format import squeezed
from env_service.results.report.provenance import commands
from env_service.results.report.runs import agent_name, make_family
from env_service.results.run_notes import PLAY, RunStart, read_run_start, write_run_start
from env_service.sandbox.agents import parse_agent
from env_service.suites.base import Suite
from houseguest.evaluation import Settings
from tests.support.made_run import made_text, write_run


def printed(folder: Path, **manifest: Any) -> tuple[list[str], str]:
    """The words of the one command, and the note below it."""
    text = made_text("one", **manifest)
    if not (folder / "one").exists():
        write_run(folder, text)
    object.__setattr__(text, "path", folder / "one")
    block = commands(make_family([text]).runs, None, "again")
    (line,) = block.lines
    return shlex.split(line), block.note


def parsed(words: list[str]) -> dict[str, Any]:
    """What the command line makes of it."""
    assert words.pop(0) == "houseguest"
    context = cli.make_context("houseguest", list(words))
    name, command, rest = cli.resolve_command(context, words)
    assert command is not None
    return dict(command.make_context(name, rest, parent=context).params)


@pytest.fixture
def actions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "expert.jsonl").write_text("{}\n", encoding="utf-8")
    return "expert.jsonl"


def test_a_file_is_named_where_it_was(tmp_path: Path, actions: str) -> None:
    spec = parse_agent("scripted", given={"--actions": (actions,)})
    assert "sha256:" in spec.label
    write_run(tmp_path, made_text("one", agent=spec.label))
    write_run_start(tmp_path / "one" / "logs", RunStart(places=spec.places))
    words, note = printed(tmp_path, agent=spec.label)
    found = parsed(words)
    assert parse_agent(found["agent"], given=found["agent_options"]).label == spec.label
    assert found["fresh"]
    assert note == ""


def test_a_folder_is_named_where_it_was(tmp_path: Path, actions: str) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "agent.py").write_text("", encoding="utf-8")
    spec = parse_agent("./mine")
    write_run(tmp_path, made_text("one", agent=spec.label))
    write_run_start(tmp_path / "one" / "logs", RunStart(places=spec.places))
    words, _ = printed(tmp_path, agent=spec.label)
    assert parse_agent(parsed(words)["agent"]).label == spec.label


def test_a_path_that_nobody_knows_is_asked_for(tmp_path: Path) -> None:
    words, note = printed(tmp_path, agent="scripted --actions sha256:0123456789ab")
    assert "PATH-0123456789ab" in words
    assert "Replace PATH-DIGITS by the path of the file or folder" in note


@pytest.mark.parametrize(
    "agent", ["random", "external", 'cmd:"python my_agent.py"', "cmd:node 'my agent.js' --x 1"]
)
def test_other_agents_are_named_as_they_were(tmp_path: Path, agent: str) -> None:
    words, _ = printed(tmp_path, agent=agent)
    assert parsed(words)["agent"] == agent


def test_an_image_gets_its_arguments_in_one_word(tmp_path: Path) -> None:
    guest = {"sandbox": "docker", "image": {"reference": "mine:2"}}
    words, _ = printed(tmp_path, agent="image:mine@sha256:0123456789ab --model 'a b'", guest=guest)
    found = parsed(words)
    assert found["agent"] == "image:mine:2"
    assert shlex.split(found["agent_args"]) == ["--model", "a b"]


def test_a_person_plays_again_by_the_command_for_people(tmp_path: Path) -> None:
    write_run(tmp_path, made_text("one", agent="human ada"))
    write_run_start(tmp_path / "one" / "logs", RunStart(PLAY))
    words, _ = printed(tmp_path, agent="human ada")
    assert words[1] == "play"
    found = parsed(words)
    assert found["player"] == "ada"
    assert len(found["tasks"]) == 20


@pytest.mark.parametrize(("tasks", "limit"), [((), 0), (("GoTo*/2", "it's"), 0), ((), 3)])
def test_tasks_are_selected_as_they_were(
    tmp_path: Path, tasks: tuple[str, ...], limit: int
) -> None:
    write_run(tmp_path, made_text("one", agent="random"))
    write_run_start(tmp_path / "one" / "logs", RunStart(tasks=tasks, limit=limit))
    found = parsed(printed(tmp_path, agent="random")[0])
    assert (tuple(found["tasks"]), found["limit"]) == (tasks, limit)


def test_tasks_that_were_noted_are_not_loaded(tmp_path: Path) -> None:
    class Unloaded:
        def task_sets(self) -> None:
            raise AssertionError("the task set is loaded")

    text = made_text("one")
    write_run(tmp_path, text)
    write_run_start(tmp_path / "one" / "logs", RunStart(tasks=("a",)))
    object.__setattr__(text, "path", tmp_path / "one")
    suite = cast(Suite, Unloaded())
    assert "--tasks a" in commands(make_family([text]).runs, suite, "again").lines[0]


def test_every_task_is_named_however_many_there_are(tmp_path: Path) -> None:
    words, _ = printed(tmp_path, tasks=40, agent="random")
    assert len(parsed(words)["tasks"]) == 40


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{", '{"places": [1]}', '{"places": {"a": "\\u001b"}}'),
        *('{"tasks": [1], "limit": 1}', '{"tasks": ["\\u001b"], "limit": 1}', '{"tasks": ["a"]}'),
    ],
)
def test_a_note_that_somebody_else_wrote_is_no_trap(tmp_path: Path, text: str) -> None:
    (tmp_path / "started.json").write_text(text, encoding="utf-8")
    assert read_run_start(tmp_path) == RunStart()


def test_a_label_can_be_read() -> None:
    text = made_text("one", agent="scripted --actions sha256:397b0123456789")
    assert agent_name(text.manifest) == "scripted --actions 397b"
    long = "scripted --actions some-long-name.jsonl --speed 12 --seed 7"
    shown = squeezed(long, 36)
    assert len(shown) <= 36
    assert set(shown.replace(" … ", " ").split()) <= set(long.split())


def test_an_agent_that_is_python_code_is_repeated_by_python_code(tmp_path: Path) -> None:
    manifest = {
        "agent": "python:my.Agent",
        "guest": {"sandbox": "in-process"},
        "condition": {"view": "full"},
        "seed": 3,
    }
    write_run(tmp_path, made_text("one", **manifest))
    write_run_start(tmp_path / "one" / "logs", RunStart(tasks=("a", "b"), limit=2))
    text = made_text("one", **manifest)
    object.__setattr__(text, "path", tmp_path / "one")
    block = commands(make_family([text]).runs, None, "again")
    (call,) = (node for node in ast.walk(ast.parse(block.lines[0])) if isinstance(node, ast.Call))
    given = {word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg}
    assert set(given) <= set(Settings.__annotations__)
    assert (given["tasks"], given["limit"], given["seed"]) == (["a", "b"], 2, 3)
    assert given["settings"] == {"view": "full"}
    assert [ast.unparse(each) for each in (call.func, call.args[1])] == ["hg.evaluate", "my.Agent"]
    assert "import houseguest as hg" in block.note
