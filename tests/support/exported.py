"""Runs that are worth exporting, and their export."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from env_service.exports.formats import find_format
from env_service.exports.job import Job, drafted
from env_service.results.run_reader import RunContents
from env_service.results.transcript import StepExchange, Transcript
from tests.support.lab import LabSuite
from tests.support.made_run import USED
from tests.support.viewed import Talking


def export(run: RunContents, out: Path, form: str, **options: Any) -> Path:
    """Exports one run."""
    write = find_format(form).writer(form)
    with drafted(out, form, [run], replace=False) as draft:
        write(Job((run,), draft, **options))
    return out


class Spending(Talking):
    """Its agent reports the usage of a model in each step."""

    def _act(self, *arguments: Any) -> Any:
        transcript: Transcript = arguments[2]
        append = transcript.append

        def spend(exchange: Any) -> None:
            spends = isinstance(exchange, StepExchange)
            append(replace(exchange, usage=USED) if spends else exchange)

        transcript.append = spend  # type: ignore[method-assign]
        return super()._act(*arguments)


class TrainingLab(LabSuite):
    """The laboratory, with tasks for training: all but ``lab/2``."""

    def for_training(self, task_set: str, task_id: str) -> bool:
        return task_set == "lab" and task_id.startswith("lab/") and task_id != "lab/2"


def in_training(run: RunContents) -> RunContents:
    """The run of the laboratory as one of TrainingLab."""
    return replace(run, manifest=replace(run.manifest, suite=f"{__name__}:TrainingLab"))
