"""Verifies a score: its signature, its runs, and that it matches them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from env_service.domain.data_node import DataNode, FormatError
from env_service.results.run_reader import read_run
from env_service.results.verification import verify
from env_service.results.verification_findings import Findings, Problem, VerificationReport
from env_service.storage.atomic_files import document
from env_service.storage.canonical_json import canonical, writable
from env_service.storage.plain_files import PlainFileError, check_no_link
from env_service.storage.signed_journal import CorruptFileError
from env_service.storage.signing_key import is_signed
from env_service.submissions.score_file import (
    NotScored,
    ScoredRun,
    overall_json,
    read_score,
    result_json,
    run_folder,
    score_bytes,
)
from env_service.suites.registry import suite_names


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """Problems of the score itself, and a report on each of its runs."""

    path: Path
    public_key: str
    problems: tuple[Problem, ...]
    runs: tuple[VerificationReport, ...]

    @property
    def good(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems and all(report.good for report in self.runs)

    def to_json(self) -> dict[str, Any]:
        """The report as ``--json`` prints it."""
        return {
            "score": str(self.path),
            "good": self.good,
            "public_key": self.public_key,
            "problems": [problem.to_json() for problem in self.problems],
            "runs": [report.to_json() for report in self.runs],
        }


def verify_score(
    path: Path,
    *,
    replay: bool = True,
    public_key: str | None = None,
    suite: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ScoreReport:
    """Verifies a score file and its runs; the options are those of ``verify``.

    One key must sign the score and its runs. Raises ScoreError if the file is not a score.
    """
    score = read_score(path)
    findings = Findings(path.parent)
    findings.public_key = public_key or str(score["public_key"])
    _check_signature(findings, path, score)
    scored, reports = [], []
    for number, result in enumerate(score["results"], 1):
        folder = path.parent / run_folder(result["run"]["folder"])
        try:
            check_no_link(folder, path.parent)
        except PlainFileError as error:
            findings.add(path.name, None, f"result {number}: the run cannot be read: {error}")
            continue
        name = suite if suite and result.get("suite") not in suite_names() else None
        reports.append(
            verify(
                folder,
                replay=replay,
                public_key=findings.public_key,
                suite=name,
                progress=progress,
            )
        )
        found = _compare(findings, path.name, number, folder, result)
        if found is not None:
            scored.append(found)
    if len(scored) == len(score["results"]):
        _differences(findings, path.name, "overall", score.get("overall"), overall_json(scored))
    return ScoreReport(path, findings.public_key, tuple(findings.problems), tuple(reports))


def _check_signature(findings: Findings, path: Path, score: dict[str, Any]) -> None:
    named = str(score["public_key"])
    if named != findings.public_key:
        what = f"signed with the key {named[:16]}…, not with the trusted key"
        findings.add(path.name, None, f"{what} {findings.public_key[:16]}…")
    if not is_signed(score, findings.public_key):
        hint = "it was changed, or signed with another key"
        findings.add(path.name, None, "the signature does not match", hint)
    elif document(score) != score_bytes(path):
        what = "the file is not formatted as it was signed"
        findings.add(path.name, None, what, "it was reformatted")


def _compare(
    findings: Findings, file: str, number: int, folder: Path, result: dict[str, Any]
) -> ScoredRun | None:
    """Compares a score's entry for a run with the run's folder."""
    place = f"result {number}"
    try:
        run = read_run(folder)
        stated = tuple(map(NotScored.read, DataNode(result, "result")["not_scored"].items()))
        planned = set(run.manifest.episodes())
        counted = {(each.task_id, each.repeat) for each in run.episodes if each.fault is None}
        if {(each.task_id, each.repeat) for each in stated} != planned - counted:
            findings.add(
                file, None, f"{place}: not_scored differs from the run's episodes without a score"
            )
            return None
        scored = ScoredRun(result["run"]["folder"], run, stated)
        expected = result_json(scored)
    except (OSError, FormatError, CorruptFileError) as error:
        findings.add(file, None, f"{place}: the run cannot be read: {error}")
        return None
    if "mixture" not in result:  # Scores of earlier releases lack this key.
        del expected["mixture"]
    for key in sorted({*result, *expected}):
        _differences(findings, file, f"{place}: {key}", result.get(key), expected.get(key))
    return scored


def _differences(findings: Findings, file: str, what: str, stated: object, given: object) -> None:
    if isinstance(stated, dict) and isinstance(given, dict):
        for key in sorted({*stated, *given}):
            _differences(findings, file, f"{what}.{key}", stated.get(key), given.get(key))
    elif canonical(writable(stated)) != canonical(writable(given)):
        findings.add(file, None, f"{what} is {_shown(stated)}, but the runs give {_shown(given)}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 160 else f"{text[:160]}…"
