"""Making activities as a user does: by rule, and with a server's model that stumbles."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from env_service.cli.errors import translated
from env_service.suites.actplan.commands.make import make_command
from env_service.suites.actplan.making.files import find_activities
from tests.support.making_home import (
    CLEAN_TABLE,
    DESCRIPTION,
    NAME,
    NORMAL,
    SENTENCE,
    makes,
    write_home,
)
from tests.support.model_server import MODEL, ModelServer, fails, says

KEY = "sk-never-written"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A server of a good model."""
    monkeypatch.setenv("HOUSEGUEST_API_KEY", KEY)
    with ModelServer(makes, key=KEY) as server:
        yield server


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An activity's folder."""
    return write_home(tmp_path / "homes")


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended: ``stdout`` alone, and ``output`` with what went to the other one."""

    exit_code: int
    stdout: str
    output: str


def run(*arguments: str | Path) -> Done:
    """Runs a command of the group as `cli.main` does."""
    codes: list[int] = []

    def call() -> None:
        try:
            with translated():
                codes.append(make_command(list(map(str, arguments)), standalone_mode=False))
        except click.ClickException as error:
            error.show()
            codes.append(error.exit_code)

    held = CliRunner().invoke(click.Command("run", callback=call), catch_exceptions=False)
    return Done(codes[0], held.stdout, held.output)


def asking(server: ModelServer, *arguments: str | Path) -> Done:
    """The same with a model."""
    return run(*arguments, "--model", MODEL, "--base-url", server.url, "--patience", "2")


def circumstances(tmp_path: Path, *texts: str) -> Path:
    """A file of circumstances that a person might have written."""
    path = tmp_path / "circumstances.jsonl"
    lines = [{"activity": NAME, "kind": "event_causality", "text": each} for each in texts]
    path.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
    return path


def test_a_template_describes_offline_on_standard_output(home: Path) -> None:
    done = run("describe", home)
    assert done.exit_code == 0, done.output
    assert "On the table is cookie 1." in done.stdout
    assert "every cookie is in the basket." in done.stdout


def test_rules_make_a_counterfactual_that_passes_its_check_anew(home: Path, tmp_path: Path) -> None:
    out = tmp_path / "made"
    done = run("counterfactual", home, "--rules", "dusty,footprints", "--out", out)
    assert done.exit_code == 0, done.output
    (made,) = find_activities([out])
    assert made.normal == NORMAL
    assert made.counterfactual_description
    stated = json.loads((out / "circumstances.jsonl").read_text(encoding="utf-8"))
    assert stated["rule"] == "footprints"
    assert stated["text"] in made.counterfactual_description
    checked = run("check", out, "--json")
    assert checked.exit_code == 0
    (report,) = json.loads(checked.stdout)["checked"]
    assert report["passes"]
    assert all(each["passed"] for each in report["checks"].values())
    assert any(step.startswith("clean(floor") for step in report["plan"])


def test_the_same_seed_makes_the_same(home: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert run("counterfactual", home, "--out", tmp_path / name, "--seed", "4").exit_code == 0
    one, two = (find_activities([tmp_path / name])[0] for name in ("one", "two"))
    assert one.counterfactual == two.counterfactual


@pytest.mark.parametrize(
    ("counterfactual", "failed"),
    [
        (
            NORMAL.replace("cookie.n.01_1 cookie.n.01_2 -", "cookie.n.01_2 cookie.n.01_1 -"),
            "different",
        ),
        (NORMAL.replace("?basket.n.01_1", "?sack.n.01_1"), "loadable"),
        (NORMAL.replace("(:goal", "(:gaol"), "loadable"),
        (CLEAN_TABLE.replace("(not (dusty ?table.n.02_1))", "(burnt ?table.n.02_1)"), "solvable"),
        (
            CLEAN_TABLE.replace("(not (dusty ?table.n.02_1))", "(not (frozen ?cookie.n.01_1))"),
            "new_plan",
        ),
        (CLEAN_TABLE, ""),
    ],
    ids=["reordered", "undeclared", "garbled", "impossible", "nothing new", "good"],
)
def test_check_says_what_fails_and_exits_with_it(
    tmp_path: Path, counterfactual: str, failed: str
) -> None:
    home = write_home(tmp_path, counterfactual)
    done = run("check", home, "--json")
    (report,) = json.loads(done.stdout)["checked"]
    found = [name for name, each in report["checks"].items() if each["passed"] is False]
    assert found == [failed] * bool(failed)
    assert done.exit_code == bool(failed)


def test_two_files_are_a_pair(tmp_path: Path) -> None:
    (tmp_path / "a.bddl").write_text(NORMAL, encoding="utf-8")
    (tmp_path / "b.bddl").write_text(CLEAN_TABLE, encoding="utf-8")
    assert run("check", tmp_path / "a.bddl", tmp_path / "b.bddl").exit_code == 0
    alone = run("check", tmp_path / "a.bddl")
    assert alone.exit_code == 2
    assert "two files" in alone.output


def test_a_models_description_is_taken_without_its_thoughts(
    server: ModelServer, home: Path, tmp_path: Path
) -> None:
    out = tmp_path / "made"
    done = asking(server, "describe", home, "--out", out)
    assert done.exit_code == 0, done.output
    (made,) = find_activities([out])
    assert made.description.startswith(DESCRIPTION)
    assert "walk_to(object)" in made.description
    assert KEY not in "".join(p.read_text("utf-8") for p in out.rglob("*") if p.is_file())


def test_a_model_is_told_what_its_description_leaves_out(
    server: ModelServer, home: Path, tmp_path: Path
) -> None:
    server.queue = [says(DESCRIPTION.replace("cabinet", "cupboard"))]
    done = asking(server, "describe", home, "--out", tmp_path / "made")
    assert done.exit_code == 0, done.output
    assert "it does not name cabinet." in server.asked[1].texts


def test_circumstances_of_a_model_become_counterfactuals(
    server: ModelServer, home: Path, tmp_path: Path
) -> None:
    file, out = tmp_path / "c.jsonl", tmp_path / "made"
    thought = asking(server, "circumstances", home, "--number", "2", "--out", file)
    assert thought.exit_code == 0, thought.output
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [each["kind"] for each in lines] == [
        *("object_property", "object_property", "object_function", "object_function"),
        *("event_causality", "event_causality"),
    ]
    assert {each["by"] for each in lines} == {MODEL}
    done = asking(server, "counterfactual", home, "--circumstances", file, "--out", out)
    assert done.exit_code == 0, done.output
    (made,) = find_activities([out])
    assert made.counterfactual == CLEAN_TABLE


def test_a_definition_that_fails_its_check_is_asked_for_again_with_the_reason(
    server: ModelServer, home: Path, tmp_path: Path
) -> None:
    file = circumstances(tmp_path, SENTENCE)
    server.queue = [says("I cannot."), says(f"```\n{NORMAL}```")]
    done = asking(
        server, "counterfactual", home, "--circumstances", file, "--out", tmp_path / "made"
    )
    assert done.exit_code == 0, done.output
    assert "no definition" in server.asked[1].texts
    assert "opening and goal are those of the normal problem" in server.asked[2].texts


def test_what_never_comes_right_is_told_and_asked_for_again_next_time(
    server: ModelServer, home: Path, tmp_path: Path
) -> None:
    file, out = circumstances(tmp_path, SENTENCE), tmp_path / "made"
    server.queue = [says("No.")] * 3
    command = ("counterfactual", home, "--circumstances", file, "--out", out)
    failed = asking(server, *command)
    assert failed.exit_code == 1
    assert f"{NAME}: none: no definition" in failed.output
    assert asking(server, *command).exit_code == 0
    assert len(server.asked) == 4


def test_a_server_that_goes_away_costs_nothing_that_was_answered(
    server: ModelServer, home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "c.jsonl"
    command = ("circumstances", home, "--out", file)
    server.queue = [makes, makes, fails(401, "gone")]
    lost = asking(server, *command)
    assert lost.exit_code == 1
    assert "2 answers are kept" in lost.output
    assert asking(server, *command).exit_code == 0
    assert len(server.asked) == 4
    assert len(file.read_text(encoding="utf-8").splitlines()) == 9


def test_another_model_is_refused_with_the_difference(
    server: ModelServer, home: Path, tmp_path: Path
) -> None:
    out = tmp_path / "made"
    assert asking(server, "describe", home, "--out", out).exit_code == 0
    server.models.append("other")
    other = run(*("describe", home, "--out", out, "--model", "other", "--base-url", server.url))
    assert other.exit_code == 1
    assert f'model was "{MODEL}", now "other"' in other.output


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("describe", "--model", "m", "--base-url", "http://127.0.0.1:9"), "Give --out"),
        (("circumstances", "--model", "m", "--base-url", "http://127.0.0.1:9"), "Give --out"),
        (("counterfactual",), "Give --out"),
        (("counterfactual", "--out", "x", "--model", "m"), "Give --circumstances"),
        (("describe", "--tasks", "nothing"), "no activity is called nothing"),
        (("describe", "--variant", "counterfactual"), "problem1.bddl does not exist"),
        (("check",), "No problem1.bddl"),
    ],
    ids=range(7),
)
def test_misuse_says_what_to_give(home: Path, arguments: tuple[Any, ...], told: str) -> None:
    done = run(arguments[0], home, *arguments[1:])
    assert done.exit_code in (1, 2)
    assert told in done.output


def test_circumstances_by_hand_need_a_model(home: Path, tmp_path: Path) -> None:
    file = circumstances(tmp_path, SENTENCE)
    done = run("counterfactual", home, "--circumstances", file, "--out", tmp_path / "made")
    assert done.exit_code == 2
    assert "give --model" in done.output


@pytest.mark.parametrize("command", ["describe", "circumstances", "counterfactual"])
def test_a_dry_run_shows_the_prompt_and_asks_nothing(
    home: Path, tmp_path: Path, command: str
) -> None:
    more = ["--circumstances", str(circumstances(tmp_path, SENTENCE))] * (
        command == "counterfactual"
    )
    done = run(command, home, "--dry-run", *more)
    assert done.exit_code == 0, done.output
    assert "--- system" in done.stdout
    assert "cookie" in done.stdout
