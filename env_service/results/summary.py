"""A run's summary: rates with their intervals, failures, and what did not count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean, median
from typing import Any

from env_service.domain.data_node import DataNode
from env_service.domain.usage import Usage
from env_service.results.manifest import SCHEMA_VERSION, Manifest
from env_service.results.records import EpisodeRecord, UncountedRecord, VoidRecord
from env_service.results.statistics import rate_interval


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of ``n`` episodes succeeded.

    ``low`` and ``high`` bound the rate with 95 % confidence (``rate_interval``: Wilson's, or over
    clusters where episodes share one). ``goals_gained`` is the mean of ``share_gained`` (goal
    conditions gained, -1 … 1) over the episodes that have one; None where none has, as in runs
    from before the start was recorded. ``goal_conditions`` is the mean over episodes of the
    fraction of goal conditions that held at the end, those that held from the start included; an
    episode without any counts as 1 or 0, by its success. All are None where ``n`` is 0.
    """

    n: int
    successes: int
    rate: float | None
    low: float | None
    high: float | None
    goal_conditions: float | None
    goals_gained: float | None = None

    @staticmethod
    def of(records: Sequence[EpisodeRecord]) -> Rate:
        """The rate over some episodes."""
        n = len(records)
        if not n:
            return Rate(0, 0, None, None, None, None)
        successes = sum(record.success for record in records)
        low, high = rate_interval(
            [float(record.success) for record in records],
            [record.cluster for record in records],
            [record.task_id for record in records],
        )
        met, gained = mean_goals(records)
        return Rate(n, successes, successes / n, low, high, met, gained)

    def to_json(self) -> dict[str, Any]:
        """The rate as stored in the summary.

        It has goal conditions gained only if they are known, so that older summaries still match
        their episodes.
        """
        known = self.goals_gained is not None
        return {
            "n": self.n,
            "successes": self.successes,
            "success_rate": self.rate,
            "interval_95": None if self.low is None else [self.low, self.high],
            **({"goal_conditions_gained": self.goals_gained} if known else {}),
            "goal_condition_rate": self.goal_conditions,
        }

    @staticmethod
    def read(given: DataNode) -> Rate:
        """Reads a rate. Raises FormatError, which names the error."""
        gained = "goal_conditions_gained"
        rate = given["success_rate"].or_none(DataNode.number)
        low, high = (None, None) if rate is None else _interval(given["interval_95"])
        return Rate(
            n=given["n"].whole(),
            successes=given["successes"].whole(),
            rate=rate,
            low=low,
            high=high,
            goal_conditions=given["goal_condition_rate"].or_none(DataNode.number),
            goals_gained=given[gained].number() if gained in given else None,
        )


def _interval(node: DataNode) -> tuple[float, float]:
    match node.items():
        case [low, high]:
            return low.number(), high.number()
    raise node.error("has to be a list of two numbers")


@dataclass(frozen=True, slots=True)
class Unscored:
    """An episode that the service could not finish: ``fault`` is the class of the last fault."""

    task_id: str
    repeat: int
    voids: int
    fault: str

    def to_json(self) -> dict[str, Any]:
        """The episode as stored in the summary."""
        return asdict(self)

    @staticmethod
    def read(given: DataNode) -> Unscored:
        """Reads an episode. Raises FormatError, which names the error."""
        return Unscored(
            given["task_id"].string(),
            given["repeat"].whole(),
            given["voids"].whole(),
            given["fault"].string(),
        )


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """How often an agent withdrew from an open episode, and how often it had acted in it."""

    episodes: int
    acted: int

    def to_json(self) -> dict[str, int]:
        """The counts as stored in the summary."""
        return {"episodes": self.episodes, "acted": self.acted}

    @staticmethod
    def read(given: DataNode) -> Withdrawn:
        """Reads the counts. Raises FormatError, which names the error."""
        return Withdrawn(given["episodes"].whole(), given["acted"].whole())


@dataclass(frozen=True, slots=True)
class Summary:
    """One run's numbers. No duration affects a rate.

    ``overall`` is over all scored episodes. ``repeats`` has a Rate for each repeat, and
    ``median_rate`` is the median of those (both empty, or None, with a single repeat). ``groups``
    are in alphabetical order. ``failures`` counts failure classes, the most frequent first.
    ``unscored`` lists the planned episodes whose attempts were all voided, or that are still to be
    played after a void; ``unplayed`` counts the others that are to be played. ``voids`` counts each
    agent's voided attempts, without collateral ones, ``withdrawn`` the episodes that it left.
    ``steps_mean`` is over scored episodes; the seconds are sums over them, of the agent's clock and
    of the service's. ``usage`` is what agents report about their models in these,
    ``uncounted_usage`` the same for episodes that did not count: voided, withdrawn, abandoned or
    unscored.
    """

    planned: int
    overall: Rate
    groups: Mapping[str, Rate]
    repeats: tuple[Rate, ...]
    median_rate: float | None
    failures: Mapping[str, int]
    unscored: tuple[Unscored, ...]
    unplayed: int
    voids: Mapping[str, int]
    steps_mean: float | None
    agent_seconds: float
    environment_seconds: float
    withdrawn: Mapping[str, Withdrawn] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    uncounted_usage: Usage = field(default_factory=Usage)

    @property
    def complete(self) -> bool:
        """Whether every planned episode was scored."""
        return self.overall.n == self.planned

    def to_json(self) -> dict[str, Any]:
        """The summary as stored in its file, without the signature.

        Withdrawals and usage are present only if there were any.
        """
        extras: dict[str, Any] = {}
        if self.withdrawn:
            extras["withdrawn"] = {name: left.to_json() for name, left in self.withdrawn.items()}
        if self.usage:
            extras["usage"] = self.usage.to_json()
        if self.uncounted_usage:
            extras["uncounted_usage"] = self.uncounted_usage.to_json()
        return extras | {
            "kind": "summary",
            "schema_version": SCHEMA_VERSION,
            "planned": self.planned,
            "complete": self.complete,
            "overall": self.overall.to_json(),
            "groups": {name: rate.to_json() for name, rate in self.groups.items()},
            "repeats": [rate.to_json() for rate in self.repeats],
            "median_success_rate": self.median_rate,
            "failures": dict(self.failures),
            "unscored": [item.to_json() for item in self.unscored],
            "unplayed": self.unplayed,
            "voids": dict(self.voids),
            "steps_mean": self.steps_mean,
            "agent_seconds": self.agent_seconds,
            "environment_seconds": self.environment_seconds,
        }

    @staticmethod
    def from_json(value: object) -> Summary:
        """Reads a summary. Raises FormatError, which names the error."""
        given = DataNode(value, "summary")

        def usage(key: str) -> Usage:
            return Usage.from_json(given[key].mapping()) if key in given else Usage()

        return Summary(
            planned=given["planned"].whole(),
            overall=Rate.read(given["overall"]),
            groups=given["groups"].mapped(Rate.read),
            repeats=tuple(map(Rate.read, given["repeats"].items())),
            median_rate=given["median_success_rate"].or_none(DataNode.number),
            failures=given["failures"].mapped(DataNode.whole),
            unscored=tuple(map(Unscored.read, given["unscored"].items())),
            unplayed=given["unplayed"].whole(),
            voids=given["voids"].mapped(DataNode.whole),
            steps_mean=given["steps_mean"].or_none(DataNode.number),
            agent_seconds=given["agent_seconds"].number(),
            environment_seconds=given["environment_seconds"].number(),
            withdrawn=given.get("withdrawn", {}).mapped(Withdrawn.read),
            usage=usage("usage"),
            uncounted_usage=usage("uncounted_usage"),
        )


def summarize(
    manifest: Manifest,
    records: Iterable[EpisodeRecord],
    voids: Iterable[VoidRecord],
    uncounted: Iterable[UncountedRecord],
) -> Summary:
    """Computes the summary from a run's three journals.

    The order of records and voids affects only the last faults.
    """
    records, voids, uncounted = tuple(records), tuple(voids), tuple(uncounted)
    scored = [record for record in records if record.fault is None]
    given_up = [record for record in records if record.fault is not None]
    lost: list[EpisodeRecord | VoidRecord | UncountedRecord] = [*given_up, *voids, *uncounted]
    repeats = _by_repeat(manifest, scored)
    rates = [rate.rate for rate in repeats if rate.rate is not None]
    unscored = _unscored(manifest, records, voids)
    tried = {(item.task_id, item.repeat) for item in scored}
    tried |= {(item.task_id, item.repeat) for item in unscored}
    planned = manifest.episodes()
    return Summary(
        planned=len(planned),
        overall=Rate.of(scored),
        groups=_by_group(scored),
        repeats=repeats,
        median_rate=median(rates) if rates else None,
        failures=_count(record.failure for record in scored),
        unscored=unscored,
        unplayed=len(planned) - len(planned.in_order(tried)),
        voids=_count(void.guest for void in voids if not void.collateral),
        steps_mean=fmean(record.steps for record in scored) if scored else None,
        agent_seconds=round(sum(record.agent_seconds for record in scored), 3),
        environment_seconds=round(sum(record.environment_seconds for record in scored), 3),
        withdrawn=_withdrawn(uncounted),
        usage=Usage.total(record.usage for record in scored),
        uncounted_usage=Usage.total(record.usage for record in lost),
    )


def _withdrawn(uncounted: Sequence[UncountedRecord]) -> dict[str, Withdrawn]:
    left: dict[str, list[UncountedRecord]] = {}
    for record in uncounted:
        if record.withdrawn_episode:
            left.setdefault(record.guest, []).append(record)
    return {
        agent: Withdrawn(len(left[agent]), sum(record.steps > 0 for record in left[agent]))
        for agent in sorted(left)
    }


def mean_goals(records: Iterable[EpisodeRecord]) -> tuple[float | None, float | None]:
    """The means over episodes of the shares of goal conditions that hold at the end, and that were
    gained.

    Each is None if no episode has it.
    """
    records = tuple(records)
    met = [record.goals_met for record in records]
    gained = [share for record in records if (share := record.goals_gained) is not None]
    return fmean(met) if met else None, fmean(gained) if gained else None


def _by_group(records: Sequence[EpisodeRecord]) -> dict[str, Rate]:
    groups: dict[str, list[EpisodeRecord]] = {}
    for record in records:
        groups.setdefault(record.group, []).append(record)
    return {name: Rate.of(groups[name]) for name in sorted(groups)}


def _by_repeat(manifest: Manifest, records: Sequence[EpisodeRecord]) -> tuple[Rate, ...]:
    if manifest.repeats < 2:
        return ()
    found: dict[int, list[EpisodeRecord]] = {}
    for record in records:
        found.setdefault(record.repeat, []).append(record)
    return tuple(Rate.of(found.get(repeat, [])) for repeat in range(manifest.repeats))


def _unscored(
    manifest: Manifest, records: Sequence[EpisodeRecord], voids: Sequence[VoidRecord]
) -> tuple[Unscored, ...]:
    faults: dict[tuple[str, int], list[str]] = {}
    for void in voids:
        faults.setdefault((void.task_id, void.repeat), []).append(void.fault)
    given_up = {(r.task_id, r.repeat): r.fault for r in records if r.fault is not None}
    scored = {(r.task_id, r.repeat) for r in records if r.fault is None}
    found = []
    for episode in manifest.episodes().in_order([*given_up, *faults]):
        met = faults.get(episode, [])
        fault = given_up.get(episode) or (met[-1] if met else None)
        if episode not in scored and fault is not None:
            found.append(Unscored(*episode, voids=len(met), fault=fault))
    return tuple(found)


def _count(names: Iterable[str | None]) -> dict[str, int]:
    """How often each name occurs, the most frequent first and equals by name."""
    counts = Counter(name for name in names if name is not None)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
