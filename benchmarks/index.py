"""What an index of many runs costs: ``python -m benchmarks.index --cache FOLDER``.

100 runs with 10,000 episodes and 300,000 steps are made up, written by the service's own classes,
and kept in the folder for the next time. Measured are CPU seconds of building the index, of looking
at unchanged runs, of reading one more episode, and the time of the questions that a viewer asks.
"""

from __future__ import annotations

import json
import random
import shutil
import statistics
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from env_service.domain.action import ActionSpace, SkillCall
from env_service.domain.episode import (
    EpisodeResult,
    EpisodeStatus,
    FinishReason,
    FirstObservation,
    GoalCondition,
    Mode,
)
from env_service.domain.failure import FailureClass
from env_service.domain.observation import (
    Channel,
    EncodedImage,
    EncodedObservation,
    ImageEncoding,
    ImageRole,
    Observation,
    ObservationRequest,
)
from env_service.domain.outcome import Outcome, OutcomeCode
from env_service.domain.task import Task
from env_service.domain.usage import Usage
from env_service.engine.base import EncodedStep, Opening
from env_service.index.episode_queries import EpisodeFilter, EpisodeSort
from env_service.index.episode_queries import Outcome as EpisodeOutcome
from env_service.index.run_queries import RunFilter, RunSort
from env_service.index.store import Index, IndexReader
from env_service.results.manifest import Manifest
from env_service.results.records import EpisodeRecord
from env_service.results.run_folder import RunFolder
from env_service.results.transcript import (
    BeginExchange,
    CloseExchange,
    StepExchange,
    TranscriptHeader,
)
from env_service.storage.signing_key import SigningKey
from env_service.suites.base import EpisodeOrder

RUNS, EPISODES, STEPS = 100, 100, 30
BUILD_SECONDS, UPDATE_MS = 60.0, 20.0
"""What a build and an update by one episode may cost, in CPU time."""
_TEXT = "You see a table, a lamp, an open door and three cups. " * 4
_FAILURES = (FailureClass.MAX_STEPS, FailureClass.GAVE_UP, FailureClass.AGENT_TIMEOUT)
_CONDITION = {"feedback": "simple", "picture": "300"}


def write_runs(folder: Path, runs: int = RUNS, episodes: int = EPISODES) -> None:
    """Writes made-up runs, each signed and with whole transcripts, but without pictures."""
    draft = folder.with_name(f"{folder.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    key = SigningKey.generate()
    # Nothing here has to survive a loss of power.
    with patch("os.fsync"):
        for number in range(runs):
            opened = RunFolder.open(draft, _manifest(number, episodes), key)
            chosen = random.Random(number)
            for task in range(episodes):
                play(opened, task, chosen)
            opened.close()
    draft.rename(folder)


def _manifest(number: int, tasks: int) -> Manifest:
    return Manifest(
        run_id=f"run-{number}",
        suite=f"made-up-{number % 5}",
        suite_version="1",
        task_set="all",
        task_set_digest=sha256(b"tasks").hexdigest(),
        task_ids=tuple(f"task/{task}" for task in range(tasks)),
        world="made-up",
        condition=_CONDITION,
        repeats=1,
        seed=number,
        agent=f"agent-{number % 7}",
        protocol_revision=4,
        created=f"2026-01-{number % 28 + 1:02}T00:00:00+00:00",
        declared=({"agent_name": f"agent-{number % 7}", "model": f"model-{number % 3}"},),
    )


def play(folder: RunFolder, task: int, chosen: random.Random) -> None:
    """Records one more episode of a run."""
    name = f"ep-{folder.manifest.run_id}-{task}"
    order = EpisodeOrder(
        task=Task(f"task/{task}", f"group-{task % 5}", f"cluster-{task % 10}", {}),
        world="made-up",
        condition=_CONDITION,
        request=ObservationRequest(),
        seed=chosen.getrandbits(62),
    )
    header = TranscriptHeader(
        run_id=folder.manifest.run_id,
        episode_id=name,
        task_id=order.task.id,
        repeat=0,
        order=order,
        session="s-1",
        ordinal=task,
    )
    transcript = folder.transcript(header)
    first = FirstObservation(Mode.STEPWISE, f"Do task {task}.", ActionSpace(), Observation(), STEPS)
    transcript.append(BeginExchange(Opening(first, _shown(chosen), "0" * 64), {}, 0.1))
    usage = Usage(calls=1, input_tokens=900, output_tokens=120, seconds=0.7, cost_usd=0.002)
    for index in range(STEPS):
        transcript.append(_step(index, chosen, usage))
    success = chosen.random() < 0.4
    failure = None if success else chosen.choice(_FAILURES)
    goals = tuple(
        GoalCondition(f"the cup {each} is clean", success or each > 1, held_at_start=False)
        for each in range(4)
    )
    result = EpisodeResult(success, goals, failure, STEPS)
    transcript.append(CloseExchange(FinishReason.OVER, EpisodeStatus.TERMINATED, result, None))
    folder.record(
        EpisodeRecord(
            episode_id=name,
            task_id=order.task.id,
            group=order.task.group,
            cluster=order.task.cluster,
            repeat=0,
            seed=order.seed,
            success=success,
            failure=failure.value if failure else None,
            goal_conditions=goals,
            steps=STEPS,
            agent_seconds=chosen.uniform(1, 90),
            environment_seconds=chosen.uniform(0.1, 2),
            session="s-1",
            guest=folder.manifest.agent,
            transcript_head=transcript.close(),
            exchanges=transcript.count,
            metrics={"turns": float(STEPS), "refused": float(chosen.randint(0, 20))},
            labels={"kind": f"kind-{task % 4}"},
            usage=Usage.total([usage] * STEPS),
        )
    )


def _shown(chosen: random.Random) -> EncodedObservation:
    image = EncodedImage(
        Channel.RGB, ImageEncoding.RAW, 300, 300, ImageRole.CURRENT, "", chosen.randbytes(32), b""
    )
    return EncodedObservation(_TEXT, (image,))


def _step(index: int, chosen: random.Random, usage: Usage) -> StepExchange:
    code = chosen.choice((OutcomeCode.SUCCEEDED, OutcomeCode.PHYSICALLY_BLOCKED))
    outcomes = (Outcome(code, "The way is blocked by a chair."),)
    return StepExchange(
        index=index,
        epoch=1,
        action=SkillCall("go_to", (("object", f"cup {index}"),)),
        trace={"thought": _TEXT, "raw_model_output": _TEXT},
        disclosed=outcomes,
        step=EncodedStep(outcomes, _shown(chosen), EpisodeStatus.RUNNING, STEPS - index, "0" * 64),
        agent_seconds=chosen.uniform(0.1, 3),
        environment_seconds=0.05,
        usage=usage,
    )


PATH, EPISODE = [""], [""]
QUESTIONS: dict[str, Callable[[IndexReader], object]] = {
    "runs": lambda read: (read.runs(), read.facets()),
    "runs_filtered": lambda read: read.runs(
        RunFilter(search="agent-3", models=["model-1"]), sort=RunSort.RATE
    ),
    "run": lambda read: [read.run(PATH[0]), read.groups(PATH[0]), read.failures(PATH[0])],
    "episodes_filtered": lambda read: read.episodes(
        EpisodeFilter(outcomes=[EpisodeOutcome.FAILURE], labels=[("kind", "kind-2")]),
        sort=EpisodeSort.STEPS,
    ),
    "episode": lambda read: read.episode(PATH[0], EPISODE[0]),
    "tasks": lambda read: read.tasks(),
    "leaderboards": lambda read: read.leaderboards(),
}


def _timed(work: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Median seconds on the processor and by the clock."""
    samples = []
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        samples.append((time.process_time() - cpu, time.perf_counter() - wall))
    return (
        statistics.median(cpu for cpu, _ in samples),
        statistics.median(wall for _, wall in samples),
    )


def _questions(index: Index, rounds: int) -> Iterator[tuple[str, dict[str, float]]]:
    with index.read() as read:
        run = read.runs().rows[0]
        PATH[0] = run.path
        EPISODE[0] = read.episodes(EpisodeFilter(runs=[run.path])).rows[0].episode_id
    for name, ask in QUESTIONS.items():

        def asked(ask: Callable[[IndexReader], object] = ask) -> None:
            with index.read() as read:
                ask(read)

        cpu, wall = _timed(asked, rounds)
        yield name, {"cpu_ms": round(1000 * cpu, 1), "wall_ms": round(1000 * wall, 1)}


def _updates(folder: Path, index: Index, rounds: int) -> tuple[float, float]:
    """CPU seconds of a sync after one more episode, and of one after none; medians."""
    key = SigningKey.generate()
    manifest = replace(_manifest(0, EPISODES + rounds), run_id="run-growing", seed=10**6)
    opened = RunFolder.open(folder, manifest, key)
    chosen, samples = random.Random(0), []
    for task in range(EPISODES):
        play(opened, task, chosen)
    index.sync()
    for task in range(EPISODES, EPISODES + rounds):
        play(opened, task, chosen)
        began = time.process_time()
        report = index.sync()
        samples.append(time.process_time() - began)
        if (report.episodes, report.steps) != (1, STEPS):
            raise RuntimeError(f"one episode was played, and the index read {report}")
    opened.close()
    index.sync()
    return statistics.median(samples), _timed(index.sync, rounds)[0]


def main() -> None:
    """Prints the numbers as JSON."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True, help="where the made-up runs are kept")
    parser.add_argument("--location", default="", help="a database's URL in place of a file")
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    runs = given.cache / f"runs-{RUNS}-{EPISODES}-{STEPS}"
    if not runs.exists():
        write_runs(runs)
    with TemporaryDirectory(prefix="index-", dir=given.cache) as place:
        work = Path(place) / "runs"
        # The runs that stay in the cache must not grow.
        shutil.copytree(runs, work, copy_function=_hard_link)
        with Index.open(work, given.location) as index:
            began, wall = time.process_time(), time.perf_counter()
            report = index.sync()
            build = time.process_time() - began
            build_wall = time.perf_counter() - wall
            size = sum(file.stat().st_size for file in work.glob(".houseguest-index*"))
            answers = dict(_questions(index, given.rounds))
            update, idle = _updates(work, index, given.rounds)
    result = {
        "runs": report.runs,
        "episodes": report.episodes,
        "steps": report.steps,
        "build_cpu_seconds": round(build, 2),
        "build_wall_seconds": round(build_wall, 2),
        "aim_build_cpu_seconds": BUILD_SECONDS,
        "index_mb": round(size / 1e6, 1),
        "update_cpu_ms": round(1000 * update, 2),
        "aim_update_cpu_ms": UPDATE_MS,
        "unchanged_cpu_ms": round(1000 * idle, 2),
        "questions": answers,
    }
    print(json.dumps(result, indent=2))


def _hard_link(source: str, target: str) -> None:
    Path(target).hardlink_to(source)


if __name__ == "__main__":
    main()
