"""Finds why a submission's run failed, and where its manifest and its agent differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from env_service.domain.failure import AgentLossClass
from env_service.domain.text import counted, safe
from env_service.results.run_layout import LOGS, MOST_LOG
from env_service.results.run_notes import read_agent_failures
from env_service.results.run_reader import RunContents, read_run
from env_service.results.summary import Summary
from env_service.storage.plain_files import read_plain
from env_service.submissions.check_report import StageFailedError
from env_service.submissions.failures import SubmissionFailure
from env_service.submissions.manifest import Setting, SubmissionManifest
from env_service.submissions.submission_run import PlayedRun

_AGENT_CLASSES = {each.value for each in AgentLossClass}
_TAIL = 10
"""Number of lines shown from the end of a log."""
_LOUD_TAIL = 4000
"""Maximum number of characters shown from the end of a log."""


def failure_of(played: PlayedRun) -> SubmissionFailure | None:
    """Why a run did not finish; None if it finished, whatever its score."""
    if played.summary.complete:
        return None
    if played.lost:
        return SubmissionFailure(played.lost[0].failure.value)
    if played.summary.unscored:
        return SubmissionFailure.SERVICE_FAULT
    return SubmissionFailure.WITHDRAWN if played.withdrawn else SubmissionFailure.SERVICE_FAULT


def check_played(played: PlayedRun) -> None:
    """Raises StageFailedError if the run is incomplete, or if an agent failed during it.

    An unsuccessful episode is not a failure.
    """
    failure = failure_of(played) or _broken_episode(played.summary)
    if failure is None:
        return
    lost = list(read_agent_failures(played.folder / LOGS))
    alike = [each for each in lost if each["failure"] == failure.value] or lost
    first: Mapping[str, Any] = alike[0] if alike else {}
    facts = {"failures": dict(played.summary.failures), "lost_guests": len(lost)}
    raise StageFailedError(
        failure,
        _problem(failure, played, first),
        offending=first.get("first_offending_step") or _first_ended(played.folder, failure),
        log_tail=last_words(str(first.get("log_tail") or "") or _agent_log(played.folder)),
        facts=facts,
    )


def _broken_episode(summary: Summary) -> SubmissionFailure | None:
    for name in summary.failures:
        if name in _AGENT_CLASSES:
            return SubmissionFailure(name)
    return None


def _first_ended(folder: Path, failure: SubmissionFailure) -> dict[str, Any] | None:
    """The step at which the first episode of that failure class ended.

    The record of a lost agent may lack it: an agent that reports its failure before it crashes has
    no current step.
    """
    for record in read_run(folder).episodes:
        if record.failure == failure.value:
            ids = {"episode_id": record.episode_id, "task_id": record.task_id}
            return {**ids, "step": record.steps}
    return None


def _problem(failure: SubmissionFailure, played: PlayedRun, first: Mapping[str, Any]) -> str:
    parts = []
    if first.get("problem"):
        parts.append(str(first["problem"]))
    if first.get("offence"):
        parts.append(f"first refused message: {first['offence']}")
    if first.get("exit_code") is not None:
        parts.append(f"its exit status was {first['exit_code']}")
    if not parts and played.stopped:
        parts.append(played.stopped)
    scored, planned = played.summary.overall.n, played.summary.planned
    count = played.summary.failures.get(failure.value, 0)
    ended = f"; {count} ended as {failure.value}" if count else ""
    parts.append(f"{scored} of {counted(planned, 'episode')} were scored{ended}")
    return safe("; ".join(parts))


def check_declared(manifest: SubmissionManifest, runs: Iterable[Path]) -> tuple[str, ...]:
    """Compares what the agent declared in Hello with its manifest, and returns notes.

    Raises StageFailedError if the version, the model or a configuration value differs. Values that
    either side omits are not compared. Names may differ, because an image rarely has the name of
    its program.
    """
    notes: list[str] = []
    for run in map(read_run, runs):
        for declared in run.manifest.declared:
            differences = list(_differences(manifest, declared))
            if differences:
                raise StageFailedError(
                    SubmissionFailure.MANIFEST_MISMATCH,
                    safe("; ".join(differences)),
                    facts={"declared": dict(declared)},
                )
            said = declared.get("model") or ""
            if said and not manifest.model:
                notes.append(safe(f"the manifest names no model, but the agent says {said!r}"))
        if not run.manifest.declared:
            notes.append("the agent declares nothing about itself in Hello")
    return tuple(dict.fromkeys(notes))


def _differences(manifest: SubmissionManifest, declared: Mapping[str, Any]) -> Iterable[str]:
    for key, ours, theirs in (
        ("version", manifest.version, declared.get("agent_version")),
        ("model", manifest.model, declared.get("model")),
    ):
        if ours and theirs and ours != theirs:
            yield f"{key} is {ours!r} in the manifest, but the agent says {str(theirs)[:80]!r}"
    stated = declared.get("configuration")
    stated = stated if isinstance(stated, Mapping) else {}
    for name, value in manifest.configuration.items():
        if name in stated and not _alike(stated[name], value):
            yield (
                f"configuration.{name} is {value!r} in the manifest, but the agent says"
                f" {str(stated[name])[:80]!r}"
            )


def _alike(stated: object, value: Setting) -> bool:
    """Whether a text from Hello equals a value: "7" and "7.0" equal 7, "True" and "true" equal
    true."""
    if isinstance(value, bool):
        return str(stated).lower() == str(value).lower()
    if isinstance(value, int | float):
        try:
            return float(str(stated)) == value
        except ValueError:
            return False
    return str(stated) == value


def last_words(text: str) -> str:
    """The last lines of a log, bounded in length."""
    return "\n".join(text[-_LOUD_TAIL:].splitlines()[-_TAIL:])


def _agent_log(folder: Path) -> str:
    for path in sorted((folder / LOGS).glob("guest-*.log")):
        try:
            text = read_plain(path, MOST_LOG, within=folder).decode(errors="replace")
        except OSError:
            continue
        if text.strip():
            return text[-_LOUD_TAIL:]
    return ""


def pace_of(run: RunContents) -> float:
    """The agent's mean time for a step in its slowest episode, in seconds."""
    return max((each.agent_seconds / max(1, each.steps) for each in run.episodes), default=0.0)


def played_facts(run: RunContents) -> dict[str, Any]:
    """The facts that a stage reports about its run."""
    summary = run.summary
    return {
        "run": run.path.name,
        "run_id": run.manifest.run_id,
        "suite": run.manifest.suite,
        "task_set": run.manifest.task_set,
        "planned": summary.planned,
        "scored": summary.overall.n,
        "successes": summary.overall.successes,
        "failures": dict(summary.failures),
    }
