"""``score.json``: what a submission came to, signed by the house, beside the runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any

from env_service.plain_files import read_plain
from env_service.results.atomic import document, write_atomically
from env_service.results.canonical import parse
from env_service.results.fields import Fields, FormatError
from env_service.results.keys import SIGNATURE, SigningKey
from env_service.results.layout import MOST_MANIFEST, MOST_SCORES, SUMMARY
from env_service.results.reading import RunText
from env_service.submissions.errors import ScoreError
from env_service.submissions.score_rates import (
    ALL_PLANNED,
    NotScored,
    rates_json,
    trials,
)

SCORE = "score.json"
KIND = "score"
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """A run of a score: its place below the score's folder, and what it did not score."""

    folder: str
    run: RunText
    missing: tuple[NotScored, ...]


def result_json(scored: ScoredRun) -> dict[str, Any]:
    """All that a score says of one run. Equal folders give equal results."""
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
    """The rates over the episodes of all runs together."""
    together = [
        trial
        for number, scored in enumerate(runs)
        for trial in trials(scored.run, scored.missing, f"{number}:")
    ]
    return rates_json(together)


def write_score(folder: Path, body: Mapping[str, Any], key: SigningKey) -> Path:
    """Signs a score and puts it in place. Raises OSError."""
    path = folder / SCORE
    signed = key.sign({**body, "public_key": key.public_hex})
    write_atomically(path, document(signed))
    return path


def score_bytes(path: Path) -> bytes:
    """The bytes of a score file, which has to be a plain file. Raises OSError."""
    return read_plain(path, MOST_SCORES, within=path.parent)


def read_score(path: Path) -> dict[str, Any]:
    """The whole of a score file. Raises ScoreError for what is none."""
    try:
        value = parse(score_bytes(path))
        fields = Fields(value, KIND)
        if fields.text("kind") != KIND:
            raise FormatError(f"it is of kind {fields.text('kind')!r}")
        if fields.integer("schema_version") > SCHEMA:
            raise FormatError("it was written by a newer houseguest: install that")
        fields.text("public_key")
        fields.text(SIGNATURE)
        for result in fields.objects("results"):
            run_folder(result.object("run").text("folder"))
    except OSError as error:
        raise ScoreError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise ScoreError(f"{path} is no score: {error}") from error
    body: dict[str, Any] = value
    return body


def run_folder(text: str) -> PurePosixPath:
    """The place of a run below its score's folder. Raises FormatError for one that is not."""
    place = PurePosixPath(text)
    if not text or place.is_absolute() or ".." in place.parts:
        raise FormatError(f"{text!r} is no folder beside the score")
    return place
