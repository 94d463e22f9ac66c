"""The pairs that the judge `learned` is trained on."""

from __future__ import annotations

import numpy as np
import pytest

from env_service.suites.actplan.dataset.labelled_plans import (
    GEMINI,
    GPT_4V,
    LabelledInstance,
    ModelPlan,
)
from env_service.suites.actplan.dataset.published_files import InstanceKey
from env_service.suites.actplan.learned.classifier import (
    Group,
    as_text,
    draw,
    draw_epoch,
    evaluation_pairs,
    group_of,
    read_steps,
    shuffle,
)
from env_service.suites.actplan.task import Variant

KEY = InstanceKey("Rs_int", "packing", Variant.NORMAL, "sample_0")
GOLD_1 = "walk_to(cup) grab(cup) place_inside(box, cup)"
GOLD_2 = "grab(cup) walk_to(box) place_inside(box, cup)"
RIGHT = "walk_to(cup) grab(cup) walk_to(box) place_inside(box, cup)"
WRONG = "walk_to(cup) place_inside(bin, cup)"


def instance(
    gpt: str, gemini: str, *, right: bool = True, gold_2: str = GOLD_2
) -> LabelledInstance:
    """One with a wrong plan of Gemini's; ``right``: whether GPT-4V's is correct."""
    plans = {GPT_4V: ModelPlan(gpt, right), GEMINI: ModelPlan(gemini, False)}
    return LabelledInstance(KEY, "train", GOLD_1, gold_2, plans)


def drawn(group: Group, count: int = 400) -> list[tuple[str, str, bool]]:
    """Many examples of one group."""
    rng = np.random.default_rng(3)
    examples = [draw(group, rng) for _ in range(count)]
    return [(e.reference, e.candidate, e.label) for e in examples if e is not None]


def test_correct_plans_of_every_model_are_positives() -> None:
    group = group_of(instance(RIGHT, WRONG))
    assert read_steps(RIGHT) in group.positives
    assert (RIGHT in {candidate for _, candidate, label in drawn(group) if label}) is True


def test_no_plan_stands_beside_itself() -> None:
    examples = drawn(group_of(instance(GOLD_1, GOLD_2)))
    assert examples
    assert all(reference != candidate for reference, candidate, _ in examples)


def test_nothing_that_people_found_correct_is_called_wrong() -> None:
    group = group_of(instance(RIGHT, f" {GOLD_2}  "))
    correct = set(map(as_text, group.positives))
    assert group.wrong == ()
    assert all(candidate not in correct for _, candidate, label in drawn(group) if not label)


def test_kinds_of_examples_have_the_published_shares() -> None:
    examples = drawn(group_of(instance(RIGHT, WRONG)), 4000)
    same = sum(label for *_, label in examples) / len(examples)
    wrong = sum(candidate == WRONG for _, candidate, _ in examples) / len(examples)
    assert (same, wrong) == pytest.approx((0.3, 0.5), abs=0.03)


def test_a_shuffled_plan_is_the_same_steps_in_another_order() -> None:
    steps = read_steps(GOLD_1)
    for seed in range(50):
        other = shuffle(steps, np.random.default_rng(seed))
        assert other is not None
        assert other != steps
        assert sorted(other) == sorted(steps)


@pytest.mark.parametrize("steps", [(), ("wait()",), ("wait()", "wait()")])
def test_what_has_one_order_alone_is_not_shuffled(steps: tuple[str, ...]) -> None:
    assert shuffle(steps, np.random.default_rng(0)) is None


def test_a_shuffle_that_comes_to_a_correct_plan_is_refused() -> None:
    assert shuffle(("a()", "b()"), np.random.default_rng(0), [("b()", "a()")]) is None


def test_an_instance_that_nothing_can_be_made_of_is_left_out() -> None:
    lone = Group((("wait()",),), (), ())
    assert draw_epoch([lone, group_of(instance(RIGHT, WRONG))], np.random.default_rng(0)) != []
    assert draw(lone, np.random.default_rng(0)) is None


def test_equal_seeds_draw_equal_epochs() -> None:
    groups = [group_of(instance(RIGHT, WRONG))] * 20
    first = draw_epoch(groups, np.random.default_rng(5))
    assert first == draw_epoch(groups, np.random.default_rng(5))
    assert first != draw_epoch(groups, np.random.default_rng(6))


def test_evaluation_takes_the_gold_that_is_not_the_models_own() -> None:
    pairs = {each.model: each.example for each in evaluation_pairs([instance(RIGHT, WRONG)])}
    assert (pairs[GPT_4V].reference, pairs[GPT_4V].label) == (GOLD_2, True)
    assert (pairs[GEMINI].reference, pairs[GEMINI].label) == (GOLD_1, False)
    (first, _) = evaluation_pairs([instance(RIGHT, WRONG, gold_2="")])
    assert first.example.reference == GOLD_1
