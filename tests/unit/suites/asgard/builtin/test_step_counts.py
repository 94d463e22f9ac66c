from __future__ import annotations

from collections import defaultdict
from statistics import mean

from env_service.suites.asgard.builtin.plan_parts import step_count
from env_service.suites.asgard.builtin.rounds import Variation, variations
from env_service.suites.asgard.plan import Family

PUBLISHED = {
    Family.COFFEE: (25, 51, 38.3),
    Family.MICROWAVE_POTATO: (12, 44, 27.7),
    Family.COOK_EGG: (12, 63, 37.3),
    Family.MAKE_TOAST: (13, 70, 34.2),
    Family.FRY_POTATO_SLICE: (17, 69, 44.5),
    Family.PUT_AWAY_FOOD: (11, 17, 13.3),
    Family.PUT_AWAY_DISHES: (9, 43, 26.4),
    Family.PUT_AWAY_SILVERWARE: (11, 22, 16.7),
    Family.SLICE_AND_DISTRIBUTE: (6, 48, 24.2),
    Family.SET_TABLE: (54, 107, 77.8),
    Family.CLEAN_MIRROR: (8, 11, 9.7),
    Family.TURN_ON_TV: (4, 4, 4.0),
}
"""The least, most and mean number of steps of AsgardBench's published solutions."""


def test_counts_are_near_the_published_ones():
    counts = defaultdict(list)
    for variation in variations():
        counts[variation.family].append(step_count(variation))
    for family, (least, most, middle) in PUBLISHED.items():
        assert least <= min(counts[family]) and max(counts[family]) <= most + 2
        assert abs(mean(counts[family]) - middle) <= max(0.15 * middle, 1.5)
    total = sum(map(sum, counts.values()))
    assert abs(total - 3579) < 0.05 * 3579


def test_the_simplest_tasks_are_counted_action_by_action():
    # FIND and PICKUP the remote control, FIND the television, TOGGLE_ON
    assert step_count(Variation(Family.TURN_ON_TV)) == 4
    # FIND, PICKUP, FIND, OPEN, PUT, CLOSE
    assert step_count(Variation(Family.PUT_AWAY_FOOD, away=2)) == 12


def test_what_is_dirty_or_empty_takes_longer():
    def of(**told):
        return step_count(Variation(Family.COFFEE, **told))

    assert of(mug="has_coffee") < of(mug="empty") < of(dirty=("Mug",))
    egg = Family.COOK_EGG
    steps = [step_count(Variation(egg, dirty=each)) for each in ((), ("Pan",), ("Pan", "Plate"))]
    assert steps == sorted(set(steps))
