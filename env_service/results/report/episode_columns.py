"""The scored episodes of a family of runs, by columns: the input of tables and figures."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from env_service.results.posthoc_scores import PosthocScores, fitting_scores
from env_service.results.records import EpisodeRecord
from env_service.results.report.number_format import NOTHING
from env_service.results.report.runs import Family, ReportedRun, agent_name, asked_model
from env_service.suites.reporting import (
    FAILED,
    SUCCEEDED,
    Bins,
    Chosen,
    Classes,
    Field,
    Key,
    Label,
    Only,
    Quantity,
    Unit,
)

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
"""Episode numbers: indices into the columns."""
Part = tuple[str, Ints]
"""A value of a key, and the episodes that have it."""


class EpisodeColumns:
    """All scored episodes of a family, numbered from 0.

    ``tree`` are words of the instruction whose action tree is drawn; empty: the most frequent one.
    """

    def __init__(self, family: Family, tree: str = "") -> None:
        found = [
            (number, record)
            for number, run in enumerate(family.runs)
            for record in run.contents.episodes
            if record.fault is None
        ]
        self.family = family
        self.tree = tree
        self.runs: Ints = np.array([number for number, _ in found], np.intp)
        self.records: tuple[EpisodeRecord, ...] = tuple(record for _, record in found)
        self.all: Ints = np.arange(len(found))
        self._parts: dict[Key, tuple[Part, ...]] = {}
        self._numbers: dict[Quantity, Floats] = {}
        self._added: dict[str, tuple[PosthocScores | str, ...]] = {}

    @cached_property
    def tasks(self) -> Ints:
        """A number for each episode's task."""
        return _codes(record.task_id for record in self.records)

    @cached_property
    def clusters(self) -> Ints:
        """A number for each episode's cluster."""
        return _codes(record.cluster for record in self.records)

    def folder(self, number: int) -> Path:
        """The folder of an episode's run."""
        return self.family.runs[int(self.runs[number])].contents.path

    def runs_of(self, chosen: Ints) -> list[ReportedRun]:
        """The runs of these episodes, in the order of the family."""
        return [self.family.runs[number] for number in np.unique(self.runs[chosen])]

    def of_models(self) -> Ints:
        """The episodes, in rising order, of runs whose agent used a model (`asked_model`)."""
        asked = [asked_model(run.contents) for run in self.family.runs]
        return np.flatnonzero(np.array(asked, bool)[self.runs])

    def numbers(self, quantity: Quantity) -> Floats:
        """The quantity for each episode; NaN if it has none."""
        if quantity not in self._numbers:
            self._numbers[quantity] = np.array(list(self._read(quantity)), np.float64)
        return self._numbers[quantity]

    def added(self, name: str) -> tuple[PosthocScores | str, ...]:
        """For each run, the posthoc scores of that name, or in words why there are none."""
        if name not in self._added:
            runs = [run.contents for run in self.family.runs]
            self._added[name] = tuple(fitting_scores(run.path, name, run.episodes) for run in runs)
        return self._added[name]

    def parts(self, key: Key) -> tuple[Part, ...]:
        """The key's values in the order to show them, each with its episodes (rising)."""
        if key not in self._parts:
            self._parts[key] = tuple(self._split(key))
        return self._parts[key]

    def mark(self, name: str) -> str:
        """The mark of the run with that name; any other name unchanged."""
        return next((run.mark for run in self.family.runs if run.name == name), name)

    def only(self, only: Only | None) -> Ints:
        """The episodes that ``only`` selects."""
        if only is None:
            return self.all
        kept = [members for name, members in self.parts(only.key) if name in only.values]
        return np.unique(np.concatenate(kept)) if kept else self.all[:0]

    def _read(self, quantity: Quantity) -> Iterable[float]:
        if quantity.of_tasks is not None:
            of_tasks = quantity.of_tasks(self.family.manifest.task_set)
            return (of_tasks.get(record.task_id, np.nan) for record in self.records)
        if quantity.source == "added":
            return self._read_added(quantity)
        return (_number(record, quantity) for record in self.records)

    def _read_added(self, quantity: Quantity) -> Iterator[float]:
        scores, _, name = quantity.name.partition("/")
        found = [
            {score.episode_id: score.metrics for score in each.episodes}
            if isinstance(each, PosthocScores)
            else {}
            for each in self.added(scores)
        ]
        for run, record in zip(self.runs, self.records, strict=True):
            yield float(found[run].get(record.episode_id, {}).get(name, np.nan))

    def _split(self, key: Key) -> list[Part]:
        if isinstance(key, Classes):
            return self._classes(key)
        if isinstance(key, Bins):
            return self._bins(key)
        members: dict[str, list[int]] = {}
        for number, name in enumerate(self._names(key)):
            for each in _values(name, key):
                members.setdefault(each, []).append(number)
        ordered = sorted(members, key=self._order(key, members))
        return [(name, np.array(members[name], np.intp)) for name in ordered]

    def _classes(self, key: Classes) -> list[Part]:
        values = dict(self.parts(key.of))
        found = [
            (name, np.unique(np.concatenate(kept)))
            for name, wanted in key.classes
            if (kept := [values[value] for value in wanted if value in values])
        ]
        if key.rest:
            classed = {value for _, wanted in key.classes for value in wanted}
            found += [part for part in values.items() if part[0] not in classed]
        return found

    def _names(self, key: Field | Label | Chosen) -> Iterable[str | None]:
        if isinstance(key, Label):
            return [record.labels.get(key.name) for record in self.records]
        runs = self.family.runs
        if isinstance(key, Chosen):
            values = [run.manifest.condition.get(key.setting) for run in runs]
            return [values[number] for number in self.runs]
        match key:
            case Field.RUN:
                return [runs[number].name for number in self.runs]
            case Field.AGENT:
                agents = [agent_name(run.manifest) for run in runs]
                return [agents[number] for number in self.runs]
            case Field.REPEAT:
                repeated = [run.manifest.repeats > 1 for run in runs]
                numbered = zip(self.runs, self.records, strict=True)
                return [str(record.repeat) if repeated[run] else None for run, record in numbered]
            case Field.RESULT:
                return [SUCCEEDED if record.success else FAILED for record in self.records]
            case Field.FAILURE:
                return [
                    SUCCEEDED if record.success else _spoken(record.failure or "")
                    for record in self.records
                ]
            case Field.GROUP:
                return [record.group for record in self.records]
            case Field.CLUSTER:
                return [record.cluster for record in self.records]

    def _order(self, key: Key, members: dict[str, list[int]]) -> Callable[[str], Any]:
        match key:
            case Field.RUN | Field.AGENT:
                return lambda name: members[name][0]
            case Field.GROUP | Field.CLUSTER:
                # The suite's order of tasks, for example levels of rising difficulty.
                places: dict[str, int] = {}
                for run in self.family.runs:
                    for task_id in run.manifest.task_ids:
                        places.setdefault(task_id, len(places))
                return lambda name: min(
                    places.get(self.records[number].task_id, len(places))
                    for number in members[name]
                )
            case Field.RESULT | Field.FAILURE:
                return lambda name: (name != SUCCEEDED, -len(members[name]), name)
            case _:
                return _natural

    def _bins(self, key: Bins) -> list[Part]:
        values = self.numbers(key.quantity)
        places = np.searchsorted(key.edges, values, side="right")
        edges = [f"{edge:g}" for edge in key.edges]
        names = [f"under {edges[0]}"]
        names += [f"{low} – under {high}" for low, high in pairwise(edges)]
        names.append(f"{edges[-1]} and more")
        known = ~np.isnan(values)
        found = [(name, np.flatnonzero(known & (places == n))) for n, name in enumerate(names)]
        return [(name, members) for name, members in found if len(members)]


def within(parts: Sequence[Part], chosen: Ints) -> list[Part]:
    """The parts, reduced to ``chosen`` (rising); empty ones are left out."""
    met = ((name, np.intersect1d(members, chosen, assume_unique=True)) for name, members in parts)
    return [(name, members) for name, members in met if len(members)]


def heading(key: Key, group: str) -> str:
    """The column heading for a key's values. ``group`` is the suite's word for a group."""
    if isinstance(key, Field):
        return group if key is Field.GROUP else str(key.value)
    if isinstance(key, Label):
        return key.heading or key.name.replace("_", " ")
    if isinstance(key, Chosen):
        return key.setting.replace("_", " ")
    return key.quantity.heading if isinstance(key, Bins) else key.heading


def _values(name: str | None, key: Key) -> Sequence[str]:
    """The values of a key for an episode whose label is ``name``: none, one, or several."""
    if name is None:
        return ()
    if isinstance(key, Label) and key.separator:
        return tuple(dict.fromkeys(each for each in name.split(key.separator) if each))
    return (name,)


def _codes(names: Iterable[str]) -> Ints:
    known: dict[str, int] = {}
    return np.array([known.setdefault(name, len(known)) for name in names], np.intp)


def _number(record: EpisodeRecord, quantity: Quantity) -> float:
    if quantity.source == "metric":
        return float(record.metrics.get(quantity.name, np.nan))
    if quantity.source == "usage":
        used = float(getattr(record.usage, quantity.name)) if record.usage else np.nan
        # An agent without prices reports 0, which a mean must not count as free of charge.
        return np.nan if quantity.unit is Unit.DOLLARS and used == 0 else used
    if quantity.name == "goal_conditions":
        return record.goals_met
    if quantity.name == "goals_gained":
        gained = record.goals_gained
        return np.nan if gained is None else gained
    return float(getattr(record, quantity.name))


def _natural(name: str) -> tuple[tuple[bool, float, str], ...]:
    """Sorts "level 9" before "level 10"."""
    parts = re.split(r"(\d+)", name)
    return tuple(
        (not part.isdecimal(), float(part) if part.isdecimal() else 0, part) for part in parts
    )


def _spoken(failure: str) -> str:
    return failure.replace("_", " ") or NOTHING
