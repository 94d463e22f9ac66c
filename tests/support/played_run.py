"""Plays the laboratory suite in-process into a run's folder: no gateway, no worker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from env_service.domain.action import Action, SkillCall, Text
from env_service.domain.episode import Episode, EpisodeStatus, FinishReason
from env_service.domain.observation import (
    EncodedImage,
    EncodedObservation,
    ImageEncoding,
    Observation,
    ObservationRequest,
)
from env_service.domain.outcome import Disclosure
from env_service.domain.schedule import Assignment
from env_service.domain.usage import Usage
from env_service.engine.base import EncodedStep, Opening
from env_service.results.manifest import Manifest
from env_service.results.records import Cause, EpisodeRecord, UncountedRecord, VoidRecord
from env_service.results.run_folder import RunFolder
from env_service.results.summary import Summary
from env_service.results.transcript import (
    BeginExchange,
    CloseExchange,
    StepExchange,
    Transcript,
    TranscriptHeader,
)
from env_service.storage.frame_store import FrameStore
from env_service.storage.signing_key import SigningKey
from env_service.suites.base import EpisodeOrder, Suite
from env_service.wire.images import encode
from tests.support.lab import LabSuite, default_condition

LAB = "tests.support.lab:LabSuite"

WINNING: tuple[Action, ...] = (
    SkillCall("noop"),
    SkillCall("refuse", (("code", "PHYSICALLY_BLOCKED"),)),
    Text("win"),
)
LOSING: tuple[Action, ...] = (SkillCall("noop"), Text("hm"), SkillCall("lose"))

WITH_PICTURES = default_condition(frame="64", feedback="simple", step_limit="told")


def lab_manifest(
    *, tasks: int = 4, repeats: int = 1, condition: Mapping[str, str] = WITH_PICTURES
) -> Manifest:
    """A run of the first laboratory tasks, under fixed circumstances."""
    task_set = LabSuite().task_sets()["lab"]
    return Manifest(
        run_id="run-1",
        suite=LAB,
        suite_version=LabSuite.version,
        task_set=task_set.name,
        task_set_digest=task_set.digest(LabSuite.name, LabSuite.version),
        task_ids=tuple(task.id for task in task_set.tasks[:tasks]),
        world="light",
        condition=condition,
        repeats=repeats,
        seed=7,
        agent="Scripted/1.0",
        protocol_revision=1,
        created="2025-01-01T00:00:00+00:00",
        packages={"numpy": "0.0"},
        versions={"houseguest": "0.1.0"},
        hardware={"cpu": "none", "cores": 1},
    )


class Player:
    """Plays episodes of one run, each with given actions; of the laboratory, or another suite."""

    def __init__(
        self,
        folder: RunFolder,
        encoding: ImageEncoding = ImageEncoding.RAW,
        suite: Suite | None = None,
    ) -> None:
        self.folder = folder
        self._suite = suite or LabSuite()
        task_set = self._suite.task_sets()[folder.manifest.task_set]
        self._tasks = {task.id: task for task in task_set.tasks}
        self._encoding = encoding
        self._store = FrameStore(folder.frames)

    def play(
        self, task_id: str, repeat: int, actions: tuple[Action, ...], *, name: str = ""
    ) -> EpisodeRecord:
        """Plays one episode to the end of ``actions``, and records it. ``name``: its id, where it
        is not the first attempt."""
        order = self._order(task_id, repeat)
        episode_id = name or episode_name(task_id, repeat)
        transcript = self.folder.transcript(_header(self.folder, order, episode_id, repeat))
        episode = self._suite.open_episode(order)
        steps = self._act(episode, order, transcript, actions)
        over = steps[-1].status is not EpisodeStatus.RUNNING
        reason = FinishReason.OVER if over else FinishReason.AGENT_GAVE_UP
        result = episode.finish(reason)
        transcript.append(CloseExchange(reason, steps[-1].status, result, None))
        record = EpisodeRecord(
            episode_id=episode_id,
            task_id=task_id,
            group=order.task.group,
            cluster=order.task.cluster,
            repeat=repeat,
            seed=order.seed,
            success=result.success,
            failure=result.failure.value if result.failure else None,
            goal_conditions=result.goal_conditions,
            steps=result.steps,
            agent_seconds=0.5 * len(steps),
            environment_seconds=0.25 * len(steps),
            session="s-1",
            guest="scripted",
            transcript_head=transcript.close(),
            exchanges=transcript.count,
            metrics=result.metrics,
        )
        self.folder.record(record)
        return record

    def void(self, task_id: str, *, attempt: int = 1, collateral: bool = False) -> None:
        """Opens an episode and loses it to a crash of the simulator."""
        order, name = self._order(task_id, 0), f"void-{episode_name(task_id, attempt)}"
        transcript = self.folder.transcript(_header(self.folder, order, name, 0))
        transcript.append(CloseExchange(None, EpisodeStatus.VOIDED, None, "simulator_crash"))
        transcript.close()
        self.folder.record_void(
            VoidRecord(
                episode_id=name,
                task_id=task_id,
                repeat=0,
                attempt=attempt,
                fault="simulator_crash",
                detail="signal 11",
                collateral=collateral,
                session="s-1",
                guest="scripted",
            )
        )

    def withdraw(self, task_id: str) -> None:
        """Opens an episode, and its agent withdraws after a call of its model."""
        usage = Usage(calls=1, input_tokens=100, cost_usd=0.25)
        order, name = self._order(task_id, 0), f"left-{episode_name(task_id, 0)}"
        transcript = self.folder.transcript(_header(self.folder, order, name, 0))
        reason = "model_unreachable"
        left = CloseExchange(None, EpisodeStatus.VOIDED, None, None, None, usage, reason)
        transcript.append(left)
        self.folder.record_uncounted(
            UncountedRecord(
                cause=Cause.WITHDRAWN,
                episode_id=name,
                task_id=task_id,
                session="s-1",
                guest="scripted",
                reason=reason,
                message="connection refused",
                usage=usage,
            )
        )

    def _order(self, task_id: str, repeat: int) -> EpisodeOrder:
        condition = self.folder.manifest.condition
        granted = self._suite.offer(condition).grant(ObservationRequest())
        images = tuple(replace(image, encodings=(self._encoding,)) for image in granted.images)
        return EpisodeOrder(
            task=self._tasks[task_id],
            world=self.folder.manifest.world,
            condition=condition,
            request=replace(granted, images=images),
            seed=Assignment(self._tasks[task_id], repeat).seed(self.folder.manifest.seed),
        )

    def _act(
        self,
        episode: Episode,
        order: EpisodeOrder,
        transcript: Transcript,
        actions: tuple[Action, ...],
    ) -> list[EncodedStep]:
        first, disclosure = episode.start(), self._suite.disclosure(order.condition)
        opening = Opening(
            replace(first, observation=Observation()),
            self._encode(first.observation),
            episode.state_digest(),
        )
        told = {"max_steps": first.max_steps if disclosure.step_limit else None}
        transcript.append(BeginExchange(opening, told, 0.25))
        steps = []
        for index, action in enumerate(actions):
            steps.append(self._step(episode, action))
            transcript.append(_exchange(index, action, steps[-1], disclosure))
        return steps

    def _step(self, episode: Episode, action: Action) -> EncodedStep:
        report = episode.act(action)
        return EncodedStep(
            outcomes=report.outcomes,
            observation=self._encode(report.observation),
            status=report.status,
            steps_left=report.steps_left,
            state_digest=episode.state_digest(),
        )

    def _encode(self, observation: Observation) -> EncodedObservation:
        images = []
        for frame in observation.frames:
            data = bytes(encode(frame.pixels, self._encoding))
            height, width = frame.pixels.shape[:2]
            images.append(
                EncodedImage(
                    frame.channel,
                    self._encoding,
                    width,
                    height,
                    frame.role,
                    frame.view,
                    sha256(data).digest(),
                    data,
                )
            )
            self._store.put(images[-1])
        return EncodedObservation(observation.text, tuple(images))


def play_run(
    root: Path, key: SigningKey, encoding: ImageEncoding = ImageEncoding.RAW
) -> tuple[Path, Summary]:
    """A finished run of four tasks, the first two won.

    The third was voided once before, and the agent withdrew once from the fourth.
    """
    folder = RunFolder.open(root, lab_manifest(), key)
    folder.declare({"agent_name": "scripted", "model": ""})
    player = Player(folder, encoding)
    for number, task_id in enumerate(folder.manifest.task_ids):
        if number == 2:
            player.void(task_id)
        if number == 3:
            player.withdraw(task_id)
        player.play(task_id, 0, WINNING if number < 2 else LOSING)
    summary = folder.write_summary()
    folder.close()
    return folder.path, summary


def episode_name(task_id: str, repeat: int) -> str:
    """The id of the episode that plays a task."""
    return f"ep-{task_id.replace('/', '-')}-{repeat}"


def _header(folder: RunFolder, order: EpisodeOrder, name: str, repeat: int) -> TranscriptHeader:
    return TranscriptHeader(
        run_id=folder.manifest.run_id,
        episode_id=name,
        task_id=order.task.id,
        repeat=repeat,
        order=order,
        session="s-1",
        ordinal=0,
    )


def _exchange(
    index: int, action: Action, step: EncodedStep, disclosure: Disclosure
) -> StepExchange:
    return StepExchange(
        index=index,
        epoch=1,
        action=action,
        trace={"thought": "…"} if index else None,
        disclosed=tuple(map(disclosure.outcome, step.outcomes)),
        step=step,
        agent_seconds=0.5,
        environment_seconds=0.25,
    )
