"""The published plans with people's verdicts, a JSON object a line, taken apart into steps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean

from env_service.datasets.pack import Pack, open_pack
from env_service.domain.data_node import DataNode, load_json
from env_service.suites.actplan.dataset.published_files import (
    LABELLED_FILE,
    PACK,
    SPLIT_FILE,
    InstanceKey,
    PublishedError,
    damaged,
    problem_id,
    read_key,
    read_splits,
    read_text,
)
from env_service.suites.actplan.task import Variant

GPT_4V, GEMINI = "gpt-4v", "gemini"

MODELS: Mapping[str, str] = {GPT_4V: "gpt", GEMINI: "gemini"}
"""The models whose plans people have judged, as plan files call them, and as the keys of the
published lines do ("pos_gpt")."""


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """A model's plan, and whether people found it correct."""

    text: str
    correct: bool


@dataclass(frozen=True, slots=True)
class LabelledInstance:
    """One instance that was judged.

    Attributes:
        split: "train", "val" or "test".
        gold_1, gold_2: people's plans, the second one empty for two instances: gold_gpt and
            gold_gemini of the file. Steps are joined by blanks. Of the two samples that also have
            plans as files, one calls them plan_gold_1 and plan_gold_2, the other the reverse.
        plans: by model: a plan of each of `MODELS`.
        line: of the published file, from 1.
    """

    key: InstanceKey
    split: str
    gold_1: str
    gold_2: str
    plans: Mapping[str, ModelPlan]
    line: int = 0

    @property
    def id(self) -> str:
        """As of the task: "SCENE/ACTIVITY/0/sample_0"."""
        return self.key.id

    @property
    def problem_id(self) -> str:
        """ "ACTIVITY/0"."""
        return problem_id(self.key.activity, self.key.variant)

    @property
    def golds(self) -> tuple[str, ...]:
        """The gold plans that there are."""
        return tuple(filter(None, (self.gold_1, self.gold_2)))

    @property
    def gold_steps(self) -> float:
        """The mean number of steps of its gold plans."""
        return fmean(len(split_steps(gold)) for gold in self.golds)


@dataclass(frozen=True, slots=True)
class LabelledPlans:
    """The data pack's instances, 402 in upstream's file, in the order of `InstanceKey.order`."""

    instances: tuple[LabelledInstance, ...]

    def __len__(self) -> int:
        return len(self.instances)

    def __iter__(self) -> Iterator[LabelledInstance]:
        return iter(self.instances)

    def of(self, *, split: str = "", variant: Variant | None = None) -> LabelledPlans:
        """Those of a split and of a variant; every one where none is named."""
        return LabelledPlans(
            tuple(
                each
                for each in self.instances
                if split in ("", each.split) and variant in (None, each.key.variant)
            )
        )

    def by_id(self) -> Mapping[str, LabelledInstance]:
        """By the id of the instance's task."""
        return {each.id: each for each in self.instances}

    def gold_steps(self) -> Mapping[str, float]:
        """The mean number of steps of gold plans: by instance's id, and by problem's ("ACTIVITY/0")
        over its instances."""
        found = {each.id: each.gold_steps for each in self.instances}
        by_problem: dict[str, list[float]] = {}
        for each in self.instances:
            by_problem.setdefault(each.problem_id, []).append(found[each.id])
        return {**found, **{name: fmean(steps) for name, steps in by_problem.items()}}


def load_labelled(pack: Pack | None = None) -> LabelledPlans:
    """The labelled plans of the data pack.

    Raises:
        DataPackMissingError: their file, or that of the splits, is not here.
        DataPackCorruptError: one of them is damaged; names file and line.
    """
    pack = pack or open_pack(PACK)
    try:
        splits = read_splits(read_text(pack, SPLIT_FILE), SPLIT_FILE)
        return read_labelled(read_text(pack, LABELLED_FILE), LABELLED_FILE, splits)
    except PublishedError as error:
        raise damaged(error) from error


def read_labelled(text: str, source: str, splits: Mapping[str, str]) -> LabelledPlans:
    """What a published file says.

    Raises:
        PublishedError: a line is not JSON, lacks a key, has a wrong value, is of an activity
            without a split, or of an instance that came before. It names the line.
    """
    lines = text.removesuffix("\n").split("\n")
    found = [_read_line(number, line, source, splits) for number, line in enumerate(lines, 1)]
    _check_unique(found, source)
    return LabelledPlans(tuple(sorted(found, key=lambda each: each.key.order)))


def _read_line(number: int, line: str, source: str, splits: Mapping[str, str]) -> LabelledInstance:
    place = f"{source}, line {number}"
    try:
        node = load_json(line, place, PublishedError)
    except PublishedError as error:
        raise PublishedError(place, "", error.problem) from error
    key = _read_key(node)
    if key.activity not in splits:
        raise node["activity"].error(f"is {key.activity!r}, which is in no split of {SPLIT_FILE}")
    gold_1, gold_2 = _one_or_none(node["gold_gpt"]), _one_or_none(node["gold_gemini"])
    if not (gold_1 or gold_2):
        raise node["gold_gpt"].error("is empty, and so is gold_gemini: one gold plan is needed")
    plans = {model: _read_plan(node, name) for model, name in MODELS.items()}
    return LabelledInstance(key, splits[key.activity], gold_1, gold_2, plans, number)


def _read_key(node: DataNode) -> InstanceKey:
    path = node["path"].text()
    key = read_key(path)
    if key is None:
        form = "annotation/SCENE/ACTIVITY/0 or 1/sample_NUMBER"
        raise node["path"].error(f"is {path!r:.80}, which does not end in {form}")
    activity = node["activity"].text()
    if activity != key.activity:
        raise node["activity"].error(f"is {activity!r:.60}, and the path says {key.activity!r}")
    return key


def _read_plan(node: DataNode, name: str) -> ModelPlan:
    right, wrong = _one_or_none(node[f"pos_{name}"]), _one_or_none(node[f"neg_{name}"])
    if bool(right) == bool(wrong):
        found = "both of them are" if right else "neither of them is"
        raise node.error(f"one of pos_{name} and neg_{name} has to be filled, and {found}")
    return ModelPlan(right or wrong, bool(right))


def _one_or_none(node: DataNode) -> str:
    """The one plan of a list; empty where the list is."""
    plans = node.texts()
    if len(plans) > 1:
        raise node.error(f"has {len(plans)} plans; it has to have one at most")
    return plans[0] if plans else ""


def _check_unique(found: Iterable[LabelledInstance], source: str) -> None:
    lines: dict[str, int] = {}
    for each in found:
        first = lines.setdefault(each.id, each.line)
        if first != each.line:
            problem = f"is of {each.id}, as line {first} is"
            raise PublishedError(source, f"line {each.line}", problem)


# --- Splits published plans, whose steps are on separate lines or joined by blanks

_STEP = re.compile(r"[A-Za-z][\w\-/]*\s*\([^()]*\)")
"""How published plans are parsed: docs/actplan-parsing.md."""


def split_steps(text: str) -> tuple[str, ...]:
    """The steps of a published plan, in their spelling: "grab(cup)". Words between them, and half a
    step, are left out: `plans.plan_reader` reads what models write, and reports those."""
    return tuple(_STEP.findall(text))
