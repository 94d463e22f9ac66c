"""What experiment trackers get of a run: one tracker run each, with parameters, metrics, a table of
episodes and some pictures.

Every part can be sent again: a tracker run is found by the id of the Houseguest run, and what it
has already is not sent twice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from io import BytesIO
from typing import Protocol

from PIL import Image

from env_service.domain.usage import Usage
from env_service.exports.conversation import Conversation
from env_service.exports.job import Job, model_of
from env_service.results.episode_reader import Shot
from env_service.results.manifest import mixture
from env_service.results.records import EpisodeRecord
from env_service.results.report.episode_table import Table, episode_table
from env_service.results.report.runs import agent_name
from env_service.results.run_reader import RunContents
from env_service.results.summary import Rate
from env_service.storage.canonical_json import canonical

PLACE = "houseguest"
"""The project or experiment, unless the tracker's own settings name another."""
MOST_POINTS = 500
"""Points of a curve; longer runs have a point for every second, third … episode."""
MOST_PICTURED = 16
"""Episodes of which a tracker gets pictures."""
_MOST_GROUPS = 50
_CREDENTIALS = re.compile(r"(?<=://)[^/\s@]+@")
_RUN_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class TrackerError(Exception):
    """A tracker does not take the run. The message is for users."""


@dataclass(frozen=True, slots=True)
class Point:
    """The numbers after ``episodes`` final episodes, by name."""

    episodes: int
    numbers: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Pictured:
    """An episode with the first and last picture that its agent received."""

    record: EpisodeRecord
    first: Image.Image
    last: Image.Image

    @property
    def caption(self) -> str:
        """The task, the repeat and the outcome."""
        outcome = "success" if self.record.success else self.record.failure or "failure"
        return f"{self.record.task_id}, repeat {self.record.repeat}: {outcome}"


class Tracker(Protocol):
    """One run in a tracker, open for writing.

    ``id`` is the tracker's id of it, ``link`` where to find it, without credentials. ``sent`` is
    the number of episodes of its latest point, ``content`` the digest of the last whole content;
    0 and empty for a new one. Methods raise TrackerError and the tracker's own errors.
    """

    id: str
    link: str
    sent: int
    content: str

    def describe(self, parameters: Mapping[str, str | int | float]) -> None:
        """Sets parameters. Those that the tracker cannot change keep their first value."""

    def log(self, points: Sequence[Point]) -> None:
        """Adds points to the curves; all are later than ``sent``."""

    def summarize(self, numbers: Mapping[str, float]) -> None:
        """Sets the run's numbers."""

    def add(self, table: Table, pictures: Sequence[Pictured]) -> None:
        """Sets the table of episodes and the pictures."""

    def close(self, *, complete: bool, content: str) -> None:
        """Ends the session, once all is sent; the content is noted unless it is empty."""


def export(job: Job, open_run: Callable[[RunContents], Tracker]) -> None:
    """Sends every run of a job, and says where it is. Raises as ``Tracker`` and ``pictured``."""
    for run in job.runs:
        tracker = open_run(run)
        changed = send(run, tracker, pictures=job.pictures)
        job.say(f"{run.path.name} {'->' if changed else 'is unchanged:'} {tracker.link}")
        for _ in run.episodes:
            job.advance()


@contextmanager
def errors_of(tracker: str, kind: type[Exception]) -> Iterator[None]:
    """Raises TrackerError in place of a tracker's own errors."""
    try:
        yield
    except kind as error:
        raise TrackerError(f"{tracker}: {redacted(str(error))}") from error


def send(run: RunContents, tracker: Tracker, *, pictures: bool = True) -> bool:
    """Sends the whole run, and closes the tracker; whether anything has changed."""
    content = digest(run, pictures=pictures)
    changed = tracker.content != content
    try:
        if changed:
            send_progress(run, tracker)
            shown = pictured(run) if pictures else []
            tracker.add(episode_table([(run, _ordered(run))]), shown)
    except BaseException:
        with suppress(Exception):
            tracker.close(complete=False, content="")
        raise
    tracker.close(complete=run.summary.complete, content=content)
    return changed


def send_progress(run: RunContents, tracker: Tracker) -> None:
    """Sends the parameters, the new points and the run's numbers so far."""
    if run.episodes:
        # Agents declare their model with the first episode, and some parameters never change.
        tracker.describe(parameters(run))
    tracker.log(list(points(run, tracker.sent)))
    tracker.summarize(numbers(run))


def digest(run: RunContents, *, pictures: bool) -> str:
    """SHA-256 (hex) of what is sent of a run."""
    heads = [each.transcript_head for each in run.episodes]
    lost = [len(run.voids), len(run.uncounted)]
    made = [version("houseguest"), run.manifest.run_id, pictures]
    return sha256(canonical([*made, parameters(run), heads, lost])).hexdigest()


def run_key(run: RunContents) -> str:
    """The run's id, by which a tracker run is found; its digest if trackers cannot store it."""
    given = run.manifest.run_id
    return given if _RUN_ID.fullmatch(given) else sha256(given.encode()).hexdigest()


def redacted(text: str) -> str:
    """A text without the user names and passwords of its URLs."""
    return _CREDENTIALS.sub("", text)


# --- Parameters


def parameters(run: RunContents) -> dict[str, str | int | float]:
    """What was played, with which agent and under which condition, by name."""
    manifest = run.manifest
    mixed = "; ".join(mixture(manifest))
    return {
        "suite": manifest.suite,
        "suite_version": manifest.suite_version,
        "task_set": manifest.task_set,
        "tasks": len(manifest.task_ids),
        "repeats": manifest.repeats,
        "seed": manifest.seed,
        "world": manifest.world,
        "agent": agent_name(manifest),
        **({"model": model} if (model := model_of(manifest)) else {}),
        **{f"setting/{name}": value for name, value in sorted(manifest.condition.items())},
        **{f"budget/{name}": value for name, value in sorted(manifest.budgets.items())},
        **({"mixture": mixed} if mixed else {}),
        "created": manifest.created,
        "houseguest": manifest.versions.get("houseguest", ""),
        "run_id": manifest.run_id,
        "run_folder": str(run.path),
    }


# --- Metrics


def points(run: RunContents, after: int = 0) -> Iterator[Point]:
    """The curves: numbers of the first episodes in the order in which they ended.

    The points of a run never change while it grows.
    """
    planned = len(run.manifest.task_ids) * run.manifest.repeats
    stride = -(-planned // MOST_POINTS) or 1
    scored: list[EpisodeRecord] = []
    usage = Usage()
    for count, record in enumerate(run.episodes, 1):
        if record.fault is None:
            scored.append(record)
            usage += record.usage
        if count > after and count % stride == 0:
            found = {
                "episodes": float(count),
                "unscored": float(count - len(scored)),
                **_rates(Rate.of(scored)),
                **_spent(usage),
                **_of_episode(record),
            }
            yield Point(count, found)


def numbers(run: RunContents) -> dict[str, float]:
    """The numbers of the run's summary."""
    summary = run.summary
    found = {
        "episodes": len(run.episodes),
        "planned": summary.planned,
        "complete": summary.complete,
        "unplayed": summary.unplayed,
        "unscored": len(summary.unscored),
        "voids": sum(summary.voids.values()),
        "withdrawn": sum(each.episodes for each in summary.withdrawn.values()),
        "median_success_rate": summary.median_rate,
        "steps_mean": summary.steps_mean,
        "agent_seconds": summary.agent_seconds,
        "environment_seconds": summary.environment_seconds,
        **_rates(summary.overall),
        **_spent(summary.usage),
        **_spent(summary.uncounted_usage, "uncounted_"),
        **{f"failures/{name}": count for name, count in summary.failures.items()},
    }
    groups = list(summary.groups.items())[:_MOST_GROUPS]
    if len(groups) > 1:
        found |= {f"group/{name}/success_rate": rate.rate for name, rate in groups}
    return {name: float(value) for name, value in found.items() if value is not None}


def _rates(rate: Rate) -> dict[str, float]:
    found = {
        "scored": rate.n,
        "successes": rate.successes,
        "success_rate": rate.rate,
        "success_rate_low": rate.low,
        "success_rate_high": rate.high,
        "goal_conditions": rate.goal_conditions,
        "goal_conditions_gained": rate.goals_gained,
    }
    return {name: float(value) for name, value in found.items() if value is not None}


def _spent(usage: Usage, prefix: str = "") -> dict[str, float]:
    if not usage:
        return {}
    found = {
        "model_calls": usage.calls,
        "tokens": usage.tokens,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": usage.cost_usd,
    }
    return {prefix + name: float(value) for name, value in found.items()}


def _of_episode(record: EpisodeRecord) -> dict[str, float]:
    found = {"episode/steps": float(record.steps), "episode/agent_seconds": record.agent_seconds}
    if record.fault is None:
        found |= {
            "episode/success": float(record.success),
            "episode/goal_conditions": record.goals_met,
        }
    return found


# --- Pictures


def _ordered(run: RunContents) -> list[EpisodeRecord]:
    return list(Job((run,), run.path).episodes(run))


def pictured(run: RunContents) -> list[Pictured]:
    """Pictures of the first episodes of each outcome, in the order of the tasks.

    Raises UnreadableEpisodeError.
    """
    found: list[Pictured] = []
    taken: Counter[bool] = Counter()
    for record in _ordered(run):
        if len(found) >= MOST_PICTURED:
            break
        if record.fault is not None or taken[record.success] >= MOST_PICTURED // 2:
            continue
        taken[record.success] += 1
        conversation = Conversation(run, record)
        shots = list(_shots(conversation))
        if shots:
            first, last = (_image(conversation, shots[place]) for place in (0, -1))
            found.append(Pictured(record, first, last))
    return found


def _shots(conversation: Conversation) -> Iterator[Shot]:
    """The first picture of every observation that has one."""
    yield from conversation.shots[:1]
    for turn in conversation.turns():
        yield from turn.shots[:1]


def _image(conversation: Conversation, shot: Shot) -> Image.Image:
    return Image.open(BytesIO(conversation.picture(shot).data))
