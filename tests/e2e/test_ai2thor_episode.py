"""Episodes in AI2-THOR's world from the command line to the player and back, the stand-in player
in the place of Unity's: what is played, what is scored, and what happens when the player fails."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from env_service.domain.action import SkillCall
from env_service.domain.episode import FinishReason
from env_service.domain.observation import Observation, ObservationRequest
from env_service.domain.task import Task
from env_service.suites.base import EpisodeOrder
from env_service.worlds.household.player.stand_in_build import command
from tests.support.command_line import done, finish, houseguest, lines, run_folder, until
from tests.support.thor_lab import ThorLab
from tests.support.whole import sample

pytest.importorskip("ai2thor", reason="needs houseguest[ai2thor]")

SUITE = ["--suite", "tests.support.thor_lab:ThorLab"]
TASKS = 2
STEP_SECONDS = 8.0
"""Long for the stand-in player's steps even on a busy machine, short for a test that waits."""


@dataclass(frozen=True)
class Played:
    """An episode: its score, and after each exchange the state's digest and the picture's."""

    success: bool
    states: tuple[str, ...]
    pictures: tuple[str, ...]


@dataclass(frozen=True)
class Reference:
    """The suite's first tasks as the expert plays them in the household world, in this process."""

    actions: Mapping[str, tuple[SkillCall, ...]]
    openings: Mapping[str, str]
    played: Mapping[str, Played]

    def write(self, path: Path) -> None:
        """The expert's actions as a file for the agent `scripted`."""
        entries = [
            {
                "task": task,
                "opening": {
                    "instruction": self.openings[task],
                    "text": "",
                    "images": [self.played[task].pictures[0]],
                },
                "actions": [
                    {"skill": each.name, "arguments": dict(each.arguments)} for each in actions
                ],
            }
            for task, actions in self.actions.items()
        ]
        path.write_text("\n".join(map(json.dumps, entries)), encoding="utf-8")


@pytest.fixture(scope="module")
def reference() -> Reference:
    suite = ThorLab()
    actions, openings, played = {}, {}, {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOUSEGUEST_RENDERER", "soft")
        for task in suite.task_sets()["rooms"].tasks[:TASKS]:
            found = suite.expert(order(suite, task)).actions
            actions[task.id] = tuple(each for each in found if isinstance(each, SkillCall))
            openings[task.id], played[task.id] = play(suite, task, actions[task.id])
    return Reference(actions, openings, played)


def order(suite: ThorLab, task: Task) -> EpisodeOrder:
    condition = {setting.name: setting.default for setting in suite.settings}
    return EpisodeOrder(
        task, "household", condition, suite.offer(condition).grant(ObservationRequest()), seed=0
    )


def play(suite: ThorLab, task: Task, actions: tuple[SkillCall, ...]) -> tuple[str, Played]:
    """Plays a task; gives its instruction too."""
    episode = suite.open_episode(order(suite, task))
    first = episode.start()
    states, pictures = [episode.state_digest()], [picture(first.observation)]
    for action in actions:
        pictures.append(picture(episode.act(action).observation))
        states.append(episode.state_digest())
    success = episode.finish(FinishReason.OVER).success
    episode.close()
    return first.instruction, Played(success, tuple(states), tuple(pictures))


def picture(observation: Observation) -> str:
    (frame,) = observation.frames
    return hashlib.sha256(frame.pixels.tobytes()).hexdigest()


@pytest.fixture
def world(place: Path, monkeypatch: pytest.MonkeyPatch, reference: Reference) -> Iterator[Path]:
    """A place to run in, with the stand-in player as AI2-THOR's. Nothing may be left of it."""
    temporary = Path(tempfile.mkdtemp(prefix="thor-"))  # short: sockets lie below it
    for name in ("DISPLAY", "CUDA_VISIBLE_DEVICES", "HOUSEGUEST_ITHOR_SCENES"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {
        "HOME": str(place),
        "TMPDIR": str(temporary),
        "HOUSEGUEST_RENDERER": "soft",
        "HOUSEGUEST_THOR_PLATFORM": "executable",
        "HOUSEGUEST_THOR_EXECUTABLE": command(),
        "HOUSEGUEST_THOR_STEP_SECONDS": str(STEP_SECONDS),
    }.items():
        monkeypatch.setenv(name, value)
    reference.write(place / "expert.jsonl")
    yield place
    until(lambda: running(place) == [])
    left = [path.name for path in temporary.iterdir()]
    shutil.rmtree(temporary)
    assert left == []


def running(place: Path) -> list[str]:
    """The commands of all processes that were started in a place."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"HOME={place}".encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


def run(place: Path) -> dict[str, Any]:
    """Plays the tasks in AI2-THOR's world; the last that the run prints."""
    options = ["--limit", str(TASKS), "--seed", "0", "--json"]
    agent = ["--agent", "scripted", "--actions", "expert.jsonl"]
    out, _ = finish(houseguest(place, "run", *SUITE, "--world", "ai2thor", *options, *agent))
    return done(out)


def played(place: Path) -> dict[str, Played]:
    """The counted episodes of the run, by task."""
    folder, found = run_folder(place), {}
    for line in lines(folder / "episodes.jsonl"):
        record = json.loads(line)
        exchanges = [
            json.loads(each)
            for each in lines(folder / "transcripts" / f"{record['episode_id']}.jsonl")
        ]
        shown = [each for each in exchanges if each["kind"] in ("begin", "step")]
        found[record["task_id"]] = Played(
            record["success"],
            tuple(each["truth"]["state_digest"] for each in shown),
            tuple(each["shown"]["images"][0]["sha256"] for each in shown),
        )
    return found


def voids(place: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines(run_folder(place) / "voids.jsonl")]


def test_an_episode_is_the_same_in_both_worlds(world: Path, reference: Reference) -> None:
    summary = run(world)["summary"]["overall"]
    assert (summary["n"], summary["successes"]) == (TASKS, TASKS)
    assert voids(world) == []
    assert played(world) == reference.played
    out, _ = finish(houseguest(world, "verify", str(run_folder(world)), *SUITE, "--json"))
    assert json.loads(out)["problems"] == []


@dataclass(frozen=True)
class Failure:
    """What a player does, the fault that it is, and what the operator is told of it."""

    deed: Mapping[str, Any]
    fault: str
    told: str


FAILURES = (
    Failure({"do": "signal", "number": 9}, "simulator_crash", "SIGKILL"),
    Failure({"do": "hang"}, "simulator_hang", f"{STEP_SECONDS:g} s"),
)


# A crash is played with a task of AsgardBench in test_asgard, too.
@pytest.mark.parametrize(
    "failure", sample(FAILURES, FAILURES[1:]), ids=lambda failure: str(failure.fault)
)
def test_an_episode_whose_player_fails_is_voided_and_played_again(
    world: Path, monkeypatch: pytest.MonkeyPatch, reference: Reference, failure: Failure
) -> None:
    """A player fails at its second PickupObject: the warm one's, in the second episode."""
    faults = {"on": [{"action": "PickupObject", "nth": 2, **failure.deed}]}
    monkeypatch.setenv("HOUSEGUEST_PLAYER_FAULTS", json.dumps(faults))
    summary = run(world)["summary"]["overall"]
    assert (summary["n"], summary["successes"]) == (TASKS, TASKS)
    (void,) = voids(world)
    assert (void["fault"], void["collateral"], void["attempt"]) == (failure.fault, False, 1)
    assert failure.told in void["detail"]
    assert played(world) == reference.played
