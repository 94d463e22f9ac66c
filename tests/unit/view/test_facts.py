"""What was true in an episode: replays of recorded episodes, and what each moment changed."""

from __future__ import annotations

import errno
import json
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from env_service.domain.action import Action, SkillCall, Text
from env_service.domain.episode import GoalCondition
from env_service.domain.moment import Moment, Thing, WatchedEpisode
from env_service.domain.observation import ObservationRequest
from env_service.results.pictures import RecordingError
from env_service.results.run_folder import RunFolder
from env_service.storage.signing_key import SigningKey
from env_service.suites.base import EpisodeOrder, Suite
from env_service.suites.registry import load_suite
from env_service.view import facts as facts_module
from env_service.view.facts import NONE, PENDING, READY, Replays
from env_service.view.moments import Recorder
from env_service.view.replay import replay_facts
from tests.support.played_run import WINNING, Player, lab_manifest, play_run
from tests.support.small_actplan import STEPS
from tests.support.small_actplan import order as small_order
from tests.support.viewed import played_suite

GRIDS = "evaluation"
"""A task set of babyai."""


@pytest.fixture(scope="module")
def babyai(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A run with an episode of a grid, as the expert plays it, and the episode's id."""
    runs = tmp_path_factory.mktemp("grid") / "runs"
    return played_suite(runs, load_suite("babyai"), GRIDS)


def _order(suite: Suite, task_set: str, **condition: str) -> EpisodeOrder:
    tasks = suite.task_sets()[task_set]
    whole = {each.name: each.default for each in suite.settings} | condition
    tasks = suite.under(tasks, whole)
    return EpisodeOrder(
        tasks.tasks[0], suite.worlds_of(task_set)[0], whole, ObservationRequest(text=True), 7
    )


# --- What changed


def test_changes_of_objects_and_goals_are_found() -> None:
    recorder = Recorder()
    mug = Thing("mug", "Mug", {"dirty": "yes"})
    recorder.note(Moment(goals=(GoalCondition("clean", False),), things=(mug,)))
    recorder.step = 0
    clean = replace(mug, properties={"dirty": "no", "in or on": "Sink"})
    goals = (GoalCondition("clean", True),)
    recorder.note(Moment(goals=goals, things=(clean, Thing("egg", "Egg", {}))))
    recorder.note(Moment(goals=(GoalCondition("clean", False),), things=(clean,)))
    recorder.note(Moment(caption="said alone"))
    opening, first, second, third = recorder.facts().moments
    assert (opening.step, opening.changes, first.step) == (None, (), 0)
    assert (first.gained, first.lost) == (("clean",), ())
    assert [(each.name, each.property, each.before, each.after) for each in first.changes] == [
        ("Mug", "dirty", "yes", "no"),
        ("Mug", "in or on", "", "Sink"),
        ("Egg", "exists", "", "yes"),
    ]
    assert (second.lost, [each.after for each in second.changes]) == (("clean",), [""])
    assert (third.changes, third.goals) == ((), second.goals)


def test_a_very_long_episode_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("env_service.view.moments.MOST_MOMENTS", 3)
    recorder = Recorder()
    for _ in range(5):
        recorder.note(Moment())
    assert len(recorder.facts().moments) == 3
    assert "first 3" in recorder.facts().problem


# --- Suites


def _watched(suite: Suite, order: EpisodeOrder, actions: Iterable[Action]) -> Recorder:
    episode, recorder = suite.open_episode(order), Recorder()
    assert isinstance(episode, WatchedEpisode)
    episode.watch(recorder.note)
    episode.start()
    for number, action in enumerate(actions):
        recorder.step = number
        episode.act(action)
    episode.close()
    return recorder


def test_a_room_is_seen_from_above() -> None:
    suite = load_suite("asgard")
    order = _order(suite, "builtin-1-0", text_only="on", previous_image="none", hand="0")
    calls = [SkillCall(verb, (("object", "Knife"),)) for verb in ("FIND", "PICKUP")]
    found = _watched(suite, order, calls).facts()
    assert found.room is not None
    assert len(found.room.floor) == 4
    assert {"Wall", "Door"} <= {each.name for each in found.room.walls}
    assert any(each.name == "CounterTop 1" for each in found.room.furniture)
    opening, _, held = found.moments
    assert opening.pose is not None
    assert opening.pose != held.pose
    assert set(held.held) <= {each.id for each in found.things}
    moved = {(each.name, each.property, each.after) for each in held.changes}
    assert ("Knife", "in or on", "the agent's hand") in moved
    assert set(held.held) <= set(held.visible)
    json.dumps(asdict(found))


def test_each_skill_of_a_plan_is_a_moment() -> None:
    suite = load_suite("alfred")
    order = _order(suite, "builtin-1-0", play="plan")
    found = _watched(suite, order, [Text("find an elephant, done")]).facts()
    assert [each.step for each in found.moments] == [None, 0, 0]
    assert found.moments[1].caption == "find an elephant"
    assert found.moments[1].problem


def test_an_answer_is_compared_with_what_is_true() -> None:
    suite = load_suite("babybench")
    order = _order(suite, "plan")
    found = _watched(suite, order, suite.expert(order).actions).facts()
    assert all(each.met for each in found.moments[1].goals)
    tracks = {each.track for each in found.moments}
    assert {"The answer's actions", "The expert"} <= tracks
    board = found.moments[0].board
    assert board is not None
    assert len(board.cells) > 20
    verdict = found.moments[1]
    assert verdict.notes[0].startswith("The red ball is reached")
    assert verdict.notes[1].startswith("read as: ")
    target = verdict.board
    assert target is not None
    assert [each.name for each in target.marks] == ["target"]


@pytest.mark.parametrize("play", ["plan", "steps"])
def test_a_plan_has_its_verdicts(play: str) -> None:
    actions = [Text("\n".join(STEPS))] if play == "plan" else [Text(each) for each in STEPS]
    found = _watched(load_suite("actplan"), small_order({"play": play}), actions).facts()
    assert not all(each.met for each in found.moments[0].goals)
    assert all(each.met for each in found.moments[-1].goals)
    assert any(each.notes for each in found.moments[1:])
    assert any(each.gained for each in found.moments)


# --- Replays


def test_a_recorded_episode_is_replayed(babyai: tuple[Path, str]) -> None:
    recorder = replay_facts(*babyai)
    found = recorder.facts()
    assert found.problem == ""
    assert found.moments[-1].gained == tuple(each.name for each in found.moments[-1].goals)
    board = found.moments[0].board
    assert board is not None
    assert len(board.cells) > len(found.moments[1].board.cells)  # type: ignore[union-attr]


def test_a_changed_recording_ends_the_replay_there(
    babyai: tuple[Path, str], tmp_path: Path
) -> None:
    run, episode = _copied(babyai, tmp_path)
    path = run / "transcripts" / f"{episode}.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    step = json.loads(lines[2])
    step["truth"]["state_digest"] = "0" * 64
    lines[2] = json.dumps(step).encode() + b"\n"
    path.write_bytes(b"".join(lines))
    found = replay_facts(run, episode).facts()
    assert "differs from the recording at step 1" in found.problem
    assert len(found.moments) == 2
    path.write_bytes(lines[0] + b"{broken\n" + b"".join(lines[1:]))
    assert "cannot be replayed" in replay_facts(run, episode).problem
    manifest = run / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"babyai"', '"os:path"'))
    assert "os:path is not installed" in replay_facts(run, episode).problem


def _copied(source: tuple[Path, str], place: Path) -> tuple[Path, str]:
    run, episode = source
    for name in ("manifest.json", f"transcripts/{episode}.jsonl"):
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_bytes((run / name).read_bytes())
    return place, episode


@pytest.fixture
def replays() -> Iterator[Replays]:
    made = Replays()
    yield made
    made.close()


def test_a_replay_runs_in_a_process_and_is_kept(
    babyai: tuple[Path, str], replays: Replays, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = replays.ask(*babyai, seconds=120)
    assert asked.state == READY
    monkeypatch.setattr(facts_module.subprocess, "Popen", None)
    assert replays.ask(*babyai, seconds=0) == asked


def test_replays_share_a_process_until_one_ends_it(
    babyai: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, episode = babyai
    begun: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def counted(*words: Any, **options: Any) -> subprocess.Popen[bytes]:
        begun.append(popen(*words, **options))
        return begun[-1]

    monkeypatch.setattr(facts_module.subprocess, "Popen", counted)
    for each in "abcd":
        shutil.copytree(run, tmp_path / each)
    with closing(Replays(2)) as replays:
        first, second, third = (replays.ask(tmp_path / each, episode, 120) for each in "abc")
        assert first == second == third and first.state == READY
        assert len(begun) == 2
        assert begun[0].returncode == 0
        begun[1].kill()
        begun[1].wait()
        assert "ended with status -9" in replays.ask(tmp_path / "d", episode, 120).problem
        assert replays.ask(run, episode, 120) == first
    assert [each.returncode for each in begun] == [0, -9, -9]


def test_no_replay_of_a_suite_without_a_true_state(tmp_path: Path, replays: Replays) -> None:
    path, _ = play_run(tmp_path / "runs", SigningKey.load_or_create(tmp_path / "key.pem"))
    episode = sorted((path / "transcripts").glob("ep-*"))[0].stem
    asked = replays.ask(path, episode, seconds=120)
    assert (asked.state, asked.facts) == (NONE, None)
    assert "is not installed" in asked.problem


def test_an_episode_that_plays_is_not_replayed(tmp_path: Path, replays: Replays) -> None:
    key = SigningKey.load_or_create(tmp_path / "key.pem")
    folder = RunFolder.open(tmp_path / "runs", lab_manifest(), key)
    record = Player(folder).play(folder.manifest.task_ids[0], 0, WINNING)
    path = folder.path / "transcripts" / f"{record.episode_id}.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    assert replays.ask(folder.path, record.episode_id).state == NONE
    path.unlink()
    with pytest.raises(RecordingError):
        replays.ask(folder.path, record.episode_id)
    folder.close()


def test_a_replay_that_hangs_is_killed(
    babyai: tuple[Path, str], replays: Replays, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(facts_module, "DEADLINE", 0.01)
    assert "longer than 0.01 seconds" in replays.ask(*babyai, seconds=120).problem


def test_a_replay_that_cannot_start_has_a_problem(
    babyai: tuple[Path, str], replays: Replays, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_words: object, **_options: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(facts_module.subprocess, "Popen", refused)
    asked = replays.ask(*babyai, seconds=60)
    assert asked.problem == "the replay cannot start: Resource temporarily unavailable"


def test_facts_larger_than_the_memory_for_them_are_shown(
    babyai: tuple[Path, str], replays: Replays, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(facts_module, "MOST_KEPT", 1)
    assert replays.ask(*babyai, seconds=120).state == READY


def test_closing_ends_a_replay(babyai: tuple[Path, str], monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def slow(_command: object, **options: Any) -> subprocess.Popen[bytes]:
        begun.append(popen(["sleep", "600"], **options))
        return begun[0]

    monkeypatch.setattr(facts_module.subprocess, "Popen", slow)
    replays = Replays()
    while not begun:
        assert replays.ask(*babyai, seconds=0.05).state == PENDING
    replays.close()
    assert begun[0].returncode == -signal.SIGKILL


def test_a_bad_skill_is_a_moment_too(babyai: tuple[Path, str]) -> None:
    suite = load_suite("babyai")
    found = _watched(suite, _order(suite, GRIDS), (SkillCall("dance"),)).facts()
    assert len(found.moments) == 2
