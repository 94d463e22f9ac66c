"""Why runs failed: sixty made failures, twenty of each of the paper's types."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from env_service.suites.alfred.judging.analysis import EpisodeEnd, FailureCode
from env_service.suites.alfred.judging.ideal_replay import replay
from env_service.suites.alfred.judging.judge import judge
from env_service.suites.alfred.rules import STRICT_LOTA
from env_service.suites.alfred.skills.steps import Cause
from env_service.suites.alfred.skills.vocabulary import SKILLS
from env_service.suites.alfred.task import Goal, TaskType
from tests.support.alfred_houses import kitchen, run_case
from tests.unit.suites.alfred.judging.samples import (
    APPLE,
    BOOK,
    BREAD,
    CLEAN,
    CLOCK,
    COOL,
    CUP,
    EGG,
    FORK,
    HEAT,
    KEYS,
    POTATO,
    REMOTE,
    SALT,
    SAMPLES,
    SPOONS,
    Sample,
)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda each: each.goal.object)
def test_a_good_plan_reaches_its_goal_in_the_ideal_replay(sample: Sample) -> None:
    assert replay(sample.case()).reached


_ACTIONS = [
    (EGG, 1, Cause.NOT_REACHED, FailureCode.NOT_REACHED),
    (EGG, 2, Cause.NOT_VISIBLE, FailureCode.NOT_VISIBLE),
    (EGG, 4, Cause.NO_ROOM, FailureCode.NO_ROOM),
    (SALT, 4, Cause.BLOCKED, FailureCode.BLOCKED),
    (SALT, 5, Cause.NO_ROOM, FailureCode.NO_ROOM),
    (APPLE, 2, Cause.NOT_VISIBLE, FailureCode.NOT_VISIBLE),
    (APPLE, 4, Cause.BLOCKED, FailureCode.BLOCKED),
    (APPLE, 5, Cause.NO_ROOM, FailureCode.NO_ROOM),
    (APPLE, 10, Cause.NOT_VISIBLE, FailureCode.NOT_VISIBLE),
    (POTATO, 3, Cause.NOT_REACHED, FailureCode.NOT_REACHED),
    (POTATO, 8, Cause.REFUSED, FailureCode.REFUSED),
    (POTATO, 11, Cause.NO_ROOM, FailureCode.NO_ROOM),
    (FORK, 4, Cause.NO_ROOM, FailureCode.NO_ROOM),
    (FORK, 5, Cause.REFUSED, FailureCode.REFUSED),
    (SPOONS, 6, Cause.NOT_VISIBLE, FailureCode.NOT_VISIBLE),
    (CUP, 4, Cause.NO_ROOM, FailureCode.NO_ROOM),
    (BREAD, 2, Cause.REFUSED, FailureCode.REFUSED),
    (CLOCK, 4, Cause.NOT_VISIBLE, FailureCode.NOT_VISIBLE),
    (KEYS, 8, Cause.NO_ROOM, FailureCode.NO_ROOM),
    (REMOTE, 6, Cause.NOT_VISIBLE, FailureCode.NOT_VISIBLE),
    (BOOK, 2, Cause.BLOCKED, FailureCode.BLOCKED),
]


@pytest.mark.parametrize(("sample", "step", "cause", "code"), _ACTIONS)
def test_a_good_plan_that_failed_in_moving_or_grasping_is_an_action_failure(
    sample: Sample, step: int, cause: Cause, code: FailureCode
) -> None:
    found = judge(sample.case(broken={step: cause}))

    assert found.types == (2,)
    assert found.codes[0] == code.value
    assert f"Step {step}, " in found.explanation


_MISLEADING = [
    # Another destination, or a word that cannot mean it.
    (EGG, "Put the egg on the countertop.", {"dining table": "counter top"}),
    (EGG, "Place the egg on a rack.", {"dining table": "shelf"}),
    (SALT, "Put the salt shaker in the cupboard.", {"drawer": "cabinet"}),
    (APPLE, "Throw a warm apple into the trash can.", {"counter top": "garbage can"}),
    (BOOK, "Lay the book on the bed.", {"dresser": "bed"}),
    (KEYS, "Drop two keychains into the safe.", {"a sofa": "a safe, open the safe"}),
    (REMOTE, "Put the remote in the box, then put the box on the sofa.", {"coffee table": "sofa"}),
    # Another object.
    (EGG, "Put the potato on the dining table.", {"egg": "potato", "an": "a"}),
    (FORK, "Store the rinsed spoon in the drawer.", {"fork": "spoon"}),
    (CLOCK, "Examine the CD in the light of the desk lamp.", {"alarm clock": "CD"}),
    (BOOK, "Put the phone on the dresser.", {"book": "cell phone"}),
    # Another movable receptacle, or lamp.
    (CUP, "Put a butter knife on the plate and then put the plate in the sink.", {"cup": "plate"}),
    (CLOCK, "Inspect the alarm clock by the floor lamp.", {"desk lamp": "floor lamp"}),
    # Another change of state, or none; no slicing; one instead of two.
    (APPLE, "Put a chilled apple on the counter.", {HEAT.format("apple"): COOL.format("apple")}),
    (APPLE, "Put an apple on the countertop.", {HEAT.format("apple") + ", ": ""}),
    (POTATO, "Place the potato on the side table.", {COOL.format("potato") + ", ": ""}),
    (FORK, "Put the fork in the drawer.", {CLEAN.format("fork") + ", ": ""}),
    (BREAD, "Put the heated bread on the dining table.", {"slice the bread, find a bread, ": ""}),
    (SPOONS, "Put a spoon on the countertop.", {"put down the spoon, find a spoon": "#"}),
    (KEYS, "Set the key chain on the sofa.", {"put down the key chain, find a key chain": "#"}),
    # A place that is not said at all.
    (EGG, "Put away the egg.", {"dining table": "counter top"}),
]


@pytest.mark.parametrize(("sample", "command", "changes"), _MISLEADING)
def test_a_plan_that_goes_by_a_wrong_command_was_misled(
    sample: Sample, command: str, changes: dict[str, str]
) -> None:
    plan = sample.plan
    for old, new in changes.items():
        plan = plan.replace(old, new)
    plan = plan.partition("#")[0] + ("put down it" if "#" in plan else "")
    plan = plan.replace("put down it", f"put down the {plan.split(',')[0].split(' a ')[-1]}")

    found = judge(sample.case(command=command, plan=plan))

    assert found.types == (1,)
    assert found.codes[0].startswith("command_")
    assert "command" in found.explanation


_WRONG_PLANS = [
    (EGG, "find an egg, pick up the egg, done", FailureCode.PREMATURE_DONE),
    (EGG, "find an egg, pick up the egg, find a counter top, put down the egg", None),
    (EGG, "find a potato, pick up the potato, find a dining table, put down the potato", None),
    (EGG, "find a dining table, put down the egg, done", FailureCode.HAND_EMPTY),
    (EGG, "find an egg, pick up the egg, put down the egg, done", FailureCode.NO_DESTINATION),
    (EGG, "find a flurb, pick up the flurb, find a dining table, done", FailureCode.UNKNOWN_NAME),
    (
        SALT,
        "find a salt shaker, pick up the salt shaker, find a drawer, put down the salt shaker",
        FailureCode.CLOSED_CONTAINER,
    ),
    (
        APPLE,
        "find an apple, pick up the apple, find a counter top, put down the apple",
        FailureCode.MISSING_STATE_CHANGE,
    ),
    (APPLE, APPLE.plan.replace("turn on the microwave, ", ""), FailureCode.MISSING_STATE_CHANGE),
    (
        APPLE,
        APPLE.plan.replace("find a counter top", "find a dining table"),
        FailureCode.WRONG_DESTINATION,
    ),
    (
        APPLE,
        APPLE.plan.replace(", close the microwave, turn on", ", turn on"),
        FailureCode.MISSING_STATE_CHANGE,
    ),
    (
        POTATO,
        POTATO.plan.replace("close the fridge, open the fridge, ", ""),
        FailureCode.MISSING_STATE_CHANGE,
    ),
    (POTATO, POTATO.plan.replace(", find a side table", ""), None),
    (FORK, FORK.plan.replace("turn on the faucet, ", ""), FailureCode.MISSING_STATE_CHANGE),
    (SPOONS, ", ".join(SPOONS.plan.split(", ")[:4]), FailureCode.WRONG_COUNT),
    (
        CUP,
        "find a butter knife, pick up the butter knife, find a sink, put down the butter knife",
        FailureCode.WRONG_MOVABLE,
    ),
    (
        BREAD,
        "find a bread, pick up the bread, slice the bread, find a dining table, put down the bread",
        FailureCode.HELD_WHEN_SLICED,
    ),
    (BREAD, BREAD.plan.replace("slice the bread, ", ""), FailureCode.MISSING_SLICE),
    (CLOCK, "find an alarm clock, pick up the alarm clock, find a desk lamp", FailureCode.LAMP_OFF),
    (CLOCK, "find a desk lamp, turn on the desk lamp, find a CD, pick up the CD", None),
    (
        KEYS,
        KEYS.plan.replace(
            "find a sofa, put down the key chain, done", "find a bed, put down the key chain, done"
        ),
        None,
    ),
    (
        REMOTE,
        "find a remote control, pick up the remote control, find a box,"
        " put down the remote control, done",
        None,
    ),
    (
        BOOK,
        "find a book, pick up the book, find a cell phone, pick up the cell phone,"
        " find a bed, put down the book",
        None,
    ),
]


@pytest.mark.parametrize(("sample", "plan", "code"), _WRONG_PLANS)
def test_a_wrong_plan_for_a_right_command_is_a_plan_failure(
    sample: Sample, plan: str, code: FailureCode | None
) -> None:
    found = judge(sample.case(plan=plan))

    assert found.types == (3,), found.explanation
    assert code is None or code.value in found.codes
    assert "do not come to" in found.explanation


def test_what_was_heated_has_to_be_what_is_placed() -> None:
    plan = (
        "find a tomato, pick up the tomato, "
        + COOL.format("tomato").replace("pick up the tomato", "find an egg, pick up the egg")
        + ", find a counter top, put down the egg"
    )
    goal = Goal(TaskType.COOL, "Egg", "CounterTop")

    found = judge(run_case(kitchen(), goal, "Put a cooled egg on the countertop.", plan))

    assert found.types == (3,)
    assert FailureCode.MISSING_STATE_CHANGE.value in found.codes or (
        FailureCode.STATE_CHANGE_ON_ANOTHER.value in found.codes
    )


@pytest.mark.parametrize(
    ("ended", "code"),
    [
        (EpisodeEnd.EMPTY_PLAN, FailureCode.MALFORMED),
        (EpisodeEnd.UNREADABLE, FailureCode.MALFORMED),
        (EpisodeEnd.PLAN_TOO_LONG, FailureCode.MALFORMED),
        (EpisodeEnd.STOPPED, FailureCode.STOPPED),
        (EpisodeEnd.DONE, FailureCode.PREMATURE_DONE),
    ],
)
def test_a_run_without_steps_is_a_plan_failure(ended: EpisodeEnd, code: FailureCode) -> None:
    found = judge(EGG.case(plan="", ended=ended))

    assert found.types == (3,)
    assert found.codes == (code.value,)
    assert found.explanation


def test_several_skills_as_one_step_are_the_plans_fault() -> None:
    plan = ["find an egg, pick up the egg", "find a dining table, put down the egg"]

    found = judge(EGG.case(plan=plan, ended=EpisodeEnd.STEP_LIMIT))

    assert found.types == (3,)
    assert FailureCode.MALFORMED.value in found.codes
    assert "one skill is asked for, and it is several" in found.explanation


def test_what_a_plan_leaves_undone_is_told_as_that() -> None:
    found = judge(EGG.case(plan="find an egg, done"))

    assert "the plan takes nothing along, the goal wants Egg" in found.explanation


def test_the_step_limit_is_told() -> None:
    found = judge(EGG.case(plan="find an egg", ended=EpisodeEnd.STEP_LIMIT))

    assert found.types == (3,)
    assert FailureCode.STEP_LIMIT.value in found.codes


def test_a_wrong_plan_that_also_failed_in_grasping_has_both_types() -> None:
    plan = "find an egg, pick up the egg, find a counter top, put down the egg"

    assert judge(EGG.case(plan=plan, broken={4: Cause.NO_ROOM})).types == (2, 3)


def test_a_wrong_command_and_a_failed_grasp_have_both_types() -> None:
    plan = "find an egg, pick up the egg, find a counter top, put down the egg"
    case = EGG.case(command="Put the egg on the counter.", plan=plan, broken={2: Cause.BLOCKED})

    assert judge(case).types == (1, 2)


def test_what_a_command_leaves_unsaid_is_no_reason_of_a_failure_before() -> None:
    plan = "find an apple, pick up the apple, find a counter top, put down the apple"
    case = APPLE.case(command="Put an apple on the counter.", plan=plan, broken={4: Cause.NO_ROOM})

    assert judge(case).types == (2,)


def test_a_name_that_the_robot_does_not_know_is_an_action_failure() -> None:
    plan = KEYS.plan.replace("sofa", "couch")
    found = judge(KEYS.case(plan=plan))

    assert found.types == (2,)
    assert found.codes == (FailureCode.UNKNOWN_NAME.value,)
    assert "Sofa is meant" in found.explanation


def test_a_korean_command_is_read_too() -> None:
    plan = "find an egg, pick up the egg, find a counter top, put down the egg"
    command = "계란을 조리대에 놓으세요."

    assert judge(EGG.case(command=command, plan=plan, language="ko")).types == (1,)


def test_a_contextual_command_is_read_with_its_context() -> None:
    text = "In our kitchen, eggs are kept on the dining table. Please put the egg where it goes."
    case = EGG.case(
        command=text, plan="find an egg, pick up the egg, find a shelf, put down the egg"
    )
    contextual = replace(case, task=replace(case.task, commands={"C": text}))

    assert judge(contextual).types == (3,)


def test_the_same_case_gives_the_same_analysis() -> None:
    case = APPLE.case(broken={5: Cause.NO_ROOM})

    assert judge(case) == judge(case)


@pytest.mark.parametrize("seed", range(60))
def test_any_run_is_judged(seed: int) -> None:
    draw = Random(seed)
    sample = draw.choice(SAMPLES)
    words = [
        "find a couch",
        "flurb",
        "put down the sponge",
        "pick up the table",
        "",
        "open the sofa",
    ]
    steps = [*draw.choices(SKILLS, k=12), *draw.choices(sample.plan.split(", "), k=12), *words]
    draw.shuffle(steps)
    broken = {at: draw.choice(list(Cause)) for at in draw.sample(range(1, 31), 6)}
    command = draw.choice([each.command for each in SAMPLES] + ["", "Do it.", "넣으세요"])

    found = judge(sample.case(command=command, plan=steps, broken=broken))

    assert found.types
    assert set(found.types) <= {1, 2, 3}
    assert list(found.types) == sorted(set(found.types))
    assert found.explanation


def test_runs_are_judged_under_lotas_own_rules_too() -> None:
    plan = EGG.plan.replace("dining table", "cabinet")
    case = EGG.case(plan=plan, rules=STRICT_LOTA)

    assert judge(case).types == (3,)
    assert judge(EGG.case(broken={4: Cause.NO_ROOM}, rules=STRICT_LOTA)).types == (2,)
