"""What the index answers about agents: a leaderboard for each setting of complete runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from sqlalchemy import and_, case, func, select
from sqlalchemy.sql import ColumnElement

from env_service.index.reading import OF_RUNS, interval_of, mean_of
from env_service.index.run_queries import ALL_RUNS, VERIFIED, RunFilter, RunQueries
from env_service.index.schema import EPISODES, RUNS


@dataclass(frozen=True, slots=True)
class Standing:
    """An agent's row on a leaderboard, over all its runs there.

    ``rates`` has the success rate of every repeat of every run, the highest first; ``best`` and
    ``median`` are of these. ``rate``, ``low`` and ``high`` are over all episodes. ``runs`` are
    paths; ``verified`` counts them by their value of `Verified`.
    """

    agent: str
    agent_digest: str
    agent_name: str
    model: str
    runs: tuple[str, ...]
    rates: tuple[float, ...]
    best: float
    median: float
    scored: int
    successes: int
    rate: float
    low: float
    high: float
    goals_gained: float | None
    steps: float
    cost_usd: float | None
    verified: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The complete runs of one setting: equal suite, rules, task set, selected tasks, world,
    condition and time budgets. The best median comes first."""

    setting: str
    suite: str
    suite_version: str
    task_set: str
    task_set_digest: str
    world: str
    condition: str
    tasks: int
    standings: tuple[Standing, ...]


class LeaderboardQueries(RunQueries):
    """Questions about agents over their runs."""

    def leaderboards(
        self,
        chosen: RunFilter = ALL_RUNS,
    ) -> tuple[Leaderboard, ...]:
        """A leaderboard for each setting of the chosen runs, those of the most agents first.

        Only complete runs of a single agent count, because the rate of some tasks is not that of
        all. Runs of one agent with several seeds are repeats; an edited agent is another one.
        """
        complete = and_(
            self.chosen_runs(chosen),
            RUNS.c.status == "complete",
            RUNS.c.mixture == "",
            RUNS.c.scored > 0,
        )
        runs = self.mappings(
            select(RUNS, VERIFIED.label("verified")).where(complete).order_by(RUNS.c.path)
        )
        repeats, episodes = self._repeat_rates(complete), self._scores(complete)
        boards: dict[str, dict[tuple[str, str], list[Mapping[str, Any]]]] = {}
        for row in runs:
            who = row["agent"], row["agent_digest"]
            boards.setdefault(row["setting"], {}).setdefault(who, []).append(row)
        made = []
        for setting, agents in boards.items():
            standings = [_standing(of_agent, repeats, episodes) for of_agent in agents.values()]
            standings.sort(key=lambda each: (-each.median, -each.best, each.agent))
            first = next(iter(agents.values()))[0]
            shared = ("suite", "suite_version", "task_set", "task_set_digest", "world", "condition")
            made.append(
                Leaderboard(
                    setting=setting,
                    tasks=first["planned"] // max(first["repeats"], 1),
                    standings=tuple(standings),
                    **{name: first[name] for name in shared},
                )
            )
        made.sort(key=lambda each: (-len(each.standings), each.suite, each.task_set, each.setting))
        return tuple(made)

    def _repeat_rates(self, where: ColumnElement[bool]) -> dict[int, list[float]]:
        """The success rates of each run's repeats."""
        wins = func.sum(case((EPISODES.c.success, 1), else_=0))
        wanted = (
            select(EPISODES.c.run, wins, func.count())
            .select_from(OF_RUNS)
            .where(where, EPISODES.c.fault.is_(None))
            .group_by(EPISODES.c.run, EPISODES.c.repeat)
            .order_by(EPISODES.c.run, EPISODES.c.repeat)
        )
        rates: dict[int, list[float]] = {}
        for run, won, count in self._connection.execute(wanted):
            rates.setdefault(run, []).append(int(won) / count)
        return rates

    def _scores(self, where: ColumnElement[bool]) -> dict[int, list[tuple[bool, str, str]]]:
        """(success, cluster, task id) of each run's scored episodes."""
        wanted = select(
            EPISODES.c.run, EPISODES.c.success, EPISODES.c.cluster, EPISODES.c.task_id
        ).select_from(OF_RUNS)
        scores: dict[int, list[tuple[bool, str, str]]] = {}
        for run, *score in self._connection.execute(
            wanted.where(where, EPISODES.c.fault.is_(None))
        ):
            scores.setdefault(run, []).append(tuple(score))
        return scores


def _standing(
    runs: Sequence[Mapping[str, Any]],
    repeats: Mapping[int, Sequence[float]],
    episodes: Mapping[int, Sequence[tuple[bool, str, str]]],
) -> Standing:
    """Of the runs of one agent in one setting, at least one."""
    first = runs[0]
    rates = sorted((rate for run in runs for rate in repeats[run["id"]]), reverse=True)
    low, high = interval_of([score for run in runs for score in episodes[run["id"]]])
    scored = sum(run["scored"] for run in runs)
    successes = sum(run["successes"] for run in runs)
    gained = sum(run["gained_n"] for run in runs)
    priced = any(run["calls"] for run in runs)
    return Standing(
        agent=first["agent"],
        agent_digest=first["agent_digest"],
        agent_name=first["agent_name"],
        model=first["model"],
        runs=tuple(run["path"] for run in runs),
        rates=tuple(rates),
        best=rates[0],
        median=median(rates),
        scored=scored,
        successes=successes,
        rate=successes / scored,
        low=low,
        high=high,
        goals_gained=mean_of(sum(run["gained_sum"] for run in runs), gained),
        steps=sum(run["steps"] for run in runs) / scored,
        cost_usd=sum(run["cost_usd"] for run in runs) if priced else None,
        verified=dict(Counter(run["verified"] for run in runs)),
    )
