import numpy as np
import pytest

from env_service.domain.action import SkillCall, Text
from env_service.domain.episode import EpisodeStatus, FinishReason
from env_service.domain.failure import FailureClass, FaultClass, WorldFault
from env_service.domain.observation import (
    Channel,
    ImageRequest,
    ImageRole,
    ObservationRequest,
)
from env_service.domain.outcome import OutcomeCode
from env_service.domain.task import Task
from env_service.suites.asgard.recorded.episode import RecordedEpisode
from env_service.suites.asgard.recorded.task_set import load_recorded
from env_service.suites.base import ConditionError, EpisodeOrder
from env_service.suites.selection import settle_condition
from tests.support.asgard import SUITE, TEXT_ONLY
from tests.support.asgard_recorded import PIXELS, frame, plans_pack, recorded_pack

BOTH = ObservationRequest((ImageRequest(Channel.RGB, (), previous_frame=True),))


@pytest.fixture
def pack(tmp_path, monkeypatch):
    made = recorded_pack(tmp_path / "pack")
    monkeypatch.setattr("env_service.suites.asgard.recorded.episode.open_pack", lambda _: made)
    return made


@pytest.fixture
def tasks(pack, tmp_path):
    return load_recorded(pack, plans_pack(tmp_path / "plans")).task_set.tasks


def order(task, request=BOTH, **condition):
    settled = settle_condition(SUITE, condition)
    return EpisodeOrder(task, "recorded", settled, SUITE.offer(settled).grant(request), seed=3)


def opened(task, request=BOTH, **condition):
    episode = SUITE.open_episode(order(task, request, **condition))
    assert isinstance(episode, RecordedEpisode)
    return episode


def say(text):
    verb, kind = text.split()
    return SkillCall(verb, (("object", kind),))


def colour(picture):
    return tuple(picture.pixels[0, 0])


def test_the_opening_tells_the_task_what_is_asked_and_what_was_done(tasks):
    first = opened(tasks[2]).start()
    assert first.instruction == "Clean the mirror"
    assert first.max_steps == 1
    assert (
        first.context["history"] == "1. FIND SprayBottle  Success\n2. PICKUP SprayBottle  Success"
    )
    assert "one action that comes next" in first.context["question"]
    assert "no hand is drawn" in first.context["question"]
    assert first.context["available_objects"].startswith("Cloth, CounterTop")
    assert {"world_rules", "answer_rules"} <= first.context.keys()


def test_the_answer_is_not_in_the_opening(tasks):
    task = tasks[3]
    assert task.data["answer"] == "SPRAY Mirror"
    context = opened(task).start().context
    assert "SPRAY Mirror" not in context["history"] + context["question"]


def test_at_the_first_step_there_is_no_history(tasks):
    first = opened(tasks[0]).start()
    assert "history" not in first.context
    assert "begin" in first.context["question"]
    assert [each.role for each in first.observation.frames] == [ImageRole.CURRENT]


def test_the_pictures_are_those_of_now_and_of_before(tasks):
    now, before = opened(tasks[2]).start().observation.frames
    assert (now.role, before.role) == (ImageRole.CURRENT, ImageRole.PREVIOUS)
    assert now.pixels.shape == (PIXELS, PIXELS, 3)
    assert colour(now) == (60, 195, 60)
    assert colour(before) == (40, 215, 60)


def test_the_picture_before_is_shown_as_the_condition_has_it(tasks):
    _, before = opened(tasks[2], previous_image="grayscale").start().observation.frames
    assert len({*colour(before)}) == 1
    shown = opened(tasks[2], ObservationRequest(), previous_image="none").start().observation
    assert [each.role for each in shown.frames] == [ImageRole.CURRENT]


@pytest.mark.parametrize(
    ("feedback", "told"),
    [
        ("none", "1. FIND SprayBottle"),
        ("simple", "1. FIND SprayBottle  Success"),
        ("detailed", "1. FIND SprayBottle  Success"),
    ],
)
def test_the_history_tells_as_much_as_the_feedback_does(feedback, told, tasks):
    assert opened(tasks[1], feedback=feedback).start().context["history"] == told


def test_text_alone_shows_no_picture_and_needs_none(tasks, pack):
    (pack.folder / frame(2)).unlink()
    episode = opened(tasks[1], ObservationRequest(text=True), **TEXT_ONLY)
    first = episode.start()
    assert first.observation.frames == ()
    assert first.observation.text == "FIND SprayBottle  Success"
    assert "no hand" not in first.context["question"]


def test_the_published_action_agrees_and_ends_the_episode(tasks):
    episode = opened(tasks[1])
    shown = episode.start().observation
    report = episode.act(say("PICKUP SprayBottle"))
    assert report.status is EpisodeStatus.TERMINATED
    assert report.steps_left == 0
    assert report.outcomes[0].code is OutcomeCode.SUCCEEDED
    assert report.observation is shown
    result = episode.finish(FinishReason.OVER)
    assert (result.success, result.failure, result.steps) == (True, None, 1)
    assert result.metrics["next_action_agreement"] == 1.0
    with pytest.raises(RuntimeError, match="answered"):
        episode.act(say("PICKUP SprayBottle"))


def test_another_action_ends_it_too_and_says_whether_it_could_be_done(tasks):
    episode = opened(tasks[1])
    episode.start()
    report = episode.act(Text("<answer>Action: PUT Shelf</answer>"))
    assert report.status is EpisodeStatus.TERMINATED
    assert report.outcomes[0].code is OutcomeCode.PRECONDITION_FAILED
    result = episode.finish(FinishReason.OVER)
    assert (result.success, result.failure) == (False, FailureClass.GOAL_NOT_REACHED)
    assert result.metrics["next_action_not_doable"] == 1.0
    assert result.labels["obstacle"] == "hand full or empty"


def test_what_cannot_be_read_costs_the_answer(tasks):
    episode = opened(tasks[1])
    episode.start()
    report = episode.act(Text("I would pick it up."))
    assert report.status is EpisodeStatus.TERMINATED
    assert report.outcomes[0].code is OutcomeCode.UNPARSABLE
    assert episode.finish(FinishReason.OVER).labels["answer"] == "unparsable"


def test_an_agent_that_never_answers_is_scored(tasks):
    episode = opened(tasks[1])
    episode.start()
    result = episode.finish(FinishReason.AGENT_GAVE_UP)
    assert (result.success, result.steps) == (False, 0)
    assert result.failure is FailureClass.GAVE_UP


def test_the_rules_decide_what_could_be_done(tasks):
    def doable(rules):
        episode = opened(tasks[0], rules=rules)
        episode.start()
        episode.act(say("PUT CounterTop"))
        return episode.finish(FinishReason.OVER).labels["verdict"]

    assert doable("paper") == "not doable"
    # No other surface is there that a failure could hide behind.
    assert doable("upstream") == "not doable"


def test_equal_answers_give_equal_digests_and_others_do_not(tasks):
    def digest(action, task=tasks[0]):
        episode = opened(task)
        episode.start()
        before = episode.state_digest()
        episode.act(say(action))
        return before, episode.state_digest()

    assert digest("FIND Mirror") == digest("FIND Mirror")
    assert digest("FIND Mirror") != digest("FIND Cloth")
    assert digest("FIND Mirror")[0] != digest("FIND Mirror", tasks[1])[0]


def test_the_expert_says_what_was_published(tasks):
    for task in tasks:
        run = SUITE.expert(order(task))
        episode = opened(task)
        episode.start()
        (action,) = run.actions
        episode.act(action)
        assert run.success
        assert episode.finish(FinishReason.OVER).success, task.id


def test_a_smaller_picture_is_made_where_it_is_asked_for(tasks, monkeypatch):
    monkeypatch.setattr("env_service.suites.asgard.recorded.episode.pixels_of", lambda _: 30)
    now, _ = opened(tasks[2]).start().observation.frames
    assert now.pixels.shape == (30, 30, 3)
    assert np.array_equal(now.pixels[3, 3], (60, 195, 60))


def test_a_setting_that_cannot_be_had_is_refused_before_anything_is_read(tasks):
    with pytest.raises(ConditionError, match="hand=30"):
        opened(tasks[0], hand="30")


def test_a_picture_that_is_gone_is_a_fault_of_the_data(tasks, pack):
    (pack.folder / frame(2)).unlink()
    with pytest.raises(WorldFault, match="houseguest data fetch") as caught:
        opened(tasks[1]).start()
    assert caught.value.fault is FaultClass.DATA_FAULT


def test_a_task_that_cannot_be_read_is_a_fault_of_the_data(tasks):
    broken = Task("x#1", "coffee", "x", {**tasks[0].data, "steps": "many"})
    with pytest.raises(WorldFault, match="x#1: steps"):
        opened(broken).start()
