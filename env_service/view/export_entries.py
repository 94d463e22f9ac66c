"""The data of an export: answers of the API as entries, which a page reads without a service.

An entry is a name and JSON as a text. A browser loads no JSON into a page that was opened from a
file, but it runs scripts: each entry is a script that adds itself to the page's list.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any

from env_service.index.annotations import annotations_of
from env_service.index.episode_queries import EpisodeFilter, EpisodeRow
from env_service.index.reading import Page
from env_service.index.run_queries import RunFilter, RunRow, RunSort
from env_service.index.store import Index, IndexReader
from env_service.results.episode_reader import Shot, StepView, read_steps_page, transcript_path
from env_service.storage.canonical_json import parse_exact
from env_service.view.api import OPERATIONS, Api, Scored, compare_runs, scored_episodes
from env_service.view.figures import DrawnFigures
from env_service.view.requests import Query, RefusedError

MOST_RUNS = 10_000
"""Runs of an export."""
MOST_TOGETHER = 6
"""Runs of one agent in one setting that a leaderboard can filter; of more, all or a single one."""
MOST_PAIRS = 20_000
"""Pairs of runs that are compared; a larger export has no comparisons."""
_OPERATIONS = {each.name: each for each in OPERATIONS}
_LOG_BYTES = "20000"
_ALL = Page(0, 2**31 - 1)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a run, as a transcript names it. ``width`` matters for depth alone."""

    digest: str
    encoding: str
    width: int


@dataclass(frozen=True, slots=True)
class EpisodeData:
    """All that the player shows of an episode but its facts: the entry, and the pictures in the
    order in which the agent was shown them, each once."""

    entry: Mapping[str, Any]
    pictures: tuple[Picture, ...]


def script(name: str, text: str) -> str:
    """The script that adds an entry. It is ASCII, and cannot end the HTML element that holds it."""
    entry = json.dumps([name, text]).replace("<", "\\u003c")
    return f"(window.houseguestData=window.houseguestData||[]).push({entry});\n"


def as_json(value: Any) -> str:
    """JSON in ASCII, because a text of an agent may hold half of a character."""
    return json.dumps(value, separators=(",", ":"), default=_fields)


def _fields(value: Any) -> Mapping[str, Any]:
    """Those of a dataclass; `asdict` would copy all that they contain."""
    return {each.name: getattr(value, each.name) for each in fields(value)}


def name_of(*parts: object) -> str:
    """A short name for files, made of anything."""
    return sha256(json.dumps(parts).encode()).hexdigest()[:20]


class Entries:
    """Makes the entries of some runs of an index; of all its runs without ``paths``."""

    def __init__(self, index: Index, paths: Sequence[str] = ()) -> None:
        self._index, self._api = index, Api(index)
        with index.read() as read:
            chosen = RunFilter(paths=paths)
            page = Page(0, MOST_RUNS)
            found = read.runs(chosen, sort=RunSort.PATH, descending=False, page=page)
        self.runs: tuple[RunRow, ...] = found.rows
        self.left_out = found.total - len(found.rows)
        """How many runs are too many."""

    def close(self) -> None:
        """Ends what the API runs in the background."""
        self._api.close()

    def ask(self, operation: str, path: Mapping[str, str], **query: str) -> Any:
        """An answer of the API, as JSON has it. Raises RefusedError."""
        found = _OPERATIONS[operation]
        answer = found.handle(self._api, path, Query(found.parameters, list(query.items())))
        return asdict(answer)

    def folder(self, run: str) -> Path:
        """Raises RefusedError if the run's folder has vanished or is a link."""
        return self._api.folder_of_known(run)

    # --- Of all runs

    def catalogue(self, made: str, **more: Any) -> Mapping[str, Any]:
        """What every page needs. ``made`` says when."""
        paths = [run.path for run in self.runs]
        with self._index.read() as read:
            boards = read.leaderboards(RunFilter(paths=paths)) if paths else ()
            groups = [each.runs for board in boards for each in board.standings]
            standings = {
                " ".join(map(name_of, part)): asdict(_standing(read, part))
                for group in groups
                for part in _parts(group)
            }
        chosen = set(paths)
        noted = annotations_of(self._index)
        return {
            "service": self.ask("service", {}),
            "made": made,
            "runs": [asdict(run) for run in self.runs],
            "keys": {path: name_of(path) for path in paths},
            "leaderboards": [asdict(board) for board in boards],
            "standings": standings,
            "annotations": [asdict(each) for each in noted if each.run in chosen],
            **more,
        }

    def comparisons(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """For each run, the numbers of its comparison with every other one."""
        if len(self.runs) * (len(self.runs) - 1) > MOST_PAIRS:
            return
        scored: dict[str, Scored] = {}
        with self._index.read() as read:
            for run in self.runs:
                try:
                    scored[run.path] = scored_episodes(read, run.path)
                except RefusedError:
                    # A run of too many episodes is not compared by the service either.
                    continue
        known = [run for run in self.runs if run.path in scored]
        for first in known:
            numbers = {}
            for second in known:
                both = scored[first.path], scored[second.path]
                found = asdict(compare_runs((first, second), both, Page(0, 0)))
                numbers[second.path] = {
                    name: value
                    for name, value in found.items()
                    if name not in ("first", "second", "pairs")
                }
            yield first.path, numbers

    # --- Of a run

    def run(self, path: str) -> Mapping[str, Any]:
        """The answer about a run. Raises RefusedError."""
        view: Mapping[str, Any] = self.ask("run", {"run": path})
        return view

    def figures(self, path: str) -> DrawnFigures:
        """The figures of the run's report. Raises RefusedError while it plays."""
        return self._api.drawn(path)

    def logs(self, path: str, view: Mapping[str, Any]) -> list[Any]:
        """The end of each log."""
        found = []
        for log in view["logs"]:
            try:
                asked = {"run": path, "log": log["name"]}
                found.append(self.ask("log", asked, bytes=_LOG_BYTES))
            except RefusedError:
                continue
        return found

    def rows(self, path: str) -> tuple[EpisodeRow, ...]:
        """The final episodes of a run, in the order in which they ended."""
        with self._index.read() as read:
            return read.episodes(EpisodeFilter(runs=[path]), page=_ALL).rows

    def listed(self, path: str, rows: Sequence[EpisodeRow]) -> Mapping[str, Any]:
        """The rows as lists of values, and the labels of each."""
        names = EpisodeRow.__slots__
        with self._index.read() as read:
            labels = read.episode_labels(path)
        return {
            "names": names,
            "rows": [[getattr(row, name) for name in names] for row in rows],
            "labels": [labels.get(row.seq, {}) for row in rows],
        }

    # --- Of an episode

    def episode(self, path: str, episode_id: str) -> EpisodeData:
        """Raises RefusedError if neither the index nor the run has it, and RecordingError."""
        view = self.ask("episode", {"run": path, "episode": episode_id})
        begin = view["begin"]
        shown = list(begin["pictures"]) if begin else []
        steps: list[StepView] = []
        for step in self._steps(path, episode_id, view["steps"]):
            steps.append(step)
            shown += [_shot(each) for each in step.pictures]
        pictures = dict.fromkeys(
            Picture(each["sha256"], each["encoding"], each["width"])
            for each in shown
            if each["showable"]
        )
        return EpisodeData({"view": view, "steps": steps}, tuple(pictures))

    def _steps(self, path: str, episode_id: str, count: int) -> Iterator[StepView]:
        offset: int | None = 0 if count else None
        folder = self.folder(path)
        while offset is not None:
            page = read_steps_page(folder, episode_id, offset, count, parse_exact)
            yield from page.rows
            offset = page.next if page.rows else None

    def episode_name(self, path: str, episode_id: str) -> str:
        """Another name if the transcript changes."""
        try:
            found = transcript_path(self.folder(path), episode_id).lstat()
        except OSError:
            return name_of(path, episode_id)
        return name_of(path, episode_id, found.st_size, found.st_mtime_ns)


def _shot(shot: Shot) -> Mapping[str, Any]:
    return {name: getattr(shot, name) for name in ("sha256", "encoding", "width", "showable")}


def _parts(group: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The proper subsets of an agent's runs; of many runs, each alone."""
    most = len(group) if len(group) <= MOST_TOGETHER else 2
    for size in range(1, most):
        yield from combinations(group, size)


def _standing(read: IndexReader, runs: Sequence[str]) -> Any:
    board, *_ = read.leaderboards(RunFilter(paths=runs))
    return board.standings[0]
