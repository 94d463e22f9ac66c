"""Tests that a suite's report design shows the results of its expert."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from env_service.domain.episode import EpisodeStatus, FinishReason
from env_service.domain.observation import ObservationRequest
from env_service.domain.schedule import Assignment
from env_service.domain.task import Task
from env_service.results.manifest import Manifest
from env_service.results.records import EpisodeRecord
from env_service.results.report.content import FigureData, TableData
from env_service.results.report.report_files import FORMATS, write_report
from env_service.results.report.run_report import Designed, make_report
from env_service.results.run_reader import RunContents
from env_service.suites.base import EpisodeOrder, Suite
from env_service.suites.reporting import ReportDesign
from env_service.testing.suites import make_suite

GROUPS, EACH = 3, 2
"""The number of task groups that the expert plays, and of tasks in each."""


class ReportConformance:
    """Set ``suite``. Its expert plays some tasks of the default task set, which a report shows."""

    suite: str | type[Suite]
    """The suite: its installed name, its ``module:class``, or its class."""

    def test_the_design_shows_what_the_expert_did(self, tmp_path: Path) -> None:
        check_design(make_suite(self.suite), tmp_path / "report")


def check_design(suite: Suite, folder: Path) -> None:
    """Writes a report of an expert's run into a folder that does not exist yet. Raises
    AssertionError if the report shows nothing of the suite's design."""
    assert isinstance(suite.report, ReportDesign)
    run = expert_run(suite, suite.name)
    document = make_report([run], lambda _: Designed(suite.report, suite))
    written = write_report(document, folder, FORMATS)
    (section,) = document.sections
    shown = [block for block in section.blocks if isinstance(block, TableData | FigureData)]
    declared = {item.id for item in suite.report.items}
    assert declared & {block.id for block in shown}, "nothing of the design was shown"
    assert all(path.stat().st_size for path in written)
    overview = section.tables()[0]
    assert overview.rows[0].cells[2].value == 1.0, "the expert succeeds"


def expert_run(suite: Suite, name: str) -> RunContents:
    """A run with a few tasks of each of the first groups of the default task set."""
    task_set = next(iter(suite.task_sets().values()))
    taken: dict[str, list[Task]] = {}
    for task in task_set.tasks:
        if task.group in taken or len(taken) < GROUPS:
            taken.setdefault(task.group, []).append(task)
    tasks = [task for members in taken.values() for task in members[:EACH]]
    manifest = Manifest(
        run_id="expert",
        suite=name,
        suite_version=suite.version,
        task_set=task_set.name,
        task_set_digest=task_set.digest(suite.name, suite.version),
        task_ids=tuple(task.id for task in tasks),
        world=suite.worlds[0],
        condition={setting.name: setting.default for setting in suite.settings},
        repeats=1,
        seed=0,
        agent="expert",
        protocol_revision=1,
        created="2026-01-01T00:00:00+00:00",
    )
    records = tuple(play(suite, manifest, task) for task in tasks)
    return RunContents(Path("runs") / "expert", manifest, records, ())


def play(suite: Suite, manifest: Manifest, task: Task) -> EpisodeRecord:
    """One episode, played by the expert."""
    offer = suite.offer(manifest.condition)
    granted = replace(offer.grant(ObservationRequest()), images=())
    seed = Assignment(task, 0).seed(manifest.seed)
    order = EpisodeOrder(task, manifest.world, manifest.condition, granted, seed)
    actions = suite.expert(order).actions
    episode = suite.open_episode(order)
    try:
        episode.start()
        status = EpisodeStatus.RUNNING
        for action in actions:
            status = episode.act(action).status
        over = status is not EpisodeStatus.RUNNING
        result = episode.finish(FinishReason.OVER if over else FinishReason.AGENT_DONE)
    finally:
        episode.close()
    return EpisodeRecord(
        episode_id=f"ep-{seed}",
        task_id=task.id,
        group=task.group,
        cluster=task.cluster,
        repeat=0,
        seed=seed,
        success=result.success,
        failure=result.failure.value if result.failure else None,
        goal_conditions=result.goal_conditions,
        steps=result.steps,
        agent_seconds=1.0,
        environment_seconds=1.0,
        session="s",
        guest="expert",
        transcript_head="0" * 64,
        exchanges=len(actions) + 2,
        metrics=result.metrics,
        labels=result.labels,
    )
