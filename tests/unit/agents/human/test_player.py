"""The game itself: turns, ends, leaving, and what two windows may do."""

from __future__ import annotations

import pytest
from houseguest.agent.v1 import agent_pb2 as pb
from houseguest_agent import Client, Plan, SetupError, SkillCall, Text

from agents.human.human_guest.player import Act, End, Leave, Next, NotNowError, Player
from agents.human.human_guest.view import Phase, View
from tests.support.human_seat import opening, seated

PATIENCE = 30.0
FORWARD = Act(SkillCall("forward"))


def settled(player: Player) -> View:
    return player.settled(PATIENCE)


def acted(player: Player, *commands: Act | End | Next) -> View:
    for command in commands:
        player.send(command, settled(player).turn)
    return settled(player)


def test_an_episode_opens_with_all_that_is_told() -> None:
    player, _ = seated(opening(), opening(1))
    view = settled(player)
    assert view.phase is Phase.DECIDING
    assert view.episode is not None
    assert (view.episode.number, view.episode.total) == (1, 2)
    assert (view.episode.instruction, view.episode.mode) == ("goal 0", "stepwise")
    assert [text.title for text in view.episode.texts] == [
        "Rules of the world",
        "Answers in your own words",
    ]
    assert view.scene is not None
    assert view.scene.text == "a room"
    assert view.steps_left == 9
    assert view.deadlines.step is not None


def test_each_action_brings_what_came_of_it() -> None:
    player, _ = seated()
    view = acted(player, FORWARD, Act(SkillCall("PUT", {"object": "Mug", "where": "sink"})))
    assert [past.action for past in view.history] == ["forward", "PUT Mug, sink"]
    told = [(o.label, o.feedback, o.good) for past in view.history for o in past.outcomes]
    assert told == [("done", "", True), ("refused", "hands full", False)]
    assert view.steps_left == 7
    assert view.scene is not None
    assert [each.role for each in view.scene.pictures] == ["previous", "current"]


def test_a_picture_that_was_shown_keeps_its_key() -> None:
    player, _ = seated()
    before = settled(player).scene
    after = acted(player, FORWARD).scene
    assert before is not None
    assert after is not None
    assert after.pictures[0].key == before.pictures[0].key
    assert after.pictures[1].key != before.pictures[0].key


def test_the_end_tells_the_status_alone_and_the_next_episode_waits() -> None:
    player, client = seated(opening(), opening(1))
    view = acted(player, FORWARD, FORWARD, FORWARD)
    assert view.phase is Phase.ENDED
    assert view.close is not None
    assert "success" not in view.close.title + view.close.detail
    assert acted(player, Next()).episode != view.episode
    acted(player, End(done=True), Next())
    assert settled(player).phase is Phase.OVER
    assert [each.reason for each in client.courier.ended] == [pb.END_REASON_AGENT_DONE]


def test_giving_up_ends_the_episode_and_counts() -> None:
    player, client = seated()
    assert acted(player, End(done=False)).phase is Phase.ENDED
    assert [each.reason for each in client.courier.ended] == [pb.END_REASON_AGENT_GAVE_UP]
    assert client.withdrawn == []


def test_leaving_withdraws_from_the_open_episode() -> None:
    player, client = seated()
    acted(player, FORWARD)
    player.send(Leave(), 0)
    assert settled(player).phase is Phase.LEFT
    assert len(client.withdrawn) == 1
    assert client.courier.ended == []
    player.send(Leave(), 0)


def test_a_turn_is_decided_once() -> None:
    player, client = seated()
    turn = settled(player).turn
    player.send(FORWARD, turn)
    settled(player)
    with pytest.raises(NotNowError, match="another window"):
        player.send(FORWARD, turn)
    assert len(client.courier.sent) == 1


def test_what_is_asked_for_has_to_fit_the_moment() -> None:
    player, _ = seated()
    with pytest.raises(NotNowError, match="still open"):
        player.send(Next(), settled(player).turn)
    view = acted(player, End(done=True))
    with pytest.raises(NotNowError, match="No episode is open"):
        player.send(FORWARD, view.turn)


def test_a_plan_is_one_decision_with_an_outcome_a_step() -> None:
    player, client = seated(opening(mode=pb.MODE_PLAN))
    view = acted(player, Act(Plan((SkillCall("forward"), SkillCall("forward")))))
    assert view.phase is Phase.ENDED
    assert view.history[0].action == "forward\nforward"
    assert len(view.history[0].outcomes) == 2
    assert len(client.courier.sent) == 1


def test_what_the_house_refuses_to_take_can_be_mended() -> None:
    player, client = seated(opening(mode=pb.MODE_PLAN))
    settled(player)
    client.courier.refuse = "The plan is too long."
    view = acted(player, Act(Plan(())))
    assert (view.phase, view.notice) == (Phase.DECIDING, "The plan is too long.")
    assert acted(player, Act(Text("ok"))).notice == ""


def test_control_characters_are_left_out() -> None:
    player, _ = seated(opening(instruction="go\x1b[31m home"))
    episode = settled(player).episode
    assert episode is not None
    assert episode.instruction == "go[31m home"


def test_without_a_seat_the_reason_is_told() -> None:
    def connect() -> Client:
        raise SetupError("No lease token.")

    player = Player(connect)
    player.start()
    view = settled(player)
    assert view.phase is Phase.FAILED
    assert "No lease token" in view.notice


def test_a_closing_house_is_told_while_the_person_thinks() -> None:
    player, client = seated()
    version = settled(player).version
    client.draining = True
    assert "closing" in player.wait(version, PATIENCE).notice
