"""Recorded episodes: read, and judged. The four that the paper prints are rebuilt here in several
forms; what their steps were is ours, what came of them the paper's."""

from __future__ import annotations

import json

import pytest

from env_service.suites.alfred.judging.log_cases import analyse, read_episodes
from env_service.suites.alfred.judging.logs import LogError
from env_service.suites.alfred.task import AlfredTask, Goal, SceneSetup, TaskType

_SOAP = ("pick_and_place_simple-SoapBar-None-Cart-401/trial_T20190907_054906_608944", "SoapBar")
_PLATE = (
    "pick_cool_then_place_in_recep-Plate-None-Cabinet-27/trial_T20190906_173120_350651",
    "Plate",
)
_SPONGE = (
    "pick_clean_then_place_in_recep-DishSponge-None-Cart-401/trial_T20190907_024634_972453",
    "DishSponge",
)
_BREAD = (
    "pick_cool_then_place_in_recep-BreadSliced-None-DiningTable-27/trial_T20190908_075813_148407",
    "BreadSliced",
)
_HELD = "target object cannot be sliced if it is in the agent's hand"

_PAPER: list[tuple[tuple[str, str], str, str, tuple[int, ...]]] = [
    (
        _SOAP,
        "To place the soap on the rack.",
        "find a soap bar|pick up the soap bar|find a shelf|put down the soap bar|done",
        (1,),
    ),
    (
        _SOAP,
        "To place the soap on the rack.",
        "find a soap bar|pick up the soap bar|find a rack > Cannot find Rack|"
        "put down the soap bar > Cannot find Rack > put down failed|done",
        (1,),
    ),
    (
        _SOAP,
        "To place the soap on the rack.",
        "find a soap bar|pick up the soap bar|find a toilet paper hanger|put down the soap bar",
        (1,),
    ),
    (
        _PLATE,
        "Put a plate in a cabinet.",
        "find a plate|pick up the plate|find a cabinet|open the cabinet|put down the plate"
        " > Putting the object on Cabinet failed > put down failed|close the cabinet|done",
        (2,),
    ),
    (
        _PLATE,
        "Put a plate in a cabinet.",
        "find a plate|pick up the plate|find a cabinet|put down the plate > Target openable"
        " Receptacle is CLOSED, can't place if target is not open! > Putting the object on Cabinet"
        " failed|done",
        (2,),
    ),
    (
        _PLATE,
        "Put a plate in a cabinet.",
        "find a plate|pick up the plate|find a fridge|open the fridge|put down the plate|"
        "close the fridge|open the fridge|find a plate|pick up the plate|close the fridge|"
        "find a cabinet|open the cabinet|put down the plate > put down failed|done",
        (2,),
    ),
    (
        _SPONGE,
        "Put a clean sponge on a metal rack.",
        "find a sponge > Cannot find Sponge|pick up the sponge > Cannot find Sponge to pick up|"
        "find a sink|put down the sponge > Robot is not holding any object|turn on the faucet|"
        "turn off the faucet|find a sponge > Cannot find Sponge|pick up the sponge > Cannot find"
        " Sponge to pick up|find a metal rack > Cannot find MetalRack|put down the sponge >"
        " Robot is not holding any object|done",
        (1, 2),
    ),
    (
        _SPONGE,
        "Put a clean sponge on a metal rack.",
        "find a sponge > Cannot find Sponge|pick up the sponge > Cannot find Sponge to pick up|"
        "find a shelf|put down the sponge > Robot is not holding any object|done",
        (1, 2),
    ),
    (
        _BREAD,
        "Slice bread and chill it in the fridge.",
        f"find a bread|pick up the bread|slice the bread > {_HELD} > Slice action failed|"
        "find a fridge|open the fridge|put down the bread|close the fridge|open the fridge|"
        "pick up the bread > Bread is not visible because it is in Fridge|close the fridge|"
        "find a counter top|put down the bread > Robot is not holding any object|done",
        (2, 3),
    ),
    (
        _BREAD,
        "Slice bread and chill it in the fridge.",
        f"find a bread|pick up the bread|find a knife|slice the bread > Slice action failed >"
        f" {_HELD}|find a fridge|open the fridge|put down the bread|close the fridge|"
        "pick up the bread > Bread is not visible because it is in Fridge|done",
        (2, 3),
    ),
    (
        _BREAD,
        "Slice bread and chill it in the fridge.",
        "find a knife|pick up the knife > Knife is not visible because it is in Drawer|"
        f"find a bread|pick up the bread|slice the bread > {_HELD}|find a fridge|open the fridge|"
        "put down the bread|close the fridge|done",
        (2, 3),
    ),
]


def _steps(plan: str) -> list[str]:
    lines = []
    for number, step in enumerate(plan.split("|"), start=1):
        said, *messages = (each.strip() for each in step.split(" > "))
        lines += [f"{number}. {said}", *messages]
    return lines


def _goal(task: tuple[str, str]) -> str:
    parent = task[0].split("-")[3]
    return json.dumps({"object": task[1], "parent": parent, "toggle": "", "mrecep": ""})


def _plain(task: tuple[str, str], command: str, plan: str) -> list[str]:
    goal = f"target goal: {_goal(task)}"
    return [task[0], f"Task: {command}", *_steps(plan), goal, "success: False"]


def _stamped(task: tuple[str, str], command: str, plan: str) -> list[str]:
    lines = [f"{{'repeat_idx': 0, 'task': '{task[0]}'}}", command]
    lines += [f"Whole_Sequence: {', '.join(each.split(' > ')[0] for each in plan.split('|'))}"]
    lines += [*_steps(plan), "success: False", f"target goal: {_goal(task)}", "=" * 40]
    return [f"[2024-05-01 10:11:12,345][__main__][INFO] - {each}" for each in lines]


def _spread(task: tuple[str, str], command: str, plan: str) -> list[str]:
    goal = ["target goal: {", *_goal(task)[1:-1].split(", "), "}"]
    lines = [f"Task ID: {task[0]}", f"Instruction: {command}", "", *_steps(plan), *goal]
    return [f"2024-05-01 10:11:12 INFO {each}" for each in [*lines, "Success : 0"]]


def _bare(task: tuple[str, str], command: str, plan: str) -> list[str]:
    name, _, trial = task[0].partition("/")
    said = [each for line in plan.split("|") for each in line.split(" > ")]
    goal = str(json.loads(_goal(task)))
    return [name, trial, command, *said, f"target goal: {goal}", "success: false"]


@pytest.mark.parametrize("form", [_plain, _stamped, _spread, _bare])
@pytest.mark.parametrize(("task", "command", "plan", "types"), _PAPER)
def test_the_logs_that_the_paper_prints_get_the_papers_types(
    form, task, command, plan, types
) -> None:
    (episode,) = read_episodes("\n".join(form(task, command, plan)), "paper.log")

    found = analyse(episode, {})

    assert episode.command == command
    assert found.types == types, found.explanation


def test_a_log_holds_several_tasks() -> None:
    logs = [_stamped(*_PAPER[at][:3]) for at in (0, 3, 6, 8)]
    episodes = read_episodes("\n".join(line for log in logs for line in log), "four.log")

    assert [analyse(each, {}).types for each in episodes] == [(1,), (2,), (1, 2), (2, 3)]
    assert episodes[1].line > episodes[0].line


def test_a_session_that_succeeded_has_no_type() -> None:
    lines = _plain(*_PAPER[0][:3])
    (episode,) = read_episodes("\n".join([*lines[:-1], "success: True"]), "good.log")

    assert analyse(episode, {}).types == ()


def test_a_plan_that_is_told_before_its_steps_is_not_played_twice() -> None:
    lines = _plain(*_PAPER[3][:3])
    answer = [f"{number}. something" for number in range(1, 4)]
    (episode,) = read_episodes("\n".join([*lines[:2], *answer, *lines[2:]]), "twice.log")

    assert episode.steps[0].said == "find a plate"


def test_a_log_without_a_target_goal_takes_it_from_the_tasks_name() -> None:
    lines = [each for each in _plain(*_PAPER[8][:3]) if not each.startswith("target")]
    (episode,) = read_episodes("\n".join(lines), "short.log")

    assert episode.goal == Goal(TaskType.COOL, "Bread", "DiningTable", sliced=True)


def _result(**changes: object) -> str:
    result = {
        "trial": "trial_T20190907_042856_259139",
        "scene": "FloorPlan229",
        "type": "pick_and_place_simple",
        "repeat_idx": 0,
        "goal_instr": "Move a book from a desk to a sofa.",
        "inferred_steps": ["find a book", "pick up the book", "find a sofa", "put down the book"],
        "success": False,
    }
    return json.dumps({**result, **changes})


def _task() -> AlfredTask:
    goal = Goal(TaskType.SIMPLE, "Book", "Sofa")
    return AlfredTask("trial_T20190907_042856_259139", goal, SceneSetup("FloorPlan229"))


def test_a_result_file_is_joined_with_its_task() -> None:
    tasks = {_task().id: _task()}
    (good,) = read_episodes(_result(), "good.json")
    (bad,) = read_episodes(_result(inferred_steps=["find a book", "done"]), "bad.json")

    assert analyse(good, tasks).types == (2,)
    assert "does not tell which" in analyse(good, tasks).explanation
    assert analyse(bad, tasks).types == (3,)


def test_a_result_without_its_task_tells_what_is_missing() -> None:
    (episode,) = read_episodes(_result(), "good.json")

    with pytest.raises(LogError, match=r"good\.json, line 1: the goal is unknown for trial_T2019"):
        analyse(episode, {}, "good.json")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "line 1: this is not a log of LoTa-Bench"),
        ("Dear diary,\nnothing happened.\n", "line 1: this is not a log of LoTa-Bench"),
        ('{"trial": "trial_T20190907_042856_259139"}', "lacks type, goal_instr"),
        ('{"trial": 5', "line 1: this is not a log"),
        ('{"trial": }', "this is not JSON"),
        (_result(inferred_steps="find a book"), "inferred_steps is not a list of texts"),
        (_result(success="perhaps"), "success is 'perhaps', neither true nor false"),
        ("[]", "the list has no result"),
        ("[3]", "this is not a log"),
        ("\x00\x01\x02", "this is not a log"),
    ],
)
def test_what_is_no_log_is_named_with_its_line(text: str, reason: str) -> None:
    with pytest.raises(LogError, match=r"strange\.log, line") as caught:
        read_episodes(text, "strange.log")

    assert reason in str(caught.value)


def test_a_log_that_was_cut_keeps_the_tasks_before() -> None:
    whole, cut = _plain(*_PAPER[0][:3]), _plain(*_PAPER[3][:3])[:-2]

    first, last = read_episodes("\n".join([*whole, *cut]), "stopped.log")

    assert analyse(first, {}).types == (1,)
    with pytest.raises(LogError, match=rf"stopped\.log, line {len(whole) + 1}: .* log was cut"):
        analyse(last, {}, "stopped.log")


@pytest.mark.parametrize(
    ("goal", "reason"),
    [
        ('{"object": "Dragon"}', "the goal's object cannot be right: no such type: 'Dragon'"),
        ('{"object": "Book", "parent": "Bed"}', "it is 'Bed', but the task of trial_T2019"),
        ('{"object": "Dragonfly", "parent": "Bed"}', "no such type: 'Dragonfly'"),
        ('{"object": "Book", "note": "Dragon"}', "the goal's parent cannot be right"),
        ('{"object": ["Book"]}', "object cannot be right"),
    ],
)
def test_a_goal_that_cannot_be_is_named(goal: str, reason: str) -> None:
    tasks = {} if "Dragon" in goal else {_task().id: _task()}
    head = [_task().id, "Task: Move a book.", "1. find a book"]
    lines = [*head, f"target goal: {goal}", "success: False"]
    (episode,) = read_episodes("\n".join(lines), "odd.log")

    with pytest.raises(LogError, match=r"odd\.log, line 1") as caught:
        analyse(episode, tasks, "odd.log")
    assert reason in str(caught.value)


def test_a_target_that_never_ends_takes_no_other_lines_with_it() -> None:
    lines = [*_plain(*_PAPER[0][:3])[:-2], 'target goal: {"object"', *["noise"] * 500]
    (episode,) = read_episodes("\n".join([*lines, "success: False"]), "odd.log")

    assert episode.goal == Goal(TaskType.SIMPLE, "SoapBar", "Cart")
