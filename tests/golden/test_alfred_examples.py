"""Pools of examples from ALFRED's own demonstrations."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from model_guest.examples import read_pool
from model_guest.prompt_set import prompt_folders

from env_service.suites.alfred.builtin.task_set import builtin_task_set
from env_service.suites.alfred.commands.examples import examples_command
from env_service.suites.alfred.skills.vocabulary import SKILLS
from env_service.suites.alfred.task import read_task
from tests.support.data import reference_data


@pytest.mark.data
def test_the_demonstrations_make_an_example_of_each_annotation(tmp_path: Path) -> None:
    folder = reference_data("alfred/data/json_2.1.0/valid_seen")
    out = tmp_path / "pool.json"
    given = ["--trajectories", str(folder), "--lota", "--out", str(out), "--json"]
    assert not examples_command.main(given, standalone_mode=False)
    pool = read_pool(out).examples
    assert len(pool) == 696
    tasks = Counter(each.task for each in pool)
    assert len(tasks) == 218
    assert {step for each in pool for step in each.steps} <= set(SKILLS)
    types = Counter(each.type for each in pool)
    assert min(types.values()) == types["look_at_obj_in_light"] == 94


def test_the_guests_own_pool_is_of_built_in_tasks_as_they_are_now() -> None:
    """``houseguest alfred examples --task-set builtin-140-7 --out FILE`` has made it: it has to be
    run again where built-in tasks have changed. A set's first tasks are those of a smaller one."""
    own = {
        each.task: each
        for each in read_pool(prompt_folders()["alfred"] / "examples/builtin.json").examples
    }
    made = builtin_task_set("builtin-14-7")
    assert made is not None
    found = [read_task(task) for task in made.tasks if task.id in own]
    assert len(found) > len(made.tasks) / 2
    for task in found:
        assert own[task.id].type == task.goal.type.value
        assert dict(own[task.id].commands) == dict(task.commands)
