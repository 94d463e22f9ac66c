"""``houseguest run`` as a user meets it: two processes and more, a folder at the end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import (
    LAB,
    Ask,
    done,
    finish,
    houseguest,
    lines,
    orphans,
    run_folder,
    until,
)

AGENT = """
import random, sys, time
from houseguest_agent import Client

with Client("ten-lines") as client:
    for episode in client.episodes():
        while episode.running:
            skill = random.choice(episode.action_space.skills)
            episode.act(skill.name)
"""


def test_random_for_a_floor_and_the_expert_for_a_ceiling(place: Path, ask: Ask) -> None:
    babyai = ["--suite", "babyai", "--tasks", "GoToLocal/?,PutNextLocal/?"]
    ask("expert", *babyai, "--jobs", "1", "--out", "expert.jsonl")
    run = ["run", *babyai, "--parallel", "2", "--seed", "0", "--json"]
    floor, _ = finish(houseguest(place, *run, "--agent", "random"))
    scripted = ["--agent", "scripted", "--actions", "expert.jsonl"]
    ceiling, _ = finish(houseguest(place, *run, *scripted))
    summary = done(ceiling)["summary"]
    assert summary["overall"]["success_rate"] == 1.0
    assert summary["overall"]["n"] == 8
    assert done(floor)["summary"]["overall"]["success_rate"] < 0.8
    folder = done(ceiling)["folder"]
    out, _ = ask("verify", folder, "--json")
    assert json.loads(out)["problems"] == []


def test_random_scores_the_same_however_many_play_at_once(place: Path) -> None:
    babyai = ["--suite", "babyai", "--tasks", "GoToObj", "--limit", "4", "--agent", "random"]
    results = []
    for parallel in ("1", "3"):
        run = ["run", *babyai, "--json", "--fresh", "--parallel", parallel]
        out, _ = finish(houseguest(place, *run))
        journal = place / done(out)["folder"] / "episodes.jsonl"
        episodes = [json.loads(line) for line in lines(journal)]
        results.append(sorted((e["task_id"], e["success"], e["steps"]) for e in episodes))
    assert results[0] == results[1]


def test_an_agent_of_ten_lines_plays(place: Path) -> None:
    (place / "agent.py").write_text(AGENT, encoding="utf-8")
    out, err = finish(
        houseguest(
            place,
            *("run", "--suite", "babyai", "--tasks", "GoToObj", "--limit", "2"),
            *("--agent", 'cmd:"python agent.py"'),
        )
    )
    assert "of 2" in out
    assert "[2/2]" in err
    declared = json.loads((run_folder(place) / "manifest.json").read_text())["declared"]
    assert declared[0]["agent_name"] == "ten-lines"


ONE_TASK = ("--suite", "babyai", "--tasks", "GoToObj", "--limit", "1")
CRASHING = """
from houseguest_agent import Client
with Client("crashing") as client:
    for episode in client.episodes():
        raise ValueError("no such skill")
"""


def test_a_crashing_agent_ends_with_status_1_and_says_where_to_look(place: Path) -> None:
    (place / "crashing.py").write_text(CRASHING)
    run = ["run", *ONE_TASK, "--agent", "cmd:python crashing.py"]
    process = houseguest(place, *run)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 1, err
    assert "agent_crash" in out
    last = err.splitlines()[-1]
    assert last.startswith("The agent failed in 1 of 1 episode (agent_crash 1). For details:")
    assert "--guests; log: " in last
    assert "  | ValueError: no such skill" in err.splitlines()


def test_an_edited_agent_is_not_taken_for_the_one_before(place: Path) -> None:
    (place / "agent.py").write_text(AGENT)
    run = ["run", *ONE_TASK, "--agent", "cmd:python agent.py", "--json"]
    first = done(finish(houseguest(place, *run))[0])
    (place / "agent.py").touch()
    assert done(finish(houseguest(place, *run))[0])["folder"] == first["folder"]
    with (place / "agent.py").open("a") as file:
        file.write("# edited\n")
    process = houseguest(place, *run)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 2
    message = json.loads(out)["error"]["message"]
    assert "agent.py was edited" in message
    assert "`--fresh`" in message
    fresh = done(finish(houseguest(place, *run, "--fresh"))[0])
    assert fresh["folder"] != first["folder"]
    assert fresh["mixture"] == []


def test_the_same_command_again_says_that_all_is_done(place: Path) -> None:
    command = ["run", "--suite", "babyai", "--tasks", "GoToObj", "--limit", "2"]
    command += ["--agent", "random"]
    finish(houseguest(place, *command))
    before = lines(run_folder(place) / "episodes.jsonl")
    _, err = finish(houseguest(place, *command))
    assert "Already complete" in err
    assert lines(run_folder(place) / "episodes.jsonl") == before


class TestStopping:
    """An agent that plays two episodes a session and then waits, stopped in the middle."""

    SLOW = """
import time
from pathlib import Path
from houseguest_agent import Client

with Client("slow") as client:
    for number, episode in enumerate(client.episodes()):
        while number == 2 and Path("wait").exists():
            time.sleep(0.05)
        episode.act("win")
"""

    def start(self, place: Path) -> tuple[list[str], subprocess.Popen[str]]:
        (place / "slow.py").write_text(self.SLOW, encoding="utf-8")
        (place / "wait").touch()
        agent = 'cmd:"python slow.py"'
        command = ["run", "--suite", LAB, "--limit", "12", "--agent", agent, "--parallel", "2"]
        process = houseguest(place, *command)
        until(lambda: list((place / "runs").glob("*/episodes.jsonl")))
        until(lambda: len(lines(run_folder(place) / "episodes.jsonl")) >= 3)
        return command, process

    def resumes(self, place: Path, command: list[str], kept: list[str]) -> None:
        (place / "wait").unlink()
        _, err = finish(houseguest(place, *command))
        assert "already final" in err
        after = lines(run_folder(place) / "episodes.jsonl")
        assert after[: len(kept)] == kept
        tasks = sorted(json.loads(line)["task_id"] for line in after)
        assert tasks == sorted(f"lab/{n}" for n in range(12))
        finish(houseguest(place, "verify", str(run_folder(place)), "--suite", LAB))

    def test_ctrl_c_finishes_cleanly_and_the_same_command_resumes(self, place: Path) -> None:
        command, process = self.start(place)
        process.send_signal(signal.SIGINT)
        _, err = finish(process, code=130)
        assert "same command to resume" in err
        assert orphans(place) == []
        self.resumes(place, command, lines(run_folder(place) / "episodes.jsonl"))

    def test_kill_9_loses_nothing_that_was_finished(self, place: Path) -> None:
        command, process = self.start(place)
        process.kill()
        process.communicate()
        kept = lines(run_folder(place) / "episodes.jsonl")
        assert len(kept) >= 3
        until(lambda: orphans(place) == [])
        self.resumes(place, command, kept)


class TestGuestsThatFail:
    def play(
        self, place: Path, agent: str, code: int, tasks: int = 3
    ) -> tuple[dict[str, Any], str]:
        (place / "agent.py").write_text(agent, encoding="utf-8")
        command = ["run", "--suite", LAB, "--limit", str(tasks)]
        command += ["--agent", 'cmd:"python agent.py"']
        out, err = finish(houseguest(place, *command, "--json"), code)
        return done(out), err

    def test_one_that_crashes_in_each_episode_fails_each_episode(self, place: Path) -> None:
        agent = AGENT.replace("episode.act(skill.name)", "import os; os._exit(7)")
        result, _ = self.play(place, agent, code=1)
        assert result["summary"]["failures"] == {"agent_crash": 3}

    def test_one_that_raises_ends_its_episode_itself(self, place: Path) -> None:
        agent = AGENT.replace("episode.act(skill.name)", "raise RuntimeError('no idea')")
        result, _ = self.play(place, agent, code=1)
        assert result["summary"]["failures"] == {"agent_crash": 3}
        assert "no idea" in (run_folder(place) / "logs" / "guest-0.log").read_text()

    def test_one_that_never_starts_leaves_the_run_open(self, place: Path) -> None:
        result, err = self.play(place, "import nothing_of_that_name", code=1)
        assert result["state"] == "cancelled"
        assert err.count("Traceback") == 1
        assert err.count("start_failed: the agent of session 0 did not start") == 1
        assert result["stopped"].startswith("start_failed: the agent of session 0 did not start")
        assert "exit code 1, 4 times in a row" in result["stopped"]
        assert "No module named 'nothing_of_that_name'" in result["stopped"]

    def test_one_that_was_started_wrongly_is_not_started_again(self, place: Path) -> None:
        agent = "import sys; print('--depth needs a number', file=sys.stderr); sys.exit(2)"
        (place / "agent.py").write_text(agent, encoding="utf-8")
        command = ("run", "--suite", LAB, "--agent", "agent.py")
        _, err = finish(houseguest(place, *command), 2)
        assert err.count("--depth needs a number") == 1
        assert "the run folder was removed" in err
        assert list((place / "runs").iterdir()) == []

    def test_one_that_falls_silent_is_replaced(self, place: Path) -> None:
        silent = AGENT.replace("episode.act(skill.name)", "time.sleep(600)")
        (place / "agent.py").write_text(silent, encoding="utf-8")
        command = ["run", "--suite", LAB, "--limit", "1", "--agent", 'cmd:"python agent.py"']
        out, _ = finish(houseguest(place, *command, "--step-budget", "3", "--json"), code=1)
        assert done(out)["summary"]["failures"] == {"agent_timeout": 1}

    def test_one_that_kills_the_service_gets_three_tries_and_no_score(self, place: Path) -> None:
        agent = AGENT.replace("episode.act(skill.name)", "episode.act('crash')")
        result, _ = self.play(place, agent, code=1, tasks=2)
        assert len(result["summary"]["unscored"]) == 2
        assert result["summary"]["voids"] == {'cmd:"python agent.py"': 6}


def test_a_spent_budget_stops_the_run_and_a_higher_one_goes_on(place: Path) -> None:
    usage = "trace=Trace(usage=(ModelUsage('m', 60, 40, cost_usd=0.01),))"
    agent = AGENT.replace("episode.act(skill.name)", f"episode.act('win', {usage})")
    agent = agent.replace("import Client", "import Client, ModelUsage, Trace")
    (place / "agent.py").write_text(agent, encoding="utf-8")
    command = ["run", "--suite", LAB, "--limit", "6", "--agent", 'cmd:"python agent.py"', "--json"]
    out, err = finish(houseguest(place, *command, "--max-cost", "0.02"), code=1)
    assert "$0.02" in done(out)["stopped"]
    assert "can be resumed" in err
    assert len(lines(run_folder(place) / "episodes.jsonl")) == 2
    _, err = finish(houseguest(place, *command, "--max-cost", "0.02"), code=1)
    assert "Already complete" not in err
    finish(houseguest(place, *command, "--max-tokens", "400"), code=1)
    assert len(lines(run_folder(place) / "episodes.jsonl")) == 4
    out, _ = finish(houseguest(place, *command))
    assert done(out)["summary"]["overall"]["successes"] == 6


def test_a_budget_that_bounds_nothing_is_warned_of_once(place: Path) -> None:
    agent = AGENT.replace("episode.act(skill.name)", "episode.act('win')")
    (place / "agent.py").write_text(agent, encoding="utf-8")
    command = ["run", "--suite", LAB, "--limit", "3", "--agent", 'cmd:"python agent.py"', "--json"]
    _, err = finish(houseguest(place, *command, "--max-cost", "5"))
    assert err.count("Warning: the budget of $5.00 has no effect") == 1


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--suite", "babyia", "--agent", "random"], "babyai"),
        (["--suite", "babyai", "--agent", "randon"], "random"),
        (["--suite", "babyai", "--agent", "random", "--tasks", "GoToLocl"], "GoToLocal"),
        (["--suite", "babyai", "--agent", "random", "--set", "veiw=full"], "view"),
        (["--suite", "babyai", "--agent", "random", "--set", "view=fulll"], "full"),
        (["--suite", "babyai", "--agent", "random", "--task-set", "evalation"], "evaluation"),
        (["--suite", "babyai", "--agent", "random", "--paralel", "2"], "--parallel"),
        (["--suite", "babyai", "--agent", "random", "--parallel", "0"], "--parallel"),
        (["--suite", "babyai", "--agent", "random", "--step-budget", "nan"], "--step-budget"),
        (["--suite", "babyai", "--agent", "random", "--episode-budget", "inf"], "--episode-budget"),
        (["--suite", "babyai", "--agent", "random", "--max-cost", "nan"], "--max-cost"),
        (["--suite", "babyai", "--agent", "random", "--max-tokens", "0"], "--max-tokens"),
        (["--suite", "babyai"], "--agent"),
    ],
)
def test_a_wrong_name_is_answered_with_the_nearest_right_one(
    place: Path, ask: Ask, arguments: list[str], named: str
) -> None:
    _, err = ask("run", *arguments, code=2)
    assert named in err
    assert "Traceback" not in err
    assert not list(place.glob("runs/*/manifest.json"))


def test_two_commands_never_write_one_folder(place: Path) -> None:
    command = ["run", "--suite", LAB, "--limit", "1", "--agent", "external"]
    first = houseguest(place, *command)
    until(lambda: list((place / "runs").glob("*/episodes.jsonl")))
    _, err = finish(houseguest(place, *command), code=1)
    assert str(first.pid) in err
    first.send_signal(signal.SIGTERM)
    finish(first, code=130)


def test_an_external_agent_is_told_where_to_call(place: Path) -> None:
    command = ["run", "--suite", LAB, "--limit", "2", "--agent", "external", "--json"]
    service = houseguest(place, *command)
    assert service.stdout is not None
    launch = json.loads(service.stdout.readline())
    (place / "agent.py").write_text(AGENT.replace("skill.name", "'win'"), encoding="utf-8")
    seat = {"HOUSEGUEST_ADDRESS": launch["address"], "HOUSEGUEST_TOKEN": launch["tokens"][0]}
    subprocess.run(
        [sys.executable, "agent.py"], cwd=place, env=os.environ | seat, check=True, timeout=120
    )
    out, _ = finish(service)
    assert done(out)["summary"]["overall"]["successes"] == 2
