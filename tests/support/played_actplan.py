"""Plays actplan in-process into a run's folder: no gateway, no worker, no agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from env_service.domain.action import Text
from env_service.domain.episode import FinishReason
from env_service.domain.observation import EncodedObservation, ObservationRequest
from env_service.engine.base import EncodedStep
from env_service.results.records import EpisodeRecord
from env_service.results.run_folder import RunFolder
from env_service.results.transcript import StepExchange, TranscriptHeader
from env_service.storage.signing_key import SigningKey
from env_service.suites.actplan.suite import WORLD, ActPlanSuite
from env_service.suites.base import EpisodeOrder
from env_service.suites.selection import settle_condition
from tests.support.played_run import lab_manifest


def play_plans(
    root: Path, plans: Mapping[str, str], *, task_set: str = "problems", run_id: str = "run-1"
) -> Path:
    """The folder of a run below ``root`` in which each task was answered with a plan, by task.

    A later call with more plans plays on.
    """
    suite = ActPlanSuite()
    found = suite.task_sets()[task_set]
    manifest = replace(
        lab_manifest(),
        run_id=run_id,
        suite="actplan",
        suite_version=suite.version,
        task_set=task_set,
        task_set_digest=found.digest(suite.name, suite.version),
        task_ids=tuple(task.id for task in found.tasks),
        world=WORLD,
        condition=settle_condition(suite, {"pictures": "off"}),
    )
    folder = RunFolder.open(root, manifest, SigningKey.load_or_create(root / "key"))
    folder.declare({"agent_name": "scripted", "model": "org/planner-7b"})
    try:
        played = {record.task_id for record in folder.finished()}
        for task in found.tasks:
            if task.id in plans and task.id not in played:
                request = ObservationRequest(text=True)
                order = EpisodeOrder(task, WORLD, manifest.condition, request, 0)
                _play(folder, order, plans[task.id])
    finally:
        folder.close()
    return folder.path


def _play(folder: RunFolder, order: EpisodeOrder, plan: str) -> None:
    name = f"{folder.manifest.run_id}-{order.task.id.replace('/', '-')}"
    run_id, task_id = folder.manifest.run_id, order.task.id
    transcript = folder.transcript(TranscriptHeader(run_id, name, task_id, 0, order, "s-1", 0))
    episode = ActPlanSuite().open_episode(order)
    episode.start()
    report = episode.act(Text(plan))
    step = EncodedStep(
        outcomes=report.outcomes,
        observation=EncodedObservation(report.observation.text, ()),
        status=report.status,
        steps_left=report.steps_left,
        state_digest=episode.state_digest(),
    )
    transcript.append(StepExchange(0, 1, Text(plan), None, report.outcomes, step, 0.5, 0.25))
    result = episode.finish(FinishReason.OVER)
    folder.record(
        EpisodeRecord(
            episode_id=name,
            task_id=task_id,
            group=order.task.group,
            cluster=order.task.cluster,
            repeat=0,
            seed=0,
            success=result.success,
            failure=result.failure.value if result.failure else None,
            goal_conditions=result.goal_conditions,
            steps=result.steps,
            agent_seconds=0.5,
            environment_seconds=0.25,
            session="s-1",
            guest="scripted",
            transcript_head=transcript.close(),
            exchanges=transcript.count,
            metrics=result.metrics,
            labels=result.labels,
        )
    )
