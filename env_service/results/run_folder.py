"""A run's folder: all files of a run, and the only code that writes them."""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from env_service.domain.data_node import DataNode, FormatError
from env_service.domain.text import counted
from env_service.domain.usage import Usage
from env_service.results.domain_json import request_json
from env_service.results.manifest import (
    Manifest,
    PlannedEpisodes,
    build_changes,
    changed_parts,
    read_manifest,
    write_manifest,
)
from env_service.results.records import (
    Cause,
    EpisodeRecord,
    UncountedRecord,
    VoidRecord,
    episode_id,
)
from env_service.results.run_layout import (
    EPISODES,
    FRAMES,
    LOCK,
    LOGS,
    MANIFEST,
    SUMMARY,
    TRANSCRIPTS,
    UNCOUNTED,
    VOIDS,
)
from env_service.results.summary import Summary
from env_service.results.summary_process import summary_of
from env_service.results.transcript import Transcript, TranscriptHeader, read_transcript
from env_service.storage.atomic_files import document, sync_folder, write_atomically
from env_service.storage.canonical_json import canonical, parse, writable
from env_service.storage.file_lock import FileLock, LockedError
from env_service.storage.frame_store import SPOOL
from env_service.storage.plain_files import check_no_link, check_writable_place
from env_service.storage.signed_journal import Journal, iterate_records
from env_service.storage.signing_key import SigningKey

R = TypeVar("R", VoidRecord, UncountedRecord)


class RunFolderBusyError(Exception):
    """Another process writes this folder. ``holder`` is its process id, as recorded there."""

    def __init__(self, path: Path, holder: str) -> None:
        super().__init__(
            f"{path} is being written by process {holder}. Wait for it or stop it."
            " To play the same run again at the same time, use `--fresh`."
        )
        self.path, self.holder = path, holder


class RunFolderMismatchError(Exception):
    """A run cannot resume with the installed versions or the given options."""


class AgentChangedError(RunFolderMismatchError):
    """The run belongs to the agent before it was edited. ``changes`` names the differences in
    words."""

    def __init__(self, path: Path, finished: int, total: int, changes: Sequence[str]) -> None:
        super().__init__(
            f"the agent changed since this run: {', '.join(changes)}. {path} holds {finished} of"
            f" {counted(total, 'episode')}, played before the change. `--fresh` starts a new run of"
            f" the current agent. {_other_way(finished, total)}"
        )
        self.path, self.changes = path, tuple(changes)


def _other_way(finished: int, total: int) -> str:
    if finished >= total:
        return "That run is complete, so `--resume-anyway` cannot resume it."
    return "`--resume-anyway` resumes that run, and marks it a mixture of both agents."


@dataclass(slots=True)
class Standing:
    """A run's progress, from its records.

    ``done`` names the final episodes and ``voided`` the attempts that the service lost, by task and
    repeat. ``withdrawn`` counts the episodes that agents left. ``usage`` is what agents report
    about their models, over all episodes.
    """

    done: list[tuple[str, int]] = field(default_factory=list)
    voided: list[tuple[str, int]] = field(default_factory=list)
    succeeded: int = 0
    withdrawn: int = 0
    usage: Usage = field(default_factory=Usage)


class _Marks:
    """The planned episodes that are counted: a bit for each, however many there are."""

    def __init__(self, planned: PlannedEpisodes) -> None:
        self.planned = planned
        self._bits = bytearray()

    def add(self, episode: tuple[str, int]) -> None:
        """Marks an episode, if it is planned."""
        if episode in self.planned:
            byte, bit = divmod(self.planned.place(episode), 8)
            # The file of marks grows with the run, because most runs never reach its full size.
            self._bits.extend(bytes(max(0, byte + 1 - len(self._bits))))
            self._bits[byte] |= 1 << bit

    def __contains__(self, episode: tuple[str, int]) -> bool:
        byte, bit = divmod(self.planned.place(episode), 8)
        return byte < len(self._bits) and bool(self._bits[byte] & 1 << bit)


class RunFolder:
    """Writes one run. At most one process at a time; any thread of it."""

    @staticmethod
    def open(
        root: Path,
        manifest: Manifest,
        key: SigningKey,
        *,
        fresh: bool = False,
        resume_anyway: bool = False,
    ) -> RunFolder:
        """Resumes the latest run of the manifest's identity below ``root``, or starts it.

        The folder is ``root/<suite>-<agent>-<identity>``. ``fresh`` starts a new run, with the next
        free suffix -2, -3, … If the agent was edited between such runs, it resumes the latest run
        of the agent's current version. ``resume_anyway`` resumes the latest run even if its agent
        was different, and records that.

        Raises AgentChangedError if that agent was different and has final episodes (with
        ``resume_anyway``: all episodes), RunFolderBusyError if another process writes the run,
        CorruptFileError and FormatError if one of its files cannot be read, and
        RunFolderMismatchError if it was signed with another key or played with other ``packages``
        or another build of its world.
        """
        root.mkdir(parents=True, exist_ok=True)
        path = _place(root, manifest, fresh=fresh)
        return RunFolder(path, manifest, key, resume_anyway=resume_anyway)

    def __init__(
        self, path: Path, manifest: Manifest, key: SigningKey, *, resume_anyway: bool = False
    ) -> None:
        """Opens the folder at ``path``; ``open`` chooses the path."""
        self.path = path
        self.frames = path / FRAMES
        """The folder of the run's FrameStore."""
        self.logs = path / LOGS
        """A folder for a process's logs."""
        _check_plain(path)
        for folder in (path / TRANSCRIPTS, self.frames, self.logs):
            folder.mkdir(parents=True, exist_ok=True)
        self._key = key
        self._transcripts: dict[str, Transcript] = {}
        self._restarted: Mapping[str, Any] | None = None
        self._threads = threading.Lock()
        self._lock = _locked(path)
        try:
            now = replace(manifest, public_key=key.public_hex)
            self.manifest = self._take_up(now, resume_anyway=resume_anyway)
            self._episodes = Journal(path / EPISODES, key)
            self._voids = Journal(path / VOIDS, key)
            self._uncounted = Journal(path / UNCOUNTED, key)
            self._counted = _Marks(self.manifest.episodes())
            for record in self._iterate_finished():
                self._counted.add((record.task_id, record.repeat))
            self._record_killed()
        except BaseException:
            self.close()
            raise
        sync_folder(path)

    # Records are read from the disk each time, because a run may have more than fits in memory.

    def finished(self) -> tuple[EpisodeRecord, ...]:
        """Every final episode so far, in the order of recording."""
        return tuple(self._iterate_finished())

    def voids(self) -> tuple[VoidRecord, ...]:
        """Every voided attempt so far."""
        return tuple(self._iterate_voids())

    def uncounted(self) -> tuple[UncountedRecord, ...]:
        """Every episode without a result so far, and every withdrawal."""
        return tuple(self._iterate_uncounted())

    def standing(self) -> Standing:
        """The progress so far, as a resumed run needs it."""
        standing = Standing()
        for record in self._iterate_finished():
            standing.done.append((record.task_id, record.repeat))
            standing.succeeded += record.success
            standing.usage += record.usage
        for void in self._iterate_voids():
            if not void.collateral:
                standing.voided.append((void.task_id, void.repeat))
            standing.usage += void.usage
        for left in self._iterate_uncounted():
            standing.withdrawn += left.withdrawn_episode
            standing.usage += left.usage
        return standing

    def transcript(self, header: TranscriptHeader) -> Transcript:
        """Starts a transcript. Raises FileExistsError if the episode has one."""
        name = f"{episode_id(header.episode_id)}.jsonl"
        with self._threads:
            # If the process is killed from here on, the summary lacks this episode's usage.
            (self.path / SUMMARY).unlink(missing_ok=True)
            self._change(self.manifest.with_observation(request_json(header.order.request)))
            if header.ordinal == 0 and self._restarted is not None:
                self._mark_mixture(self._restarted)
                self._restarted = None
            transcript = Transcript(self.path / TRANSCRIPTS / name, header)
            self._transcripts[header.episode_id] = transcript
        return transcript

    def declare(self, declaration: Mapping[str, Any]) -> None:
        """Adds an agent's declaration (JSON) to the manifest, unless it has it."""
        with self._threads:
            self._change(self.manifest.with_declared(declaration))

    def restart_agent(self, files: Mapping[str, Any]) -> tuple[str, ...]:
        """Notes the files of an agent that replaces another during the run, as
        ``AgentFiles.to_json`` gives them.

        If no agent of the run had these files, the run is a mixture from the first episode of the
        next session on: an agent that does not start any more has played nothing. Returns the
        differences from the latest agent, in words; empty if they were returned before.
        """
        with self._threads:
            known = [each.get("digest") for each in self.manifest.agents]
            if not known or files["digest"] in known:
                self._restarted = None
            elif self._restarted is None or self._restarted["digest"] != files["digest"]:
                self._restarted = files
                return changed_parts(self.manifest.agents[-1], files)
            return ()

    def _mark_mixture(self, files: Mapping[str, Any]) -> None:
        before = self.manifest
        now = replace(
            before,
            agent=str(before.agents[-1].get("agent", before.agent)),
            agents=(files,),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        self._change(before.with_another_agent(now, sum(1 for _ in self._iterate_finished())))

    def record(self, record: EpisodeRecord) -> None:
        """Counts an episode permanently: signed, and on the disk when this returns.

        Raises ValueError for a (task, repeat) that is already counted or was not planned, and for
        an episode whose transcript was not started here, or has another head.
        """
        record = EpisodeRecord.from_json(parse(canonical(record.to_json())))
        with self._threads:
            played = (record.task_id, record.repeat)
            if played not in self._counted.planned:
                raise ValueError(
                    f"task {record.task_id!r}, repeat {record.repeat} is not part of this run"
                )
            if played in self._counted:
                raise ValueError(
                    f"task {record.task_id!r}, repeat {record.repeat} was already counted"
                )
            transcript = self._transcripts.get(record.episode_id)
            if transcript is None or transcript.close() != record.transcript_head:
                raise ValueError(f"episode {record.episode_id} has no transcript with this head")
            self._append(self._episodes, record)
            self._counted.add(played)
            del self._transcripts[record.episode_id]

    def record_void(self, record: VoidRecord) -> None:
        """Records a voided attempt: signed, and on the disk when this returns."""
        with self._threads:
            record = self._with_transcript(VoidRecord.from_json(writable(record.to_json())))
            self._append(self._voids, record)
            self._transcripts.pop(record.episode_id, None)

    def record_uncounted(self, record: UncountedRecord) -> None:
        """Records an episode without a result, or a withdrawal: signed, and on the disk."""
        with self._threads:
            record = UncountedRecord.from_json(writable(record.to_json()))
            record = self._with_transcript(record)
            self._append(self._uncounted, record)
            self._transcripts.pop(record.episode_id, None)

    def write_summary(self) -> Summary:
        """Computes the summary of the records, and writes it.

        Blocks while it reads every record. Raises what ``summary_of`` raises.
        """
        summary = summary_of(self.path, self.path / EPISODES)
        with self._threads:
            write_atomically(self.path / SUMMARY, document(self._key.sign(summary.to_json())))
        return summary

    def close(self) -> None:
        """Releases the folder. You may call it twice."""
        for name in ("_episodes", "_voids", "_uncounted"):
            journal = getattr(self, name, None)
            if journal is not None:
                journal.close()
        self._lock.release()

    def _record_killed(self) -> None:
        """Records the episodes in which an earlier process was killed."""
        transcripts = self.path / TRANSCRIPTS
        # A new run has no transcripts, and so no such episodes.
        if next(transcripts.iterdir(), None) is None:
            return
        known = {
            record.episode_id
            for records in (
                self._iterate_finished(),
                self._iterate_voids(),
                self._iterate_uncounted(),
            )
            for record in records
        }
        for record in killed_episodes(transcripts, known, self.manifest):
            self._append(self._uncounted, record)

    def _iterate_finished(self) -> Iterator[EpisodeRecord]:
        return iterate_records(self.path / EPISODES, EpisodeRecord.from_json, within=self.path)

    def _iterate_voids(self) -> Iterator[VoidRecord]:
        return iterate_records(self.path / VOIDS, VoidRecord.from_json, within=self.path)

    def _iterate_uncounted(self) -> Iterator[UncountedRecord]:
        return iterate_records(self.path / UNCOUNTED, UncountedRecord.from_json, within=self.path)

    def _with_transcript(self, record: R) -> R:
        """The record with the head of its transcript, which is closed, if there is one."""
        transcript = self._transcripts.get(record.episode_id)
        if transcript is None:
            return record
        return replace(record, transcript_head=transcript.close(), exchanges=transcript.count)

    def _append(
        self, journal: Journal, record: EpisodeRecord | VoidRecord | UncountedRecord
    ) -> None:
        # The summary of an earlier process is outdated now.
        (self.path / SUMMARY).unlink(missing_ok=True)
        journal.append({**record.to_json(), "run_id": self.manifest.run_id})

    def _take_up(self, now: Manifest, *, resume_anyway: bool) -> Manifest:
        if not (self.path / MANIFEST).exists():
            write_manifest(self.path, now, self._key)
            return now
        before = read_manifest(self.path)
        _check_same(self.path, before, now)
        after = self._with_agent(before.with_host(now), now, resume_anyway=resume_anyway)
        if after is not before:
            write_manifest(self.path, after, self._key)
        return after

    def _with_agent(self, before: Manifest, now: Manifest, *, resume_anyway: bool) -> Manifest:
        """The manifest with the agent that resumes the run. Raises AgentChangedError."""
        if before.is_played_by(now):
            return before
        finished, total = sum(1 for _ in self._iterate_finished()), len(before.episodes())
        if finished and not (resume_anyway and finished < total):
            changes = changed_parts(
                {"agent": before.agent, **before.agents[-1]}, {"agent": now.agent, **now.agents[0]}
            )
            raise AgentChangedError(self.path, finished, total, changes)
        return before.with_agent(now, finished)

    def _change(self, manifest: Manifest) -> None:
        if manifest is not self.manifest:
            write_manifest(self.path, manifest, self._key)
            self.manifest = manifest


def earlier_run(root: Path, manifest: Manifest) -> Path | None:
    """The folder that ``RunFolder.open`` would resume for this manifest; None for a new run."""
    taken = _taken(root, manifest)
    newest_first = [taken[number] for number in sorted(taken, reverse=True)]
    fitting = (path for path in newest_first if _fits(path, manifest))
    return next(fitting, newest_first[0] if newest_first else None)


def _taken(root: Path, manifest: Manifest) -> dict[int, Path]:
    """The folders with the manifest's name, by the number at their end."""
    pattern = re.compile(re.escape(manifest.folder_name()) + r"(?:-(\d+))?")
    folders = [path for path in root.iterdir() if path.is_dir()] if root.is_dir() else []
    matches = [(pattern.fullmatch(path.name), path) for path in folders]
    return {int(match[1] or 1): path for match, path in matches if match}


def _place(root: Path, manifest: Manifest, *, fresh: bool) -> Path:
    """The folder to write: the latest of that name, or the first unused name."""
    if not fresh and (earlier := earlier_run(root, manifest)) is not None:
        return earlier
    name = manifest.folder_name()
    latest = max(_taken(root, manifest), default=0)
    for number in itertools.count(latest + 1):
        path = root / (name if number == 1 else f"{name}-{number}")
        try:
            path.mkdir()
        except FileExistsError:
            if not fresh:
                return path
            continue
        return path
    raise AssertionError("unreachable: counting never ends")


def _fits(path: Path, manifest: Manifest) -> bool:
    """Whether the agent of a run to resume is the one that played it."""
    try:
        return read_manifest(path).is_played_by(manifest)
    except (OSError, FormatError):
        # Opening the folder reports what is wrong with it.
        return True


def _check_plain(path: Path) -> None:
    """Raises PlainFileError if a file of the run's folder is a link, a pipe or a device, or one of
    its folders is a link, because everything written must stay in the folder."""
    for name in (MANIFEST, EPISODES, VOIDS, UNCOUNTED, SUMMARY, LOCK):
        check_writable_place(path / name)
    for folder in (TRANSCRIPTS, FRAMES, f"{FRAMES}/{SPOOL}", LOGS):
        check_no_link(path / folder, path)
    logs = path / LOGS
    for log in logs.iterdir() if logs.is_dir() else ():
        check_writable_place(log)


def _locked(path: Path) -> FileLock:
    try:
        return FileLock(path / LOCK)
    except LockedError as error:
        raise RunFolderBusyError(path, error.holder) from error


def _check_same(path: Path, before: Manifest, now: Manifest) -> None:
    if before.plan_identity() != now.plan_identity():
        raise RunFolderMismatchError(
            f"{path} holds another run ({before.plan_identity()[:10]} instead of"
            f" {now.plan_identity()[:10]}). Move it away, or start a new run with `--fresh`."
        )
    if before.public_key != now.public_key:
        raise RunFolderMismatchError(
            f"{path} was signed with the key {before.public_key[:16]}…, not with"
            f" {now.public_key[:16]}…. Use that key, or start a new run with `--fresh`."
        )
    _check_world(path, before, now)
    if _deviations(before) != _deviations(now):
        raise RunFolderMismatchError(
            f"{path} was played with other data: {_deviations(before)}, now {_deviations(now)}."
            " `houseguest data verify` lists the changed files; restore them, or start a new run"
            " with `--fresh`."
        )
    if dict(before.packages) != dict(now.packages):
        names = sorted({*before.packages, *now.packages})
        changed = "; ".join(
            f"{name} {before.packages.get(name, 'absent')} → {now.packages.get(name, 'absent')}"
            for name in names
            if before.packages.get(name) != now.packages.get(name)
        )
        raise RunFolderMismatchError(
            f"{path} was played with another world: {changed}. Install the versions that it was"
            " played with, or start a new run with `--fresh`."
        )


def _check_world(path: Path, before: Manifest, now: Manifest) -> None:
    changed = build_changes(before.known_world(), now.world_facts)
    if changed:
        raise RunFolderMismatchError(
            f"{path} was played with another build of the world {now.world}: {changed}. Resume"
            " it where it was played, give the world the same settings, or start a new run with"
            " `--fresh`."
        )


def _deviations(manifest: Manifest) -> dict[str, Any]:
    """For each data pack: its commit, and the files that differ from upstream's."""
    return {pack["pack"]: [pack["commit"], pack["modified"]] for pack in manifest.data}


# --- Finds the episodes in which a process that played a run was killed


def killed_episodes(
    transcripts: Path, known: Collection[str], manifest: Manifest
) -> Iterator[UncountedRecord]:
    """A record for each transcript of the run whose episode is in no journal.

    The progress of the interrupted steps is lost. A transcript without a readable header or usage
    is skipped.
    """
    for path in sorted(transcripts.glob("*.jsonl")):
        if path.stem in known:
            continue
        transcript = read_transcript(path)
        try:
            header = DataNode(transcript.lines[0][1] if transcript.lines else None, "header")
            if header["run_id"].string() != manifest.run_id:
                continue
            yield UncountedRecord(
                cause=Cause.KILLED,
                episode_id=episode_id(path.stem),
                task_id=header["task_id"].string(),
                repeat=header["repeat"].whole(),
                steps=transcript.steps,
                session=header["session"].string(),
                guest=manifest.agent,
                transcript_head=transcript.head,
                exchanges=len(transcript.lines) - 1,
                usage=transcript.usage(),
            )
        except FormatError:
            continue
