"""Checks one transcript: its chain, its order, its pictures, and that it says what the
episode's record says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from env_service.domain.ledger import Assignment
from env_service.domain.observation import ImageEncoding
from env_service.results.canonical import canonical
from env_service.results.envelope import conditions_json, read_order
from env_service.results.fields import Fields, FormatError
from env_service.results.findings import Findings
from env_service.results.frames import FrameError, FrameStore
from env_service.results.manifest import Manifest
from env_service.results.records import EpisodeRecord, VoidRecord
from env_service.results.transcript import TranscriptText, read_transcript
from env_service.results.uncounted import Cause, UncountedRecord

Recorded = EpisodeRecord | VoidRecord | UncountedRecord

_CHANGED = "the transcript is not the one whose head the record signed"


class TranscriptCheck:
    """Checks the transcripts of one run. Each picture is looked at once."""

    def __init__(self, manifest: Manifest, store: FrameStore, findings: Findings) -> None:
        self._manifest = manifest
        self._store = store
        self._findings = findings
        self._seen: set[tuple[str, str]] = set()

    def check(self, record: EpisodeRecord, path: Path) -> TranscriptText | None:
        """Checks the transcript that a record points at; None where there is none."""
        file = f"{path.parent.name}/{path.name}"
        try:
            text = read_transcript(path)
        except OSError as error:
            self._findings.add(file, None, f"cannot be read: {error.strerror}")
            return None
        self._chain(file, text, record)
        self._shape(file, text)
        self._header(file, text, record)
        self._close(file, text, record)
        self._usage(file, text, record)
        for number, line in text.lines:
            self._pictures(file, number, line)
        self._findings.exchanges += max(len(text.lines) - 1, 0)
        return text

    def check_uncounted(self, record: VoidRecord | UncountedRecord, path: Path) -> None:
        """Checks that the transcript of an episode that does not count is as it was."""
        file = f"{path.parent.name}/{path.name}"
        try:
            text = read_transcript(path)
        except OSError as error:
            self._findings.add(file, None, f"cannot be read: {error.strerror}")
            return
        if isinstance(record, UncountedRecord) and record.cause is Cause.KILLED:
            # Its last line may be torn, and was so when the record was written.
            text = replace(text, breaks=())
        self._chain(file, text, record)

    def _chain(self, file: str, text: TranscriptText, record: Recorded) -> None:
        for number, what in text.breaks:
            self._findings.add(file, number, what)
        if text.head != record.transcript_head:
            # The last line has no successor that would give a change away.
            last = text.lines[-1][0] if text.lines and not text.breaks else None
            self._findings.add(
                file,
                last,
                f"the chain ends in {text.head[:16]}…, the record says"
                f" {record.transcript_head[:16]}…",
                _CHANGED,
            )
        if len(text.lines) - 1 != record.exchanges:
            self._findings.add(
                file, None, f"{len(text.lines) - 1} exchanges, the record says {record.exchanges}"
            )

    def _shape(self, file: str, text: TranscriptText) -> None:
        kinds = [line.get("kind") for _, line in text.lines]
        steps = len(kinds) - 3
        if steps < 0 or kinds != ["header", "begin", *["step"] * steps, "close"]:
            self._findings.add(
                file, None, "not a header, a beginning, steps and a close, in this order"
            )
        indexes = [line.get("index") for _, line in text.lines if line.get("kind") == "step"]
        if indexes != list(range(len(indexes))):
            self._findings.add(file, None, "the steps are not numbered 0, 1, 2, …")

    def _header(self, file: str, text: TranscriptText, record: EpisodeRecord) -> None:
        header = _header(text)
        expected = {
            "run_id": self._manifest.run_id,
            "episode_id": record.episode_id,
            "task_id": record.task_id,
            "repeat": record.repeat,
            "session": record.session,
        }
        self._compare(file, 1, header, expected)
        try:
            order = read_order(Fields(header, "header").object("order"))
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

    def _close(self, file: str, text: TranscriptText, record: EpisodeRecord) -> None:
        if not text.lines or text.lines[-1][1].get("kind") != "close":
            return  # reported as a wrong shape
        number, close = text.lines[-1]
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

    def _usage(self, file: str, text: TranscriptText, record: EpisodeRecord) -> None:
        try:
            found = text.usage().to_json()
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
                fields = Fields(image, "image")
                key = (fields.text("sha256"), fields.text("encoding"))
                if key in self._seen:
                    continue
                self._seen.add(key)
                self._findings.frames += 1
                digest = bytes.fromhex(key[0])
                self._store.read(digest, fields.member("encoding", ImageEncoding))
            except (FrameError, ValueError) as error:
                self._findings.add(file, number, f"a picture that was shown: {error}")


def _header(text: TranscriptText) -> Mapping[str, Any]:
    return text.lines[0][1] if text.lines else {}
