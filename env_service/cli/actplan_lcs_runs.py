"""``houseguest actplan lcs RUN``: plans of runs, whose scores their folders keep for reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from env_service.cli.errors import Failure, Misuse
from env_service.cli.output import progress

if TYPE_CHECKING:
    from env_service.results.manifest import Manifest
    from env_service.results.reading import RunText
    from env_service.results.records import EpisodeRecord
    from env_service.suites.actplan.lcs.encoder import TransformersEncoder
    from env_service.suites.actplan.lcs.gathering import Golds, Instance
    from env_service.suites.actplan.lcs.played import PlayedPlan, ScoredPlan
    from env_service.suites.actplan.lcs.scoring import Score, Scorer, Settings

_SUITE = "actplan"


@dataclass(frozen=True, slots=True)
class PlayedRun:
    """A run's plans. ``model``: by what they were made; ``heads``: of their transcripts, in the
    plans' order."""

    path: Path
    model: str
    plans: tuple[PlayedPlan, ...]
    heads: tuple[str, ...]

    @property
    def without(self) -> tuple[str, ...]:
        """The tasks of plans for which there is no gold."""
        return tuple(each.task_id for each in self.plans if not each.cases)


def read_played(path: Path, instances: Sequence[Instance], name: str) -> PlayedRun:
    """The plans of a run's scored episodes. ``name``: of the model; empty: as it was declared.

    Raises Misuse where it is a run of another suite, has no such episode, or a transcript is not as
    it was recorded.
    """
    from env_service.cli.recorded_episodes import open_run
    from env_service.suites.actplan.lcs.gathering import Golds
    from env_service.suites.actplan.task_sets import PUBLISHED_SETS

    run = open_run(path, _SUITE, "compared")
    records = [record for record in run.episodes if record.fault is None]
    if not records:
        raise Misuse(f"{path} has no scored episode yet.")
    # Tasks of one's own may be called as published ones are.
    golds = Golds(instances if run.manifest.task_set in PUBLISHED_SETS else ())
    model = name or _model(run.manifest) or path.resolve().name
    with progress("reading plans", len(records)) as advance:
        plans = []
        for record in records:
            plans.append(_plan(run, record, (model, golds)))
            advance()
    heads = tuple(record.transcript_head for record in records)
    return PlayedRun(path, model, tuple(plans), heads)


def score_runs(
    runs: Sequence[PlayedRun], scorer: Scorer, settings: Settings
) -> list[list[ScoredPlan]]:
    """For each run its plans' scores, in both modes; the steps of all are encoded at once."""
    from env_service.suites.actplan.lcs.played import score_played

    every = [plan for run in runs for plan in run.plans]
    scored = iter(score_played(every, scorer, settings))
    return [[next(scored) for _ in run.plans] for run in runs]


def shown_scores(
    run: PlayedRun, scored: Sequence[ScoredPlan], settings: Settings, taken: Sequence[str]
) -> list[Score]:
    """Its scores in the mode that was asked for, under the model's name; under the folder's, where
    another has the same (``taken``: the names of all)."""
    name = run.model if taken.count(run.model) == 1 else str(run.path)
    own = [score for plan in scored for score in plan.scores[settings.mode]]
    return [replace(score, case=replace(score.case, model=name)) for score in own]


def keep(
    run: PlayedRun,
    scored: Sequence[ScoredPlan],
    settings: Settings,
    encoder: TransformersEncoder,
) -> Path:
    """Writes a run's scores into its folder, where reports find them. Raises Failure where that
    cannot be written."""
    from env_service.results.added import AddedScore, AddedScores, write_added
    from env_service.suites.actplan.lcs.numbers import SCORES
    from env_service.suites.actplan.lcs.played import told

    episodes = tuple(
        AddedScore(
            episode_id=each.plan.episode_id,
            task_id=each.plan.task_id,
            transcript_head=head,
            metrics=each.metrics(),
            details=each.details(),
        )
        for each, head in zip(scored, run.heads, strict=True)
    )
    words = told((encoder.name, encoder.digest), run.model, settings)
    scores = AddedScores(SCORES, words, _settings(run, settings, encoder), episodes)
    try:
        return write_added(run.path, scores)
    except OSError as error:
        raise Failure(
            f"the scores cannot be kept in {run.path}: {error.strerror}; reports look for them"
            " there, so make it writable, or copy the run",
            kind="NotKept",
        ) from error


def _settings(
    run: PlayedRun, settings: Settings, encoder: TransformersEncoder
) -> Mapping[str, Any]:
    from env_service.suites.actplan.lcs.played import golds_digest

    return {
        "model": run.model,
        "encoder": encoder.name,
        "encoder_digest": encoder.digest,
        "threshold": settings.threshold,
        "against": settings.against or None,
        "golds_digest": golds_digest(run.plans),
    }


def _plan(run: RunText, record: EpisodeRecord, by: tuple[str, Golds]) -> PlayedPlan:
    from env_service.cli.recorded_episodes import read_said
    from env_service.suites.actplan.episode import plan_of
    from env_service.suites.actplan.lcs.played import played_plan

    said = read_said(run, record)
    if said.head != record.transcript_head:
        raise Misuse(
            f"the transcript of {record.task_id} is not as it was recorded, and so its plan may"
            f" not be: `houseguest verify {run.path}` says more."
        )
    plan = plan_of(said.order, said.actions)
    return played_plan(record.episode_id, record.task_id, plan, by)


def _model(manifest: Manifest) -> str:
    """The model that the agents of a run declared, without the hub's folder; empty of several."""
    names = {str(each["model"]) for each in manifest.declared if each.get("model")}
    return names.pop().rpartition("/")[2] if len(names) == 1 else ""
