"""A run is one agent's, or says that it is a mixture."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from env_service.cli.main import run as houseguest
from env_service.results.manifest import Manifest, mixture, read_manifest
from env_service.results.run_folder import AgentChangedError, RunFolder
from env_service.results.verification import verify
from env_service.storage.signing_key import SigningKey
from tests.support.played_run import LAB, WINNING, Player, lab_manifest

KEY = SigningKey.generate()
Printed = Callable[..., tuple[int, str]]


def agent(version: str, name: str = "cmd:agent") -> Manifest:
    """The run of an agent of that version; other versions have other files."""
    made_of = {"digest": version * 64, "files": {"agent.py": f"sha256:{version}", "lib.py": "same"}}
    return replace(lab_manifest(tasks=3), agent=name, agents=(made_of,))


def play(root: Path, manifest: Manifest, *tasks: int, **options: bool) -> Path:
    """Plays some tasks of the run as that agent does, and leaves."""
    folder = RunFolder.open(root, manifest, KEY, **options)
    try:
        player = Player(folder)
        for task in tasks:
            player.play(f"lab/{task}", 0, WINNING)
        folder.write_summary()
    finally:
        folder.close()
    return folder.path


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    def call(*words: object) -> tuple[int, str]:
        capsys.readouterr()
        status = houseguest([str(word) for word in words])
        captured = capsys.readouterr()
        return status, " ".join((captured.out + captured.err).split())

    return call


def test_an_edited_agent_is_told_of_the_run_before_it(tmp_path: Path) -> None:
    path = play(tmp_path, agent("a"), 0)
    with pytest.raises(AgentChangedError) as caught:
        RunFolder.open(tmp_path, agent("b"), KEY)
    assert str(caught.value) == (
        f"the agent changed since this run: agent.py was edited. {path} holds 1 of 3 episodes,"
        " played before the change. `--fresh` starts a new run of the current agent."
        " `--resume-anyway` resumes that run, and marks it a mixture of both agents."
    )
    assert read_manifest(path).agents == agent("a").agents
    RunFolder.open(tmp_path, agent("a"), KEY).close()


def test_files_are_told_by_what_became_of_them(tmp_path: Path) -> None:
    play(tmp_path, agent("a"), 0)
    files = {"lib.py": "same", "new.py": "sha256:1"}
    other = replace(
        agent("b"), agents=({"digest": "c", "files": files, "packages": {"torch": "2"}},)
    )
    with pytest.raises(AgentChangedError) as caught:
        RunFolder.open(tmp_path, other, KEY)
    assert caught.value.changes == ("agent.py is missing", "new.py is new", "torch is new")


def test_a_fresh_run_stands_beside_and_each_agent_finds_its_own(tmp_path: Path) -> None:
    first = play(tmp_path, agent("a"), 0)
    second = play(tmp_path, agent("b"), 0, fresh=True)
    assert second.name == f"{first.name}-2"
    assert play(tmp_path, agent("a"), 1) == first
    assert play(tmp_path, agent("b"), 1) == second
    assert read_manifest(first).identity() != read_manifest(second).identity()
    for path in (first, second):
        assert mixture(read_manifest(path)) == ()
        assert verify(path, suite=LAB).good


def test_an_agent_that_left_no_result_is_replaced_without_a_word(tmp_path: Path) -> None:
    path = play(tmp_path, agent("a"))
    assert play(tmp_path, agent("b"), 0) == path
    assert read_manifest(path).agents == agent("b").agents
    assert verify(path, suite=LAB).good


def test_going_on_anyway_marks_the_run_for_good(tmp_path: Path, printed: Printed) -> None:
    path = play(tmp_path, agent("a"), 0)
    identity = read_manifest(path).identity()
    assert play(tmp_path, agent("b"), 1, resume_anyway=True) == path
    # Either agent is known by now.
    play(tmp_path, agent("a"), 2)

    manifest = read_manifest(path)
    assert manifest.identity() == identity
    assert [each.get("after") for each in manifest.agents] == [None, 1]
    told = "the agent was changed after 1 episode: agent.py was edited"
    assert mixture(manifest) == (told,)
    report = verify(path, suite=LAB)
    assert report.good
    assert report.mixture == (told,)
    assert report.to_json()["mixture"] == [told]
    assert told in printed("show", path)[1]
    assert "(a mixture)" in printed("show", tmp_path)[1]
    assert json.loads(printed("show", path, "--json")[1])["mixture"] == [told]
    status, verified = printed("verify", path, "--suite", LAB)
    assert status == 0
    assert told in verified
    assert "the run is a mixture of agents" in verified
    for command in (("report", path), ("compare", path, play(tmp_path / "b", agent("b"), 0, 1, 2))):
        out = printed(*command, "--suite", LAB, "--format", "text", "--out", tmp_path / "out")[1]
        assert "a mixture. The agent was changed after 1 episode: agent.py was edited" in out


def test_nothing_of_a_complete_run_can_be_gone_on_with(tmp_path: Path) -> None:
    play(tmp_path, agent("a"), 0, 1, 2)
    with pytest.raises(AgentChangedError, match="That run is complete"):
        RunFolder.open(tmp_path, agent("b"), KEY, resume_anyway=True)


def test_a_record_of_another_agent_cannot_be_taken_out(tmp_path: Path) -> None:
    path = play(tmp_path, agent("a"), 0)
    play(tmp_path, agent("b"), 1, resume_anyway=True)
    manifest = path / "manifest.json"
    value: dict[str, Any] = json.loads(manifest.read_text())
    value["agents"].pop()
    manifest.write_text(json.dumps(value, indent=2, sort_keys=True) + "\n")
    problems = verify(path, suite=LAB).problems
    assert any("signature does not match" in each.what for each in problems)


def test_a_folder_or_an_image_of_the_same_name_is_found_again(tmp_path: Path) -> None:
    play(tmp_path, agent("a", "image:mine@sha256:aaaa --fast"), 0)
    with pytest.raises(AgentChangedError):
        RunFolder.open(tmp_path, agent("b", "image:mine@sha256:bbbb --fast"), KEY)
    RunFolder.open(tmp_path, agent("b", "image:mine@sha256:bbbb --slow"), KEY).close()


def test_a_run_from_before_files_were_recorded_goes_on(tmp_path: Path) -> None:
    old = replace(agent("a"), agents=())
    path = play(tmp_path, old, 0)
    assert play(tmp_path, agent("a"), 1) == path
    assert read_manifest(path).agents == ()


def test_other_declarations_make_a_mixture_at_the_next_attempt(tmp_path: Path) -> None:
    path = play(tmp_path, agent("a"), 0)
    for version in ("1.0", "1.0", "1.1"):
        folder = RunFolder.open(tmp_path, agent("a"), KEY)
        folder.declare({"agent_name": "mine", "agent_version": version})
        folder.close()
    assert mixture(read_manifest(path)) == ("its agents declared different values: agent_version",)


EDITS_ITSELF = """
import os
from houseguest_agent import Client

with Client("edits-itself") as client:
    for number, episode in enumerate(client.episodes()):
        if number == 1:
            with open(__file__, "a") as source:
                source.write("# edited\\n")
            os._exit(3)
        while episode.running:
            episode.act(episode.action_space.skills[0].name)
"""


DELETES_ITSELF = EDITS_ITSELF.replace(
    """            with open(__file__, "a") as source:
                source.write("# edited\\n")
""",
    "            os.remove(__file__)\n",
)


def test_an_edit_during_the_run_marks_it_when_the_agent_restarts(
    tmp_path: Path, printed: Printed
) -> None:
    script = tmp_path / "mine.py"
    script.write_text(EDITS_ITSELF)
    run = ("run", "--suite", LAB, "--limit", 3, "--agent", script, "--out", tmp_path / "runs")
    status, words = printed(*run)
    assert status == 1  # It crashed in the second episode.
    assert "the agent changed during the run:" in words
    assert "mine.py was edited" in words
    (path,) = (tmp_path / "runs").iterdir()
    (told,) = mixture(read_manifest(path))
    assert told.startswith("the agent was changed after 2 episodes:")
    assert verify(path, suite=LAB).mixture == (told,)


def test_an_agent_that_cannot_restart_without_its_file_makes_no_mixture(
    tmp_path: Path, printed: Printed
) -> None:
    script = tmp_path / "mine.py"
    script.write_text(DELETES_ITSELF)
    run = ("run", "--suite", LAB, "--limit", 3, "--agent", script, "--out", tmp_path / "runs")
    status, words = printed(*run)
    assert status == 1
    assert "mine.py is missing" in words
    assert "If it begins an episode, the run is marked as a mixture" in words
    (path,) = (tmp_path / "runs").iterdir()
    assert mixture(read_manifest(path)) == ()
    script.write_text(DELETES_ITSELF)
    assert "the agent changed since this run" not in printed(*run)[1]


def test_a_restarted_agent_counts_from_its_first_episode(tmp_path: Path) -> None:
    folder = RunFolder.open(tmp_path, agent("a"), KEY)
    try:
        player = Player(folder)
        player.play("lab/0", 0, WINNING)
        before = folder.manifest
        assert folder.restart_agent(agent("a").agents[0]) == ()
        assert folder.restart_agent(agent("b").agents[0]) == ("agent.py was edited",)
        assert folder.restart_agent(agent("b").agents[0]) == ()
        assert folder.manifest is before
        player.play("lab/1", 0, WINNING)
        assert folder.restart_agent(agent("b").agents[0]) == ()
    finally:
        folder.close()
    told = ("the agent was changed after 1 episode: agent.py was edited",)
    assert mixture(read_manifest(folder.path)) == told


def test_files_that_are_back_before_the_next_episode_make_no_mixture(tmp_path: Path) -> None:
    folder = RunFolder.open(tmp_path, agent("a"), KEY)
    try:
        assert folder.restart_agent(agent("b").agents[0])
        assert folder.restart_agent(agent("a").agents[0]) == ()
        Player(folder).play("lab/0", 0, WINNING)
    finally:
        folder.close()
    assert mixture(read_manifest(folder.path)) == ()
