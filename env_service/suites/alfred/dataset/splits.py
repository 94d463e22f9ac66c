"""ALFRED's list of annotations, ``splits/oct21.json`` (spec: alfred.md section 6.1)."""

from __future__ import annotations

from dataclasses import dataclass

from env_service.suites.json_node import DataError, load_json


class SplitsError(DataError):
    """The list cannot be read."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One annotation of a task.

    Attributes:
        name: the task's, "pick_and_place_simple-SoapBar-None-Cart-401"; empty in the test splits.
        trial: the trial's id.
        annotation: which of the trial's annotations, from 0.
    """

    name: str
    trial: str
    annotation: int


def read_split(text: str | bytes, split: str, source: str) -> tuple[Entry, ...]:
    """The annotations of a split ("train", "valid_seen", …), in the order of the list.

    Raises:
        SplitsError: it cannot be read, or has no such split.
    """
    found = []
    for node in load_json(text, source, SplitsError)[split].items():
        name, _, trial = node["task"].text().rpartition("/")
        found.append(Entry(name, trial, node["repeat_idx"].whole()))
    return tuple(found)
