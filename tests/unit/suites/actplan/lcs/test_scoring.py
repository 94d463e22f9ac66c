"""Plans against gold plans, in both modes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from env_service.suites.actplan.lcs.encoder import Vectors
from env_service.suites.actplan.lcs.scorer import (
    GOLD_1,
    GOLD_2,
    Case,
    LcsSettings,
    Mode,
    Score,
    Scorer,
    steps_of,
    summarise,
)
from env_service.suites.actplan.task import Variant

PLAN = "walk_to(cup)\ngrab(cup)\nplace_inside(box, cup)\n"
GOLD = "walk_to(cup)\ngrab(cup)\nopen(box)\nplace_inside(box, cup)\n"


class Letters:
    """Encodes a text by the letters in it: equal texts alone are near each other."""

    name = "letters"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str], advance: Callable[[], None] | None = None) -> Vectors:
        self.asked += texts
        counted = np.zeros((len(texts), 129), dtype=np.float32)
        for row, text in zip(counted, texts, strict=True):
            row[128] = 0.1
            for letter in text:
                row[ord(letter)] += 1
            if advance is not None:
                advance()
        unit: Vectors = counted / np.linalg.norm(counted, axis=1, keepdims=True)
        return unit


def case(plan: str = PLAN, model: str = "gpt-4v", **golds: str) -> Case:
    """A plan for one instance."""
    return Case("Rs_int/packing/0/sample_0", "packing", Variant.NORMAL, model, plan, golds)


def scored(settings: LcsSettings, *cases: Case) -> list[Score]:
    """With equal texts for equal steps."""
    return Scorer(Letters(), LcsSettings(settings.mode, settings.against, 0.9999)).score(cases)


CLEAN, COMPAT = LcsSettings(Mode.CLEAN), LcsSettings(Mode.COMPAT)


def test_the_newline_at_the_end_is_a_step_in_compat_alone() -> None:
    both = case(gold_1=GOLD)
    assert scored(CLEAN, both)[0].best.normalised == 3 / 4
    assert scored(COMPAT, both)[0].best.normalised == 4 / 5


def test_blank_lines_do_not_count_when_clean() -> None:
    assert steps_of("\n a(b) \r\n\r\nc(d)\n\n", Mode.CLEAN) == ("a(b)", "c(d)")


def test_compat_keeps_every_line_of_a_file() -> None:
    assert steps_of("a(b)\n\nc(d)", Mode.COMPAT) == ("a(b)", "", "c(d)")


def test_a_plan_on_one_line_is_parted_and_gets_its_newline_back() -> None:
    joined = "walk_to(cup) grab(cup)  place_inside(box, cup) "
    assert steps_of(joined, Mode.CLEAN) == ("walk_to(cup)", "grab(cup)", "place_inside(box, cup)")
    assert steps_of(joined, Mode.COMPAT)[-1] == ""


def test_clean_takes_the_best_and_the_mean_of_both_golds() -> None:
    (found,) = scored(CLEAN, case(gold_1=PLAN, gold_2="fold(towel)\n"))
    assert (found.best.normalised, found.mean_normalised) == (1.0, 0.5)
    assert (found.best.length, found.mean_length) == (3, 1.5)


@pytest.mark.parametrize(
    ("model", "gold"), [("gpt-4v", GOLD_1), ("claude_v3_haiku", GOLD_1), ("gemini", GOLD_2)]
)
def test_compat_compares_each_model_with_its_gold(model: str, gold: str) -> None:
    (found,) = scored(COMPAT, case(model=model, gold_1=GOLD, gold_2=GOLD))
    assert list(found.alignments) == [gold]


def test_a_plan_without_gold_is_its_own_in_compat_and_not_scored_when_clean() -> None:
    alone = case(model="gemini", gold_1=GOLD)
    assert scored(COMPAT, alone)[0].best.normalised == 1.0
    assert scored(CLEAN, case()) == []
    assert list(scored(CLEAN, alone)[0].alignments) == [GOLD_1]


def test_one_gold_may_be_asked_for() -> None:
    both = case(gold_1=GOLD, gold_2=PLAN)
    (found,) = scored(LcsSettings(Mode.CLEAN, GOLD_2), both)
    assert {name: each.normalised for name, each in found.alignments.items()} == {GOLD_2: 1.0}


@pytest.mark.parametrize("plan", ["", "\n", "no step at all", "grab(cup", "a" * 4000])
def test_a_plan_that_is_none_scores_nothing(plan: str) -> None:
    (found,) = scored(CLEAN, case(plan, gold_1=GOLD))
    assert found.best.normalised == 0.0


def test_each_distinct_step_is_encoded_once() -> None:
    encoder = Letters()
    scorer = Scorer(encoder)
    scorer.score([case(gold_1=GOLD), case(gold_1=PLAN)])
    scorer.score([case(gold_2=GOLD + "close(box)\n")])
    assert sorted(encoder.asked) == sorted({*GOLD.split("\n"), "close(box)"} - {""})


def test_the_order_of_cases_changes_no_score() -> None:
    cases = [case(gold_1=GOLD), case(GOLD, gold_1=PLAN), case("fold(towel)", gold_1=PLAN)]
    there = [each.best for each in scored(CLEAN, *cases)]
    back = [each.best for each in scored(CLEAN, *reversed(cases))]
    assert there == back[::-1]


def test_a_summary_has_each_variant_and_the_total() -> None:
    other = Case("x", "packing", Variant.COUNTERFACTUAL, "gpt-4v", PLAN, {GOLD_1: PLAN}, True)
    rows = summarise(scored(CLEAN, case("fold(towel)", gold_1=GOLD), other))
    told = [(row.part, row.count, row.best_normalised) for row in rows]
    assert told == [("normal", 1, 0.0), ("counterfactual", 1, 1.0), ("total", 2, 0.5)]
    assert rows[-1].roc is None
