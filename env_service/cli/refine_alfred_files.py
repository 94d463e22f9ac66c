"""The files that a refinement leaves behind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from env_service.refine.entries import Key
from env_service.refine.outcome import Outcome, count_json, counts, verdicts
from env_service.refine.review import Word, write_review
from env_service.refine.source import Source
from env_service.refine.stages import Stage
from env_service.refine.state import State
from env_service.refine.work import Plan
from env_service.results.atomic import document, write_atomically
from env_service.suites.alfred.dataset.refined import write_records


@dataclass(frozen=True, slots=True)
class Files:
    """The file of records, and those beside it."""

    out: Path
    review: Path
    state: Path
    manifest: Path

    @classmethod
    def beside(cls, out: Path) -> Files:
        """``refined.json``, ``refined.review.csv``, ``refined.state.jsonl`` and
        ``refined.manifest.json``."""
        stem = out.name.removesuffix(".json")
        names = (f"{stem}.review.csv", f"{stem}.state.jsonl", f"{stem}.manifest.json")
        return cls(out, *(out.with_name(name) for name in names))


@dataclass(frozen=True, slots=True)
class Made:
    """What a refinement came to. ``every`` task may be more than the plan has; ``declared``: the
    server's place, without secrets."""

    every: tuple[Source, ...]
    plan: Plan
    stages: tuple[Stage, ...]
    state: State
    files: Files
    outcome: Outcome
    task_set: str
    declared: str

    @property
    def failed(self) -> dict[str, list[str]]:
        """For each task that the model gave no usable text for: of which of the stages."""
        done = {key for key, entry in self.state.entries.items() if entry.done}
        failed: dict[str, list[str]] = {}
        for source in self.plan.sources:
            for stage in self.stages:
                places = len(source.originals) if stage is Stage.INTEGRITY else 1
                keys = ((source.id, stage, place) for place in range(places))
                if not done.issuperset(keys):
                    failed.setdefault(source.id, []).append(stage.value)
        return failed

    def to_json(self) -> dict[str, Any]:
        """What is printed by --json, and what the manifest has beside the settings."""
        found = counts(self.plan, self.stages, self.state.entries)
        told = {
            "task_set": self.task_set,
            "tasks": len(self.plan.sources),
            "records": len(self.outcome.records),
            "lacking": {
                task: [stage.value for stage in stages]
                for task, stages in self.outcome.lacking.items()
            },
            "stages": {stage.value: count_json(count) for stage, count in found.items()},
            "usage": asdict(self.state.usage),
        }
        if Stage.INTEGRITY in self.stages:
            types = verdicts(self.plan, self.state.entries)
            told["integrity"] = {str(number): count for number, count in types.items()}
        return told


def write_files(made: Made, words: Mapping[Key, Word]) -> None:
    """Writes the records that are whole, if any are, the review file, and the manifest."""
    files = made.files
    if made.outcome.records:
        write_atomically(files.out, write_records(made.outcome.records).encode())
    write_review(files.review, made.every, made.state.entries, words)
    manifest = {
        **made.to_json(),
        "houseguest": version("houseguest"),
        "server": made.declared,
        "settings": list(made.state.settings),
    }
    write_atomically(files.manifest, document(manifest))
