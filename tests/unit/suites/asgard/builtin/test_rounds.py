from __future__ import annotations

from collections import Counter

import pytest

from env_service.suites.asgard.builtin.rounds import first, variations
from env_service.suites.asgard.plan import Family

OFFICIAL = {
    Family.COFFEE: 9,
    Family.MICROWAVE_POTATO: 6,
    Family.COOK_EGG: 12,
    Family.MAKE_TOAST: 6,
    Family.FRY_POTATO_SLICE: 12,
    Family.PUT_AWAY_FOOD: 3,
    Family.PUT_AWAY_DISHES: 15,
    Family.PUT_AWAY_SILVERWARE: 3,
    Family.SLICE_AND_DISTRIBUTE: 27,
    Family.SET_TABLE: 9,
    Family.CLEAN_MIRROR: 3,
    Family.TURN_ON_TV: 3,
}
"""How many tasks of each type AsgardBench has published."""


def drawn(seed, length):
    return [variation for _, variation in first(seed, length)]


def test_a_round_has_the_official_tasks_of_each_type():
    assert Counter(each.family for each in variations()) == OFFICIAL


def test_a_round_has_the_official_conditions():
    eggs = Counter(each.dirty for each in variations() if each.family is Family.COOK_EGG)
    assert eggs == {(): 3, ("Pan",): 3, ("Plate",): 3, ("Pan", "Plate"): 3}
    mugs = Counter(each.mug for each in variations() if each.family is Family.SET_TABLE)
    assert mugs == {"": 3, "empty": 3, "has_coffee": 3}
    foods = Counter(each.food for each in variations() if each.food)
    assert foods == {"Apple": 9, "Lettuce": 9, "Tomato": 9}
    dishes = [each for each in variations() if each.family is Family.PUT_AWAY_DISHES]
    assert Counter(each.dirty for each in dishes) == dict.fromkeys(
        [(), ("Bowl",), ("Cup",), ("Mug",), ("Plate",)], 3
    )
    assert sum(len(each.dirty) > 0 for each in variations() if each.food) == 12


@pytest.mark.parametrize("seed", [0, 1, 77])
def test_every_round_has_every_variation(seed):
    listed = drawn(seed, 216)
    assert Counter(listed[:108]) == Counter(listed[108:]) == Counter(variations())
    assert listed[:108] != listed[108:]


def test_any_beginning_is_near_the_proportions():
    for seed in range(5):
        met: Counter[Family] = Counter()
        for number, variation in enumerate(drawn(seed, 108), 1):
            met[variation.family] += 1
            assert all(abs(met[f] - n * number / 108) < 2.5 for f, n in OFFICIAL.items())


def test_another_seed_gives_another_order_and_more_tasks_the_same_beginning():
    assert drawn(0, 108) != drawn(1, 108)
    assert drawn(3, 250)[:40] == drawn(3, 40)
