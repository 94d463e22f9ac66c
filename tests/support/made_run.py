"""Runs that were never played: records made up, for whatever reads a run and checks no proof."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from env_service.domain.episode import GoalCondition
from env_service.domain.usage import Usage
from env_service.results.manifest import Manifest
from env_service.results.records import EpisodeRecord
from env_service.results.run_layout import EPISODES, MANIFEST, VOIDS
from env_service.results.run_reader import RunContents
from env_service.storage.atomic_files import document
from env_service.storage.canonical_json import canonical
from tests.support.lab import LabSuite
from tests.support.played_run import lab_manifest

TASKS = {task.id: task for task in LabSuite().task_sets()["lab"].tasks}
USED = Usage(calls=2, input_tokens=1000, output_tokens=200, seconds=3.0, cost_usd=0.01)


def won(task: int, repeat: int = 0) -> bool:
    """A pattern with a separate rate in each group: groups 0 and 1 win most."""
    return (task * 7 + repeat) % 10 > task % 5 + 2


def made_record(number: int, *, repeat: int = 0, success: bool, **changes: object) -> EpisodeRecord:
    """An episode of lab task ``number``, with numbers that follow from it alone."""
    task = TASKS[f"lab/{number}"]
    record = EpisodeRecord(
        episode_id=f"ep-{number}-{repeat}",
        task_id=task.id,
        group=task.group,
        cluster=task.cluster,
        repeat=repeat,
        seed=number,
        success=success,
        failure=None if success else ("max_steps" if number % 3 else "gave_up"),
        goal_conditions=(
            GoalCondition("tidy", True, held_at_start=True),
            GoalCondition("won", success, held_at_start=False),
        ),
        steps=5 + number % 7 + 10 * (not success),
        agent_seconds=2.0 + number,
        environment_seconds=0.5,
        session="s-1",
        guest="made",
        transcript_head="0" * 64,
        exchanges=3,
        metrics={"refusals": float(number % 5), "valid": float(number % 4 > 0)},
        labels={"said": "yes" if success else "no", "true": "yes" if number % 3 else "no"},
    )
    return replace(record, **changes)  # type: ignore[arg-type]


def made_text(
    name: str = "run",
    *,
    tasks: int = 20,
    repeats: int = 1,
    wins: Callable[[int, int], bool] = won,
    usage: Usage | None = None,
    **manifest: object,
) -> RunContents:
    """A complete run of the first laboratory tasks; ``manifest`` are changes to its manifest."""
    base = replace(lab_manifest(tasks=tasks, repeats=repeats), run_id=name, **manifest)  # type: ignore[arg-type]
    records = [
        made_record(number, repeat=repeat, success=wins(number, repeat), usage=usage or Usage())
        for repeat in range(repeats)
        for number in range(tasks)
    ]
    return RunContents(Path("runs") / name, base, tuple(records), ())


def with_condition(manifest: Manifest, **settings: str) -> dict[str, str]:
    """The manifest's condition with other values."""
    return {**manifest.condition, **settings}


def write_run(
    root: Path, text: RunContents, records: Sequence[EpisodeRecord] | None = None
) -> Path:
    """Writes a made-up run's folder below ``root``; nothing in it is signed."""
    folder = root / text.path.name
    folder.mkdir(parents=True)
    (folder / MANIFEST).write_bytes(document(text.manifest.to_json()))
    lines = [
        canonical(record.to_json()) + b"\n"
        for record in (text.episodes if records is None else records)
    ]
    (folder / EPISODES).write_bytes(b"".join(lines))
    if text.voids:
        voids = [canonical(void.to_json()) + b"\n" for void in text.voids]
        (folder / VOIDS).write_bytes(b"".join(voids))
    return folder
