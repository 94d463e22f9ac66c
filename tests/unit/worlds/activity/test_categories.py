import pytest

from env_service.worlds.activity.categories import Trait, is_known, lemma_of, traits_of


@pytest.mark.parametrize(
    ("category", "lemma"),
    [
        ("electric_refrigerator.n.01", "electric_refrigerator"),
        ("plaything_n.01", "plaything"),
        ("made_up", "made_up"),
    ],
)
def test_a_lemma_is_the_category_without_its_sense(category, lemma):
    assert lemma_of(category) == lemma


@pytest.mark.parametrize(
    ("category", "traits"),
    [
        ("electric_refrigerator.n.01", {Trait.LID, Trait.COLD, Trait.CONTAINER}),
        ("microwave.n.02", {Trait.LID, Trait.HEAT, Trait.SWITCH}),
        ("bathtub.n.01", {Trait.BASIN, Trait.CONTAINER}),
        ("faucet.n.01", {Trait.FAUCET, Trait.SWITCH}),
        ("mug.n.04", {Trait.MOVABLE, Trait.VESSEL}),
        ("pan.n.01", {Trait.MOVABLE, Trait.CONTAINER}),
        ("bread.n.01", {Trait.MOVABLE, Trait.FOOD}),
        ("carving_knife.n.01", {Trait.KNIFE}),
        ("rag.n.01", {Trait.TOOL, Trait.ABSORBENT}),
        ("window.n.01", {Trait.OPENABLE}),
    ],
)
def test_things_are_good_for_what_their_names_say(category, traits):
    assert traits <= traits_of(category)


@pytest.mark.parametrize("category", ["sofa.n.01", "sink.n.01", "cabinet.n.01", "floor.n.01"])
def test_nobody_carries_what_a_home_is_built_with(category):
    assert Trait.MOVABLE not in traits_of(category)


@pytest.mark.parametrize(
    ("category", "like"),
    [
        ("kitchen_cabinet.n.01", "cabinet.n.01"),
        ("bread_slice.n.01", "bread.n.01"),
        ("tea_towel.n.01", "towel.n.01"),
        ("toy_boxes.n.01", "box.n.01"),
        ("blinds", "blind.n.01"),
    ],
)
def test_an_unknown_category_is_what_its_words_say(category, like):
    assert not is_known(category)
    assert traits_of(category) == traits_of(like)


def test_what_nobody_knows_is_a_thing_that_holds_others():
    assert traits_of("gizmo.n.01") == {Trait.MOVABLE, Trait.SURFACE, Trait.CONTAINER}
