"""Plans: every kind of mistake is named, all of them at once, each with its line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from env_service.cli.sweep_options import SweepOptions
from env_service.domain.names import UnknownNameError
from env_service.sweep.expand import Entry, choose, expand
from env_service.sweep.plan import Plan, read_plan
from env_service.sweep.plan_text import PlanError, Problem
from env_service.sweep.settle import settle
from tests.support.model_server import MODEL, ModelServer

BAD = """\
otu = "runs"
baseline = "agian"
[defaults]
limti = 2
[limits]
max-cost = 0
[[agents]]
agent = "random"
[[agents]]
name = "again"
agent = "random"
[[agents]]
agent = "rndom"
[[agents]]
agent = "vlm"
base-url = "{url}"
model = "tiny-vml"
max-tokens = 0
[[agents]]
name = "hot"
agent = "vlm"
base-url = "{url}"
model = "{model}"
temperature = "hot"
[[suites]]
suite = "babiay"
[[suites]]
suite = "babyai"
tasks = "Nix"
[[suites]]
name = "view"
suite = "babyai"
set = {{view = "ful"}}
world = "earth"
[[suites]]
name = "ok"
suite = "babyai"
tasks = "GoToObj"
"""


def read(path: Path) -> tuple[Plan, list[Entry], list[Problem]]:
    table = SweepOptions()
    plan, problems = read_plan(path, table)
    entries, more = expand(plan, table)
    return plan, entries, [*problems, *more, *settle(plan, entries, table).problems]


def entries_of(path: Path, text: str) -> list[Entry]:
    path.write_text(text, encoding="utf-8")
    _, entries, problems = read(path)
    assert problems == []
    return entries


def test_every_mistake_is_named_at_once_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    with ModelServer() as server:
        path.write_text(BAD.format(url=server.url, model=MODEL), encoding="utf-8")
        plan, _, problems = read(path)
    words = str(PlanError(plan.path, problems))
    for line, said in (
        (1, "'otu' is not a key of a plan. Did you mean 'out'?"),
        (2, "'agian'. Did you mean 'again'?"),
        (4, "'limti' is not a key of a run. Did you mean 'limit'?"),
        (6, "max-cost is 0"),
        (13, "No agent named 'rndom'. Did you mean 'random'?"),
        (17, f"has no model 'tiny-vml'. Did you mean '{MODEL}'?"),
        (18, "max-tokens: 0 is not from 1"),
        (24, "temperature: 'hot' is not a valid float"),
        (26, "No suite named 'babiay'. Did you mean 'babyai'?"),
        (29, "'Nix'"),
        (33, "value of setting 'view' named 'ful'. Did you mean 'full'?"),
        (34, "No world of task set 'babyai/evaluation' named 'earth'"),
        (9, "'again/ok' is the same run as 'random/ok' (line 7)"),
    ):
        at = [each for each in words.splitlines() if f"line {line}:" in each]
        assert any(said in each for each in at), (line, said, words)
    assert "13 problems" in words


def test_a_wrong_setting_hides_neither_wrong_tasks_nor_a_wrong_tracker(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(
        '[defaults]\ntrack = "mlfow"\n[[agents]]\nagent = "random"\n[[suites]]\nsuite = "babyai"\n'
        'tasks = ["GoToObjj"]\nset = {viev = "full", view = "ful"}\n',
        encoding="utf-8",
    )
    _, _, problems = read(path)
    found = {(each.line, each.text.partition("Did you mean ")[2][:9]) for each in problems}
    assert found == {(2, "'mlflow'?"), (7, "'GoToObj'"), (8, "'view'? V"), (8, "'full'? V")}


def test_an_entry_without_its_agent_shows_the_misspelt_key(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('[[agents]]\nagnt = "random"\n[[suites]]\nsuite = "babyai"\n')
    plan, _, problems = read(path)
    words = str(PlanError(plan.path, problems))
    assert "line 1: agent is missing" in words
    assert "line 2: 'agnt' is not a key of [[agents]]. Did you mean 'agent'?" in words


def test_yaml_has_lines_too(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(
        "agents:\n  - agent: random\nsuites:\n  - suite: babyai\n    limt: 3\n", encoding="utf-8"
    )
    _, _, problems = read(path)
    (found,) = problems
    assert found.line == 5
    assert "Did you mean 'limit'?" in found.text


def test_a_plan_in_yaml_means_the_same(tmp_path: Path) -> None:
    toml = entries_of(
        tmp_path / "plan.toml",
        '[defaults]\nseed = [1, 2]\nlimit = 2\n[[agents]]\nagent = "random"\n[[suites]]\n'
        'suite = "babyai"\nset = {view = ["full", "partial"]}\n',
    )
    yaml = entries_of(
        tmp_path / "plan.yaml",
        "defaults: {seed: [1, 2], limit: 2}\nagents:\n- agent: random\nsuites:\n"
        "- suite: babyai\n  set: {view: [full, partial]}\n",
    )
    assert [(each.id, each.options) for each in yaml] == [(each.id, each.options) for each in toml]


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.toml", 'out = "runs"\n[agents\n', 2),
        ("a.yaml", "out: runs\nagents: [\n", 3),
        ("b.yaml", "out: runs\nout: other\n", 2),
        ("c.yaml", "a: &x [1]\nb: *x\n", 2),
    ],
)
def test_a_syntax_error_has_its_line(tmp_path: Path, name: str, text: str, line: int) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PlanError) as caught:
        read_plan(path, SweepOptions())
    assert caught.value.problems[0].line == line


def test_lines_are_right_after_values_of_several_lines(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(
        '[[agents]]\nagent = "random"\n[defaults]\nseed = [\n  0, # one\n  1,\n]\n'
        '[[suites]]\nsuite = "babyai"\ntasks = """\nGoToObj"""\nrepaets = 2\n',
        encoding="utf-8",
    )
    _, _, problems = read(path)
    assert [each.line for each in problems] == [12]


def test_a_list_plays_one_run_for_each_value(tmp_path: Path) -> None:
    entries = entries_of(
        tmp_path / "plan.toml",
        """
[defaults]
seed = [3, 4]
limit = 2
temperature = 0.5
[[agents]]
agent = "random"
[[suites]]
suite = "babyai"
tasks = ["GoToObj", "Pickup"]
set = {view = ["full", "partial"], feedback = "none"}
[[overrides]]
suites = "baby*"
limit = 1
""".replace("temperature = 0.5\n", ""),
    )
    assert [each.id for each in entries] == [
        "random/babyai view=full/seed=3",
        "random/babyai view=partial/seed=3",
        "random/babyai view=full/seed=4",
        "random/babyai view=partial/seed=4",
    ]
    assert {each.agent for each in entries} == {"random"}
    assert {each.suite for each in entries} == {"babyai view=full", "babyai view=partial"}
    words = SweepOptions().words(entries[1].options)
    assert sorted(words) == sorted(
        [
            *("--agent=random", "--suite=babyai", "--seed=3", "--limit=1"),
            *("--tasks=GoToObj", "--tasks=Pickup"),
            *("--set=view=partial", "--set=feedback=none"),
        ]
    )


def test_the_agent_overrides_the_suite_and_the_suite_the_defaults(tmp_path: Path) -> None:
    entries = entries_of(
        tmp_path / "plan.toml",
        """
[defaults]
limit = 1
parallel = 1
seed = 9
[[agents]]
agent = "random"
parallel = 3
[[suites]]
suite = "babyai"
limit = 2
parallel = 2
""",
    )
    (entry,) = entries
    assert (entry.options["limit"], entry.options["parallel"], entry.options["seed"]) == (2, 3, 9)


def test_overrides_skip_and_shards_share_every_run_once(tmp_path: Path) -> None:
    entries = entries_of(
        tmp_path / "plan.toml",
        """
[defaults]
limit = 1
seed = [0, 1, 2, 3, 4]
[[agents]]
agent = "random"
[[agents]]
name = "other"
agent = "random"
parallel = 2
step-budget = 5
[[suites]]
suite = "babyai"
[[overrides]]
agents = ["random"]
skip = true
""",
    )
    assert {each.agent for each in entries} == {"other"}
    parts = [choose(entries, (), (part, 3)) for part in (1, 2, 3)]
    assert sorted(each.id for part in parts for each in part) == sorted(e.id for e in entries)
    assert len(choose(entries, ["*seed=2"], (1, 1))) == 1
    with pytest.raises(UnknownNameError, match="othr"):
        choose(entries, ["othr"], (1, 1))


def test_a_sweep_starts_its_agents_itself(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(
        '[[agents]]\nagent = "external"\n[[suites]]\nsuite = "babyai"\n', encoding="utf-8"
    )
    _, _, problems = read(path)
    assert "cannot be 'external'" in problems[0].text
    assert problems[0].line == 2


def test_the_plan_in_the_guide_can_be_read(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "sweep.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```toml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    path = tmp_path / "plan.toml"
    path.write_text(shown, encoding="utf-8")
    table = SweepOptions()
    plan, problems = read_plan(path, table)
    entries, more = expand(plan, table)
    assert [*problems, *more] == []
    assert len(entries) == 2 * 3 * 3
    assert len(page.split()) < 900
