"""ALFRED's official tasks in AI2-THOR's world, the stand-in player in the place of Unity's: set up,
played and scored as in the household world, through the unmodified package."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from env_service.domain.action import Text
from env_service.domain.episode import FinishReason, FirstObservation
from env_service.domain.observation import ObservationRequest
from env_service.domain.task import Task, TaskSet
from env_service.suites.alfred.dataset.refined_commands import read_records
from env_service.suites.alfred.dataset.splits import as_task
from env_service.suites.alfred.dataset.trajectories import read_trajectory
from env_service.suites.alfred.suite import AlfredSuite
from env_service.suites.alfred.task import make_task, read_task
from env_service.suites.base import EpisodeOrder
from env_service.suites.selection import settle_condition
from env_service.worlds.ai2thor_api.floor_plans import VARIABLE as FLOOR_PLANS
from env_service.worlds.household.player.stand_in_build import command
from env_service.worlds.household.render.selection import VARIABLE as RENDERER
from tests.support.command_line import done, finish, houseguest, lines, run_folder
from tests.support.data import reference_data

pytest.importorskip("ai2thor", reason="needs houseguest[ai2thor]")

pytestmark = pytest.mark.data

SUITE = f"{__name__}:TwoTasks"
TRIALS = (
    # Everything dirty, and a tap: DirtyObject, ToggleObjectOn and ToggleObjectOff.
    "trial_T20190908_064808_086925",
    # Something to be put back on its furniture, and slices: SliceObject, PlaceObjectAtPoint.
    "trial_T20190908_133804_285739",
)


class TwoTasks(AlfredSuite):
    """The suite with two official tasks, read where the reference data lies."""

    def task_sets(self) -> Mapping[str, TaskSet]:
        refined = reference_data("alfred-refined/refined_valid_seen_commands.json")
        records = {each.task_id: each for each in read_records(refined.read_bytes(), refined.name)}
        tasks = []
        for trial in TRIALS:
            (path,) = reference_data("alfred/data/json_2.1.0/valid_seen").glob(
                f"*/{trial}/traj_data.json"
            )
            trajectory = read_trajectory(path.read_text(encoding="utf-8"), trial)
            tasks.append(make_task(as_task(trajectory, records[trial])))
        return {"two": TaskSet("two", "Two tasks of valid_seen.", tuple(tasks))}

    def data(self, task_set: str, world: str) -> Mapping[str, tuple[str, ...]]:
        del task_set, world
        return {}

    def worlds_of(self, task_set: str) -> tuple[str, ...]:
        del task_set
        return self.worlds


@dataclass(frozen=True)
class Played:
    """An episode: its score, how each step of the plan went, and the state's digest at the opening
    and at the end."""

    success: bool
    conditions: tuple[tuple[str, bool], ...]
    outcomes: tuple[str, ...]
    states: tuple[str, ...]


def plan(task: Task) -> str:
    return ", ".join((*read_task(task).reference, "done"))


def in_household(suite: AlfredSuite, task: Task) -> tuple[FirstObservation, Played]:
    """Plays a task's own plan in this process."""
    condition = settle_condition(suite, {})
    request = suite.offer(condition).grant(ObservationRequest())
    episode = suite.open_episode(EpisodeOrder(task, "household", condition, request, seed=0))
    try:
        first = episode.start()
        opening = episode.state_digest()
        report = episode.act(Text(plan(task)))
        closing = episode.state_digest()
        result = episode.finish(FinishReason.OVER)
    finally:
        episode.close()
    return first, Played(
        result.success,
        tuple((each.name, each.met) for each in result.goal_conditions),
        tuple(each.code.name for each in report.outcomes),
        (opening, closing),
    )


@pytest.fixture
def player(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place to run in, with the stand-in player as AI2-THOR's. Nothing may be left of it."""
    rooms = reference_data("ithor/dev/data/objects_metadata_samples")
    temporary = Path(tempfile.mkdtemp(prefix="thor-"))  # short: sockets lie below it
    for name in ("DISPLAY", "CUDA_VISIBLE_DEVICES"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {
        "HOME": str(place),
        "TMPDIR": str(temporary),
        FLOOR_PLANS: str(rooms),
        RENDERER: "soft",
        "HOUSEGUEST_THOR_PLATFORM": "executable",
        "HOUSEGUEST_THOR_EXECUTABLE": command(),
    }.items():
        monkeypatch.setenv(name, value)
    yield place
    left = [path.name for path in temporary.iterdir()]
    shutil.rmtree(temporary)
    assert left == []


def played(place: Path) -> dict[str, Played]:
    """The counted episodes of the run, by task."""
    folder, found = run_folder(place), {}
    for line in lines(folder / "episodes.jsonl"):
        record = json.loads(line)
        exchanges = [
            json.loads(each)
            for each in lines(folder / "transcripts" / f"{record['episode_id']}.jsonl")
        ]
        begin, step, _ = (each for each in exchanges if each["kind"] != "header")
        found[record["task_id"]] = Played(
            record["success"],
            tuple((name, met) for name, met, _ in record["goal_conditions"]),
            tuple(code for code, _ in step["truth"]["outcomes"]),
            (begin["truth"]["state_digest"], step["truth"]["state_digest"]),
        )
    return found


def test_a_plan_comes_to_the_same_in_both_worlds(player: Path) -> None:
    suite = TwoTasks()
    expected, entries = {}, []
    for task in suite.task_sets()["two"].tasks:
        first, expected[task.id] = in_household(suite, task)
        opening = {"instruction": first.instruction, "text": first.observation.text, "images": []}
        entries.append({"task": task.id, "opening": opening, "actions": [{"text": plan(task)}]})
    (player / "plans.jsonl").write_text("\n".join(map(json.dumps, entries)), encoding="utf-8")
    agent = ["--agent", "scripted", "--actions", "plans.jsonl"]
    out, _ = finish(
        houseguest(player, "run", "--suite", SUITE, "--world", "ai2thor", "--json", *agent)
    )
    summary: dict[str, Any] = done(out)["summary"]["overall"]
    assert (summary["n"], summary["successes"]) == (len(TRIALS), len(TRIALS))
    assert lines(run_folder(player) / "voids.jsonl") == []
    assert played(player) == expected
