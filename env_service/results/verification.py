"""Checks a run from its folder alone: that it was not changed, and that it can be believed.

Signatures say who vouches for a run: whoever holds the key. That the scores are true is
what the replay shows: it plays every episode again, from its seed and its actions.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from env_service.domain.english import counted
from env_service.plain_files import read_plain
from env_service.results.atomic import document
from env_service.results.canonical import canonical, parse
from env_service.results.fields import FormatError
from env_service.results.findings import Findings, VerificationReport
from env_service.results.frames import FrameStore
from env_service.results.journal import read_journal
from env_service.results.keys import SIGNATURE, is_signed
from env_service.results.layout import (
    EPISODES,
    FRAMES,
    MANIFEST,
    MOST_MANIFEST,
    SUMMARY,
    TRANSCRIPTS,
    UNCOUNTED,
    VOIDS,
)
from env_service.results.manifest import Manifest
from env_service.results.mixture import mixture
from env_service.results.records import EpisodeRecord, VoidRecord
from env_service.results.replay_check import ReplayCheck
from env_service.results.summary import Summary, summarize
from env_service.results.transcript_check import TranscriptCheck
from env_service.results.uncounted import UncountedRecord

R = TypeVar("R", EpisodeRecord, VoidRecord, UncountedRecord)

_UNSIGNED = "it was changed, or signed with another key"


def verify(
    run: Path,
    *,
    replay: bool = True,
    public_key: str | None = None,
    suite: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> VerificationReport:
    """Checks everything in a run's folder, and reports all that is wrong with it.

    ``public_key`` (hex) is the key to trust; by default the one that the manifest names,
    which proves only that the run is of one piece. ``replay`` plays each episode again where
    the suite is deterministic. ``suite`` is the ``module:class`` of a suite that is not built
    in: code is never loaded because a run's folder says so. ``progress`` is called with
    (episodes done, in all). Changes nothing in the folder.

    Raises what ``load_suite`` raises for a ``suite`` that cannot be loaded.
    """
    findings = Findings(run)
    manifest = _manifest(findings, public_key)
    if manifest is None:
        return findings.report()
    findings.mixture = mixture(manifest)
    records = _records(findings, EPISODES, manifest, EpisodeRecord.from_json)
    voids = _records(findings, VOIDS, manifest, VoidRecord.from_json)
    left = _records(findings, UNCOUNTED, manifest, UncountedRecord.from_json)
    if findings.unread:
        # Nothing else can be compared with what is not there.
        return findings.report()
    _count_once(findings, manifest, records)
    _summary(findings, summarize(manifest, _bare(records), _bare(voids), _bare(left)))
    recorded = {record.episode_id for _, record in records}
    recorded |= {void.episode_id for _, void in voids}
    _note_uncounted(findings, recorded, _bare(left))
    store = FrameStore(run / FRAMES)
    checks = TranscriptCheck(manifest, store, findings)
    replays = ReplayCheck.prepare(manifest, suite, store, findings) if replay else None
    uncounted: list[VoidRecord | UncountedRecord] = [*_bare(voids), *_bare(left)]
    for lost in uncounted:
        if lost.transcript_head:
            checks.check_uncounted(lost, run / TRANSCRIPTS / f"{lost.episode_id}.jsonl")
    for done, (line, record) in enumerate(records, 1):
        path = run / TRANSCRIPTS / f"{record.episode_id}.jsonl"
        if not os.path.lexists(path):
            findings.add(EPISODES, line, f"transcript {TRANSCRIPTS}/{path.name} is missing")
        elif (text := checks.check(record, path)) is not None and replays is not None:
            replays.check(text, f"{TRANSCRIPTS}/{path.name}")
        findings.episodes += 1
        if progress is not None:
            progress(done, len(records))
    return findings.report()


def _manifest(findings: Findings, public_key: str | None) -> Manifest | None:
    try:
        data = read_plain(findings.run / MANIFEST, MOST_MANIFEST, within=findings.run)
        value = parse(data)
        manifest = Manifest.from_json(value)
    except OSError as error:
        findings.add(MANIFEST, None, f"cannot be read: {error.strerror}", "is this a run's folder?")
        return None
    except ValueError as error:
        findings.add(MANIFEST, None, f"is no manifest: {error}")
        return None
    findings.public_key = public_key or manifest.public_key
    if manifest.public_key != findings.public_key:
        findings.add(
            MANIFEST,
            None,
            f"signed with the key {manifest.public_key[:16]}…, not with the trusted"
            f" {findings.public_key[:16]}…",
        )
    _check_document(findings, MANIFEST, data, value)
    if value.get("identity") != manifest.identity():
        findings.add(MANIFEST, None, "the identity is not that of what the manifest says")
    return manifest


def _check_document(findings: Findings, file: str, data: bytes, value: dict[str, Any]) -> None:
    if not is_signed(value, findings.public_key):
        findings.add(file, None, "the signature does not fit", _UNSIGNED)
    elif document(value) != data:
        findings.add(file, None, "not written as it was signed", "it was formatted again")


def _records(
    findings: Findings, file: str, manifest: Manifest, read: Callable[[object], R]
) -> list[tuple[int, R]]:
    try:
        text = read_journal(findings.run / file, within=findings.run)
    except OSError as error:
        findings.add(file, None, f"cannot be read: {error.strerror}")
        findings.unread = True
        return []
    records = []
    if text.torn:
        findings.add(
            file,
            len(text.lines) + 1,
            "the last line is incomplete",
            "the run was interrupted there: run the same command again to go on",
        )
    for line in text.lines:
        if line.problem:
            findings.add(file, line.number, line.problem)
            continue
        try:
            record = read(line.value)
        except FormatError as error:
            findings.add(file, line.number, str(error))
            continue
        if not is_signed(line.value, findings.public_key):
            findings.add(file, line.number, "the signature does not fit", _UNSIGNED)
        elif canonical(line.value) + b"\n" != line.raw:
            findings.add(file, line.number, "not written as it was signed")
        if line.value.get("run_id") != manifest.run_id:
            findings.add(file, line.number, "the line is of another run", f"not {manifest.run_id}")
        records.append((line.number, record))
    return records


def _count_once(
    findings: Findings, manifest: Manifest, records: list[tuple[int, EpisodeRecord]]
) -> None:
    planned = manifest.episodes()
    first: dict[tuple[str, int], int] = {}
    ids: dict[str, int] = {}
    for number, record in records:
        episode = (record.task_id, record.repeat)
        named = f"task {record.task_id!r}, repeat {record.repeat}"
        if episode in first:
            findings.add(
                EPISODES, number, f"{named} is counted twice", f"first in line {first[episode]}"
            )
        if episode not in planned:
            findings.add(EPISODES, number, f"{named} is no part of the run")
        if record.episode_id in ids:
            findings.add(
                EPISODES,
                number,
                f"episode {record.episode_id} comes twice",
                f"first in line {ids[record.episode_id]}",
            )
        first.setdefault(episode, number)
        ids.setdefault(record.episode_id, number)
    missing = len(planned) - len(planned.in_order(first))
    if missing:
        findings.notes.append(
            f"{missing} of the run's {counted(len(planned), 'episode')} were not finished."
        )


def _bare(records: list[tuple[int, R]]) -> list[R]:
    """Records without their lines' numbers."""
    return [record for _, record in records]


def _note_uncounted(findings: Findings, recorded: set[str], left: list[UncountedRecord]) -> None:
    """Whoever stops and resumes a run plays open episodes again: that should not go unseen."""
    withdrawn = [record for record in left if record.withdrawn_episode]
    if withdrawn:
        acted = sum(record.steps > 0 for record in withdrawn)
        findings.notes.append(
            f"Withdrawn from by the agent: {counted(len(withdrawn), 'episode')}, {acted} of"
            f" them after it"
            " had acted. Their tasks may have been played again."
        )
    found = {path.stem for path in (findings.run / TRANSCRIPTS).glob("*.jsonl")}
    abandoned = len(found - recorded - {record.episode_id for record in withdrawn})
    if abandoned:
        findings.notes.append(
            f"Begun, but abandoned when the house closed or was killed: {abandoned}"
            f" (in {TRANSCRIPTS}/). Their tasks may have been played again."
        )


def _summary(findings: Findings, computed: Summary) -> None:
    try:
        data = read_plain(findings.run / SUMMARY, MOST_MANIFEST, within=findings.run)
        value = parse(data)
    except FileNotFoundError:
        findings.notes.append(f"There is no {SUMMARY}: the run has not ended.")
        return
    except OSError as error:
        findings.add(SUMMARY, None, f"cannot be read: {error.strerror}")
        return
    except ValueError as error:
        findings.add(SUMMARY, None, f"is not JSON: {error}")
        return
    if not isinstance(value, dict):
        findings.add(SUMMARY, None, "is not a JSON object")
        return
    _check_document(findings, SUMMARY, data, value)
    found = {key: item for key, item in value.items() if key != SIGNATURE}
    expected = computed.to_json()
    for key in sorted({*found, *expected}):
        if canonical(found.get(key)) != canonical(expected.get(key)):
            findings.add(
                SUMMARY,
                None,
                f"{key} is {found.get(key)!r}, but the episodes give {expected.get(key)!r}",
            )
