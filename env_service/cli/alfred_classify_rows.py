"""What ``houseguest alfred classify`` reads: logs, result files, and runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from env_service.cli.errors import Failure
from env_service.plain_files import read_plain

if TYPE_CHECKING:
    from env_service.suites.alfred.judging.session import Session
    from env_service.suites.alfred.task import AlfredTask

SUITE = "alfred"

MOST_BYTES = 256 * 1024 * 1024
"""The largest log that is read."""


@dataclass(frozen=True, slots=True)
class Row:
    """One attempt: where it stands, what it was told, why it failed."""

    source: str
    task: str
    command: str
    success: bool
    types: tuple[int, ...]
    codes: tuple[str, ...]
    explanation: str
    model: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """The row as ``--json`` prints it."""
        own = {
            "source": self.source,
            "task": self.task,
            "command": self.command,
            "success": self.success,
            "failure_types": list(self.types),
            "failure_codes": list(self.codes),
            "explanation": self.explanation,
        }
        return own if self.model is None else {**own, "model": dict(self.model)}


def run_rows(path: Path, *, steps: bool) -> tuple[list[Row], list[Session], str]:
    """What was stored with a run's scored episodes; with ``steps`` also what was tried in each;
    and a sentence that says how many of the run's episodes were scored, empty where all were.
    Raises Failure."""
    from env_service.cli.alfred_recorded import recorded_sessions
    from env_service.results.fields import FormatError
    from env_service.results.journal import CorruptFileError
    from env_service.results.reading import is_run, read_run

    if not is_run(path):
        raise Failure(f"{path} is no run: it has no manifest; name a run's folder, or a log")
    try:
        run = read_run(path)
    except (FormatError, CorruptFileError, OSError) as error:
        raise Failure(f"{path}: {error}") from error
    judged = [each for each in run.episodes if each.fault is None]
    known = run.manifest.suite == SUITE or any("failure_types" in each.labels for each in judged)
    if not known:
        raise Failure(f"{path} is a run of suite {run.manifest.suite}: name one of suite {SUITE}")
    total = len(run.manifest.task_ids) * run.manifest.repeats
    if not judged:
        raise Failure(
            f"{path}: none of its episodes was scored. Run the same command again to go on"
            f" with the run, and `houseguest show {path}` to see how far it came"
        )
    rows = [
        Row(
            source=str(path),
            task=each.task_id,
            command=each.labels.get("command", ""),
            success=each.success,
            types=tuple(map(int, _split(each.labels.get("failure_types", "")))),
            codes=_split(each.labels.get("failure_codes", "")),
            explanation=each.labels.get("explanation", ""),
        )
        for each in judged
    ]
    left = "" if len(judged) >= total else f"{path}: {len(judged)} of {total} episodes were scored"
    return rows, recorded_sessions(run, judged) if steps else [], left


def _split(text: str) -> tuple[str, ...]:
    return tuple(each for each in text.split(", ") if each)


def log_rows(path: Path) -> tuple[list[Row], list[Session], list[str]]:
    """The attempts of a log or a result file that can be judged, with what was read of them, and
    why the others cannot. Raises Failure where nothing can be read."""
    from env_service.suites.alfred.judging.log_cases import read_sessions
    from env_service.suites.alfred.judging.session import LogError

    try:
        sessions = read_sessions(_text(path), path.name)
    except LogError as error:
        raise Failure(str(error), kind="LogError") from error
    tasks = _tasks(sessions)
    rows, read, problems = [], [], []
    for each in sessions:
        try:
            rows.append(_log_row(path, each, tasks))
        except LogError as error:
            problems.append(str(error))
        else:
            read.append(each)
    return rows, read, problems


def _log_row(path: Path, session: Session, tasks: Mapping[str, AlfredTask]) -> Row:
    from env_service.suites.alfred.judging.log_cases import analyse

    found = analyse(session, tasks, path.name)
    return Row(
        source=f"{path}:{session.line}",
        task="/".join(each for each in (session.name, session.trial) if each),
        command=session.command,
        success=session.success,
        types=found.types,
        codes=found.codes,
        explanation=found.explanation,
    )


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise Failure(f"{path} has more than {MOST_BYTES // 2**20} MiB; split it")
        return read_plain(path, MOST_BYTES).decode(errors="replace")
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from error


def _tasks(sessions: Sequence[Session]) -> Mapping[str, AlfredTask]:
    """The tasks of the trials that a log names, as far as the data packs are here."""
    from env_service.datasets.errors import DataPackError
    from env_service.suites.alfred.task import read_task
    from env_service.suites.alfred.task_sets import AlfredTaskSets

    wanted = {each.trial.partition("/")[0] for each in sessions if each.trial}
    found: dict[str, AlfredTask] = {}
    task_sets = AlfredTaskSets()
    for name in ("valid_seen", "valid_unseen") if wanted else ():
        try:
            tasks = task_sets[name].tasks
        except DataPackError:
            continue
        found |= {each.id: read_task(each) for each in tasks if each.id in wanted}
    return found
