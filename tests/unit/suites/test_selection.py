"""What a user may write to choose tasks and settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.domain.names import UnknownNameError
from env_service.domain.task import Task, TaskSet
from env_service.suites.asgard.conditions import SETTINGS, condition_name
from env_service.suites.asgard.suite import AsgardSuite
from env_service.suites.base import ConditionError
from env_service.suites.registry import load_suite
from env_service.suites.selection import (
    NAMED,
    find_task_set,
    find_task_sets,
    pick_task_set,
    pick_tasks,
    pick_world,
    select_tasks,
    settle_condition,
)

TASKS = TaskSet("set", "", tuple(Task(f"{g}/{n}", g, g) for g in ("GoTo", "Open") for n in (1, 2)))


def ids(*patterns: str, limit: int = 0) -> list[str]:
    return [task.id for task in select_tasks(TASKS, patterns, limit)]


def test_by_id_group_and_pattern_in_the_sets_order() -> None:
    assert ids() == ["GoTo/1", "GoTo/2", "Open/1", "Open/2"]
    assert ids("Open") == ["Open/1", "Open/2"]
    assert ids("Open/2", "GoTo/1") == ["GoTo/1", "Open/2"]
    assert ids("*/2") == ["GoTo/2", "Open/2"]
    assert ids("*", limit=3) == ["GoTo/1", "GoTo/2", "Open/1"]


@pytest.mark.parametrize(
    ("given", "meant"), [("GoT", "GoTo"), ("goto", "GoTo"), ("Open/3", "Open/1")]
)
def test_a_wrong_name_proposes_the_nearest(given: str, meant: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        ids(given)
    assert caught.value.nearest is not None
    assert caught.value.nearest.startswith(meant[:4])


def test_settings_have_defaults_and_wrong_ones_are_named() -> None:
    suite = load_suite("babyai")
    assert settle_condition(suite, {})["view"] == "full"
    assert settle_condition(suite, {"view": "partial"})["view"] == "partial"
    for wrong, nearest in (({"veiw": "full"}, "view"), ({"view": "ful"}, "full")):
        with pytest.raises(UnknownNameError) as caught:
            settle_condition(suite, wrong)
        assert caught.value.nearest == nearest


def test_suites_and_task_sets_by_name() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'babyai'"):
        load_suite("babyia")
    with pytest.raises(UnknownNameError, match="evaluation"):
        pick_task_set(load_suite("babyai"), "evalution")


def test_settings_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(ConditionError, match="set previous_image=none"):
        settle_condition(AsgardSuite(), {"text_only": "on"})


@pytest.mark.parametrize("name", AsgardSuite.conditions)
def test_a_named_condition_is_what_its_settings_are(name: str) -> None:
    suite = AsgardSuite()
    changes = suite.conditions[name]
    settled = settle_condition(suite, {NAMED: name})
    assert settled == settle_condition(suite, changes)
    assert condition_name({each.name: settled[each.name] for each in SETTINGS}) == name


def test_the_releases_code_is_a_name_too() -> None:
    suite = AsgardSuite()
    code = "T1_Fd_H00_C0_P2_I0_R1_S1_E0_M8192"
    assert settle_condition(suite, {NAMED: code}) == settle_condition(
        suite, {NAMED: "text-only-detailed"}
    )
    assert code not in list(suite.conditions)
    with pytest.raises(UnknownNameError, match="its F is 'x'"):
        settle_condition(suite, {NAMED: code.replace("Fd", "Fx")})


def test_settings_go_before_a_named_condition() -> None:
    settled = settle_condition(AsgardSuite(), {NAMED: "no-hand", "hand": "10", "memory": "off"})
    assert (settled["hand"], settled["memory"]) == ("10", "off")


def test_a_condition_that_a_suite_has_not_is_named() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'no-hand'"):
        settle_condition(AsgardSuite(), {NAMED: "nohand"})
    with pytest.raises(UnknownNameError, match="condition of suite 'babyai'"):
        settle_condition(load_suite("babyai"), {NAMED: "no-hand"})


def test_the_world_is_one_of_the_task_sets() -> None:
    suite = AsgardSuite()
    assert pick_world(suite, "official") == "household"
    assert pick_world(suite, "official", "ai2thor") == "ai2thor"
    with pytest.raises(UnknownNameError, match="world of task set 'asgard/official'"):
        pick_world(suite, "official", "babyai")


def test_a_task_set_that_is_drawn_up_is_listed_without_being_drawn() -> None:
    (found,) = (each for each in find_task_sets(AsgardSuite()) if each.name == "builtin")
    assert found.task_set is None
    assert "houseguest tasks --suite asgard --task-set builtin" in found.problem


def test_a_task_set_whose_data_are_missing_is_known_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOUSEGUEST_DATA", str(tmp_path))
    found = find_task_set(AsgardSuite(), "official", {})
    assert found.task_set is None
    assert "houseguest data fetch asgard" in found.problem
    assert "unknown task set" in find_task_set(AsgardSuite(), "nonesuch", {}).problem
    names = ["official", "sanity", "builtin", "recorded"]
    assert [each.name for each in find_task_sets(AsgardSuite())] == names


class Doubling(AsgardSuite):
    """Under text only it plays each task twice."""

    def task_sets(self):  # type: ignore[no-untyped-def]
        return {"set": TASKS, "small": TaskSet("small", "", TASKS.tasks[:2])}

    def under(self, task_set, condition):  # type: ignore[no-untyped-def]
        if condition["text_only"] == "off":
            return task_set
        tasks = tuple(Task(f"{t.id}/{n}", t.group, t.cluster) for t in task_set.tasks for n in "ab")
        return TaskSet(task_set.name, task_set.description, tasks)


def test_a_condition_may_make_several_tasks_of_one() -> None:
    suite = Doubling()
    plain = pick_tasks(suite, "set", ("GoTo/1",), 0, {"text_only": "off"})
    assert [task.id for task in plain.tasks] == ["GoTo/1"]
    doubled = pick_tasks(suite, "set", ("GoTo/1*",), 0, {"text_only": "on"})
    assert [task.id for task in doubled.tasks] == ["GoTo/1/a", "GoTo/1/b"]
    assert doubled.task_set.name == "set"
    assert len(doubled.task_set.tasks) == 8


def test_without_a_task_set_the_first_pattern_may_be_one() -> None:
    suite, condition = Doubling(), {"text_only": "off"}
    assert pick_tasks(suite, "", ("small",), 0, condition).task_set.name == "small"
    assert pick_tasks(suite, "", ("asgard/small", "*/2"), 0, condition).tasks == (TASKS.tasks[1],)
    assert pick_tasks(suite, "", ("Open",), 0, condition).task_set.name == "set"
    with pytest.raises(UnknownNameError, match="small"):
        pick_tasks(suite, "set", ("small",), 0, condition)
    with pytest.raises(UnknownNameError, match=r"nor task or group of its 'set'.*mean 'small'"):
        pick_tasks(suite, "", ("smal",), 0, condition)
