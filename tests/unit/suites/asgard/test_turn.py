from env_service.domain.outcome import OutcomeCode
from env_service.suites.asgard.action_language import BadTurn, Command, Verb
from env_service.suites.asgard.actions.executor import ActionOutcome
from env_service.suites.asgard.episode import take_turn
from env_service.suites.asgard.wording import Reason, Refusal

OPEN = Command(Verb.OPEN, "Fridge")


class Doer:
    """Does what it is told to have done."""

    def __init__(self, done):
        self.done, self.asked = done, []

    def do(self, verb, object_type):
        self.asked.append((verb, object_type))
        return self.done


def test_what_the_house_takes_succeeds():
    executor = Doer(
        ActionOutcome(success=True, refusal=None, instance="Fridge_12", flags_subgoal=True)
    )
    taken = take_turn(OPEN, executor)
    assert executor.asked == [(Verb.OPEN, "Fridge")]
    assert taken.succeeded
    assert taken.outcome.code is OutcomeCode.SUCCEEDED
    turn = taken.counted(reached_goal=True)
    assert (turn.text, turn.object_type, turn.succeeded) == ("OPEN Fridge", "Fridge", True)
    assert turn.flags_subgoal
    assert turn.reached_goal


def test_what_it_refuses_is_told_by_types():
    refusal = Refusal(Reason.ALREADY_SO, "Fridge_12ab is already open.")
    taken = take_turn(
        OPEN, Doer(ActionOutcome(success=False, refusal=refusal, instance="Fridge_12ab"))
    )
    assert taken.outcome.code is OutcomeCode.PRECONDITION_FAILED
    assert taken.outcome.feedback == "Fridge is already open."
    assert taken.reason is Reason.ALREADY_SO
    assert not taken.past.succeeded


def test_a_bad_turn_never_reaches_the_house():
    executor = Doer(None)
    taken = take_turn(BadTurn(OutcomeCode.UNPARSABLE, "What?"), executor)
    assert executor.asked == []
    assert (taken.outcome.code, taken.outcome.feedback) == (OutcomeCode.UNPARSABLE, "What?")
    assert taken.counted(reached_goal=False).object_type is None
    assert taken.past.text == "None None"


def test_a_bad_turn_may_name_an_object():
    bad = BadTurn(OutcomeCode.UNKNOWN_SKILL, "no", "JUMP", "Mug")
    assert take_turn(bad, Doer(None)).counted(reached_goal=False).object_type == "Mug"
