import pytest

from env_service.suites.asgard.action_language import Command, Verb
from env_service.suites.asgard.plan import SetupAction, SetupKind
from env_service.suites.asgard.symbolic_replay import SymbolicState, replay


def commands(*texts):
    return [Command(Verb(verb), kind) for verb, kind in map(str.split, texts)]


def reasons(*texts, setup=()):
    return [(each.step, each.reason) for each in replay(commands(*texts), setup)]


DIRTY_MUG = SetupAction(SetupKind.DIRTY, "Mug_e7fad100")
COFFEE = SetupAction(SetupKind.FILL, "Mug_e7fad100", "coffee")
CARRY_MUG = ("PICKUP Mug", "PUT SinkBasin", "PICKUP DishSponge")


@pytest.mark.parametrize(
    ("texts", "setup"),
    [
        (("FIND Mug", "PICKUP Mug", "OPEN Cabinet", "PUT Cabinet", "CLOSE Cabinet"), ()),
        ((*CARRY_MUG, "TOGGLE_ON Faucet", "CLEAN Mug", "TOGGLE_OFF Faucet"), (DIRTY_MUG,)),
        (("PICKUP SprayBottle", "SPRAY Mirror", "PUT Shelf", "PICKUP Cloth", "CLEAN Mirror"), ()),
        (("PICKUP RemoteControl", "TOGGLE_ON Television"), ()),
        (("PICKUP Mug", "DRINK Mug"), (COFFEE,)),
        (("EMPTY Mug",), (COFFEE,)),
        (("PICKUP Knife", "SLICE Apple", "PUT CounterTop", "PICKUP AppleSliced"), ()),
        (("PICKUP Egg", "PUT Pan", "SLICE Egg", "TOGGLE_ON StoveBurner"), ()),
        (("PICKUP Mug", "PUT CoffeeMachine", "TOGGLE_ON CoffeeMachine"), ()),
        (("PICKUP Pan", "PUT StoveBurner", "TOGGLE_ON StoveBurner"), ()),
    ],
)
def test_what_the_rules_allow_has_no_breach(texts, setup):
    assert reasons(*texts, setup=setup) == []


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        (("PUT CounterTop",), "the hand is empty"),
        (("PICKUP Mug", "PICKUP Cup"), "the hand holds Mug"),
        (("PICKUP Mug", "PUT Cabinet"), "Cabinet is closed"),
        (("PICKUP Bread", "PUT Plate"), "Bread does not go to Plate"),
        (("OPEN Fridge", "OPEN Fridge"), "Fridge is already open"),
        (("CLOSE Fridge",), "Fridge is already closed"),
        (("OPEN Mug",), "Mug is not openable"),
        (("CLOSE Mug",), "Mug is not openable"),
        (("FIND AppleSliced",), "there is no AppleSliced before the Apple is sliced"),
        (("PICKUP Knife", "SLICE Apple", "FIND Apple"), "Apple is already sliced"),
        (("PICKUP Knife", "SLICE Apple", "SLICE Apple"), "Apple is already sliced"),
        (("PICKUP ButterKnife", "SLICE Apple"), "the hand holds no knife"),
        (("SLICE Egg",), "Egg is not in a Pan"),
        (("PICKUP Knife", "SLICE Mug"), "Mug cannot be sliced"),
        (("TOGGLE_ON Faucet", "TOGGLE_ON Faucet"), "Faucet is already on"),
        (("TOGGLE_OFF Faucet",), "Faucet is already off"),
        (("TOGGLE_ON Television",), "the hand holds no remote control"),
        (("OPEN Microwave", "TOGGLE_ON Microwave"), "the microwave is open"),
        (("TOGGLE_ON CoffeeMachine",), "there is no mug in the coffee machine"),
        (("CLEAN Mirror",), "the mirror has not been sprayed"),
        (("PICKUP SprayBottle", "SPRAY Mirror", "CLEAN Mirror"), "the hand holds no cloth"),
        ((*CARRY_MUG, "CLEAN Mug"), "the faucet is off"),
        (("TOGGLE_ON Faucet", "CLEAN Mug"), "Mug is not in the SinkBasin"),
        ((*CARRY_MUG[:2], "TOGGLE_ON Faucet", "CLEAN Mug"), "the hand holds no sponge"),
        (("PICKUP Spoon", "PUT SinkBasin", "TOGGLE_ON Faucet"), "SinkBasin contains Spoon"),
        (("EMPTY Mug",), "Mug is not filled"),
        (("PICKUP Mug", "DRINK Mug"), "Mug is not filled"),
        (("DRINK Mug",), "the hand does not hold Mug"),
        (("SPRAY Mirror",), "the hand holds no spray bottle"),
    ],
)  # fmt: skip
def test_each_rule_is_checked(texts, reason):
    assert reasons(*texts) == [(len(texts) - 1, reason)]


def test_a_closed_container_keeps_what_was_put_into_it():
    hide = ("PICKUP Mug", "OPEN Cabinet", "PUT Cabinet", "CLOSE Cabinet", "PICKUP Mug")
    assert reasons(*hide) == [(4, "Mug is in the closed Cabinet")]


def test_a_burner_known_to_be_bare_stays_off():
    clear = ("PICKUP Pan", "PUT CounterTop", "PICKUP Pot", "TOGGLE_ON StoveBurner")
    assert reasons(*clear) == [(3, "there is no pan on the burner")]


@pytest.mark.parametrize(
    ("setup", "reason"), [(DIRTY_MUG, "the mug is dirty"), (COFFEE, "the mug is not empty")]
)
def test_coffee_takes_a_clean_and_empty_mug(setup, reason):
    brew = ("PICKUP Mug", "PUT CoffeeMachine", "TOGGLE_ON CoffeeMachine")
    assert reasons(*brew, setup=[setup]) == [(2, reason)]


def test_nothing_goes_into_a_dirty_dish():
    assert reasons("PICKUP Spoon", "PUT Mug", setup=[DIRTY_MUG]) == [(1, "Mug is dirty")]


def test_food_is_sliced_in_no_container():
    chop = ("PICKUP Apple", "PUT Bowl", "PICKUP Knife", "SLICE Apple")
    assert reasons(*chop) == [(3, "Apple is in Bowl, not on a surface")]


def test_a_refused_step_changes_nothing():
    told = reasons("PICKUP Mug", "PICKUP Cup", "PUT CounterTop", "PICKUP Cup")
    assert told == [(1, "the hand holds Mug")]


def test_a_television_is_switched_off_with_the_remote_control_too():
    watch = ("PICKUP RemoteControl", "TOGGLE_ON Television", "PUT Sofa", "TOGGLE_OFF Television")
    assert reasons(*watch) == [(3, "the hand holds no remote control")]


def test_water_is_gone_when_the_faucet_is_off():
    state = SymbolicState.of([DIRTY_MUG])
    for command in commands(*CARRY_MUG, "TOGGLE_ON Faucet"):
        assert state.play(command) == ""
    assert state.liquids == {"Mug": "water"}
    assert state.play(Command(Verb.TOGGLE_OFF, "Faucet")) == ""
    assert state.liquids == {}


def test_drinking_is_remembered_and_leaves_a_dirty_mug():
    state = SymbolicState.of([COFFEE])
    for command in commands("PICKUP Mug", "DRINK Mug"):
        assert state.play(command) == ""
    assert (state.drunk, state.dirty, state.liquids) == ({"coffee"}, {"Mug"}, {})


def test_heat_cooks_what_is_in_it():
    state = SymbolicState()
    for command in commands(
        *("PICKUP Egg", "PUT Pan", "SLICE Egg", "TOGGLE_ON StoveBurner"),
        *("OPEN Microwave", "PICKUP Potato", "PUT Microwave", "CLOSE Microwave"),
        "TOGGLE_ON Microwave",
    ):
        assert state.play(command) == ""
    assert state.cooked == {"EggCracked", "Potato"}
