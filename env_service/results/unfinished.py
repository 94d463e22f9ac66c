"""Finds the episodes in which a process that played a run was killed."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from env_service.results.fields import Fields, FormatError
from env_service.results.manifest import Manifest
from env_service.results.records import episode_id
from env_service.results.transcript import read_transcript
from env_service.results.uncounted import Cause, UncountedRecord


def found_killed(
    transcripts: Path, known: Collection[str], manifest: Manifest
) -> Iterator[UncountedRecord]:
    """A record for each transcript of the run whose episode no journal knows.

    What was under way when the process died is lost, and so is a transcript without a
    readable header or usage: it is passed over.
    """
    for path in sorted(transcripts.glob("*.jsonl")):
        if path.stem in known:
            continue
        text = read_transcript(path)
        try:
            header = Fields(text.lines[0][1] if text.lines else None, "header")
            if header.text("run_id") != manifest.run_id:
                continue
            yield UncountedRecord(
                cause=Cause.KILLED,
                episode_id=episode_id(path.stem),
                task_id=header.text("task_id"),
                repeat=header.integer("repeat"),
                steps=text.steps,
                session=header.text("session"),
                guest=manifest.agent,
                transcript_head=text.head,
                exchanges=len(text.lines) - 1,
                usage=text.usage(),
            )
        except FormatError:
            continue
