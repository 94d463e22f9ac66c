"""The card of a data set for the Hugging Face Hub: ``README.md`` with a YAML header."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import yaml

from env_service.domain.text import counted, safe
from env_service.exports.job import Job, model_of
from env_service.results.report.episode_table import Column, Kind
from env_service.results.report.runs import agent_name
from env_service.results.run_reader import RunContents
from env_service.results.summary import Rate

FILE = "README.md"
UNKNOWN = "unknown"
"""The Hub's name of an unknown license."""

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_FEATURES: Mapping[Kind, Mapping[str, str]] = {
    Kind.TEXT: {"dtype": "string"},
    Kind.FLAG: {"dtype": "bool"},
    Kind.WHOLE: {"dtype": "int64"},
    Kind.NUMBER: {"dtype": "float64"},
    Kind.PICTURES: {"sequence": "image"},
}


def header(
    job: Job, name: str, configs: Sequence[Mapping[str, Any]], rows: int, **more: Any
) -> str:
    """The YAML header. ``configs`` are as the Hub defines them, ``rows`` is the size of the main
    one, ``more`` are further fields."""
    size = next((label for most, label in _SIZES if rows < most), "n>1M")
    suites = sorted({run.manifest.suite for run in job.runs})
    fields = {
        "pretty_name": name,
        "license": job.license or UNKNOWN,
        "tags": ["houseguest", "agents", "trajectories", *map(safe, suites)],
        "size_categories": [size],
        "configs": list(configs),
        **more,
    }
    return f"---\n{yaml.safe_dump(fields, sort_keys=False, allow_unicode=True)}---\n"


def features(columns: Iterable[Column]) -> list[dict[str, str]]:
    """A table's columns as the header describes them."""
    return [{"name": each.name, **_FEATURES[each.kind]} for each in columns]


def feature(column: Column) -> dict[str, Any]:
    """A column as Parquet files for ``datasets`` describe it."""
    if column.kind is Kind.PICTURES:
        return {"feature": {"_type": "Image"}, "_type": "Sequence"}
    return {**_FEATURES[column.kind], "_type": "Value"}


def made_by(job: Job) -> str:
    """How the data were made: versions, and for each run what it is and how it scored."""
    rows = [_run_row(job, run) for run in job.runs]
    head = ("run", "suite", "task set", "world", "agent", "model", "episodes", "success (95 %)")
    return "\n".join(
        [
            "## How it was made",
            "",
            f"Houseguest {version('houseguest')} recorded the episodes and exported"
            f" {counted(job.total, 'episode')} of {counted(len(rows), 'run')}. Scores are those of"
            " the exported episodes.",
            "",
            table(head, rows),
            "",
            "## Provenance",
            "",
            "`houseguest verify` checks a run against these ids and digests.",
            "",
            table(
                ("run", "run id", "created", "rules", "task set digest", "settings", "seed"),
                [_origin_row(job, run) for run in job.runs],
            ),
        ]
    )


def _run_row(job: Job, run: RunContents) -> tuple[str, ...]:
    manifest = run.manifest
    rate = Rate.of([each for each in job.episodes(run) if each.fault is None])
    known = rate.rate is not None and rate.low is not None and rate.high is not None
    score = f"{rate.rate:.1%} ({rate.low:.1%} – {rate.high:.1%})" if known else "–"
    planned = len(manifest.task_ids) * manifest.repeats
    return (
        job.name(run),
        manifest.suite,
        manifest.task_set,
        manifest.world,
        agent_name(manifest),
        model_of(manifest) or "–",
        f"{sum(1 for _ in job.episodes(run))} of {planned}",
        score,
    )


def _origin_row(job: Job, run: RunContents) -> tuple[str, ...]:
    manifest = run.manifest
    return (
        job.name(run),
        manifest.run_id,
        manifest.created,
        manifest.suite_version,
        manifest.task_set_digest,
        ", ".join(f"{name}={value}" for name, value in sorted(manifest.condition.items())),
        str(manifest.seed),
    )


def schema(columns: Iterable[Column]) -> str:
    """A table's columns for readers."""
    rows = [(f"`{each.name}`", each.kind.value, each.meaning or "–") for each in columns]
    return table(("column", "value", "meaning"), rows)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown; texts of runs cannot break out of their cells."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    shown = " ".join(safe(text).split())
    return shown.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
