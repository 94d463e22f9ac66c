"""A person at a terminal, or a script at the end of a pipe."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from houseguest.agent.v1 import agent_pb2 as pb
from houseguest_agent import SkillCall

from agents.human.human_guest.player import Act, Command, End, Leave
from agents.human.human_guest.terminal.display import Console, EpisodeDisplay
from agents.human.human_guest.terminal.interface import TerminalInterface
from agents.human.human_guest.terminal.prompt import LeaveNow, TurnPrompt
from tests.support.human_seat import ScriptedClient, opening, seated


class Sitting:
    """What came of one sitting: the exit status, the output, and what the house got."""

    def __init__(self, code: int, out: str, client: ScriptedClient) -> None:
        self.code, self.out = code, out
        self.withdrawn = client.withdrawn
        self.steps = [request.action for request in client.courier.sent]
        self.ended = [request.reason for request in client.courier.ended]


Sit = Callable[..., Sitting]


@pytest.fixture
def sit(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Sit:
    def sat(typed: str, *openings: pb.Episode) -> Sitting:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        player, client = seated(*openings, start=False)
        code = TerminalInterface(player, pictures=True).run()
        return Sitting(code, capsys.readouterr().out, client)

    return sat


def test_a_whole_run_is_played(sit: Sit) -> None:
    typed = "forward\nput mug sink\n1\n\ndone\ny\n\n"
    sitting = sit(typed, opening(), opening(1))
    assert sitting.code == 0
    assert [each.skill.name for each in sitting.steps] == ["forward", "PUT", "forward"]
    assert sitting.ended == [pb.END_REASON_AGENT_DONE]
    assert sitting.withdrawn == []
    for told in (
        *("Goal: goal 0", "No running.", "1  forward", "(9 steps left) > forward"),
        *("1. forward → done", "2. PUT Mug, sink → refused: hands full", "room 2"),
        *("Now: /", "Before your last action: /", "This episode is over", "Goal: goal 1"),
        "Everything is played",
    ):
        assert told in sitting.out


def test_the_end_of_the_input_leaves_the_seat(sit: Sit) -> None:
    sitting = sit("forward\n")
    assert (sitting.code, len(sitting.withdrawn), sitting.ended) == (0, 1, [])
    assert "You left" in sitting.out


def test_quitting_leaves_the_seat(sit: Sit) -> None:
    sitting = sit("forward\nquit\nforward\n")
    assert (len(sitting.steps), len(sitting.withdrawn)) == (1, 1)


def test_quitting_between_two_episodes_leaves_the_rest(sit: Sit) -> None:
    sitting = sit("giveup\ny\nquit\n", opening(), opening(1))
    assert sitting.ended == [pb.END_REASON_AGENT_GAVE_UP]
    assert "goal 1" not in sitting.out


def test_a_doubt_ends_nothing(sit: Sit) -> None:
    sitting = sit("giveup\nn\ndone\n\nquit\n")
    assert sitting.ended == []


def test_help_history_and_looks_cost_nothing(sit: Sit) -> None:
    sitting = sit("help\nhistory\nforward\n/history\nlook\ngoal\nactions\n?\n\nquit\n")
    assert len(sitting.steps) == 1
    assert "No actions yet." in sitting.out
    assert sitting.out.count("1. forward → done") == 2
    assert sitting.out.count("/giveup") == 2
    assert sitting.out.count("Goal: goal 0") == 2


def test_a_slip_of_the_pen_costs_nothing(sit: Sit) -> None:
    sitting = sit("jump\nput cup\nquit\n")
    assert sitting.steps == []
    assert "Unknown action 'jump'" in sitting.out


def test_a_list_of_the_skills_is_no_wall_before_what_one_can_do(sit: Sit) -> None:
    texts = {"world_rules": "No running.", "skills": "walk, put down, and 212 more"}
    sitting = sit("quit\n", opening(context=texts))
    assert "No running." in sitting.out
    assert "212 more" not in sitting.out


def test_own_words_go_to_the_house(sit: Sit) -> None:
    sitting = sit("/say\n/say Action: forward\nquit\n")
    assert [each.text for each in sitting.steps] == ["Action: forward"]
    assert "End with 'Action: '" in sitting.out


def test_where_no_words_are_read_none_are_sent(sit: Sit) -> None:
    sitting = sit("/say hello\nquit\n", opening(context={}))
    assert sitting.steps == []


def test_an_answer_takes_several_lines(sit: Sit) -> None:
    typed = "no\n/again\nI think\n\nquit\n.\n\n"
    sitting = sit(typed, opening(mode=pb.MODE_ANSWER))
    assert [each.text for each in sitting.steps] == ["I think\n\nquit"]
    assert "End with a number." in sitting.out


def test_a_slip_is_no_part_of_an_answer(sit: Sit) -> None:
    sitting = sit("/send\n7\n/again 8\n.\n\n", opening(mode=pb.MODE_ANSWER))
    assert [each.text for each in sitting.steps] == ["7\n/again 8"]
    assert "/send is not a command" in sitting.out


def test_no_answer_is_not_sent(sit: Sit) -> None:
    sitting = sit(".\n/quit\n", opening(mode=pb.MODE_ANSWER))
    assert sitting.steps == []


def test_a_plan_is_written_mended_and_sent(sit: Sit) -> None:
    typed = "forward\n1\n/undo\nput mug sink\nhelp\n/send\n\n"
    sitting = sit(typed, opening(mode=pb.MODE_PLAN))
    (action,) = sitting.steps
    assert [step.name for step in action.plan.steps] == ["forward", "PUT"]
    assert "1.1  forward → done" in sitting.out
    assert "1.2  PUT Mug, sink → done" in sitting.out


def test_an_empty_plan_is_asked_about(sit: Sit) -> None:
    sitting = sit("/send\nn\n/undo\n/quit\n", opening(mode=pb.MODE_PLAN))
    assert sitting.steps == []


class Keyboard(Console):
    """A terminal at which keys are pressed: exceptions are Ctrl-C and Ctrl-D."""

    def __init__(self, *pressed: str | type[BaseException]) -> None:
        super().__init__()
        self.is_terminal = True
        self._pressed = iter(pressed)

    def ask(self, prompt: str, words: Sequence[str] = ()) -> str:
        """The next one."""
        each = next(self._pressed)
        if isinstance(each, str):
            return each
        raise each


def decided(*pressed: str | type[BaseException]) -> Command:
    player, _ = seated()
    view = player.settled(30)
    player.send(Leave(), 0)
    keyboard = Keyboard(*pressed)
    return TurnPrompt(keyboard, EpisodeDisplay(keyboard, Path(), pictures=False)).command(view)


@pytest.mark.parametrize("key", [KeyboardInterrupt, EOFError])
def test_ctrl_c_and_ctrl_d_ask_once_and_leave_the_second_time(key: type[BaseException]) -> None:
    assert decided(key, "forward") == Act(SkillCall("forward"))
    assert decided(key, "", key, "1") == Act(SkillCall("forward"))
    with pytest.raises(key):
        decided(key, key)


@pytest.mark.parametrize("key", [KeyboardInterrupt, EOFError])
def test_ctrl_c_and_ctrl_d_take_a_question_back(key: type[BaseException]) -> None:
    put = SkillCall("PUT", {"object": "Mug", "where": "sink"})
    assert decided("put", key, "put mug sink") == Act(put)
    assert decided("giveup", key, "done", "y") == End(done=True)


def test_a_person_at_a_terminal_is_asked_before_leaving() -> None:
    with pytest.raises(LeaveNow):
        decided("quit", "n", "quit", "y")
