"""``score.json``: a submission's results, computed from its runs and signed by the service."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from statistics import fmean
from typing import Any

from env_service.domain.data_node import DataNode, FormatError
from env_service.results.manifest import mixture
from env_service.results.run_layout import MOST_MANIFEST, MOST_SCORES, SUMMARY
from env_service.results.run_reader import RunContents
from env_service.results.statistics import rate_interval
from env_service.storage.atomic_files import document, write_atomically
from env_service.storage.canonical_json import parse
from env_service.storage.plain_files import read_plain
from env_service.storage.signing_key import SIGNATURE, SigningKey
from env_service.submissions.failures import ScoreError

SCORE = "score.json"
KIND = "score"
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """A run of a score: its folder relative to the score's, and its episodes without a score."""

    folder: str
    run: RunContents
    missing: tuple[NotScored, ...]


def result_json(scored: ScoredRun) -> dict[str, Any]:
    """A score's entry for one run. Equal run folders give equal entries."""
    run, manifest = scored.run, scored.run.manifest
    summary = run.summary
    return {
        "suite": manifest.suite,
        "suite_version": manifest.suite_version,
        "task_set": manifest.task_set,
        "task_set_digest": manifest.task_set_digest,
        "world": manifest.world,
        "world_facts": dict(manifest.world_facts),
        "condition": dict(manifest.condition),
        "budgets": {name: float(value) for name, value in manifest.budgets.items()},
        "repeats": manifest.repeats,
        "seed": manifest.seed,
        "protocol_revision": manifest.protocol_revision,
        "declared": [dict(each) for each in manifest.declared],
        "run": {
            "folder": scored.folder,
            "run_id": manifest.run_id,
            "identity": manifest.identity(),
            "summary_sha256": sha256(_summary_bytes(run.path)).hexdigest(),
        },
        "mixture": list(mixture(manifest)),
        "planned": summary.planned,
        "reported": ALL_PLANNED,
        "rates": rates_json(trials(run, scored.missing)),
        "failures": dict(summary.failures),
        "not_scored": [each.to_json() for each in scored.missing],
        "episodes": [
            {
                "episode_id": each.episode_id,
                "task_id": each.task_id,
                "repeat": each.repeat,
                "success": each.success,
                "failure": each.failure,
                "transcript_head": each.transcript_head,
            }
            for each in run.episodes
            if each.fault is None
        ],
    }


def _summary_bytes(run: Path) -> bytes:
    return read_plain(run / SUMMARY, MOST_MANIFEST, within=run)


def overall_json(runs: Iterable[ScoredRun]) -> dict[str, Any]:
    """The rates over the episodes of all runs combined."""
    together = [
        trial
        for number, scored in enumerate(runs)
        for trial in trials(scored.run, scored.missing, f"{number}:")
    ]
    return rates_json(together)


def write_score(folder: Path, body: Mapping[str, Any], key: SigningKey) -> Path:
    """Signs a score and writes it atomically. Raises OSError."""
    path = folder / SCORE
    signed = key.sign({**body, "public_key": key.public_hex})
    write_atomically(path, document(signed))
    return path


def score_bytes(path: Path) -> bytes:
    """The bytes of a score file, which must be a plain file. Raises OSError."""
    return read_plain(path, MOST_SCORES, within=path.parent)


def read_score(path: Path) -> dict[str, Any]:
    """The document in a score file. Raises ScoreError if the file is not a score."""
    try:
        value = parse(score_bytes(path))
        fields = DataNode(value, KIND)
        if fields["kind"].string() != KIND:
            raise FormatError(f"it is of kind {fields['kind'].value!r}")
        if fields["schema_version"].whole() > SCHEMA:
            raise FormatError("it was written by a newer Houseguest: upgrade Houseguest")
        fields["public_key"].string()
        fields[SIGNATURE].string()
        for result in fields["results"].items():
            run_folder(result["run"]["folder"].string())
    except OSError as error:
        raise ScoreError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise ScoreError(f"{path} is not a score: {error}") from error
    body: dict[str, Any] = value
    return body


def run_folder(text: str) -> PurePosixPath:
    """A run's folder relative to its score's. Raises FormatError for a path outside of it."""
    place = PurePosixPath(text)
    if not text or place.is_absolute() or ".." in place.parts:
        raise FormatError(f"the run folder {text!r} is not inside the score's folder")
    return place


# --- Success rates of a score, computed only from runs

ALL_PLANNED = "over_all_planned"
"""The reported rate: a planned episode without a score counts as not successful."""
PLAYED = "over_played"
"""The rate over scored episodes only."""
GAINED, MET = "goal_conditions_gained", "goal_condition_rate"
"""Means over the episodes of a rate, reported with it."""
UNPLAYED, UNSCORED = "unplayed", "unscored"


@dataclass(frozen=True, slots=True)
class NotScored:
    """A planned episode without a score.

    ``why`` is UNPLAYED, or UNSCORED if the service voided every attempt; ``fault`` is then the
    class of the last fault. ``cluster`` is the task's cluster, for the interval.
    """

    task_id: str
    repeat: int
    cluster: str
    why: str
    fault: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The entry as a score lists it."""
        return {
            "task_id": self.task_id,
            "repeat": self.repeat,
            "cluster": self.cluster,
            "why": self.why,
            "fault": self.fault,
        }

    @staticmethod
    def read(fields: DataNode) -> NotScored:
        """Reads an entry. Raises FormatError."""
        return NotScored(
            task_id=fields["task_id"].string(),
            repeat=fields["repeat"].whole(),
            cluster=fields["cluster"].string(),
            why=fields["why"].one_of("reason", (UNPLAYED, UNSCORED)),
            fault=fields["fault"].or_none(DataNode.string),
        )


@dataclass(frozen=True, slots=True)
class Trial:
    """The data of one planned episode that a rate needs.

    ``gained`` is the share of goal conditions that the agent gained, ``met`` the share that holds
    at the end. Both are None if the episode records none, and 0 for an episode without a score.
    """

    task_id: str
    cluster: str
    success: bool
    scored: bool
    gained: float | None = None
    met: float | None = None


def not_scored(run: RunContents, clusters: Mapping[str, str]) -> tuple[NotScored, ...]:
    """The planned episodes of a run that have no score, in playing order.

    ``clusters`` maps every task that may be among them to its cluster.
    """
    summary = run.summary
    faults = {(each.task_id, each.repeat): each.fault for each in summary.unscored}
    scored = {(each.task_id, each.repeat) for each in run.episodes if each.fault is None}
    return tuple(
        NotScored(
            task_id=task,
            repeat=repeat,
            cluster=clusters[task],
            why=UNSCORED if (task, repeat) in faults else UNPLAYED,
            fault=faults.get((task, repeat)),
        )
        for task, repeat in run.manifest.episodes()
        if (task, repeat) not in scored
    )


def trials(run: RunContents, missing: Iterable[NotScored], prefix: str = "") -> list[Trial]:
    """Every planned episode of a run; ``prefix`` distinguishes the tasks of different runs."""
    played = [
        Trial(
            prefix + each.task_id,
            prefix + each.cluster,
            each.success,
            scored=True,
            gained=each.goals_gained,
            met=each.goals_met,
        )
        for each in run.episodes
        if each.fault is None
    ]
    lost = [
        Trial(
            prefix + each.task_id,
            prefix + each.cluster,
            success=False,
            scored=False,
            gained=0.0,
            met=0.0,
        )
        for each in missing
    ]
    return [*played, *lost]


def rates_json(planned: Sequence[Trial]) -> dict[str, Any]:
    """Both rates by name, each with its 95 % interval (``rate_interval``).

    If a played episode records goal conditions, each rate also has the mean share gained and the
    mean share that holds at the end. Runs of earlier releases, which did not record the start of an
    episode, lack both.
    """
    known = any(trial.scored and trial.gained is not None for trial in planned)
    played = [trial for trial in planned if trial.scored]
    return {
        name: _rate(counted) | (_goals(counted) if known else {})
        for name, counted in ((ALL_PLANNED, planned), (PLAYED, played))
    }


def _goals(counted: Sequence[Trial]) -> dict[str, float]:
    gained = [trial.gained for trial in counted if trial.gained is not None]
    met = [trial.met for trial in counted if trial.met is not None]
    return {GAINED: fmean(gained), MET: fmean(met)}


def _rate(counted: Sequence[Trial]) -> dict[str, Any]:
    n, successes = len(counted), sum(trial.success for trial in counted)
    if not n:
        return {"n": 0, "successes": 0, "success_rate": None, "interval_95": None}
    low, high = rate_interval(
        [float(trial.success) for trial in counted],
        [trial.cluster for trial in counted],
        [trial.task_id for trial in counted],
    )
    return {
        "n": n,
        "successes": successes,
        "success_rate": successes / n,
        "interval_95": [low, high],
    }
