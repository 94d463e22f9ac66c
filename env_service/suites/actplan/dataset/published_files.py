"""Where the published files are and how they are read: problems, descriptions, samples, pictures
and the split, with errors that name the file.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from env_service.datasets.errors import DataPackCorruptError
from env_service.datasets.pack import Pack
from env_service.domain.data_node import DataError
from env_service.suites.actplan.task import Variant

PACK = "actplan"

SPLITS = ("train", "val", "test")

SPLIT_FILE = "bleu-cls/data/activities.txt"
LABELLED_FILE = "bleu-cls/data/finetuning_data.jsonl"
DESCRIPTIONS = "bddl/activity_definitions/*/task_description_[01].txt"
"""A problem without a description is not a task: 13 of the 66 counterfactual ones."""
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
    """The file of the description that an agent reads."""
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
        """The folder of its pictures and plans in the pack."""
        return f"annotation/{self.id}"

    @property
    def order(self) -> tuple[object, ...]:
        """Sorts instances by activity, variant, scene and number of the sample."""
        return self.activity, self.variant.number, self.scene, *natural(self.sample)


def read_key(path: str) -> InstanceKey | None:
    """The instance whose folder a path ends with; None for any other path."""
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


# --- Reading the pack's texts, with errors that name the file


class PublishedError(DataError):
    """A published file cannot be read: which, where in it, and why."""


def read_text(pack: Pack, path: str) -> str:
    """A file of the pack, which is text in UTF-8 and not blank; a byte order mark is dropped.

    Raises:
        DataPackMissingError, DataPackCorruptError: it is missing, or damaged.
        PublishedError: it is empty, unreadable or not UTF-8 text.
    """
    file = pack.path(path)
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise PublishedError(path, "", f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise PublishedError(path, f"byte {error.start}", "is not UTF-8 text") from error
    if not text.strip():
        raise PublishedError(path, "", "is empty")
    return text


def damaged(error: DataError) -> DataPackCorruptError:
    """What is wrong with a published file, worded for users."""
    return DataPackCorruptError(
        f"data pack {PACK!r} cannot be used: {error}. Download it again with houseguest data"
        f" fetch {PACK}, or import an intact copy."
    )


# --- The published split of activities: a line "ACTIVITY<TAB>train" each (docs/actplan.md, Task
# sets)


def read_splits(text: str, source: str) -> Mapping[str, str]:
    """The split of each activity, in the file's order: "train", "val" or "test".

    Raises:
        PublishedError: a line has another form, or repeats an activity. It names the line.
    """
    splits: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        activity, _, split = map(str.strip, line.partition("\t"))
        if not activity or split not in SPLITS:
            wanted = f"an activity, a tab and one of {', '.join(SPLITS)}"
            raise PublishedError(source, f"line {number}", f"is {line!r:.60}, not {wanted}")
        if activity in splits:
            raise PublishedError(source, f"line {number}", f"lists {activity!r} a second time")
        splits[activity] = split
    return splits


# --- The problems that are tasks: those with a definition and a description (docs/actplan.md,
# Task sets)


@dataclass(frozen=True, slots=True)
class PublishedProblem:
    """One problem: ``problem`` is its BDDL as the file has it, ``description`` without blanks
    around it, ``split`` of its activity."""

    activity: str
    variant: Variant
    problem: str
    description: str
    split: str

    @property
    def id(self) -> str:
        """ "ACTIVITY/0"."""
        return problem_id(self.activity, self.variant)


def load_problems(pack: Pack) -> Mapping[str, PublishedProblem]:
    """All problems by id, activities in the order of their names, the normal variant first: 153.

    Raises:
        DataPackMissingError: a definition or a description is not here.
        DataPackCorruptError: a file is damaged, or an activity is in no split; names the file.
    """
    descriptions = pack.require([DESCRIPTIONS])
    pack.require([PROBLEMS])
    try:
        splits = read_splits(read_text(pack, SPLIT_FILE), SPLIT_FILE)
        found = [_load(pack, path, splits) for path in descriptions]
    except PublishedError as error:
        raise damaged(error) from error
    found.sort(key=lambda each: (each.activity, each.variant.number))
    return {each.id: each for each in found}


def _load(pack: Pack, path: str, splits: Mapping[str, str]) -> PublishedProblem:
    activity, file = path.split("/")[-2:]
    variant = next(each for each in Variant if description_file(activity, each).endswith(file))
    if activity not in splits:
        raise PublishedError(SPLIT_FILE, "", f"does not have activity {activity!r}")
    problem = read_text(pack, problem_file(activity, variant))
    return PublishedProblem(
        activity, variant, problem, read_text(pack, path).strip(), splits[activity]
    )


# --- The folders of samples in the data pack: two from the git repository, up to 1,187 from
# the authors' full archive (docs/actplan.md, Task sets)

GOLDS = ("gold_1", "gold_2")

_PLAN = re.compile(r"plan_(?P<name>.+)\.txt")


@dataclass(frozen=True, slots=True)
class Sample:
    """One folder.

    Attributes:
        pictures: its PNG files as the pack calls them, by the numbers of their frames. Empty: it is
            played by its description alone.
        plans: its plan files by whose they are: "gold_1", "gold_2", "gpt-4v", "gemini", …
        problem, description: the copies in the folder above; empty where there are none.
    """

    key: InstanceKey
    pictures: tuple[str, ...] = ()
    plans: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""
    description: str = ""


def find_samples(pack: Pack) -> Mapping[str, Sample]:
    """The folders that hold a picture or a plan, by instance's id, in `InstanceKey.order`.

    Raises DataPackMissingError or DataPackCorruptError where a file that was published or imported
    is not here, or not sound: no instance loses a picture unnoticed.
    """
    files: dict[InstanceKey, list[str]] = defaultdict(list)
    every = pack.require([SAMPLES])
    for path in every:
        key = read_key(path.rpartition("/")[0])
        if key is not None:
            files[key].append(path)
    keys = sorted(files, key=lambda key: key.order)
    return {key.id: _sample(key, files[key], every) for key in keys}


def read_plans(pack: Pack, sample: Sample) -> Mapping[str, str]:
    """The sample's plans, byte for byte, by whose they are: the judge `lcs` counts empty lines.

    Raises DataPackError, which names the file, for one that is blank or no text.
    """
    try:
        return {name: read_text(pack, path) for name, path in sample.plans.items()}
    except PublishedError as error:
        raise damaged(error) from error


def _sample(key: InstanceKey, paths: Iterable[str], every: Container[str]) -> Sample:
    paths = tuple(paths)
    pictures = [path for path in paths if path.lower().endswith(".png")]
    plans = {
        found["name"]: path
        for path in paths
        if (found := _PLAN.fullmatch(PurePosixPath(path).name)) is not None
    }
    ordered = sorted(pictures, key=lambda path: natural(PurePosixPath(path).name))
    above, number = key.folder.rpartition("/")[0], key.variant.number
    copies = (f"{above}/problem{number}.bddl", f"{above}/task_description_{number}.txt")
    problem, description = (path if path in every else "" for path in copies)
    return Sample(key, tuple(ordered), plans, problem, description)
