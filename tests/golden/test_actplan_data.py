"""The published data, against the numbers that were counted apart from this code (docs/actplan.md,
Differences from the publication). Labelled plans of the test activities may be missing: what is of
all 402 instances is checked where they are all here."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from env_service.datasets.folder import PackFolder
from env_service.datasets.pack import open_pack
from env_service.datasets.pack_import import import_source, read_source
from env_service.datasets.registry import definition
from env_service.suites.actplan.dataset.labelled_plans import (
    GEMINI,
    GPT_4V,
    LabelledPlans,
    load_labelled,
    split_steps,
)
from env_service.suites.actplan.dataset.pictures import load_pictures
from env_service.suites.actplan.dataset.published_files import (
    GOLDS,
    LABELLED_FILE,
    PACK,
    SPLIT_FILE,
    SPLITS,
    find_samples,
    read_plans,
    read_splits,
)
from env_service.suites.actplan.dataset.statistics import plan_statistics, task_statistics
from env_service.suites.actplan.task import Circumstance, Variant, read_task
from env_service.suites.actplan.task_sets import ActPlanTaskSets
from tests.support.data import reference_data

pytestmark = pytest.mark.data

ALL = 402
NORMAL, COUNTERFACTUAL = Variant.NORMAL, Variant.COUNTERFACTUAL
SAMPLE = "Beechwood_0_int/assembling_gift_baskets"
CLAUDE = ("claude_v3_haiku", "claude_v3_sonnet")
TWICE_TOLD = "re-shelving_library_books/1"
"""The one counterfactual that is described as the normal task is."""

SCENES = {
    "Wainscott_0": 63,
    "Beechwood_0": 57,
    "Pomaria_1": 43,
    "Rs": 32,
    "Merom_1": 31,
    "Ihlen_1": 30,
    "Ihlen_0": 27,
    "Benevolence_2": 26,
    "Benevolence_1": 23,
    "Wainscott_1": 21,
    "Beechwood_1": 14,
    "Pomaria_2": 13,
    "Pomaria_0": 12,
    "Merom_0": 7,
    "Benevolence_0": 3,
}

TASK_KEYS = {
    "activity",
    "variant",
    "problem",
    "description",
    "scene",
    "sample",
    "circumstance",
    "split",
    "pictures",
}


@pytest.fixture(scope="module", autouse=True)
def pack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The data pack, imported from the reference copy."""
    root = tmp_path_factory.mktemp("packs")
    source = read_source(definition(PACK), reference_data(PACK))
    folder = PackFolder(definition(PACK), root)
    import_source(folder, source)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOUSEGUEST_DATA", str(root))
        yield folder.path


@pytest.fixture(scope="module")
def sets(pack: Path) -> ActPlanTaskSets:
    return ActPlanTaskSets()


@pytest.fixture(scope="module")
def plans(pack: Path) -> LabelledPlans:
    return load_labelled()


@pytest.fixture(scope="module")
def every(plans: LabelledPlans) -> LabelledPlans:
    """All instances, where they are all here."""
    if len(plans) != ALL:
        pytest.skip(f"{len(plans)} of the {ALL} labelled instances are here")
    return plans


def counted(plans: LabelledPlans) -> tuple[int, int]:
    return len(plans.of(variant=NORMAL)), len(plans.of(variant=COUNTERFACTUAL))


def correct(plans: LabelledPlans, model: str) -> tuple[int, int]:
    labels = plan_statistics(plans).labels[model]
    return labels[NORMAL].correct, labels[COUNTERFACTUAL].correct


def gold_steps(plans: LabelledPlans) -> int:
    return sum(len(split_steps(gold)) for each in plans for gold in each.golds)


def test_activities_are_split_60_20_20(pack: Path) -> None:
    splits = read_splits((pack / SPLIT_FILE).read_text(), SPLIT_FILE)
    assert Counter(splits.values()) == {"train": 60, "val": 20, "test": 20}


def test_there_are_153_problems(sets: ActPlanTaskSets) -> None:
    counts = task_statistics(sets["problems"], {}).counts
    assert [counts[each].tasks for each in (NORMAL, COUNTERFACTUAL, None)] == [100, 53, 153]
    assert counts[None].activities == 100
    words = counts[None].words
    assert (words.least, words.most, round(words.mean)) == (55, 177, 97)
    assert counts[None].unreadable == 0


def test_every_line_of_the_file_is_an_instance(
    pack: Path, sets: ActPlanTaskSets, plans: LabelledPlans
) -> None:
    paths = [json.loads(line)["path"] for line in (pack / LABELLED_FILE).open()]
    found = {task.id for task in sets["labelled"].tasks}
    assert found == {path.removeprefix("../annotation/") for path in paths}
    assert len(found) == len(paths) == len(plans)


def test_instances_of_train_and_val(plans: LabelledPlans) -> None:
    train, val = plans.of(split="train"), plans.of(split="val")
    assert (len(train), len(val)) == (240, 81)
    assert len(plans.of(split="test")) in (0, 81)
    known = LabelledPlans((*train, *val))
    assert counted(known) == (223, 98)
    assert sum(len(each.golds) for each in known) == 640
    assert gold_steps(known) == 17_368
    assert correct(known, GPT_4V) == (68, 8)
    assert correct(known, GEMINI) == (78, 23)


def test_two_instances_have_one_gold_and_none_has_it_twice(plans: LabelledPlans) -> None:
    alone = [each.key.activity for each in plans if not each.gold_2]
    assert alone == ["bringing_in_wood"] * 2
    assert not [each.id for each in plans if each.gold_1.split() == each.gold_2.split()]


def test_all_instances(every: LabelledPlans) -> None:
    assert counted(every) == (275, 127)
    assert [len(every.of(split=split)) for split in SPLITS] == [240, 81, 81]
    assert sum(len(each.golds) for each in every) == 802
    assert gold_steps(every) == 21_242
    assert correct(every, GPT_4V) == (81, 11)
    assert correct(every, GEMINI) == (88, 29)


def test_all_gold_plans(every: LabelledPlans) -> None:
    found = plan_statistics(every)
    assert len(found.verbs) == 83
    uses = {each.word: tuple(each.uses.values()) for each in found.verbs}
    assert uses["walk_to"] == (3778, 3315)
    assert uses["place_inside"] == (1520, 1536)
    steps = found.steps
    means = [steps[gold][part].mean for part in (NORMAL, COUNTERFACTUAL) for gold in GOLDS]
    assert means == pytest.approx([24.69, 23.37, 33.52, 30.06], abs=0.005)
    lengths = [steps[gold][None] for gold in GOLDS]
    assert [(each.least, each.median, each.most) for each in lengths] == [
        (4, 25, 91),
        (4, 22, 81),
    ]


def test_all_scenes(every: LabelledPlans, sets: ActPlanTaskSets) -> None:
    found = task_statistics(sets["labelled"], {})
    assert found.scenes == {f"{name}_int": count for name, count in SCENES.items()}
    assert found.scenes_per_problem == {1: 21, 2: 15, 3: 117}


def test_scenes_are_known_ones_with_one_sample_each(plans: LabelledPlans) -> None:
    assert {each.key.scene.removesuffix("_int") for each in plans} <= SCENES.keys()
    assert {each.key.sample for each in plans} == {"sample_0"}
    counts = Counter(each.key.scene.removesuffix("_int") for each in plans)
    assert all(count <= SCENES[scene] for scene, count in counts.items())


def test_two_samples_have_pictures_in_the_order_of_frames(sets: ActPlanTaskSets) -> None:
    pictured = {task.id: read_task(task) for task in sets["pictured"].tasks}
    assert list(pictured) == [f"{SAMPLE}/0/sample_0", f"{SAMPLE}/1/sample_0"]
    frames = [[Path(file).stem for file in each.pictures.files] for each in pictured.values()]
    assert frames == [["00014", "00096", "00202"], ["00008", "00022", "00102"]]
    for task in pictured.values():
        for number, frame in enumerate(load_pictures(task), 1):
            assert (frame.view, frame.pixels.shape) == (f"view_{number}", (640, 512, 3))
            assert frame.pixels.dtype == np.uint8
            assert frame.pixels.std() > 10
    labelled = {task.id for task in sets["labelled"].tasks if read_task(task).pictures}
    assert labelled == pictured.keys()


def test_samples_have_the_plans_that_the_labelled_file_has(plans: LabelledPlans) -> None:
    pack = open_pack(PACK)
    lines = plans.by_id()
    for id_, sample in find_samples(pack).items():
        files = read_plans(pack, sample)
        assert files.keys() == {*GOLDS, GPT_4V, GEMINI, *CLAUDE, "gemini_text_only"}
        line = lines[id_]
        # The counterfactual's two gold files are called the other way round.
        golds = GOLDS if line.key.variant is NORMAL else GOLDS[::-1]
        for name, told in zip(golds, line.golds, strict=True):
            assert split_steps(files[name]) == split_steps(told)
        for model, plan in line.plans.items():
            assert split_steps(files[model]) == split_steps(plan.text)


def test_samples_copies_are_as_the_activity_is_defined(
    sets: ActPlanTaskSets, caplog: pytest.LogCaptureFixture
) -> None:
    assert len(sets["archive"].tasks) == 2
    assert not caplog.records


@pytest.mark.parametrize("name", ["problems", "labelled", "archive"])
def test_no_gold_plan_is_in_a_task(sets: ActPlanTaskSets, plans: LabelledPlans, name: str) -> None:
    first = {split_steps(gold)[:2] for each in plans for gold in each.golds}
    for task in sets[name].tasks:
        steps = split_steps(json.dumps(dict(task.data)))
        assert not first & set(pairwise(steps))
        assert task.data.keys() == TASK_KEYS


def test_every_counterfactual_is_about_something(sets: ActPlanTaskSets) -> None:
    tasks = {task.id: read_task(task) for task in sets["problems"].tasks}
    about = {id_: task.circumstance for id_, task in tasks.items()}
    assert all(about[id_] is Circumstance.NONE for id_ in about if id_.endswith("/0"))
    unknown = {id_ for id_ in about if id_.endswith("/1") and about[id_] is Circumstance.NONE}
    assert unknown <= {TWICE_TOLD}
    same = {
        id_
        for id_, task in tasks.items()
        if id_.endswith("/1") and tasks[f"{task.activity}/0"].description == task.description
    }
    assert same == {TWICE_TOLD}
