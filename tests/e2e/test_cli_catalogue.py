"""``houseguest suites``, ``tasks`` and ``expert``, as a user runs them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from env_service.cli.expert_solutions import dump
from env_service.cli.main import run
from env_service.domain.action import SkillCall
from env_service.domain.episode import FinishReason
from env_service.domain.observation import ObservationRequest
from env_service.suites.base import EpisodeOrder
from env_service.suites.registry import load_suite
from env_service.suites.selection import pick_task_set, select_tasks, settle_condition

ROOT = Path(__file__).resolve().parents[2]
HOUSEGUEST = (sys.executable, "-c", "from env_service.cli.main import main; main()")
LAB = ("--suite", "tests.support.lab:LabSuite")


def printed(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    """What a command prints on standard output."""
    assert run(arguments) == status
    return capsys.readouterr().out


def read(path: Path) -> list[dict[str, Any]]:
    """The lines of an expert's file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def expert(path: Path, *arguments: str) -> int:
    """Runs the expert in this process on the first group of babyai."""
    selection = ("--suite", "babyai", "--tasks", "GoToLocal", "--jobs", "1")
    return run(["expert", *selection, "--out", str(path), *arguments])


def test_suites_as_a_person_reads_them(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "suites").splitlines()
    assert any(line.startswith("babyai ") and "BabyAI missions" in line for line in lines)
    assert lines[-1].endswith("houseguest suites SUITE")
    text = printed(capsys, "suites", "babyai")
    assert "babyai (rules 1)" in text
    assert "evaluation    320  " in text
    assert "full*, partial" in text


def test_one_suite_is_shown_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert [line for line in printed(capsys, "suites", "babyai").splitlines() if "(rules" in line]
    listed = json.loads(printed(capsys, "suites", "babyai", "--json"))["suites"]
    assert [each["name"] for each in listed] == ["babyai"]
    printed(capsys, "suites", "nosuch", status=2)


def test_a_suite_whose_data_are_not_here_is_listed_with_what_it_needs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOUSEGUEST_DATA", str(tmp_path))
    text = printed(capsys, "suites", "asgard")
    assert "asgard (rules 1)" in text
    assert "houseguest data fetch asgard" in text
    listed = json.loads(printed(capsys, "suites", "--json"))["suites"]
    asgard = next(each for each in listed if each["name"] == "asgard")
    problems = {each["name"]: each["problem"] for each in asgard["task_sets"]}
    assert list(problems) == ["official", "sanity", "builtin", "recorded"]
    assert "generated on request" in problems.pop("builtin")
    assert all("data fetch asgard" in problem for problem in problems.values())


def test_suites_as_a_program_reads_them(capsys: pytest.CaptureFixture[str]) -> None:
    listed = json.loads(printed(capsys, "suites", "--json"))["suites"]
    suite = next(each for each in listed if each["name"] == "babyai")
    assert suite["worlds"] == ["babyai"]
    assert {each["name"]: each["tasks"] for each in suite["task_sets"]} == {
        "evaluation": 320,
        "dataset": 8000,
    }
    assert all(len(each["digest"]) == 64 for each in suite["task_sets"])
    assert {each["name"]: each["default"] for each in suite["settings"]} == {
        "observation": "text",
        "view": "full",
        "feedback": "simple",
        "step_limit": "told",
    }


def test_task_ids_alone(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "tasks", "--suite", "babyai", "--tasks", "GoTo*/2", "--ids")
    ids = text.splitlines()
    assert "GoToLocal/2" in ids
    assert all(each.startswith("GoTo") and each.endswith("/2") for each in ids)


def test_tasks_outside_a_terminal_are_all_listed(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "tasks", "--suite", "babyai").splitlines()
    assert len(lines) == 321
    assert lines[0].split() == ["task", "group"]


def test_tasks_on_a_terminal_are_summed_up(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    text = printed(capsys, "tasks", "--suite", "babyai")
    assert "320 tasks in 16 groups; --ids lists them." in text
    assert "GoToLocal/2" not in text


def test_tasks_as_a_program_reads_them(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("tasks", "--suite", "babyai", "--tasks", "Open,GoTo", "--limit", "3", "--json")
    found = json.loads(printed(capsys, *arguments))
    assert (found["suite"], found["task_set"]) == ("babyai", "evaluation")
    assert [task["id"] for task in found["tasks"]] == ["GoTo/2", "GoTo/3", "GoTo/5"]


def test_an_unknown_task_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tasks", "--suite", "babyai", "--tasks", "GoToLocl"]) == 2
    assert "Did you mean 'GoToLocal'?" in capsys.readouterr().err


def test_the_experts_actions_solve_their_tasks(tmp_path: Path) -> None:
    path = tmp_path / "expert.jsonl"
    tasks = ("--tasks", "GoToLocal/[23],PickupLoc/[23],Open/2")
    selection = ("--suite", "babyai", *tasks, "--set", "observation=text+picture")
    assert run(["expert", *selection, "--jobs", "2", "--out", str(path)]) == 0

    suite = load_suite("babyai")
    condition = settle_condition(suite, {"observation": "text+picture"})
    request = ObservationRequest(text=True)
    by_id = {task.id: task for task in select_tasks(pick_task_set(suite), ["*"])}
    lines = read(path)
    assert len(lines) == 5
    for line in lines:
        assert line["success"] is True
        order = EpisodeOrder(by_id[line["task"]], suite.worlds[0], condition, request, 0)
        episode = suite.open_episode(order)
        first = episode.start()
        assert line["opening"]["instruction"] == first.instruction
        assert line["opening"]["text"] == first.observation.text
        assert line["opening"]["images"] == []  # its words tell it apart
        for action in line["actions"]:
            episode.act(SkillCall(action["skill"], tuple(action["arguments"].items())))
        assert episode.finish(FinishReason.OVER).success


def test_only_tasks_with_the_same_words_are_told_apart_by_pictures(tmp_path: Path) -> None:
    path = tmp_path / "expert.jsonl"
    given = ("--limit", "14", "--set", "observation=picture")
    assert expert(path, *given) == 0
    lines = read(path)
    words = Counter(line["opening"]["instruction"] for line in lines)
    assert {1, 2} <= set(words.values())
    for line in lines:
        opening = line["opening"]
        assert len(opening["images"]) == int(words[opening["instruction"]] > 1)
    whole = path.read_bytes()
    assert expert(path, *given) == 0  # nothing is left to do
    assert path.read_bytes() == whole


def test_without_a_file_lines_come_in_task_order(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "expert", *LAB, "--limit", "6", "--jobs", "2")
    assert [json.loads(line)["task"] for line in text.splitlines()] == [
        f"lab/{place}" for place in range(6)
    ]


def test_json_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(printed(capsys, "expert", *LAB, "--limit", "2", "--json"))
    assert (document["tasks"], document["solved"], document["failed"]) == (2, 2, [])
    assert [line["task"] for line in document["lines"]] == ["lab/0", "lab/1"]


def test_a_task_that_cannot_be_solved_is_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "expert.jsonl"
    given = ("--limit", "2", "--set", "fault=start_data", "--jobs", "1", "--out", str(path))
    assert run(["expert", *LAB, *given]) == 1
    error = capsys.readouterr().err
    assert "0 of 2 tasks solved" in error
    assert "not solved: lab/1: WorldFault: data_fault" in error
    assert path.read_text(encoding="utf-8") == ""
    assert run(["expert", *LAB, *given, "--json"]) == 1
    failed = json.loads(capsys.readouterr().out)["failed"]
    assert [each["task"] for each in failed] == ["lab/0", "lab/1"]


def test_only_missing_tasks_are_solved_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "expert.jsonl"
    assert expert(path, "--limit", "8") == 0
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    kept = [lines[5], lines[2], lines[7]]
    path.write_bytes(b"".join(kept) + lines[0][:40])
    capsys.readouterr()
    assert expert(path, "--limit", "8") == 0
    assert "solving: 5 of 5" in capsys.readouterr().err
    assert path.read_bytes() == whole


def test_a_file_keeps_the_tasks_of_other_selections(tmp_path: Path) -> None:
    path = tmp_path / "expert.jsonl"
    assert expert(path, "--limit", "4") == 0
    assert expert(path, "--limit", "2") == 0
    assert [line["task"] for line in read(path)] == [f"GoToLocal/{n}" for n in (2, 3, 5, 7)]


def test_a_file_of_other_settings_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "expert.jsonl"
    assert expert(path, "--limit", "2") == 0
    before = path.read_bytes()
    for other in (("--set", "view=partial"), ("--set", "feedback=none"), ("--seed", "1")):
        assert expert(path, "--limit", "4", *other) == 2
        assert "with other settings, another seed or other rules" in capsys.readouterr().err
        assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("a single line", "line 1 is not a line of an expert's file"),
        ("notes\nmore notes\n", "line 2 is not a line of an expert's file"),
        ('{"task": "GoToLocal/2"}\n', "line 1 is not a line of an expert's file"),
        (
            dump({"task": "Cook/1", "opening": {}, "actions": [], "success": True}),
            "is of task 'Cook/1', which is not in the task set",
        ),
    ],
)
def test_a_file_of_something_else_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, problem: str
) -> None:
    path = tmp_path / "precious.txt"
    path.write_text(content, encoding="utf-8")
    assert expert(path, "--limit", "1") == 2
    assert problem in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == content


def test_an_interruption_keeps_what_is_written(tmp_path: Path) -> None:
    path = tmp_path / "expert.jsonl"
    with solving(path) as process:
        wait_until(lambda: path.exists() and path.stat().st_size > 10_000)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=180)
    assert process.returncode == 130, error
    assert "same command to add the others" in error
    lines = read(path)
    assert lines
    assert all(line["success"] for line in lines)


def test_workers_do_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    path = tmp_path / "expert.jsonl"
    with solving(path) as process:
        wait_until(lambda: path.exists() and path.stat().st_size > 1000)
        workers = children(process.pid)
        assert len(workers) >= 2
        process.kill()
    wait_until(lambda: not any(map(alive, workers)))


@contextmanager
def solving(path: Path) -> Iterator[subprocess.Popen[str]]:
    """An expert with thousands of tasks before it, in a process of its own."""
    given = ("--suite", "babyai", "--task-set", "dataset", "--jobs", "2", "--out", str(path))
    command = [*HOUSEGUEST, "expert", *given]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_until(holds: Callable[[], bool]) -> None:
    """Waits for up to a minute."""
    deadline = time.monotonic() + 180
    while not holds():
        assert time.monotonic() < deadline, "waited for a minute in vain"
        time.sleep(0.02)


def children(pid: int) -> list[int]:
    """Processes that this one has started and that still run."""
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8")
    return [int(word) for word in text.split()]


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except (ProcessLookupError, FileNotFoundError):
        return False
    return status.rpartition(")")[2].split()[0] != "Z"
