import json

import pytest

from env_service.domain.task import Task
from env_service.suites.asgard.plan import LocationGoal, SetupAction, SetupKind
from env_service.suites.asgard.plan_reader import PlanError, read_plan
from env_service.suites.asgard.recorded.task_set import make_task, questions_of, read_question
from env_service.suites.asgard.recorded.viewer import read_viewer
from tests.support.asgard import NAME, SOLUTION, mirror_plan
from tests.support.asgard_recorded import WORDS, entry, frame, page, question

ALL = frozenset(map(frame, range(1, 11)))


def questions(frames=ALL):
    (recorded,) = read_viewer(page(entry()), "page.html").plans
    return questions_of(recorded, read_plan(mirror_plan(), "plan.json"), WORDS, frames)


def test_each_step_is_a_question_with_the_steps_before_it():
    found = questions()
    assert [each.answer.text for each in found] == list(SOLUTION)
    third = found[2]
    assert [each.text for each in third.history] == list(SOLUTION[:2])
    assert (third.id, third.step) == (f"{NAME}#3", 3)
    assert (third.frame, third.frame_before) == (frame(3), frame(2))
    assert third.setup == (SetupAction(SetupKind.DIRTY, "Mirror_2638293f"),)
    assert found[0].frame_before == ""


def test_positions_run_from_the_first_step_to_the_last():
    positions = [each.position for each in questions()]
    assert (positions[0], positions[-1]) == (0.0, 1.0)
    assert positions == sorted(positions)


def test_a_step_without_its_picture_or_the_one_before_is_no_question():
    found = questions(ALL - {frame(1), frame(5)})
    assert [each.step for each in found] == [3, 4, 7, 8, 9, 10]


def test_questions_of_one_plan_are_a_cluster_of_their_task_type():
    task = make_task(questions()[4])
    assert (task.group, task.cluster) == ("clean_mirror", NAME)


def test_a_task_holds_the_whole_question_as_json():
    fill = SetupAction(SetupKind.FILL, "Mug_e7fad100", "coffee")
    asked = question("FIND Mug", setup=[fill], goals=[LocationGoal("Mug", "Cabinet")])
    task = make_task(asked)
    data = json.loads(json.dumps(dict(task.data)))
    assert read_question(Task(task.id, task.group, task.cluster, data)) == asked


def test_a_task_that_was_tampered_with_is_told_by_its_name_and_place():
    task = make_task(question("FIND Mug"))
    data = {**task.data, "history": ["JUGGLE Mug"]}
    with pytest.raises(PlanError, match=r"coffee__FloorPlan1_V1#2: history\[0\]"):
        read_question(Task(task.id, task.group, task.cluster, data))
