"""How two worlds took an action."""

from __future__ import annotations

from env_service.worlds.ai2thor_api.parity.answers import ActionAnswer, ask, normalised, verdicts
from env_service.worlds.ai2thor_api.parity.tolerances import Tolerances
from tests.support.doctored_thor import SCENE, START, household

TOLERANCES = Tolerances()
TOO_FAR = ActionAnswer(success=False, message="Mug|+00.10|+00.90|-01.00 is 2.5 m away")


def test_of_two_refusals_code_and_message_are_compared() -> None:
    other = ActionAnswer(success=False, code="InvalidAction", message="no such thing")
    found = verdicts(TOO_FAR, other, TOLERANCES)
    assert found == {"success": True, "error code": False, "message": False}


def test_of_two_successes_what_they_return_is_compared() -> None:
    left, right = (
        ActionAnswer(success=True, value="Mug|1"),
        ActionAnswer(success=True, value="Mug|2"),
    )
    assert verdicts(left, right, TOLERANCES) == {
        "success": True,
        "return kind": True,
        "return": False,
    }
    assert verdicts(left, ActionAnswer(success=True), TOLERANCES)["return kind"] is False


def test_where_one_world_refuses_nothing_else_can_agree() -> None:
    assert verdicts(TOO_FAR, ActionAnswer(success=True), TOLERANCES) == {"success": False}


def test_messages_agree_but_for_ids_numbers_traces_and_kinds_of_exceptions() -> None:
    plain = "Cup|+01.00|+00.90|+02.00 is 3.25 m away!"
    traced = (
        "System.NullReferenceException: Cup|-09.00|+00.90|+02.00|Lid is 1 m  away. trace:  at\nX"
    )
    assert normalised(plain) == normalised(traced) == "<id> is # m away"
    assert normalised(plain) != normalised("Cup|+01.00|+00.90|+02.00 is open")


def test_a_mistake_that_the_controller_raises_is_an_answer() -> None:
    controller = household().open(SCENE, START)
    try:
        answer = ask(controller, {"action": "FlyAway"})
        assert not answer.success
        assert answer.code == "InvalidAction"
        assert "FlyAway" in answer.message
        assert ask(controller, {"action": "Pass"}).success
    finally:
        controller.stop()
