"""Verifies a run from its folder alone: that it is unchanged and consistent."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from env_service.domain.data_node import DataNode, FormatError
from env_service.domain.names import UnknownNameError
from env_service.domain.schedule import Assignment
from env_service.domain.text import counted
from env_service.results.domain_json import conditions_json, read_encoding, read_order
from env_service.results.manifest import Manifest, mixture
from env_service.results.prompts import PromptReader
from env_service.results.records import Cause, EpisodeRecord, UncountedRecord, VoidRecord
from env_service.results.replay import ReplayCheck
from env_service.results.run_layout import (
    EPISODES,
    FRAMES,
    MANIFEST,
    MOST_MANIFEST,
    SUMMARY,
    TRANSCRIPTS,
    UNCOUNTED,
    VOIDS,
)
from env_service.results.summary import Summary, summarize
from env_service.results.transcript import TranscriptContents, read_transcript
from env_service.results.verification_findings import Findings, VerificationReport
from env_service.storage.atomic_files import document
from env_service.storage.canonical_json import canonical, parse
from env_service.storage.frame_store import FrameError, FrameStore
from env_service.storage.plain_files import read_plain
from env_service.storage.signed_journal import read_journal
from env_service.storage.signing_key import SIGNATURE, is_signed

R = TypeVar("R", EpisodeRecord, VoidRecord, UncountedRecord)

_UNSIGNED = "it was changed, or signed with another key"


def verify(  # noqa: PLR0913 - what to check, by name
    run: Path,
    *,
    replay: bool = True,
    public_key: str | None = None,
    suite: str | None = None,
    episode: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> VerificationReport:
    """Checks everything in a run's folder, and reports every problem.

    ``public_key`` (hex) is the key to trust. By default it is the one that the manifest names,
    which proves only that all files belong together. ``replay`` plays each episode again if the
    suite is deterministic. ``suite`` is the ``module:class`` of a suite that is not built in,
    because a run's folder must never decide what code is loaded. ``episode`` is the id of the one
    scored episode whose transcript is checked and replayed. ``progress`` is called with (episodes
    done, in all). The folder stays unchanged.

    Raises what ``load_suite`` raises for a ``suite`` that cannot be loaded, and UnknownNameError
    if the run has no such ``episode``.
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
        # Nothing else can be compared without it.
        return findings.report()
    _compare_counts(findings, manifest, records, voids, left)
    store = FrameStore(run / FRAMES)
    checks = TranscriptCheck(manifest, store, findings)
    replays = ReplayCheck.prepare(manifest, suite, store, findings) if replay else None
    uncounted: list[VoidRecord | UncountedRecord] = [*_bare(voids), *_bare(left)]
    if episode is not None:
        records, uncounted = _only(findings, records, episode), []
    for lost in uncounted:
        checks.check_uncounted(lost, run / TRANSCRIPTS / f"{lost.episode_id}.jsonl")
    for done, (line, record) in enumerate(records, 1):
        path = run / TRANSCRIPTS / f"{record.episode_id}.jsonl"
        if not os.path.lexists(path):
            findings.add(EPISODES, line, f"transcript {TRANSCRIPTS}/{path.name} is missing")
        elif (transcript := checks.check(record, path)) is not None and replays is not None:
            replays.check(transcript, f"{TRANSCRIPTS}/{path.name}")
        findings.episodes += 1
        if progress is not None:
            progress(done, len(records))
    return findings.report()


def _compare_counts(
    findings: Findings,
    manifest: Manifest,
    records: list[tuple[int, EpisodeRecord]],
    voids: list[tuple[int, VoidRecord]],
    left: list[tuple[int, UncountedRecord]],
) -> None:
    """Each episode has to count once, and the summary to agree with the episodes."""
    _count_once(findings, manifest, records)
    _summary(findings, summarize(manifest, _bare(records), _bare(voids), _bare(left)))
    recorded = {record.episode_id for _, record in records}
    recorded |= {void.episode_id for _, void in voids}
    _note_uncounted(findings, recorded, _bare(left))


def _manifest(findings: Findings, public_key: str | None) -> Manifest | None:
    try:
        data = read_plain(findings.run / MANIFEST, MOST_MANIFEST, within=findings.run)
        value = parse(data)
        manifest = Manifest.from_json(value)
    except OSError as error:
        findings.add(
            MANIFEST, None, f"cannot be read: {error.strerror}", "check that this is a run's folder"
        )
        return None
    except ValueError as error:
        findings.add(MANIFEST, None, f"is not a manifest: {error}")
        return None
    findings.public_key = public_key or manifest.public_key
    if manifest.public_key != findings.public_key:
        findings.add(
            MANIFEST,
            None,
            f"signed with the key {manifest.public_key[:16]}…, not with the trusted key"
            f" {findings.public_key[:16]}…",
        )
    _check_document(findings, MANIFEST, data, value)
    if value.get("identity") != manifest.identity():
        findings.add(MANIFEST, None, "the identity does not match the manifest's contents")
    return manifest


def _check_document(findings: Findings, file: str, data: bytes, value: dict[str, Any]) -> None:
    if not is_signed(value, findings.public_key):
        findings.add(file, None, "the signature does not match", _UNSIGNED)
    elif document(value) != data:
        what = "the file is not formatted as it was signed"
        findings.add(file, None, what, "it was reformatted")


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
            "the run was interrupted there: repeat the same command to resume it",
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
            findings.add(file, line.number, "the signature does not match", _UNSIGNED)
        elif canonical(line.value) + b"\n" != line.raw:
            findings.add(file, line.number, "the line is not formatted as it was signed")
        if line.value.get("run_id") != manifest.run_id:
            findings.add(
                file, line.number, "the line belongs to another run", f"not {manifest.run_id}"
            )
        records.append((line.number, record))
    return records


def _only(
    findings: Findings, records: list[tuple[int, EpisodeRecord]], episode: str
) -> list[tuple[int, EpisodeRecord]]:
    chosen = [(line, record) for line, record in records if record.episode_id == episode]
    if not chosen:
        ids = [record.episode_id for _, record in records]
        raise UnknownNameError("scored episode of this run", episode, ids)
    if others := len(records) - len(chosen):
        findings.notes.append(
            f"Only episode {episode} was checked: {counted(others, 'other transcript')} of the run"
            " were not read."
        )
    return chosen


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
            findings.add(EPISODES, number, f"{named} is not part of the run")
        if record.episode_id in ids:
            findings.add(
                EPISODES,
                number,
                f"episode {record.episode_id} appears twice",
                f"first in line {ids[record.episode_id]}",
            )
        first.setdefault(episode, number)
        ids.setdefault(record.episode_id, number)
    missing = len(planned) - len(planned.in_order(first))
    if missing:
        findings.notes.append(f"Not finished: {missing} of {counted(len(planned), 'episode')}.")


def _bare(records: list[tuple[int, R]]) -> list[R]:
    """Records without their line numbers."""
    return [record for _, record in records]


def _note_uncounted(findings: Findings, recorded: set[str], left: list[UncountedRecord]) -> None:
    """Notes episodes without a result, because stopping and resuming a run plays open episodes
    again."""
    withdrawn = [record for record in left if record.withdrawn_episode]
    if withdrawn:
        acted = sum(record.steps > 0 for record in withdrawn)
        findings.notes.append(
            f"The agent withdrew from {counted(len(withdrawn), 'episode')}, {acted} of them after"
            " it had acted. Their tasks may have been played again."
        )
    found = {path.stem for path in (findings.run / TRANSCRIPTS).glob("*.jsonl")}
    abandoned = len(found - recorded - {record.episode_id for record in withdrawn})
    if abandoned:
        findings.notes.append(
            f"Episodes abandoned when the service closed or was killed: {abandoned}"
            f" (in {TRANSCRIPTS}/). Their tasks may have been played again."
        )


def _summary(findings: Findings, computed: Summary) -> None:
    try:
        data = read_plain(findings.run / SUMMARY, MOST_MANIFEST, within=findings.run)
        value = parse(data)
    except FileNotFoundError:
        findings.notes.append(f"{SUMMARY} does not exist: the run has not ended.")
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


# --- Checks one transcript: its chain, its order, its images, and its agreement with the
# episode's record

Recorded = EpisodeRecord | VoidRecord | UncountedRecord

_CHANGED = "the transcript does not have the head that the record signed"


class TranscriptCheck:
    """Checks the transcripts of one run. Each image is checked once."""

    def __init__(self, manifest: Manifest, store: FrameStore, findings: Findings) -> None:
        self._manifest = manifest
        self._store = store
        self._findings = findings
        self._seen: set[tuple[str, str]] = set()

    def check(self, record: EpisodeRecord, path: Path) -> TranscriptContents | None:
        """Checks the transcript that a record names; None if it is missing."""
        file = f"{path.parent.name}/{path.name}"
        try:
            transcript = read_transcript(path)
        except OSError as error:
            self._findings.add(file, None, f"cannot be read: {error.strerror}")
            return None
        self._chain(file, transcript, record)
        self._shape(file, transcript)
        self._header(file, transcript, record)
        self._close(file, transcript, record)
        self._usage(file, transcript, record)
        prompts = PromptReader()
        for number, line in transcript.lines:
            self._pictures(file, number, line)
            self._prompt(file, number, line, prompts)
        self._findings.exchanges += max(len(transcript.lines) - 1, 0)
        return transcript

    def check_uncounted(self, record: VoidRecord | UncountedRecord, path: Path) -> None:
        """Checks that the transcript, if any, of an episode that does not count is unchanged."""
        if not record.transcript_head:
            return
        file = f"{path.parent.name}/{path.name}"
        try:
            transcript = read_transcript(path)
        except OSError as error:
            self._findings.add(file, None, f"cannot be read: {error.strerror}")
            return
        if isinstance(record, UncountedRecord) and record.cause is Cause.KILLED:
            # Its last line may be incomplete, and was so when the record was written.
            transcript = replace(transcript, breaks=())
        self._chain(file, transcript, record)

    def _prompt(
        self, file: str, number: int, line: Mapping[str, Any], prompts: PromptReader
    ) -> None:
        trace = line.get("trace")
        if not isinstance(trace, dict) or "prompt" not in trace:
            return
        try:
            prompts.read(trace["prompt"])
        except FormatError as error:
            self._findings.add(file, number, str(error))

    def _chain(self, file: str, transcript: TranscriptContents, record: Recorded) -> None:
        for number, what in transcript.breaks:
            self._findings.add(file, number, what)
        if transcript.head != record.transcript_head:
            # No line after the last one would reveal a change of it.
            last = transcript.lines[-1][0] if transcript.lines and not transcript.breaks else None
            self._findings.add(
                file,
                last,
                f"the chain ends in {transcript.head[:16]}…, the record says"
                f" {record.transcript_head[:16]}…",
                _CHANGED,
            )
        if len(transcript.lines) - 1 != record.exchanges:
            self._findings.add(
                file,
                None,
                f"{len(transcript.lines) - 1} exchanges, the record says {record.exchanges}",
            )

    def _shape(self, file: str, transcript: TranscriptContents) -> None:
        kinds = [line.get("kind") for _, line in transcript.lines]
        steps = len(kinds) - 3
        if steps < 0 or kinds != ["header", "begin", *["step"] * steps, "close"]:
            self._findings.add(
                file, None, "not a header, a beginning, steps and a close, in this order"
            )
        indexes = [line.get("index") for _, line in transcript.lines if line.get("kind") == "step"]
        if indexes != list(range(len(indexes))):
            self._findings.add(file, None, "the steps are not numbered 0, 1, 2, …")

    def _header(self, file: str, transcript: TranscriptContents, record: EpisodeRecord) -> None:
        header = _header(transcript)
        expected = {
            "run_id": self._manifest.run_id,
            "episode_id": record.episode_id,
            "task_id": record.task_id,
            "repeat": record.repeat,
            "session": record.session,
        }
        self._compare(file, 1, header, expected)
        try:
            order = read_order(DataNode(header, "header")["order"])
        except FormatError as error:
            self._findings.add(file, 1, str(error))
            return
        given = {
            "task": [order.task.id, order.task.group, order.task.cluster],
            "world": order.world,
            "condition": dict(order.condition),
            "seed": order.seed,
        }
        drawn = Assignment(order.task, record.repeat).seed(self._manifest.seed)
        expected = {
            "task": [record.task_id, record.group, record.cluster],
            "world": self._manifest.world,
            "condition": dict(self._manifest.condition),
            "seed": drawn,
        }
        self._compare(file, 1, given, expected)
        if record.seed != order.seed:
            self._findings.add(file, 1, f"seed is {order.seed}, the record says {record.seed}")

    def _close(self, file: str, transcript: TranscriptContents, record: EpisodeRecord) -> None:
        if not transcript.lines or transcript.lines[-1][1].get("kind") != "close":
            return  # reported as a wrong shape
        number, close = transcript.lines[-1]
        if record.fault is not None:
            self._compare(file, number, close, {"fault": record.fault})
            return
        expected = {
            "success": record.success,
            "failure": record.failure,
            "goal_conditions": conditions_json(record.goal_conditions),
            "steps": record.steps,
            "metrics": dict(record.metrics),
            "labels": dict(record.labels),
        }
        result = close.get("result")
        found = {"labels": {}, **result} if isinstance(result, dict) else {}
        self._compare(file, number, found, expected)

    def _usage(self, file: str, transcript: TranscriptContents, record: EpisodeRecord) -> None:
        try:
            found = transcript.usage().to_json()
        except FormatError as error:
            self._findings.add(file, None, str(error))
            return
        self._compare(file, None, {"usage": found}, {"usage": record.usage.to_json()})

    def _compare(
        self,
        file: str,
        number: int | None,
        found: Mapping[str, Any],
        expected: Mapping[str, Any],
    ) -> None:
        for key, wanted in expected.items():
            if canonical(found.get(key)) != canonical(wanted):
                self._findings.add(
                    file, number, f"{key} is {found.get(key)!r}, but should be {wanted!r}"
                )

    def _pictures(self, file: str, number: int, line: Mapping[str, Any]) -> None:
        shown = line.get("shown")
        images = shown.get("images") if isinstance(shown, dict) else []
        for image in images if isinstance(images, list) else []:
            try:
                fields = DataNode(image, "image")
                key = (fields["sha256"].string(), fields["encoding"].string())
                if key in self._seen:
                    continue
                self._seen.add(key)
                self._findings.frames += 1
                digest = bytes.fromhex(key[0])
                self._store.read(digest, read_encoding(fields["encoding"]))
            except (FrameError, ValueError) as error:
                self._findings.add(file, number, f"a picture that was shown: {error}")


def _header(transcript: TranscriptContents) -> Mapping[str, Any]:
    return transcript.lines[0][1] if transcript.lines else {}
