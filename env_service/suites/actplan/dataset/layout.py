"""Where the published files lie, in the git repository and in the authors' full archive alike
(spec: actplan.md sections 1.1 and 1.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from env_service.suites.actplan.task import Variant

PACK = "actplan"

SPLITS = ("train", "val", "test")

SPLIT_FILE = "bleu-cls/data/activities.txt"
LABELLED_FILE = "bleu-cls/data/finetuning_data.jsonl"
DESCRIPTIONS = "bddl/activity_definitions/*/task_description_[01].txt"
"""A problem without a description is nobody's task: 13 of the 66 counterfactual ones."""
PROBLEMS = "bddl/activity_definitions/*/problem[01].bddl"
SAMPLES = "annotation/*"
"""The folders of samples: pictures, plans, and copies of problem and description."""

_DEFINITIONS = "bddl/activity_definitions"
_INSTANCE = re.compile(
    r"(?:.*/)?annotation/(?P<scene>[^/]+)/(?P<activity>[^/]+)/(?P<variant>[01])"
    r"/(?P<sample>sample_\d+)"
)
_DIGITS = re.compile(r"(\d+)")


def problem_file(activity: str, variant: Variant) -> str:
    """An activity's definition in BDDL."""
    return f"{_DEFINITIONS}/{activity}/problem{variant.number}.bddl"


def description_file(activity: str, variant: Variant) -> str:
    """What an agent is told of it."""
    return f"{_DEFINITIONS}/{activity}/task_description_{variant.number}.txt"


def problem_id(activity: str, variant: Variant) -> str:
    """ "ACTIVITY/0"."""
    return f"{activity}/{variant.number}"


@dataclass(frozen=True, slots=True)
class InstanceKey:
    """One sampling of an activity in one scene: "Beechwood_0_int", "storing_food", "sample_0".

    Names inside problem files say nothing of this: most counterfactual ones are wrong.
    """

    scene: str
    activity: str
    variant: Variant
    sample: str

    @property
    def id(self) -> str:
        """ "SCENE/ACTIVITY/0/sample_0"."""
        return f"{self.scene}/{self.activity}/{self.variant.number}/{self.sample}"

    @property
    def folder(self) -> str:
        """Where its pictures and plans lie in the pack."""
        return f"annotation/{self.id}"

    @property
    def order(self) -> tuple[object, ...]:
        """Sorts instances by activity, variant, scene and number of the sample."""
        return self.activity, self.variant.number, self.scene, *natural(self.sample)


def read_key(path: str) -> InstanceKey | None:
    """The instance whose folder a path ends with; None where it is no such path."""
    found = _INSTANCE.fullmatch(path)
    if found is None:
        return None
    variant = Variant.COUNTERFACTUAL if found["variant"] == "1" else Variant.NORMAL
    return InstanceKey(found["scene"], found["activity"], variant, found["sample"])


def natural(name: str) -> tuple[object, ...]:
    """Sorts names by the numbers in them: "8.png" before "00010.png"."""
    return tuple(_parts(name)), name


def _parts(name: str) -> Iterator[object]:
    for number, part in enumerate(_DIGITS.split(name)):
        yield int(part) if number % 2 else part
