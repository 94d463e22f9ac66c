import pytest

from env_service.domain.action import Plan, SkillCall, Text, Unreadable
from env_service.domain.episode import EpisodeStatus, FinishReason, Mode
from env_service.domain.failure import FailureClass
from env_service.domain.outcome import OutcomeCode
from tests.unit.suites.babyai.builders import SUITE, make_order, open_episode, play, way_to

ROOM = "PickupLoc/2"  # the mission is to pick up the yellow box
MAZE = "Open/2"  # the mission is to open a grey door
WAY_TO_KEY = way_to(ROOM, "grey key")
WAY_TO_BALL = way_to(ROOM, "ball", after=[*WAY_TO_KEY, "pickup"])
WAY_TO_DOOR = way_to(MAZE, "green door")
WAY_TO_LOCK = way_to("SynthLoc/39", "locked door")


def test_the_opening_tells_the_mission_the_six_skills_and_the_rules():
    first = SUITE.open_episode(make_order(ROOM)).start()
    assert first.mode is Mode.STEPWISE
    assert first.instruction == "pick up the yellow box"
    assert first.max_steps == 64
    names = [skill.name for skill in first.action_space.skills]
    assert names == ["left", "right", "forward", "pickup", "drop", "toggle"]
    assert not any(skill.parameters for skill in first.action_space.skills)
    assert "carry a key of its colour" in first.context["world_rules"]
    assert "Action: " in first.context["answer_rules"]
    assert "Action: " not in first.context["world_rules"]


@pytest.mark.parametrize(
    ("task", "actions", "code", "feedback"),
    [
        ("GoToLocal/2", ["forward"], OutcomeCode.PHYSICALLY_BLOCKED, "a wall is in the way"),
        (
            ROOM,
            [*WAY_TO_KEY, "forward"],
            OutcomeCode.PHYSICALLY_BLOCKED,
            "a grey key is in the way",
        ),
        (
            MAZE,
            [*WAY_TO_DOOR, "forward"],
            OutcomeCode.PHYSICALLY_BLOCKED,
            "a closed green door is in the way",
        ),
        (
            "GoToLocal/2",
            ["pickup"],
            OutcomeCode.PRECONDITION_FAILED,
            "nothing to pick up: a wall",
        ),
        (
            ROOM,
            [*WAY_TO_KEY, "pickup", "pickup"],
            OutcomeCode.PRECONDITION_FAILED,
            "nothing is ahead",
        ),
        (
            ROOM,
            [*WAY_TO_KEY, "pickup", *WAY_TO_BALL, "pickup"],
            OutcomeCode.PRECONDITION_FAILED,
            "hands are full: you carry a grey key",
        ),
        (ROOM, ["drop"], OutcomeCode.PRECONDITION_FAILED, "carry nothing"),
        (
            ROOM,
            [*WAY_TO_KEY, "pickup", *WAY_TO_BALL, "drop"],
            OutcomeCode.PRECONDITION_FAILED,
            "no room to drop it: a green ball",
        ),
        (
            ROOM,
            [*WAY_TO_KEY, "toggle"],
            OutcomeCode.PRECONDITION_FAILED,
            "no door or box to toggle: a grey key",
        ),
        (
            "SynthLoc/39",
            [*WAY_TO_LOCK, "toggle"],
            OutcomeCode.PRECONDITION_FAILED,
            "no key that fits: a locked yellow door",
        ),
    ],
)
def test_a_refusal_names_its_reason(task, actions, code, feedback):
    episode = open_episode(task)
    report = play(episode, *actions)
    assert [outcome.code for outcome in report.outcomes] == [code]
    assert feedback in report.outcomes[0].feedback
    assert report.status is EpisodeStatus.RUNNING


def test_what_the_world_carries_out_succeeds_without_words():
    episode = open_episode(MAZE)
    for action in [*WAY_TO_DOOR, "toggle", "forward"]:
        (outcome,) = play(episode, action).outcomes
        assert outcome.code is OutcomeCode.SUCCEEDED
        assert outcome.feedback == ""


@pytest.mark.parametrize(
    ("action", "code", "feedback"),
    [
        (Text("I think I should wait."), OutcomeCode.UNPARSABLE, "Answer with one of left, right"),
        (Text(""), OutcomeCode.UNPARSABLE, "Not understood"),
        (Unreadable("no kind set", "00"), OutcomeCode.UNPARSABLE, "no kind set"),
        (SkillCall("done"), OutcomeCode.UNKNOWN_SKILL, "no such skill"),
        (SkillCall("Left"), OutcomeCode.UNKNOWN_SKILL, "no such skill"),
        (SkillCall("left", (("times", "2"),)), OutcomeCode.UNKNOWN_SKILL, "none takes arguments"),
        (Plan((SkillCall("left"),)), OutcomeCode.UNKNOWN_SKILL, "no such skill"),
        (Plan(()), OutcomeCode.UNKNOWN_SKILL, "no such skill"),
    ],
)
def test_a_turn_that_names_no_skill_costs_a_turn_and_changes_nothing(action, code, feedback):
    episode = open_episode(ROOM)
    before = episode.state_digest()
    report = play(episode, action)
    assert report.outcomes[0].code is code
    assert feedback in report.outcomes[0].feedback
    assert report.steps_left == 63
    assert episode.state_digest() == before


def test_text_and_skill_do_the_same():
    by_text, by_skill = open_episode(ROOM), open_episode(ROOM)
    assert play(by_text, Text("Let me see.\nAction: `Left`.")) == play(by_skill, "left")
    assert by_text.state_digest() == by_skill.state_digest()


@pytest.mark.parametrize(
    "turns",
    [
        [Text("hm")],
        [SkillCall("drop")],
        [SkillCall("jump"), Text("hm"), SkillCall("left"), SkillCall("drop")],
    ],
)
def test_every_turn_counts_against_the_limit_whatever_became_of_it(turns):
    episode = open_episode(ROOM)
    for turn in range(64):
        report = play(episode, turns[turn % len(turns)])
        assert report.steps_left == 63 - turn
        over = EpisodeStatus.TRUNCATED if turn == 63 else EpisodeStatus.RUNNING
        assert report.status is over
    result = episode.finish(FinishReason.OVER)
    assert result.failure is FailureClass.MAX_STEPS
    assert result.steps == 64
    assert result.metrics["reward"] == 0


def test_an_episode_that_is_over_takes_no_more_turns():
    episode = open_episode(ROOM)
    play(episode, *[Text("")] * 64)
    with pytest.raises(RuntimeError, match="over"):
        play(episode, "left")


def solve(episode, task_id):
    return play(episode, *SUITE.expert(make_order(task_id)).actions)


def test_success_terminates_and_is_rewarded_by_the_turns_it_took():
    episode = open_episode("GoToSeq/4")
    play(episode, Text("hm"), SkillCall("drop"), SkillCall("jump"))
    report = solve(episode, "GoToSeq/4")
    assert report.status is EpisodeStatus.TERMINATED
    result = episode.finish(FinishReason.OVER)
    assert result.success
    assert result.failure is None
    assert all(condition.met for condition in result.goal_conditions)
    assert len(result.goal_conditions) == 4
    turns, limit = result.steps, report.steps_left + result.steps
    assert result.metrics == {
        "turns": turns,
        "refused": 2,
        "unparsable": 1,
        "reward": pytest.approx(1 - 0.9 * turns / limit),
    }


def test_success_on_the_last_turn_is_success():
    episode = open_episode("GoToLocal/2")
    actions = SUITE.expert(make_order("GoToLocal/2")).actions
    play(episode, *[Text("hm")] * (64 - len(actions)))
    report = play(episode, *actions)
    assert (report.status, report.steps_left) == (EpisodeStatus.TERMINATED, 0)
    result = episode.finish(FinishReason.OVER)
    assert result.success
    assert result.metrics["reward"] == pytest.approx(0.1)


def test_goals_reached_before_the_agent_gives_up_are_credited():
    episode = open_episode("GoToSeq/4")
    actions = SUITE.expert(make_order("GoToSeq/4")).actions
    play(episode, *actions[:-1])
    result = episode.finish(FinishReason.AGENT_GAVE_UP)
    met = [condition.met for condition in result.goal_conditions]
    assert not result.success
    assert result.failure is FailureClass.GAVE_UP
    assert any(met)
    assert not all(met)


@pytest.mark.parametrize(
    ("reason", "failure"),
    [
        (FinishReason.AGENT_DONE, FailureClass.GOAL_NOT_REACHED),
        (FinishReason.AGENT_GAVE_UP, FailureClass.GAVE_UP),
        (FinishReason.AGENT_TIMEOUT, FailureClass.AGENT_TIMEOUT),
        (FinishReason.AGENT_CRASH, FailureClass.AGENT_CRASH),
    ],
)
def test_an_episode_cut_short_fails_for_the_reason_it_was_cut(reason, failure):
    result = open_episode(ROOM).finish(reason)
    assert (result.success, result.failure, result.steps) == (False, failure, 0)


def test_the_runs_seed_does_not_change_a_level():
    order = make_order(ROOM)
    other = type(order)(order.task, order.world, order.condition, order.request, seed=7)
    first, second = SUITE.open_episode(order), SUITE.open_episode(other)
    assert first.start() == second.start()
    assert first.state_digest() == second.state_digest()
