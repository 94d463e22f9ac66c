import pytest

from env_service.suites.asgard.plan import LocationGoal, SetupAction, SetupKind
from env_service.suites.asgard.recorded.feasibility import Doable, FeasibilityJudge, judge
from env_service.suites.asgard.rules import PAPER, UPSTREAM
from env_service.suites.asgard.wording import Reason
from tests.support.asgard_recorded import command, question

DIRTY_MUG = SetupAction(SetupKind.DIRTY, "Mug_e7fad100")
COFFEE = SetupAction(SetupKind.FILL, "Mug_e7fad100", "coffee")
HOLDS_MUG = ("FIND Mug", "PICKUP Mug")
HOLDS_KNIFE = ("FIND Knife", "PICKUP Knife")
MUG_IN_SINK = (*HOLDS_MUG, "FIND SinkBasin", "PUT SinkBasin")
HOLDS_SPONGE = (*MUG_IN_SINK, "FIND DishSponge", "PICKUP DishSponge", "FIND Faucet")
SLICED = (*HOLDS_KNIFE, "FIND Apple", "SLICE Apple")
ELSEWHERE = "FIND Statue"


def verdict(action, *history, rules=PAPER, **asked):
    return FeasibilityJudge(question(*history, **asked), rules).by_rules(command(action))


@pytest.mark.parametrize(
    ("action", "history", "reason"),
    [
        ("PICKUP Cup", HOLDS_MUG, Reason.HAND_FULL),
        ("PICKUP Fridge", ("FIND Fridge",), Reason.UNABLE),
        ("PICKUP AppleSliced", ("FIND Apple",), Reason.NO_SUCH_OBJECT),
        ("FIND AppleSliced", (), Reason.NO_SUCH_OBJECT),
        ("FIND Apple", SLICED, Reason.ALREADY_SO),
        ("PUT CounterTop", (), Reason.HAND_EMPTY),
        ("PUT Cabinet", (*HOLDS_MUG, "FIND Cabinet"), Reason.CONTAINER_CLOSED),
        ("PUT Sofa", HOLDS_MUG, Reason.INCOMPATIBLE),
        ("OPEN Mug", ("FIND Mug",), Reason.UNABLE),
        ("OPEN Fridge", ("OPEN Fridge",), Reason.ALREADY_SO),
        ("CLOSE Fridge", ("FIND Fridge",), Reason.ALREADY_SO),
        ("TOGGLE_ON Mug", ("FIND Mug",), Reason.SIMULATOR),
        ("TOGGLE_OFF Mug", ("FIND Mug",), Reason.ALREADY_SO),
        ("TOGGLE_ON Television", ("FIND Television",), Reason.TOOL_MISSING),
        ("TOGGLE_ON Toaster", ("TOGGLE_ON Toaster",), Reason.ALREADY_SO),
        ("TOGGLE_OFF Faucet", ("FIND Faucet",), Reason.ALREADY_SO),
        ("TOGGLE_ON Microwave", ("OPEN Microwave",), Reason.DOOR_OPEN),
        ("TOGGLE_ON CoffeeMachine", HOLDS_MUG, Reason.EMPTY),
        (
            "TOGGLE_ON Faucet",
            (*HOLDS_KNIFE, "PUT SinkBasin", "FIND Faucet"),
            Reason.WRONG_CONTENTS,
        ),
        ("TOGGLE_ON StoveBurner", ("PICKUP Pan", "PUT CounterTop", "PICKUP Pot"), Reason.EMPTY),
        ("CLEAN Mug", HOLDS_SPONGE, Reason.WATER_OFF),
        ("CLEAN Mug", (*MUG_IN_SINK, "TOGGLE_ON Faucet"), Reason.TOOL_MISSING),
        ("CLEAN Mirror", ("FIND Mirror",), Reason.NOT_SPRAYED),
        ("SPRAY Mirror", ("FIND Mirror",), Reason.TOOL_MISSING),
        ("SLICE Mug", HOLDS_KNIFE, Reason.UNABLE),
        ("SLICE Apple", ("FIND Apple",), Reason.TOOL_MISSING),
        ("SLICE Apple", ("PICKUP Apple", "PUT SinkBasin", *HOLDS_KNIFE), Reason.WRONG_PLACE),
        ("SLICE Egg", ("PICKUP Egg",), Reason.WRONG_PLACE),
        ("EMPTY Mug", ("FIND Mug",), Reason.EMPTY),
        ("DRINK Mug", HOLDS_MUG, Reason.EMPTY),
        (
            "FIND Mug",
            (*HOLDS_MUG, "OPEN Fridge", "PUT Fridge", "CLOSE Fridge"),
            Reason.NOT_VISIBLE,
        ),
    ],
)  # fmt: skip
def test_what_the_rules_refuse_is_not_doable_for_a_reason(action, history, reason):
    found = verdict(action, *history)
    assert (found.doable, found.reason) == (Doable.NO, reason)
    assert found.words


def test_dirt_and_liquids_come_from_the_start_up():
    in_machine = (*HOLDS_MUG, "PUT CoffeeMachine")
    dirty = verdict("TOGGLE_ON CoffeeMachine", *in_machine, setup=[DIRTY_MUG])
    full = verdict("TOGGLE_ON CoffeeMachine", *in_machine, setup=[COFFEE])
    assert (dirty.reason, full.reason) == (Reason.DIRTY, Reason.WRONG_CONTENTS)
    assert verdict("PUT Mug", *HOLDS_KNIFE, "FIND Mug", setup=[DIRTY_MUG]).reason is Reason.DIRTY
    assert verdict("DRINK Mug", *HOLDS_MUG, setup=[COFFEE]).doable is Doable.YES


@pytest.mark.parametrize(
    ("action", "history"),
    [
        ("FIND CounterTop", ()),
        ("FIND Mug", (*HOLDS_MUG, "PUT CounterTop", ELSEWHERE)),
        ("PICKUP Mug", ("FIND Mug",)),
        ("PUT CounterTop", (*HOLDS_MUG, "FIND CounterTop")),
        ("OPEN Cabinet", ("FIND Cabinet",)),
        ("PUT Cabinet", (*HOLDS_MUG, "FIND Cabinet", "OPEN Cabinet")),
        ("CLOSE Cabinet", (*HOLDS_MUG, "OPEN Cabinet", "PUT Cabinet")),
        ("TOGGLE_ON CoffeeMachine", (*HOLDS_MUG, "PUT CoffeeMachine")),
        ("TOGGLE_OFF CoffeeMachine", (*HOLDS_MUG, "PUT CoffeeMachine", "TOGGLE_ON CoffeeMachine")),
        ("SLICE Apple", ("PICKUP Apple", "PUT CounterTop", *HOLDS_KNIFE, "FIND Apple")),
        ("SLICE Egg", ("PICKUP Egg", "PUT Pan")),
        ("PICKUP AppleSliced", (*SLICED, "PUT CounterTop", "FIND AppleSliced")),
    ],
)
def test_what_surely_can_be_done_is_doable(action, history):
    assert verdict(action, *history).doable is Doable.YES


@pytest.mark.parametrize(
    ("action", "history", "reason"),
    [
        ("PICKUP Mug", (), Reason.NOT_VISIBLE),
        ("PICKUP Mug", ("FIND Mug", ELSEWHERE), Reason.NOT_VISIBLE),
        ("FIND Mug", (), Reason.NOT_VISIBLE),
        # Another drawer or cabinet may be meant.
        ("OPEN Drawer", ("OPEN Drawer",), Reason.ALREADY_SO),
        # What was found in a cupboard that is closed now may be in there.
        ("FIND Mug", ("OPEN Cabinet", "FIND Mug", "CLOSE Cabinet"), Reason.NOT_VISIBLE),
        # Lamps may be on from the start, the sink be full, the apple lie in it.
        ("TOGGLE_ON LightSwitch", ("FIND LightSwitch",), Reason.ALREADY_SO),
        ("TOGGLE_ON Faucet", ("FIND Faucet",), Reason.WRONG_CONTENTS),
        ("SLICE Apple", (*HOLDS_KNIFE, "FIND Apple"), Reason.WRONG_PLACE),
        ("OPEN Laptop", ("FIND Laptop",), Reason.ALREADY_SO),
    ],
)
def test_what_only_a_look_could_tell_is_undecided(action, history, reason):
    found = verdict(action, *history)
    assert (found.doable, found.reason) == (Doable.UNDECIDED, reason)


def test_a_refusal_that_is_certain_goes_before_a_doubt():
    assert verdict("PICKUP Cup", *HOLDS_MUG, ELSEWHERE).reason is Reason.HAND_FULL


@pytest.mark.parametrize(
    ("action", "history", "doable"),
    [
        ("SLICE Egg", ("FIND Egg",), Doable.YES),
        ("TOGGLE_ON StoveBurner", ("FIND StoveBurner",), Doable.YES),
        (
            "SLICE Apple",
            ("PICKUP Apple", "PUT CounterTop", "PICKUP ButterKnife", "FIND Apple"),
            Doable.YES,
        ),
        ("PUT Cabinet", (*HOLDS_MUG, "FIND Cabinet"), Doable.UNDECIDED),
        ("FIND Mug", (*HOLDS_MUG, "OPEN Fridge", "PUT Fridge", "CLOSE Fridge"), Doable.YES),
        # It may be told to have worked though it did not.
        ("PUT CounterTop", (), Doable.UNDECIDED),
    ],
)
def test_the_released_code_lets_more_pass(action, history, doable):
    assert verdict(action, *history).doable is not doable
    assert verdict(action, *history, rules=UPSTREAM).doable is doable


def test_what_serves_a_goal_is_locked_by_the_released_code():
    served = ("PICKUP Potato", "PUT Bowl", "FIND Potato")
    goals = [LocationGoal("Potato", "Bowl")]
    assert verdict("PICKUP Potato", *served, goals=goals).doable is Doable.YES
    locked = verdict("PICKUP Potato", *served, goals=goals, rules=UPSTREAM)
    assert (locked.doable, locked.reason) == (Doable.NO, Reason.USED_BY_GOAL)


def test_nothing_is_certain_after_a_history_that_breaks_the_rules():
    broken = ("PUT CounterTop",)
    for action in ("PUT CounterTop", "FIND CounterTop"):
        assert verdict(action, *broken).doable is Doable.UNDECIDED


def test_the_published_action_worked_unless_the_rules_refuse_it():
    asked = question(answer="PICKUP Mug")
    assert FeasibilityJudge(asked, PAPER).by_rules(asked.answer).doable is Doable.UNDECIDED
    assert judge(asked.answer, asked, PAPER).doable is Doable.YES
    assert judge(command("PICKUP Cup"), asked, PAPER).doable is Doable.UNDECIDED
    refused = question(answer="PUT CounterTop")
    assert judge(refused.answer, refused, PAPER).doable is Doable.NO
