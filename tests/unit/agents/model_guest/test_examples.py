"""Examples of prompts: pools, mixes, and which of them are drawn."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from model_guest.examples import ExampleDrawer, ExampleOptions, Mix, Pool, PoolError, read_pool
from model_guest.options import agent_parser, read_settings
from model_guest.prompt_manifest import PromptError
from model_guest.prompt_set import PromptLibrary, PromptSet

from tests.unit.agents.model_guest.alfred_episodes import ALFRED, alfred_episode, converse, texts

TYPES = ("simple", "heat", "cool")


def entry(kind: str, number: int) -> dict[str, Any]:
    commands = {"B": f"Do {kind} {number}.", "C": f"It is late. Do it, {kind} {number}."}
    steps = [f"find a {kind}", "done"]
    return {"type": kind, "task": f"{kind}-{number}", "commands": commands, "steps": steps}


ENTRIES = [entry(kind, number) for kind in TYPES for number in range(5)]


def pool_of(path: Path, entries: list[dict[str, Any]] = ENTRIES) -> Pool:
    path.write_text(json.dumps({"source": "a test", "examples": entries}), encoding="utf-8")
    return read_pool(path)


@pytest.fixture
def pool(tmp_path: Path) -> Pool:
    return pool_of(tmp_path / "pool.json")


def drawn(pool: Pool, command: str = "Another.", count: int = 6, **options: Any) -> list[str]:
    drawer = ExampleDrawer(pool, ExampleOptions(**options), count, TYPES)
    return [each.command for each in drawer.draw(command)]


def kinds(commands: list[str]) -> list[str]:
    return [command.split()[-2] for command in commands]


def test_a_pool_may_be_lines_or_one_document(tmp_path: Path) -> None:
    lines = tmp_path / "pool.jsonl"
    lines.write_text("\n".join(map(json.dumps, ENTRIES)), encoding="utf-8")
    listed = tmp_path / "list.json"
    listed.write_text(json.dumps(ENTRIES), encoding="utf-8")
    wrapped = pool_of(tmp_path / "pool.json")
    assert read_pool(lines).examples == read_pool(listed).examples == wrapped.examples
    assert read_pool(lines).digest != wrapped.digest
    assert wrapped.examples[0].steps == ("find a simple",), "done is for the prompt to add"


def test_one_command_needs_no_wording_and_a_task_no_name(tmp_path: Path) -> None:
    path = tmp_path / "pool.json"
    path.write_text(json.dumps([{"type": "t", "command": " Go\n on. ", "steps": ["done it"]}]))
    (example,) = read_pool(path).examples
    assert dict(example.commands) == {"command": "Go on."}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "holds no examples"),
        ("{", "line 1: not valid JSON"),
        ('[{"type": "t", "steps": ["a"]}]', 'example 1: "commands"'),
        ('[{"type": "t", "command": "c", "steps": ["done"]}]', '"steps" is empty'),
        ('[{"type": "t", "command": "c", "steps": "find"}]', '"steps" must be a list'),
        ('[{"command": "c", "steps": ["a"]}]', '"type" must be a non-empty text'),
        ('{"type": "t", "command": "c", "steps": ["a"]}\n7\n', "line 2: an example must be"),
    ],
)
def test_a_file_that_is_no_pool_is_named_with_the_place(
    tmp_path: Path, text: str, named: str
) -> None:
    path = tmp_path / "pool.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PoolError) as caught:
        read_pool(path)
    assert str(path) in str(caught.value)
    assert named in str(caught.value)


def test_an_even_mix_takes_as_many_of_each_type_in_their_order(pool: Pool) -> None:
    assert kinds(drawn(pool)) == ["simple", "simple", "heat", "heat", "cool", "cool"]
    assert kinds(drawn(pool, count=4)) == ["simple", "simple", "heat", "cool"]
    assert drawn(pool, count=0) == []


def test_the_seed_decides_and_nothing_else(pool: Pool) -> None:
    assert drawn(pool) == drawn(pool, seed=0) != drawn(pool, seed=1)
    more = drawn(pool, mix=Mix.read("simple=2,heat=4"))
    assert more[:2] == drawn(pool)[:2], "more of one type leave the others as they are"


def test_other_mixes(pool: Pool) -> None:
    assert Counter(kinds(drawn(pool, mix=Mix.read("cool=3,heat=1")))) == {"cool": 3, "heat": 1}
    assert len(drawn(pool, mix=Mix.read("any"), count=15)) == 15


def test_a_tasks_own_command_is_never_shown(pool: Pool) -> None:
    usual = drawn(pool)
    for own in usual:
        others = drawn(pool, command=own.upper())
        assert own not in others
        assert kinds(others) == kinds(usual)
        assert len(set(others) & set(usual)) == 5
    without_context = f"Do it, {usual[0].removeprefix('Do ')}"
    assert usual[0] not in drawn(pool, command=without_context)


def test_several_commands_of_a_task_count_as_one_task(tmp_path: Path) -> None:
    both = [{**entry("simple", 0), "commands": {"original": text}} for text in ("Go.", "Go there.")]
    pool = pool_of(tmp_path / "pool.json", [*both, entry("simple", 1)])
    assert len(drawn(pool, count=2)) == 2
    assert drawn(pool, command="go", count=2) == ["Do simple 1."], "all of a task is left out"
    with pytest.raises(PoolError, match="3 examples of type simple are requested"):
        drawn(pool, count=3)


def test_another_wording(pool: Pool) -> None:
    assert all(each.startswith("It is late.") for each in drawn(pool, wording="C"))
    with pytest.raises(PoolError, match="with the wording K"):
        drawn(pool, wording="K")


def test_a_type_that_is_not_there(pool: Pool) -> None:
    with pytest.raises(PoolError, match="no example is of type warm; types: simple, heat, coo"):
        drawn(pool, mix=Mix.read("warm=1"))


def chosen(*words: str) -> ExampleOptions:
    parser = agent_parser("vlm", "d", "e")
    return read_settings(parser, parser.parse_args(words)).examples


def test_the_command_line_chooses_and_the_run_declares_it(tmp_path: Path, pool: Pool) -> None:
    assert chosen() == ExampleOptions()
    path = str(tmp_path / "pool.json")
    options = chosen("--example-file", path, "--example-mix", "heat=2", "--example-seed", "7")
    declared = PromptLibrary(None, {}, options).configuration()["examples.alfred"]
    assert declared == f"2 heat=2, seed 7, pool sha256:{pool.digest}"
    usual = PromptLibrary(None, {}).configuration()["examples.alfred"]
    digest = read_pool(ALFRED / "examples" / "builtin.json").digest
    assert usual == f"14 even, seed 0, pool sha256:{digest}"


@pytest.mark.parametrize(
    "words",
    [
        ("--example-mix", "odd"),
        ("--example-mix", "heat=1,heat=2"),
        ("--example-count", "-1"),
        ("--example-mix", "heat=2", "--example-count", "3"),
    ],
)
def test_what_makes_no_sense_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit):
        chosen(*words)


def test_a_file_that_is_not_there_stops_the_guest(tmp_path: Path) -> None:
    options = ExampleOptions(file=tmp_path / "none.json")
    with pytest.raises(PromptError, match=r"none\.json"):
        PromptLibrary(None, {}, options).configuration()


def test_a_prompt_shows_what_was_drawn(tmp_path: Path, pool: Pool) -> None:
    options = ExampleOptions(file=tmp_path / "pool.json", count=3)
    text = texts(converse(alfred_episode(), drawing=options).messages())
    assert text.count("Command: Do ") == 3
    assert "Plan: find a heat, done" in text


class TestPromptSet:
    """A prompt set of one's own, with a pool beside it."""

    @staticmethod
    def made(folder: Path, examples: str, *, pool: bool = True) -> PromptSet:
        (folder / "prompt.toml").write_text(
            f'version = "1"\ndescription = "Mine."\n[examples]\n{examples}\n', encoding="utf-8"
        )
        task = "{% for each in examples %}{{ each.command }}|{{ each.steps | length }} {% endfor %}"
        (folder / "task.jinja").write_text(task, encoding="utf-8")
        if pool:
            pool_of(folder / "mine.json")
        return PromptSet(folder)

    def test_its_templates_get_what_was_drawn(self, tmp_path: Path) -> None:
        prompts = self.made(tmp_path, 'file = "mine.json"\ncount = 2\ntypes = ["cool", "heat"]')
        shown = prompts.examples(alfred_episode())
        assert [each.type for each in shown] == ["cool", "heat"]
        assert prompts.render("task", examples=shown).count("|1") == 2
        assert prompts.configuration()["examples"].startswith("2 even, seed 0, pool sha256:")

    @pytest.mark.parametrize(
        ("examples", "named"),
        [
            ("count = 2", "file must be a text"),
            ('file = "mine.json"\ncount = "all"', "examples.count must be a number"),
            ('file = "mine.json"\ncount = -1', "examples.count must be"),
            ('file = "mine.json"\nseed = 1', "unknown name 'seed'"),
            ('file = "mine.json"\ncount = 99', "33 examples of type cool are requested"),
        ],
    )
    def test_what_is_wrong_with_it_is_named(
        self, tmp_path: Path, examples: str, named: str
    ) -> None:
        with pytest.raises(PromptError, match=re.escape(named)):
            self.made(tmp_path, examples)

    def test_a_pool_that_is_missing_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(PromptError, match=r"mine\.json"):
            self.made(tmp_path, 'file = "mine.json"', pool=False)
