"""Replays the episodes of one run, where its suite is at hand and deterministic."""

from __future__ import annotations

from env_service.domain.task import TaskSet
from env_service.results.canonical import canonical
from env_service.results.envelope import read_order
from env_service.results.fields import Fields, FormatError
from env_service.results.findings import Findings
from env_service.results.frames import FrameStore
from env_service.results.host import package_versions
from env_service.results.layout import MANIFEST
from env_service.results.manifest import Manifest
from env_service.results.replay import replay_episode
from env_service.results.transcript import TranscriptText
from env_service.suites.base import EpisodeOrder, Suite
from env_service.suites.registry import load_suite, suite_names
from env_service.suites.selection import find_task_set

MAX_DIFFERENCES = 10
"""Differences reported of one replayed episode: after the first, the others often follow."""

_INSTALL = "nothing was replayed: install the houseguest that played the run"


class ReplayCheck:
    """Plays recorded episodes again, and reports what differs."""

    def __init__(
        self, suite: Suite, task_set: TaskSet, store: FrameStore, findings: Findings
    ) -> None:
        self._suite = suite
        self._tasks = {task.id: task for task in task_set.tasks}
        self._store = store
        self._findings = findings

    @staticmethod
    def prepare(
        manifest: Manifest, named: str | None, store: FrameStore, findings: Findings
    ) -> ReplayCheck | None:
        """Loads the suite; None, with the reason reported, where nothing can be replayed.

        ``named`` is the ``module:class`` of a suite that is not built in. Raises what
        ``load_suite`` raises where it cannot be loaded.
        """
        if named is None and manifest.suite not in suite_names():
            findings.add(
                MANIFEST,
                None,
                f"suite {manifest.suite!r} is not built in, so that nothing was replayed",
                "name its module:class to have it loaded, or leave the replay out",
            )
            return None
        suite = load_suite(named or manifest.suite)
        task_set = _same_rules(manifest, suite, findings)
        if task_set is None:
            return None
        if manifest.world not in suite.deterministic:
            findings.notes.append(
                f"Suite {suite.name} is not deterministic in {manifest.world}: nothing was"
                " replayed."
            )
            return None
        _note_packages(manifest, findings)
        return ReplayCheck(suite, task_set, store, findings)

    def check(self, text: TranscriptText, file: str) -> None:
        """Replays one transcript. One that was voided, or has no order, is left out."""
        try:
            order = read_order(Fields(text.lines[0][1], "header").object("order"))
        except (FormatError, IndexError):
            return  # the check of the transcript reports it
        if text.lines[-1][1].get("fault") is not None:
            return
        self._check_order(order, file)
        differences = replay_episode(self._suite, order, text.lines[1:], self._store)
        for count, (line, what) in enumerate(differences):
            if count == MAX_DIFFERENCES:
                self._findings.add(file, line, "further differences are left out")
                break
            self._findings.add(file, line, f"replayed, it differs: {what}")
        self._findings.replayed += 1

    def _check_order(self, order: EpisodeOrder, file: str) -> None:
        task = self._tasks.get(order.task.id)
        if task is None:
            self._findings.add(file, 1, f"task {order.task.id!r} is not in the run's task set")
        elif canonical(dict(task.data)) != canonical(dict(order.task.data)):
            self._findings.add(file, 1, f"task {task.id!r} was not played as the suite has it")
        try:
            settled = self._suite.offer(order.condition).grant(order.request)
        except (ValueError, KeyError) as error:
            self._findings.add(file, 1, f"the agent was granted what is not on offer: {error}")
            return
        if settled != order.request:
            self._findings.add(file, 1, "the grant of pictures and texts is not settled")


def _same_rules(manifest: Manifest, suite: Suite, findings: Findings) -> TaskSet | None:
    """The run's task set, if the rules installed are those of the run."""
    if suite.version != manifest.suite_version:
        findings.add(
            MANIFEST,
            None,
            f"the rules are version {manifest.suite_version!r}, installed is {suite.version!r}",
            _INSTALL,
        )
        return None
    found = find_task_set(suite, manifest.task_set, manifest.condition)
    task_set = found.task_set
    if task_set is None:
        what = f"task set {manifest.task_set!r} cannot be had: {found.problem}"
        findings.add(MANIFEST, None, what, "nothing was replayed")
        return None
    if task_set.digest(suite.name, suite.version) != manifest.task_set_digest:
        findings.add(
            MANIFEST,
            None,
            f"task set {manifest.task_set!r} is another one than the one installed",
            _INSTALL,
        )
        return None
    return task_set


def _note_packages(manifest: Manifest, findings: Findings) -> None:
    now = package_versions(manifest.packages)
    for name, version in manifest.packages.items():
        if now[name] != version:
            findings.notes.append(
                f"Replayed with {name} {now[name]}; the run was played with {version}."
            )
