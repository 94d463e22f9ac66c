"""What a report over many episodes costs: ``python -m benchmarks.report``.

A run of that many episodes is made up, in the form that a run's folder has, and
`houseguest report` makes everything of it in a separate process: text, page, CSV, SVG, PNG.
"""

from __future__ import annotations

import json
import os
import random
import resource
import statistics
import subprocess
import sys
import time
from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.children import none_left
from env_service.domain.episode import GoalCondition
from env_service.domain.task import Task
from env_service.domain.usage import Usage
from env_service.results.manifest import Manifest
from env_service.results.records import EpisodeRecord
from env_service.results.run_layout import EPISODES, MANIFEST
from env_service.storage.atomic_files import document
from env_service.storage.canonical_json import canonical
from env_service.suites.babyai.suite import BabyAiSuite

AIM_SECONDS = 5.0
_COMMAND = "import sys; from env_service.cli.main import run; sys.exit(run(sys.argv[1:]))"


def made_up_run(folder: Path, episodes: int, repeats: int = 2) -> None:
    """Writes a run of babyai's data set that was never played; nothing in it is signed."""
    suite = BabyAiSuite()
    task_set = suite.task_sets()["dataset"]
    chosen = random.Random(0)
    tasks = chosen.sample(task_set.tasks, episodes // repeats)
    manifest = Manifest(
        run_id="made-up",
        suite=suite.name,
        suite_version=suite.version,
        task_set=task_set.name,
        task_set_digest=task_set.digest(suite.name, suite.version),
        task_ids=tuple(task.id for task in tasks),
        world=suite.worlds[0],
        condition={setting.name: setting.default for setting in suite.settings},
        repeats=repeats,
        seed=0,
        agent="made-up",
        protocol_revision=1,
        created="2026-01-01T00:00:00+00:00",
    )
    folder.mkdir(parents=True)
    (folder / MANIFEST).write_bytes(document(manifest.to_json()))
    with (folder / EPISODES).open("wb") as file:
        for number, (task, repeat) in enumerate(
            (task, repeat) for repeat in range(repeats) for task in tasks
        ):
            record = _record(number, task, repeat, chosen)
            file.write(canonical(record.to_json() | {"signature": "0" * 128}) + b"\n")


def _record(number: int, task: Task, repeat: int, chosen: random.Random) -> EpisodeRecord:
    success, steps = chosen.random() < 0.4, chosen.randint(3, 400)
    return EpisodeRecord(
        episode_id=f"ep-{number:024}",
        task_id=task.id,
        group=task.group,
        cluster=task.cluster,
        repeat=repeat,
        seed=chosen.getrandbits(63),
        success=success,
        failure=None if success else chosen.choice(["max_steps", "gave_up", "agent_timeout"]),
        goal_conditions=(GoalCondition("go to the red ball", success),),
        steps=steps,
        agent_seconds=chosen.uniform(1, 90),
        environment_seconds=chosen.uniform(0.1, 2),
        session="s-1",
        guest="made-up",
        transcript_head="0" * 64,
        exchanges=steps + 2,
        metrics={
            "turns": float(steps),
            "refused": float(chosen.randint(0, 20)),
            "unparsable": float(chosen.randint(0, 3)),
            "reward": chosen.random() if success else 0.0,
        },
        usage=Usage(
            calls=steps,
            input_tokens=900 * steps,
            output_tokens=120 * steps,
            seconds=0.7 * steps,
            cost_usd=0.002 * steps,
        ),
    )


def measure(run: Path, *words: str) -> tuple[float, float]:
    """Seconds by the clock and on processors of one report in all formats, process included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", _COMMAND, "report", str(run), *words],
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONWARNINGS": "error"},
    )
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu


@none_left()
def main() -> None:
    """Prints the medians as JSON."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="report-") as place:
        run = Path(place) / "run"
        made_up_run(run, given.episodes)
        samples = [measure(run) for _ in range(given.rounds)]
    result = {
        "episodes": given.episodes,
        "wall_seconds": round(statistics.median(wall for wall, _ in samples), 2),
        "cpu_seconds": round(statistics.median(cpu for _, cpu in samples), 2),
        "aim_cpu_seconds": AIM_SECONDS,
    }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
