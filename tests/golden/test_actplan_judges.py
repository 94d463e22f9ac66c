"""Judges on published plans: what ships with this release is what they say, and no gold plan is
read for it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import astuple
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner

from env_service.datasets.folder import PackFolder
from env_service.datasets.pack import open_pack
from env_service.datasets.pack_import import import_source, read_source
from env_service.datasets.registry import definition
from env_service.suites.actplan.commands.judge import judge_command
from env_service.suites.actplan.dataset.labelled_plans import LabelledInstance, load_labelled
from env_service.suites.actplan.dataset.published_files import (
    LABELLED_FILE,
    PACK,
    PublishedProblem,
    load_problems,
)
from env_service.suites.actplan.judges.agreement import (
    OPTIONS,
    count_verdicts,
    judge_split,
    measured,
    plans_in,
)
from env_service.suites.actplan.judges.judge import (
    VERDICTS,
    PlanToJudge,
    described_goal,
    described_goals,
    judge_text,
)
from env_service.suites.actplan.overlay.understand import understand
from env_service.suites.actplan.task import ActPlanTask
from tests.support.data import reference_data
from tests.support.whole import everything, sample

pytestmark = pytest.mark.data

TRAIN_PLANS = 480
PUBLISHED = {"gpt-4v": 0.367, "gemini": 0.321}
"""Matthews' coefficient of the paper's learned judge (docs/actplan.md, Judges)."""
FIRST_PLANS = 96
FIRST = {
    ("gpt-4v", "goal-strict"): (0, 1, 14, 33),
    ("gpt-4v", "goal-names"): (8, 8, 6, 26),
    ("gpt-4v", "goal-relaxed"): (12, 9, 2, 25),
    ("gpt-4v", "goal-collective"): (12, 10, 2, 24),
    ("gpt-4v", "commonsense"): (6, 5, 8, 29),
    ("gpt-4v", "goal-relaxed + commonsense"): (5, 1, 9, 33),
    ("gpt-4v", "correct"): (8, 2, 6, 32),
    ("gemini", "goal-strict"): (4, 11, 8, 25),
    ("gemini", "goal-names"): (9, 17, 3, 19),
    ("gemini", "goal-relaxed"): (11, 21, 1, 15),
    ("gemini", "goal-collective"): (11, 21, 1, 15),
    ("gemini", "commonsense"): (6, 7, 6, 29),
    ("gemini", "goal-relaxed + commonsense"): (6, 3, 6, 33),
    ("gemini", "correct"): (10, 4, 2, 32),
}
"""True and false positives, false and true negatives on the first plans."""


def imported(source: Path, root: Path) -> PackFolder:
    folder = PackFolder(definition(PACK), root)
    import_source(folder, read_source(definition(PACK), source))
    return folder


def task_of(problem: PublishedProblem) -> ActPlanTask:
    return ActPlanTask(
        id=problem.id,
        activity=problem.activity,
        variant=problem.variant,
        problem=problem.problem,
        description=problem.description,
    )


@pytest.fixture(scope="module", autouse=True)
def pack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The data pack, imported from the reference copy."""
    root = tmp_path_factory.mktemp("packs")
    folder = imported(reference_data(PACK), root)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOUSEGUEST_DATA", str(root))
        yield folder.path


@pytest.fixture(scope="module")
def train() -> list[LabelledInstance]:
    return list(load_labelled().of(split="train"))


def test_what_ships_is_what_the_judges_say_on_the_plans_they_were_tuned_on() -> None:
    """Without `everything`, the first plans are judged and compared with what was said of them
    when all were compared with what ships."""
    judged = list(islice(judge_split("train"), TRAIN_PLANS if everything() else FIRST_PLANS))
    found = {
        (model, name): count_verdicts(
            [each.label for each in judged if each.model == model],
            [each.verdicts[name] for each in judged if each.model == model],
        )
        for model in PUBLISHED
        for name in VERDICTS
    }
    shipped = {(row.model, row.judge): row for row in measured() if row.split == "train"}
    if everything():
        assert len(judged) == plans_in("train")
        assert found == {key: row.confusion for key, row in shipped.items()}
    else:
        assert {key: astuple(counts) for key, counts in found.items()} == FIRST
    assert plans_in("train") == TRAIN_PLANS
    for model, published in PUBLISHED.items():
        row = shipped[model, "correct"]
        assert row.confusion.mcc > published
        assert row.interval.low <= row.confusion.mcc <= row.interval.high


def test_what_descriptions_do_not_ask_for_stands_in_the_goals() -> None:
    problems = load_problems(open_pack(PACK))
    for (name, number), entry in described_goals().items():
        problem = problems[f"{name}/{number}"]
        for corrections in (True, False):
            activity = understand(task_of(problem), corrections=corrections)
            assert set(entry.remove) <= set(activity.problem.conjuncts), f"{name}/{number}"
            assert described_goal(activity), f"{name}/{number} asks for nothing"


def test_no_gold_plan_is_read(tmp_path: Path, train: list[LabelledInstance]) -> None:
    """With every gold plan gone, all verdicts stay as they are."""
    source = tmp_path / "source"
    shutil.copytree(reference_data(PACK), source)
    (source / LABELLED_FILE).unlink()
    for path in source.rglob("plan_gold_*.txt"):
        path.unlink()
    imported(source, tmp_path / "packs")
    without = load_problems(open_pack(PACK, tmp_path / "packs"))
    problems = load_problems(open_pack(PACK))
    for instance in sample(train[::16], train[::32]):
        for plan in instance.plans.values():
            plans_to_judge = [
                PlanToJudge(task_of(each[instance.problem_id]), plan.text)
                for each in (problems, without)
            ]
            assert judge_text(plans_to_judge[0], OPTIONS) == judge_text(plans_to_judge[1], OPTIONS)


def test_a_new_model_is_judged_on_all_problems(
    tmp_path: Path, train: list[LabelledInstance]
) -> None:
    given = {each.problem_id: each.plans["gemini"].text for each in train}
    plans = tmp_path / "plans.json"
    plans.write_text(json.dumps(given), encoding="utf-8")
    described_goals = tmp_path / "verdicts.csv"
    ran = CliRunner().invoke(
        judge_command,
        [str(plans), "--json", "--jobs", "1", "--csv", str(described_goals)],
        standalone_mode=False,
    )
    assert ran.exception is None, ran.output
    assert ran.return_value == 1, "62 problems have no plan, which is told by the exit status"
    document = json.loads(ran.stdout)
    parts = {each["tasks"]: each for each in document["parts"]}
    assert {name: each["plans"] for name, each in parts.items()} == {
        **{"normal": 100, "counterfactual": 53},
        "total": 153,
    }
    assert 0 < parts["total"]["correct"] < len(given)
    missing = [each for each in document["plans"] if each["unmet"] == "no plan was given"]
    assert len(missing) == 153 - len(given)
    assert not any(each["correct"] for each in missing)
    assert {each["judge"] for each in document["agreement"]} == {"correct"}
    assert len(described_goals.read_text(encoding="utf-8").splitlines()) == 154


def test_published_folders_are_judged_where_they_lie(pack: Path) -> None:
    ran = CliRunner().invoke(
        judge_command,
        [str(pack / "annotation"), "--name", "claude_v3_haiku", "--given"],
        standalone_mode=False,
    )
    assert ran.exception is None, ran.output
    assert "automatic verdict, not people's" in ran.stdout
    assert "normal" in ran.stdout and "counterfactual" in ran.stdout


@pytest.mark.parametrize(("model", "published"), [("gpt-4v", 0.367), ("gemini", 0.321)])
def test_on_activities_that_nobody_tuned_on_it_beats_the_published_classifier(
    model: str, published: float
) -> None:
    (row,) = [
        each
        for each in measured()
        if (each.judge, each.model, each.split) == ("correct", model, "val")
    ]
    assert row.confusion.mcc > published
    assert row.confusion.accuracy > row.confusion.baseline
