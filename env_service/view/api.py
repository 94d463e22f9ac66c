"""The answers of the API, and the table of its operations.

Texts in the answers come from agents and tasks: show them as text, never as markup.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import zip_longest
from pathlib import Path

from env_service.index.annotations import (
    AnnotationError,
    AnnotationRow,
    NewAnnotation,
    add_annotation,
    annotations_of,
    delete_annotation,
)
from env_service.index.episode_queries import (
    EpisodeDetail,
    EpisodeFacets,
    EpisodeFilter,
    EpisodeRow,
    EpisodeSort,
    Outcome,
)
from env_service.index.leaderboards import Leaderboard
from env_service.index.reading import Listed, Page
from env_service.index.run_queries import (
    AddedScoresRow,
    Facets,
    GroupRow,
    LostAgentRow,
    LostRow,
    RunFilter,
    RunRow,
    RunSort,
    TaskRow,
    Verified,
)
from env_service.index.run_writer import RunStatus
from env_service.index.store import Index, IndexReader
from env_service.results.episode_reader import (
    BeginView,
    EndView,
    Outline,
    StepPage,
    read_outline,
    read_steps_page,
    transcript_path,
)
from env_service.results.pictures import RecordingError
from env_service.results.run_layout import LOCK, LOGS, TRANSCRIPTS
from env_service.results.run_notes import read_run_start
from env_service.results.statistics import EpisodeIndex, compare
from env_service.storage.canonical_json import parse, parse_exact
from env_service.storage.plain_files import open_plain
from env_service.view.facts import FactsView, Replays
from env_service.view.figures import DrawnFigures, Figures, FiguresView
from env_service.view.openapi import Operation
from env_service.view.openapi import Path as PathParts
from env_service.view.requests import MOST_ROWS, Parameter, Query, RefusedError, choices_of

MOST_TAIL = 2**20
"""Bytes of the end of a log, at most."""
MOST_COMPARED = 20_000
"""Episodes of a run that are compared."""
ANNOTATIONS = "/api/annotations"
MOST_LOST = 500
"""Lost attempts of a run that are listed, the last ones."""
RATE_SECONDS = 300.0
"""The time over which the rate of a run is measured."""
_ANNOTATION_KEYS = frozenset({"run", "episode_id", "step", "tag", "comment"})
_MOST_STEP = 2**31
_KEY_DIGITS = 18
AGENT_TAIL = 2000
"""Bytes of the end of an agent's log, of a run that plays."""
MOST_AGENTS = 16
"""Agents of a run whose logs are shown while it plays."""
_AGENT_LOG = re.compile(r"guest-[0-9]{1,6}\.log")
_LOG_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
_HUGE_LOG = 2**40


@dataclass(frozen=True, slots=True)
class Service:
    """What is served."""

    houseguest: str
    runs: str


@dataclass(frozen=True, slots=True)
class LogFile:
    """A log in a run's folder; ``size`` in bytes."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class EpisodeView:
    """An episode without its steps. ``record`` is None while it is played and if it was lost;
    ``end`` while it is played. ``problem`` says what of the transcript cannot be read."""

    run: str
    episode_id: str
    record: EpisodeDetail | None
    begin: BeginView | None
    steps: int
    end: EndView | None
    problem: str


@dataclass(frozen=True, slots=True)
class LogTail:
    """The end of a log as text. ``cut``: there is more before it."""

    name: str
    size: int
    cut: bool
    text: str


@dataclass(frozen=True, slots=True)
class Limits:
    """What the run may spend in all, as its command was given; None without a limit."""

    max_cost_usd: float | None
    max_tokens: int | None


@dataclass(frozen=True, slots=True)
class RunView:
    """A run with its results by group and label. ``playing`` are the ids of episodes that have a
    transcript and no end, of a run that plays. ``per_minute`` is how many episodes ended a minute,
    in the last RATE_SECONDS of such a run; None otherwise. ``agent_logs`` are the ends of its
    agents' logs."""

    run: RunRow
    groups: tuple[GroupRow, ...]
    labels: Mapping[str, tuple[GroupRow, ...]]
    failures: Mapping[str, int]
    lost: tuple[LostRow, ...]
    lost_agents: tuple[LostAgentRow, ...]
    added_scores: tuple[AddedScoresRow, ...]
    limits: Limits
    per_minute: float | None
    playing: tuple[str, ...]
    agent_logs: tuple[LogTail, ...]
    logs: tuple[LogFile, ...]


@dataclass(frozen=True, slots=True)
class Leaderboards:
    """All leaderboards of the chosen runs."""

    rows: tuple[Leaderboard, ...]


@dataclass(frozen=True, slots=True)
class Flips:
    """Pairs of episodes (same task and repeat) by who succeeded."""

    both: int
    only_first: int
    only_second: int
    neither: int


@dataclass(frozen=True, slots=True)
class PairRow:
    """The same task and repeat in two runs."""

    task_id: str
    group: str
    repeat: int
    first: str
    second: str
    first_success: bool
    second_success: bool


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """Two runs on their common tasks. ``difference`` is second - first with its 95 % interval;
    ``p_value`` is of McNemar's exact test over tasks. ``same_setting``: equal suite, rules, tasks,
    world, condition and budgets. ``problem`` says why the numbers are missing (None)."""

    first: RunRow
    second: RunRow
    same_setting: bool
    problem: str
    first_rate: float | None
    second_rate: float | None
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
    tasks: int
    pairing: str
    only_first_tasks: int
    only_second_tasks: int
    flips: Flips
    pairs: Listed[PairRow]


@dataclass(frozen=True, slots=True)
class Parting:
    """Where two episodes part: the first step with another action. ``step`` counts from 0; None if
    all actions are equal. An action is empty if its episode has ended."""

    step: int | None
    first_action: str
    second_action: str
    first_steps: int
    second_steps: int


@dataclass(frozen=True, slots=True)
class Deleted:
    """Whether there was something to delete."""

    deleted: bool


class Api:
    """Answers requests from an index and its folder of runs. For several threads."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._replays, self._figures = Replays(), Figures()

    def close(self) -> None:
        """Ends what runs in the background."""
        self._replays.close()
        self._figures.close()

    def folder(self, run: str) -> Path:
        """A run's folder. Raises RefusedError if the index lacks it or it is a link."""
        with self.index.read() as read:
            self._known(read, run)
        return self.folder_of_known(run)

    def folder_of_known(self, run: str) -> Path:
        """The same for a run that is in the index."""
        path = self.index.folder / run
        if "/" in run or run in ("", ".", ".."):
            raise RefusedError(404, "no such run")
        try:
            mode = path.lstat().st_mode
        except (OSError, ValueError) as error:
            raise RefusedError(404, "the run's folder has vanished") from error
        if not stat.S_ISDIR(mode):
            raise RefusedError(404, "the run's folder is a link or a file")
        return path

    def _known(self, read: IndexReader, run: str) -> RunRow:
        _check_name(run)
        found = read.run(run)
        if found is None:
            raise RefusedError(404, "no such run")
        return found

    # --- Over runs

    def service(self, _path: PathParts, _query: Query) -> Service:
        """What is served."""
        return Service(version("houseguest"), self.index.folder.resolve().name)

    def runs(self, _path: PathParts, query: Query) -> Listed[RunRow]:
        """The chosen runs."""
        with self.index.read() as read:
            return read.runs(
                _run_filter(query),
                sort=RunSort(query.text("sort")),
                descending=query.text("order") == "desc",
                page=_page(query),
            )

    def facets(self, _path: PathParts, query: Query) -> Facets:
        """The values that the chosen runs have."""
        with self.index.read() as read:
            return read.facets(_run_filter(query))

    def leaderboards(self, _path: PathParts, query: Query) -> Leaderboards:
        """The leaderboards of the chosen runs."""
        with self.index.read() as read:
            return Leaderboards(read.leaderboards(_run_filter(query)))

    def tasks(self, _path: PathParts, query: Query) -> Listed[TaskRow]:
        """The tasks of the chosen runs, the hardest first."""
        with self.index.read() as read:
            return read.tasks(_run_filter(query), page=_page(query))

    def episodes(self, _path: PathParts, query: Query) -> Listed[EpisodeRow]:
        """The chosen episodes of the chosen runs."""
        return self._episodes(query, query.texts("run"), _run_filter(query))

    def episode_facets(self, _path: PathParts, query: Query) -> EpisodeFacets:
        """The values that the chosen episodes have."""
        chosen = _episode_filter(query, query.texts("run"), _run_filter(query))
        with self.index.read() as read:
            return read.episode_facets(chosen)

    def comparison(self, _path: PathParts, query: Query) -> ComparisonView:
        """Two runs on their common tasks."""
        with self.index.read() as read:
            runs = [self._known(read, query.text(name)) for name in ("first", "second")]
            found = [scored_episodes(read, run.path) for run in runs]
        return compare_runs((runs[0], runs[1]), (found[0], found[1]), _page(query))

    def parting(self, _path: PathParts, query: Query) -> Parting:
        """Where two episodes part."""
        with self.index.read() as read:
            first, second = (
                self._actions(read, query.text(run), query.text(f"{run}_episode"))
                for run in ("first", "second")
            )
        step = next(
            (n for n, pair in enumerate(zip_longest(first, second)) if pair[0] != pair[1]), None
        )
        here = len(first) if step is None else step
        said = [each[here][1] if here < len(each) else "" for each in (first, second)]
        return Parting(step, said[0], said[1], len(first), len(second))

    def _actions(self, read: IndexReader, run: str, episode: str) -> list[tuple[str, str]]:
        """The kind and text of each action of an episode."""
        self._known(read, run)
        _check_name(episode)
        found = read.episode(run, episode)
        if found is None:
            raise RefusedError(404, "no such episode")
        return [(each.kind, each.action) for each in found.steps]

    # --- Annotations

    def annotations(self, _path: PathParts, query: Query) -> Listed[AnnotationRow]:
        """The chosen annotations."""
        page = _page(query)
        found = annotations_of(
            self.index,
            run=query.text("run"),
            episode_id=query.text("episode"),
            tag=query.text("tag"),
        )
        return Listed(len(found), found[page.offset : page.offset + page.limit])

    def annotate(self, _path: PathParts, query: Query) -> AnnotationRow:
        """Keeps an annotation."""
        asked = _annotation(query.body)
        folder = self.folder(asked.run)
        if not transcript_path(folder, asked.episode_id).is_file():
            raise RefusedError(404, "no such episode")
        try:
            return add_annotation(self.index, asked)
        except AnnotationError as error:
            raise RefusedError(400, str(error)) from error

    def forget_annotation(self, path: PathParts, _query: Query) -> Deleted:
        """Deletes an annotation."""
        key = path["annotation"]
        if not (key.isascii() and key.isdecimal() and len(key) < _KEY_DIGITS):
            raise RefusedError(404, "no such annotation")
        return Deleted(delete_annotation(self.index, int(key)))

    # --- Of a run

    def run(self, path: PathParts, _query: Query) -> RunView:
        """One run."""
        name = path["run"]
        with self.index.read() as read:
            row = self._known(read, name)
            try:
                folder: Path | None = self.folder_of_known(name)
            except RefusedError:
                folder = None
            running = folder if row.status == RunStatus.RUNNING else None
            lost = read.lost(name)
            return RunView(
                run=row,
                groups=read.groups(name),
                labels={label: read.labels(name, label) for label in read.label_names(name)},
                failures=read.failures(name),
                lost=lost[-MOST_LOST:],
                lost_agents=read.lost_agents(name),
                added_scores=read.added_scores(name),
                limits=_limits(folder) if folder else Limits(None, None),
                per_minute=_per_minute(read, name, running) if running else None,
                playing=_playing(running, _ended(read, row, lost)) if running else (),
                agent_logs=_agent_logs(running) if running else (),
                logs=_logs(folder) if folder else (),
            )

    def log(self, path: PathParts, query: Query) -> LogTail:
        """The end of one log."""
        name = path["log"]
        if _LOG_NAME.fullmatch(name) is None:
            raise RefusedError(404, "no such log")
        try:
            return _tail(self.folder(path["run"]), name, query.whole("bytes") or 0)
        except OSError as error:
            raise RefusedError(404, "no such log") from error

    def figures(self, path: PathParts, _query: Query) -> FiguresView:
        """The figures of one run's report."""
        return self.drawn(path["run"]).view

    def drawn(self, run: str) -> DrawnFigures:
        """The same with their SVG. Raises RefusedError."""
        with self.index.read() as read:
            row = self._known(read, run)
        folder = self.folder_of_known(run)
        if row.status == RunStatus.RUNNING:
            raise RefusedError(409, "the run plays: its figures are drawn when it ends")
        return self._figures.of(folder, row.revision)

    def figure(self, run: str, name: str) -> bytes:
        """One figure as SVG, of the newest that are drawn: the many pictures of a page do not wait
        for those of a run that has changed since. Raises RefusedError."""
        drawn = self._figures.newest(self.folder(run)) or self.drawn(run)
        if name not in drawn.pictures:
            raise RefusedError(404, "no such figure")
        return drawn.pictures[name]

    def run_episodes(self, path: PathParts, query: Query) -> Listed[EpisodeRow]:
        """The chosen episodes of one run."""
        with self.index.read() as read:
            self._known(read, path["run"])
        return self._episodes(query, (path["run"],), RunFilter())

    def episode(self, path: PathParts, _query: Query) -> EpisodeView:
        """One episode: its record, the beginning and the end of its transcript."""
        folder = self.folder(path["run"])
        _check_name(path["episode"])
        with self.index.read() as read:
            record = read.episode(path["run"], path["episode"])
        problem, outline = "", Outline(None, 0, None)
        try:
            outline = read_outline(folder, path["episode"], parse_exact)
        except RecordingError as error:
            if record is None:
                raise RefusedError(404, "no such episode") from error
            problem = str(error)
        return EpisodeView(
            folder.name,
            path["episode"],
            record,
            outline.begin,
            outline.steps,
            outline.end,
            problem,
        )

    def steps(self, path: PathParts, query: Query) -> StepPage:
        """A page of an episode's steps."""
        page = _page(query)
        folder = self.folder(path["run"])
        return read_steps_page(folder, path["episode"], page.offset, page.limit, parse_exact)

    def facts(self, path: PathParts, _query: Query) -> FactsView:
        """What was true in an episode."""
        folder = self.folder(path["run"])
        return self._replays.ask(folder, path["episode"])

    def _episodes(self, query: Query, runs: tuple[str, ...], of: RunFilter) -> Listed[EpisodeRow]:
        with self.index.read() as read:
            return read.episodes(
                _episode_filter(query, runs, of),
                sort=EpisodeSort(query.text("sort")),
                descending=query.text("order") == "desc",
                page=_page(query),
            )


# --- Parts of answers


def _episode_filter(query: Query, runs: tuple[str, ...], of: RunFilter) -> EpisodeFilter:
    labels = [each.partition("=") for each in query.texts("label")]
    if not all(middle for _, middle, _ in labels):
        raise RefusedError(400, "label: give NAME=VALUE")
    return EpisodeFilter(
        runs=runs,
        outcomes=[Outcome(each) for each in query.texts("outcome")],
        failures=query.texts("failure"),
        groups=query.texts("group"),
        tasks=query.texts("task"),
        labels=[(name, value) for name, _, value in labels],
        steps_from=query.whole("steps_from"),
        steps_to=query.whole("steps_to"),
        search=query.text("episode_search"),
        of_runs=of,
    )


def _annotation(body: bytes) -> NewAnnotation:
    try:
        value = parse(body)
    except (ValueError, RecursionError) as error:
        raise RefusedError(400, "the body is not JSON") from error
    if not isinstance(value, dict) or value.keys() - _ANNOTATION_KEYS:
        raise RefusedError(400, f"send an object with {', '.join(sorted(_ANNOTATION_KEYS))}")
    texts = {name: value.get(name, "") for name in _ANNOTATION_KEYS - {"step"}}
    step = value.get("step")
    if not all(isinstance(each, str) for each in texts.values()):
        raise RefusedError(400, f"{', '.join(sorted(texts))} are texts")
    if step is not None and (type(step) is not int or not 0 <= step < _MOST_STEP):
        raise RefusedError(400, "step is a whole number from 0, or null")
    return NewAnnotation(step=step, **texts)


def _check_name(name: str) -> None:
    if len(name) > 255 or "\0" in name or "/" in name or not name.isprintable():
        raise RefusedError(404, "no such run or episode")


def _page(query: Query) -> Page:
    return Page(query.whole("offset") or 0, query.whole("limit") or MOST_ROWS)


def _run_filter(query: Query) -> RunFilter:
    return RunFilter(
        search=query.text("search"),
        suites=query.texts("suite"),
        task_sets=query.texts("task_set"),
        worlds=query.texts("world"),
        agents=query.texts("agent"),
        models=query.texts("model"),
        conditions=query.texts("condition"),
        settings=query.texts("setting"),
        statuses=query.texts("status"),
        verified=query.texts("verified"),
        created_from=query.text("created_from"),
        created_to=query.text("created_to"),
        mixtures=query.text("mixtures") == "yes",
    )


def _limits(folder: Path) -> Limits:
    started = read_run_start(folder / LOGS)
    return Limits(started.max_cost_usd or None, started.max_tokens or None)


def _per_minute(read: IndexReader, run: str, folder: Path) -> float:
    now = time.time()
    try:
        # The process that plays wrote it when it began.
        began = (folder / LOCK).lstat().st_mtime
    except OSError:
        began = 0.0
    since = max(began, now - RATE_SECONDS)
    return 60 * read.ended_since(run, int(since * 1e9)) / max(now - since, 1.0)


def _ended(read: IndexReader, row: RunRow, lost: Sequence[LostRow]) -> set[str]:
    """The ids of the run's episodes that have an end."""
    every = read.episodes(EpisodeFilter(runs=[row.path]), page=Page(0, row.final))
    return {each.episode_id for each in every.rows} | {each.episode_id for each in lost}


def _playing(folder: Path, ended: set[str]) -> tuple[str, ...]:
    try:
        with os.scandir(folder / TRANSCRIPTS) as entries:
            names = [each.name.removesuffix(".jsonl") for each in entries]
    except OSError:
        return ()
    return tuple(sorted(name for name in names if name not in ended)[:MOST_ROWS])


def _tail(folder: Path, name: str, most: int) -> LogTail:
    """The end of a log. Raises OSError."""
    with open_plain(folder / LOGS / name, _HUGE_LOG, within=folder) as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(size - most, 0))
        data = file.read(most)
    return LogTail(name, size, size > len(data), data.decode(errors="replace"))


def _agent_logs(folder: Path) -> tuple[LogTail, ...]:
    """The ends of the logs of the first agents."""
    names = [each.name for each in _logs(folder) if _AGENT_LOG.fullmatch(each.name)]
    found = []
    for name in sorted(names, key=lambda each: (len(each), each))[:MOST_AGENTS]:
        try:
            found.append(_tail(folder, name, AGENT_TAIL))
        except OSError:
            continue
    return tuple(found)


def _logs(folder: Path) -> tuple[LogFile, ...]:
    found = []
    try:
        with os.scandir(folder / LOGS) as entries:
            for each in entries:
                if _LOG_NAME.fullmatch(each.name) and each.is_file(follow_symlinks=False):
                    found.append(LogFile(each.name, each.stat(follow_symlinks=False).st_size))
    except OSError:
        return ()
    return tuple(sorted(found, key=lambda log: log.name)[:MOST_ROWS])


def scored_episodes(read: IndexReader, path: str) -> dict[tuple[str, int], EpisodeRow]:
    """The scored episodes of a run by task and repeat. Raises RefusedError for too many."""
    chosen = EpisodeFilter(runs=[path], outcomes=[Outcome.SUCCESS, Outcome.FAILURE])
    listed = read.episodes(chosen, page=Page(0, MOST_COMPARED))
    if listed.total > MOST_COMPARED:
        raise RefusedError(400, f"a run of more than {MOST_COMPARED} episodes is not compared")
    return {(each.task_id, each.repeat): each for each in listed.rows}


Scored = Mapping[tuple[str, int], EpisodeRow]


def compare_runs(
    runs: tuple[RunRow, RunRow], found: tuple[Scored, Scored], page: Page
) -> ComparisonView:
    """Two runs, of which ``found`` are the scored episodes; ``page`` of their pairs."""
    first, second = found
    common = sorted(first.keys() & second.keys())
    wins = [(first[key].success, second[key].success) for key in common]
    problem, result = "", None
    if runs[0].suite != runs[1].suite or runs[0].suite_version != runs[1].suite_version:
        problem = "the runs have different suites or rules"
    else:
        try:
            result = compare(_columns(first), _columns(second))
        except ValueError as error:
            problem = str(error)
    pairs = tuple(
        PairRow(
            task_id=key[0],
            group=first[key].group,
            repeat=key[1],
            first=first[key].episode_id,
            second=second[key].episode_id,
            first_success=first[key].success,
            second_success=second[key].success,
        )
        for key in common[page.offset : page.offset + page.limit]
    )
    return ComparisonView(
        first=runs[0],
        second=runs[1],
        same_setting=runs[0].setting == runs[1].setting,
        problem=problem,
        first_rate=result.first_rate if result else None,
        second_rate=result.second_rate if result else None,
        difference=result.difference.difference if result else None,
        low=result.difference.low if result else None,
        high=result.difference.high if result else None,
        p_value=result.p_value if result else None,
        tasks=result.tasks if result else 0,
        pairing=result.pairing if result else "",
        only_first_tasks=result.only_first if result else 0,
        only_second_tasks=result.only_second if result else 0,
        flips=Flips(
            both=wins.count((True, True)),
            only_first=wins.count((True, False)),
            only_second=wins.count((False, True)),
            neither=wins.count((False, False)),
        ),
        pairs=Listed(len(common), pairs),
    )


def _columns(episodes: Scored) -> EpisodeIndex:
    rows = list(episodes.values())
    return EpisodeIndex(
        [each.task_id for each in rows],
        [each.repeat for each in rows],
        [float(each.success) for each in rows],
        [each.cluster or each.task_id for each in rows],
    )


# --- The table of operations

_PAGE = (
    Parameter("offset", "Rows to leave out.", least=0, default="0"),
    Parameter("limit", "Rows of the page.", least=1, most=MOST_ROWS, default="50"),
)
_ORDERS = ("asc", "desc")
_RUN_FILTERS = (
    Parameter("search", "A text in path, suite, agent or model."),
    *(
        Parameter(name, f"One of these values of the run's {name}.", repeated=True)
        for name in ("suite", "task_set", "world", "agent", "model", "condition", "setting")
    ),
    Parameter("status", "One of these states.", repeated=True, choices=choices_of(RunStatus)),
    Parameter("verified", "Whether it was verified.", repeated=True, choices=choices_of(Verified)),
    Parameter("created_from", "ISO 8601 or its beginning, included."),
    Parameter("created_to", "ISO 8601 or its beginning, excluded."),
    Parameter(
        "mixtures", "Whether runs of several agents count.", choices=("yes", "no"), default="yes"
    ),
)
_EPISODE_FILTERS = (
    Parameter("outcome", "How it ended.", repeated=True, choices=choices_of(Outcome)),
    *(
        Parameter(name, f"One of these values of the episode's {name}.", repeated=True)
        for name in ("failure", "group", "task")
    ),
    Parameter("label", "NAME=VALUE; of each NAME, one of its values.", repeated=True),
    Parameter("steps_from", "At least so many steps.", least=0),
    Parameter("steps_to", "At most so many steps.", least=0),
    Parameter("episode_search", "A text in task id, episode id or instruction."),
)
_EPISODE_ROWS = (
    Parameter("sort", "The column.", choices=choices_of(EpisodeSort), default="run"),
    Parameter("order", "Which way.", choices=_ORDERS, default="asc"),
    *_PAGE,
)
_RUN_NAMES = Parameter("run", "One of these runs.", repeated=True)

_RUN = "/api/runs/{run}"
OPERATIONS: tuple[Operation[Api], ...] = (
    Operation("/api/service", "service", "What is served.", Service, Api.service),
    Operation(
        "/api/runs",
        "runs",
        "Runs, filtered and sorted.",
        Listed[RunRow],
        Api.runs,
        (
            *_RUN_FILTERS,
            Parameter("sort", "The column.", choices=choices_of(RunSort), default="created"),
            Parameter("order", "Which way.", choices=_ORDERS, default="desc"),
            *_PAGE,
        ),
    ),
    Operation(
        "/api/facets", "facets", "Values of the chosen runs.", Facets, Api.facets, _RUN_FILTERS
    ),
    Operation(
        "/api/leaderboards",
        "leaderboards",
        "Complete runs, by setting and agent.",
        Leaderboards,
        Api.leaderboards,
        _RUN_FILTERS,
    ),
    Operation(
        "/api/tasks",
        "tasks",
        "Tasks over runs, the hardest first.",
        Listed[TaskRow],
        Api.tasks,
        (*_RUN_FILTERS, *_PAGE),
    ),
    Operation(
        "/api/episodes",
        "episodes",
        "Episodes of all chosen runs.",
        Listed[EpisodeRow],
        Api.episodes,
        (_RUN_NAMES, *_RUN_FILTERS, *_EPISODE_FILTERS, *_EPISODE_ROWS),
    ),
    Operation(
        "/api/episode-facets",
        "episode_facets",
        "Values of the chosen episodes; for each kind, its own filter does not count.",
        EpisodeFacets,
        Api.episode_facets,
        (_RUN_NAMES, *_RUN_FILTERS, *_EPISODE_FILTERS),
    ),
    Operation(
        "/api/comparisons",
        "comparison",
        "Two runs on their common tasks.",
        ComparisonView,
        Api.comparison,
        (
            Parameter("first", "A run.", required=True),
            Parameter("second", "Another run.", required=True),
            *_PAGE,
        ),
    ),
    Operation(
        "/api/partings",
        "parting",
        "The first step at which two episodes part.",
        Parting,
        Api.parting,
        tuple(
            Parameter(name, "A run, or an episode of it.", required=True)
            for name in ("first", "first_episode", "second", "second_episode")
        ),
    ),
    Operation(
        ANNOTATIONS,
        "annotations",
        "What people said about episodes, the oldest first.",
        Listed[AnnotationRow],
        Api.annotations,
        (
            Parameter("run", "Of this run."),
            Parameter("episode", "On this episode."),
            Parameter("tag", "With this tag."),
            *_PAGE,
        ),
    ),
    Operation(
        ANNOTATIONS,
        "annotate",
        "Adds an annotation.",
        AnnotationRow,
        Api.annotate,
        method="post",
        body=NewAnnotation,
    ),
    Operation(
        f"{ANNOTATIONS}/{{annotation}}",
        "forget_annotation",
        "Deletes an annotation.",
        Deleted,
        Api.forget_annotation,
        method="delete",
    ),
    Operation(_RUN, "run", "One run.", RunView, Api.run),
    Operation(
        f"{_RUN}/logs/{{log}}",
        "log",
        "The end of a log.",
        LogTail,
        Api.log,
        (Parameter("bytes", "How much of it.", least=1, most=MOST_TAIL, default="20000"),),
    ),
    Operation(
        f"{_RUN}/figures",
        "figures",
        "The figures of one run's report, drawn for the first request.",
        FiguresView,
        Api.figures,
    ),
    Operation(
        f"{_RUN}/episodes",
        "run_episodes",
        "Episodes of one run.",
        Listed[EpisodeRow],
        Api.run_episodes,
        (*_EPISODE_FILTERS, *_EPISODE_ROWS),
    ),
    Operation(
        f"{_RUN}/episodes/{{episode}}",
        "episode",
        "An episode without its steps.",
        EpisodeView,
        Api.episode,
    ),
    Operation(
        f"{_RUN}/episodes/{{episode}}/steps",
        "steps",
        "A page of an episode's steps.",
        StepPage,
        Api.steps,
        _PAGE,
    ),
    Operation(
        f"{_RUN}/episodes/{{episode}}/facts",
        "facts",
        "What was true at each moment of an episode, from a replay.",
        FactsView,
        Api.facts,
    ),
)
