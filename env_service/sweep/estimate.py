"""What a sweep will take: steps, tokens, dollars and time, from earlier runs or the suite's facts.

Earlier runs are those in the index of the folder of runs. Estimates are means per episode, times
the episodes that are still to be played. Without earlier runs they are upper bounds: every episode
takes all the steps and all the time that it may.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from env_service.domain.episode import Mode
from env_service.domain.observation import ObservationRequest
from env_service.domain.schedule import Assignment
from env_service.domain.task import Task
from env_service.storage.canonical_json import canonical
from env_service.suites.base import EpisodeOrder, Suite
from env_service.suites.registry import load_suite
from env_service.suites.selection import pick_tasks
from env_service.sweep.settle import SweepRun

if TYPE_CHECKING:
    from env_service.index.run_queries import RunRow

THIS_RUN, SAME_AGENT, OTHER_AGENTS, SUITE, UNKNOWN = (
    "this run so far",
    "earlier runs of the agent",
    "earlier runs of other agents",
    "upper bounds",
    "unknown",
)

_OPENED = 8
"""The largest number of episodes that are opened for their step limit."""


@dataclass(frozen=True, slots=True)
class PerEpisode:
    """Means per episode, None where unknown; ``seconds`` of one session. ``source`` says whence.

    From the source SUITE, they are upper bounds.
    """

    steps: float | None
    tokens: float | None
    dollars: float | None
    seconds: float | None
    source: str


NOTHING_KNOWN = PerEpisode(None, None, None, None, UNKNOWN)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is left of one run: ``episodes`` to play, and what they take; None where unknown."""

    run: SweepRun
    done: int
    episodes: int
    steps: float | None
    tokens: float | None
    dollars: float | None
    hours: float | None
    source: str

    @property
    def bound(self) -> bool:
        """Whether the numbers are upper bounds."""
        return self.source == SUITE

    def to_json(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "id": self.run.entry.id,
            "agent": self.run.entry.agent,
            "suite": self.run.entry.suite,
            "episodes": self.run.planned,
            "done": self.done,
            "steps": self.steps,
            "tokens": self.tokens,
            "usd": self.dollars,
            "hours": self.hours,
            "from": self.source,
            "upper_bound": self.bound,
        }


def estimate(run: SweepRun, done: int, means: PerEpisode) -> Estimate:
    """The estimate for a run of which ``done`` episodes are final."""
    left = max(run.planned - done, 0)
    sessions = max(1, min(run.request.sessions, left))

    def of(mean: float | None) -> float | None:
        return 0.0 if not left else None if mean is None else mean * left

    def within(number: float | None, most: float | None) -> float | None:
        return most if number is None else number if most is None else min(number, most)

    bounded = left and means.source in (SUITE, UNKNOWN)
    most_tokens = run.request.max_tokens if bounded else None
    most_dollars = run.request.max_cost_usd if bounded else None
    seconds = of(means.seconds)
    return Estimate(
        run=run,
        done=done,
        episodes=left,
        steps=of(means.steps),
        tokens=within(of(means.tokens), most_tokens),
        dollars=within(of(means.dollars), most_dollars),
        hours=None if seconds is None else seconds / sessions / 3600,
        source=means.source,
    )


def total_hours(
    estimates: Sequence[Estimate], at_once: int, servers: Mapping[str, int]
) -> float | None:
    """The time of the whole sweep: of the machine, or of its busiest model server.

    None if it is unknown for a run that has episodes left.
    """
    if any(each.hours is None for each in estimates):
        return None
    hours = [each.hours or 0.0 for each in estimates]
    longest = [sum(hours) / at_once, max(hours, default=0.0)]
    for url, most in servers.items():
        own = (
            each.hours or 0.0
            for each in estimates
            if each.run.endpoint is not None and each.run.endpoint.url == url
        )
        longest.append(sum(own) / most)
    return max(longest)


class Means:
    """Means per episode, from the earlier runs of a folder or else from the suite."""

    def __init__(self, rows: Iterable[RunRow]) -> None:
        """``rows`` are runs as the index lists them."""
        self._rows = [row for row in rows if row.scored]
        self._facts: dict[str, _Bounds | None] = {}

    @staticmethod
    def of_folder(out: Path) -> Means:
        """Reads the index of a folder of runs; without the extra ``view``, no run is known."""
        if not out.is_dir() or any(find_spec(name) is None for name in ("sqlalchemy", "alembic")):
            return Means([])
        # The extra may be missing.
        from env_service.index.reading import Page  # noqa: PLC0415
        from env_service.index.run_queries import RunFilter  # noqa: PLC0415
        from env_service.index.store import Index  # noqa: PLC0415

        with Index.open(out) as index:
            index.sync()
            with index.read() as reader:
                return Means(reader.runs(RunFilter(mixtures=False), page=Page(limit=100_000)).rows)

    def of(self, run: SweepRun) -> PerEpisode:
        """The means for a run."""
        played = [row for row in self._rows if _alike(row, run)]
        own = [row for row in played if row.agent == run.manifest.agent]
        if own:
            source = THIS_RUN if any(_same(row, run) for row in own) else SAME_AGENT
            return _means([row for row in own if source == SAME_AGENT or _same(row, run)], source)
        if played:
            found = _means(played, OTHER_AGENTS)
            # What others spend on their models says nothing about this agent.
            return PerEpisode(found.steps, None, None, None, found.source)
        bounds = self._bounds(run)
        return NOTHING_KNOWN if bounds is None else _at_most(run, bounds)

    def _bounds(self, run: SweepRun) -> _Bounds | None:
        manifest = run.manifest
        condition = canonical(dict(manifest.condition)).decode()
        key = "\n".join((manifest.suite, manifest.world, condition, *manifest.task_ids))
        if key not in self._facts:
            self._facts[key] = _bounds(run)
        return self._facts[key]


def _alike(row: RunRow, run: SweepRun) -> bool:
    """Whether an earlier run played the same tasks by the same rules in the same world."""
    manifest = run.manifest
    return (row.suite, row.suite_version, row.task_set_digest, row.world) == (
        manifest.suite,
        manifest.suite_version,
        manifest.task_set_digest,
        manifest.world,
    )


def _same(row: RunRow, run: SweepRun) -> bool:
    manifest = run.manifest
    condition = canonical(dict(manifest.condition)).decode()
    return (
        row.condition == condition
        and row.seed == str(manifest.seed)
        and row.planned == run.planned
        and row.scored > 0
    )


def _means(rows: Sequence[RunRow], source: str) -> PerEpisode:
    scored = sum(row.scored for row in rows)

    def mean(value: Callable[[RunRow], float]) -> float:
        return sum(map(value, rows)) / scored

    called = any(row.calls for row in rows)
    return PerEpisode(
        steps=mean(lambda row: row.steps),
        tokens=mean(lambda row: row.tokens) if called else 0.0,
        dollars=mean(lambda row: row.cost_usd or 0.0) if called else 0.0,
        seconds=mean(lambda row: row.agent_seconds + row.environment_seconds),
        source=source,
    )


# --- Upper bounds, from the facts of a suite


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Means over tasks, per episode: steps, and tokens of one step; None where unknown."""

    steps: float
    input_tokens: float | None
    output_tokens: float


def _at_most(run: SweepRun, bounds: _Bounds) -> PerEpisode:
    """What an episode takes if it takes all of its steps, and all of its time."""
    budgets = run.manifest.budgets
    step, whole = (budgets.get(f"agent_{part}_seconds") for part in ("step", "episode"))
    seconds = [bounds.steps * step if step else None, whole]
    tokens = dollars = None
    if run.asked.spends is False:
        tokens = dollars = 0.0
    elif run.asked.spends and bounds.input_tokens is not None:
        sent, received = bounds.steps * bounds.input_tokens, bounds.steps * bounds.output_tokens
        tokens, dollars = sent + received, _dollars(run, sent, received)
    return PerEpisode(
        steps=bounds.steps,
        tokens=tokens,
        dollars=dollars,
        seconds=min((each for each in seconds if each is not None), default=None),
        source=SUITE,
    )


def _dollars(run: SweepRun, sent: float, received: float) -> float | None:
    """The price of tokens by the agent's file of prices; None if it is unknown."""
    if run.asked.prices is None or find_spec("model_guest") is None:
        return None
    # Comes with the extra of the agents that call models.
    from model_guest.prices import MILLION, PricesError, load_prices  # noqa: PLC0415

    try:
        price = load_prices(run.asked.prices).find(str(run.entry.options.get("model", "")))
    except PricesError:
        # The agent reports it before it plays.
        return None
    return None if price is None else (sent * price.input + received * price.output) / MILLION


def _bounds(run: SweepRun) -> _Bounds | None:
    """The means over a task of each group; None if they are unknown."""
    manifest = run.manifest
    suite, condition = load_suite(manifest.suite), manifest.condition
    with suppress(ValueError, OSError):
        ids = set(manifest.task_ids)
        every = pick_tasks(suite, manifest.task_set, (), 0, condition).tasks
        groups = {task.group: task for task in reversed(every) if task.id in ids}
        tasks = list(groups.values())[:_OPENED]
        facts = [suite.step_facts(task, manifest.world, condition) for task in tasks]
        limits = [
            each.limit or _opened_limit(run, suite, task)
            for each, task in zip(facts, tasks, strict=True)
        ]
        known = [each for each in limits if each is not None]
        if len(known) == len(limits):
            return _Bounds(
                fmean(known),
                _mean([each.input_tokens for each in facts]),
                fmean(each.output_tokens for each in facts),
            )
    return None


def _mean(numbers: Sequence[int | None]) -> float | None:
    known = [each for each in numbers if each is not None]
    return fmean(known) if len(known) == len(numbers) else None


def _opened_limit(run: SweepRun, suite: Suite, task: Task) -> int | None:
    """The step limit that an episode has when it opens, in a world that opens quickly."""
    manifest = run.manifest
    if suite.modes and Mode.STEPWISE not in suite.modes:
        return 1
    # A suite lets one process host a single episode only where its world is a heavy simulator.
    if suite.episodes_per_worker(manifest.world) == 1:
        return None
    request = suite.offer(manifest.condition).grant(ObservationRequest())
    seed = Assignment(task, 0).seed(manifest.seed)
    order = EpisodeOrder(task, manifest.world, manifest.condition, request, seed)
    episode = suite.open_episode(order)
    try:
        return episode.start().max_steps
    finally:
        episode.close()
