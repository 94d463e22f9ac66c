"""The folders of samples that are here: two in the git repository, up to 1,187 in the authors'
full archive (spec: actplan.md section 1.1)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from env_service.datasets.pack import Pack
from env_service.suites.actplan.dataset.layout import SAMPLES, InstanceKey, natural, read_key
from env_service.suites.actplan.dataset.reading import PublishedError, damaged, read_text

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
