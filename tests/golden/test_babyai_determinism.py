"""Equal orders give equal pixels, words and digests, in every process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

PLAY = """
import hashlib, json, sys
from env_service.domain.action import SkillCall, Text
from env_service.domain.episode import EpisodeStatus, FinishReason
from env_service.domain.observation import ObservationRequest
from env_service.suites.base import EpisodeOrder
from env_service.suites.babyai.suite import BabyAiSuite

suite = BabyAiSuite()
sheet = hashlib.sha256()
for name, tasks in suite.task_sets().items():
    sheet.update(tasks.digest(suite.name, suite.version).encode())
tasks = {task.id: task for task in suite.task_sets()["evaluation"].tasks}
for task_id, view, observation in (
    ("PutNextLocal/3", "full", "text+picture"),
    ("SynthLoc/3", "partial", "text+picture"),
    ("BossLevel/5", "partial", "text"),
):
    condition = {setting.name: setting.default for setting in suite.settings}
    condition |= {"observation": observation, "view": view}
    grant = suite.offer(condition).grant(ObservationRequest())
    order = EpisodeOrder(tasks[task_id], "babyai", condition, grant, 0)
    episode = suite.open_episode(order)
    observations = [episode.start().observation]
    digests = [episode.state_digest()]
    for action in (Text("hm"), *suite.expert(order).actions):
        report = episode.act(action)
        observations.append(report.observation)
        digests.append(episode.state_digest())
        if report.status is not EpisodeStatus.RUNNING:
            break
    for seen in observations:
        sheet.update(seen.text.encode())
        for frame in seen.frames:
            sheet.update(frame.pixels.tobytes())
    sheet.update("".join(digests).encode())
    sheet.update(repr(episode.finish(FinishReason.OVER)).encode())
print(sheet.hexdigest())
"""

LIST = """
import json, sys
from env_service.suites.registry import load_suite
load_suite("babyai").task_sets()
print(json.dumps(sorted(set(sys.modules) & {"minigrid", "gymnasium", "pygame"})))
"""


def run(program: str, hash_seed: str = "0") -> str:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout


def test_a_fresh_process_shows_the_same_whatever_its_hash_seed():
    first, second = run(PLAY, "1"), run(PLAY, "4242")
    assert len(first) == 65  # one digest and nothing else: the simulator prints nothing
    assert first == second


def test_tasks_are_listed_without_loading_the_simulator():
    assert json.loads(run(LIST)) == []
