import math
from dataclasses import replace

import pytest

from env_service.domain.action import SkillCall, Text, Unreadable
from env_service.domain.episode import (
    EpisodeStatus,
    FinishReason,
    GoalCondition,
    share_gained,
    share_met,
)
from env_service.domain.failure import FailureClass, FaultClass, WorldFault
from env_service.domain.observation import ObservationRequest
from env_service.domain.outcome import OutcomeCode
from env_service.suites.asgard import episode as module
from env_service.suites.asgard.observation import NOTHING_DONE
from env_service.suites.asgard.suite import AsgardSuite
from env_service.suites.selection import find_task_set
from env_service.worlds.household.render.selection import VARIABLE as RENDERER
from tests.support.asgard import SOLUTION, TEXT_ONLY, mirror_task, opened, play

CLEAN = GoalCondition("Mirror is clean", met=True)
SPRAYED = GoalCondition("the mirror has been sprayed", met=True)


@pytest.fixture
def start(request):
    """Starts an episode without pictures, and closes it in the end."""

    def starting(task=None, **condition):
        episode = opened({**TEXT_ONLY, **condition}, task)
        request.addfinalizer(episode.close)
        return episode, episode.start()

    return starting


def test_the_opening_says_what_there_is_to_do_and_with_what(start):
    _, first = start()
    assert first.instruction == "Clean the mirror"
    assert first.max_steps == 20
    assert first.observation.text == NOTHING_DONE
    assert len(first.action_space.skills) == 12
    objects = first.context["available_objects"].split(", ")
    assert {"Mirror", "SprayBottle", "Cloth"} <= set(objects)
    assert objects == sorted(objects)
    assert "Action: VERB Object" in first.context["answer_rules"]
    assert set(first.context) == {"available_objects", "world_rules", "answer_rules"}


def test_the_words_for_objects_are_the_tasks_own_where_it_has_some(start):
    task = mirror_task()
    task.data["objects"].extend(["Mirror", "TomatoSliced"])
    _, first = start(task)
    assert first.context["available_objects"] == "Mirror, TomatoSliced"
    assert first.action_space.skills[0].parameters[0].choices == ("Mirror", "TomatoSliced")


def test_a_solution_is_played_to_its_success(start):
    episode, _ = start()
    reports = [play(episode, action) for action in SOLUTION]
    assert [each.outcomes[0].code for each in reports] == [OutcomeCode.SUCCEEDED] * len(SOLUTION)
    assert [each.status for each in reports[:-1]] == [EpisodeStatus.RUNNING] * (len(SOLUTION) - 1)
    assert reports[-1].status is EpisodeStatus.TERMINATED
    assert [each.steps_left for each in reports] == [15 - n for n in range(1, 11)]
    result = episode.finish(FinishReason.OVER)
    assert (result.success, result.failure, result.steps) == (True, None, 10)
    assert result.goal_conditions == (
        replace(CLEAN, held_at_start=False),
        replace(SPRAYED, held_at_start=False),
    )
    assert result.metrics["step_ratio"] == 1.0
    assert result.metrics["valid_turns"] == 1.0
    assert result.labels == {
        "task_type": "clean_mirror",
        "variation": "plain",
        "condition": "text-only-simple",
        "release_code": "T1_Fs_H00_C0_P2_I0_R1_S1_E0_M8192",
        "ending": "Success",
        "extension": "None",
    }
    with pytest.raises(RuntimeError, match="over"):
        play(episode, "FIND Mirror")


def test_twenty_turns_that_nobody_understands_gain_nothing(start):
    """Most goals of a coffee task hold before anybody has done a thing."""
    tasks = find_task_set(AsgardSuite(), "builtin-6", TEXT_ONLY).task_set
    episode, first = start(next(each for each in tasks.tasks if each.group == "coffee"))
    for _ in range(min(20, first.max_steps)):
        if episode.act(Text("good morning")).status is not EpisodeStatus.RUNNING:
            break
    conditions = episode.finish(FinishReason.AGENT_GAVE_UP).goal_conditions
    assert (share_met(conditions) or 0) > 0.5
    assert share_gained(conditions) == 0.0
    assert all(each.held_at_start == each.met for each in conditions)


def test_what_holds_is_told_goal_by_goal(start):
    episode, _ = start()
    play(episode, *SOLUTION[:4])
    result = episode.finish(FinishReason.AGENT_GAVE_UP)
    assert result.failure is FailureClass.GAVE_UP
    assert result.goal_conditions == (
        GoalCondition(CLEAN.name, met=False, held_at_start=False),
        replace(SPRAYED, held_at_start=False),
    )
    assert result.metrics["goals_reached"] == result.metrics["goals_gained"] == 0.5
    assert result.labels["ending"] == "agent_gave_up"


def test_a_refusal_says_why_without_names_of_instances(start):
    episode, _ = start(feedback="detailed")
    play(episode, "FIND Mirror")
    report = play(episode, "CLEAN Mirror")
    (outcome,) = report.outcomes
    assert outcome.code is OutcomeCode.PRECONDITION_FAILED
    assert outcome.feedback == "Cannot clean Mirror without having sprayed it first."
    assert report.observation.text == f"CLEAN Mirror  Failure: {outcome.feedback}"
    metrics = episode.finish(FinishReason.AGENT_DONE).metrics
    assert metrics["undoable_turns"] == 0.5
    assert metrics["undoable_not_prepared"] == metrics["refused_not_sprayed"] == 1


BAD = (
    (Text("I shall clean it."), OutcomeCode.UNPARSABLE),
    (Text("Action: JUMP Mirror"), OutcomeCode.UNKNOWN_SKILL),
    (Text("Action: FIND Unicorn"), OutcomeCode.UNKNOWN_OBJECT),
    (Unreadable("no kind", "0" * 64), OutcomeCode.UNPARSABLE),
)


def test_a_turn_that_cannot_be_understood_costs_a_step_and_changes_nothing(start):
    episode, _ = start()
    before = episode.state_digest()
    reports = [episode.act(action) for action, _ in BAD]
    assert [report.outcomes[0].code for report in reports] == [code for _, code in BAD]
    assert [report.steps_left for report in reports] == [14, 13, 12, 11]
    assert episode.state_digest() == before
    result = episode.finish(FinishReason.AGENT_DONE)
    assert result.steps == 4
    assert result.metrics["unparsable_turns"] == 0.5
    assert result.metrics["invalid_action_turns"] == result.metrics["invalid_object_turns"] == 0.25


def test_words_and_skills_do_the_same(start):
    one, _ = start()
    other, _ = start()
    one.act(Text("<think>Where?</think><answer>Action: FIND Cloth</answer>"))
    other.act(SkillCall("find", (("object", "cloth"),)))
    assert one.state_digest() == other.state_digest()


def test_ten_failures_in_a_row_end_the_episode(start):
    episode, _ = start()
    kinds = ["Cabinet", "Candle", "Cloth", "CounterTop", "Drawer"] * 2
    reports = [play(episode, f"DRINK {kind}") for kind in kinds]
    assert [each.status for each in reports[8:]] == [
        EpisodeStatus.RUNNING,
        EpisodeStatus.TRUNCATED,
    ]
    assert episode.finish(FinishReason.OVER).failure is FailureClass.MAX_FAILURES


@pytest.mark.parametrize(("rules", "times"), [("paper", 9), ("upstream", 8)])
def test_an_action_that_is_repeated_too_often_ends_the_episode(start, rules, times):
    episode, _ = start(rules=rules)
    reports = [play(episode, "FIND Mirror") for _ in range(times)]
    assert reports[-2].status is EpisodeStatus.RUNNING
    assert reports[-1].status is EpisodeStatus.TRUNCATED
    result = episode.finish(FinishReason.OVER)
    assert result.failure is FailureClass.MAX_REPEATS
    assert result.labels["ending"] == "Max_Repeats"


def test_the_step_limit_ends_the_episode(start):
    episode, first = start()
    report, steps = None, 0
    while report is None or report.status is EpisodeStatus.RUNNING:
        kind = ("Cloth", "Mirror", "Toilet", "Sink", "Cloth", "Towel")[steps % 6]
        report, steps = play(episode, f"FIND {kind}"), steps + 1
    assert steps <= first.max_steps
    assert report.status is EpisodeStatus.TRUNCATED
    assert episode.finish(FinishReason.OVER).failure is FailureClass.MAX_STEPS


def test_equal_orders_give_equal_houses(start):
    one, _ = start()
    other, _ = start()
    for action in SOLUTION[:6]:
        assert play(one, action) == play(other, action)
        assert one.state_digest() == other.state_digest()


def test_a_score_before_the_first_turn_is_finite(start):
    episode, _ = start()
    result = episode.finish(FinishReason.AGENT_TIMEOUT)
    assert (result.success, result.steps) == (False, 0)
    assert result.failure is FailureClass.AGENT_TIMEOUT
    assert all(math.isfinite(value) for value in result.metrics.values())


def test_a_task_that_holds_from_the_start_succeeds(start):
    episode, _ = start(mirror_task(setup_actions=[], goal=goal_of("Mirror", "isDirty")))
    assert episode.finish(FinishReason.AGENT_DONE).success


def goal_of(kind, state):
    wanted = {"object_type": kind, "state": state, "value": False, "outcome": "success"}
    kinds = ("location_goals", "put_away_goals", "contents_goals")
    return {**{each: [] for each in kinds}, "state_goals": [wanted], "action_goals": {}}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"scene": "FloorPlan999"}, "FloorPlan999"),
        ({"step_count": 0}, "step_count"),
        ({"goal": None}, "goal"),
        (
            {"setup_actions": [{"action": "dirty", "object_name": "Mirror_x", "argument": None}]},
            "Mirror_x",
        ),
    ],
)
def test_a_plan_that_cannot_be_played_is_a_fault_of_the_data(changes, words):
    episode = opened(TEXT_ONLY, mirror_task(**changes))
    with pytest.raises(WorldFault, match=words) as caught:
        episode.start()
    assert caught.value.fault is FaultClass.DATA_FAULT
    episode.close()


def test_a_world_that_cannot_be_set_up_is_given_back(monkeypatch):
    stopped = []

    class World:
        def stop(self):
            stopped.append(self)

    def fail(_world, _plan):
        raise WorldFault(FaultClass.DATA_FAULT, "no room")

    monkeypatch.setattr(module, "open_task_scene", lambda *_: World())
    monkeypatch.setattr(module, "set_up", fail)
    episode = opened(TEXT_ONLY)
    with pytest.raises(WorldFault):
        episode.start()
    episode.close()
    episode.close()
    assert len(stopped) == 1


def test_text_alone_never_draws(start, monkeypatch):
    def forbidden(_self):
        raise AssertionError("a picture was drawn, though none was asked for")

    monkeypatch.setattr(
        "env_service.worlds.household.event.HouseholdEvent.frame", property(forbidden)
    )
    episode, _ = start()
    play(episode, *SOLUTION)


def test_text_alone_needs_no_renderer_and_plays_the_same(start, monkeypatch):
    episode, _ = start()
    play(episode, *SOLUTION)
    monkeypatch.setenv(RENDERER, "none")  # it raises where a picture is asked for
    blind, _ = start()
    play(blind, *SOLUTION)
    assert blind.state_digest() == episode.state_digest()


def test_the_size_of_pictures_changes_nothing_but_them(start):
    digests = set()
    for size in ("1024", "300"):
        episode, _ = start(picture=size)
        play(episode, *SOLUTION[:3])
        digests.add(episode.state_digest())
    assert len(digests) == 1


def test_pictures_come_in_the_size_of_the_condition_and_with_a_hand():
    episode = opened({"picture": "300"}, request=ObservationRequest())
    bare = opened({"picture": "300", "hand": "0"}, request=ObservationRequest())
    try:
        frames = []
        for each in (episode, bare):
            each.start()
            (frame,) = play(each, *SOLUTION[:2]).observation.frames
            frames.append(frame.pixels)
        assert [frame.shape for frame in frames] == [(300, 300, 3)] * 2
        differs = (frames[0] != frames[1]).any(axis=2)
        assert 0.003 < differs.mean() < 0.25
        assert not differs[:100].any()
    finally:
        episode.close()
        bare.close()


def test_settings_that_do_not_go_together_open_nothing():
    with pytest.raises(ValueError, match="previous_image"):
        opened({"text_only": "on"})
