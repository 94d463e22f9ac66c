"""``houseguest sweep`` as a user meets it: a plan, many processes, one table."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from env_service.processes.process_tree import process_tree
from env_service.results.run_reader import find_runs, read_run
from tests.support.command_line import LAB, Ask, finish, houseguest, orphans, until
from tests.support.model_server import MODEL, Call, ModelServer, obliges

SMALL = """
baseline = "random"
[defaults]
limit = 2
[[agents]]
agent = "random"
[[agents]]
name = "expert"
agent = "scripted"
actions = "expert.jsonl"
[[suites]]
suite = "babyai"
tasks = "GoToObj"
seed = [0, 1]
[[suites]]
name = "partial"
suite = "babyai"
tasks = "GoToObj"
set = {view = "partial"}
"""

SLOW_AGENT = """
import time
from houseguest_agent import Client

with Client("slow") as client:
    for episode in client.episodes():
        time.sleep(0.1)
        episode.act("win")
"""

LONG = f"""
[limits]
runs = 2
[[agents]]
name = "slow"
agent = "cmd:python slow.py"
[[suites]]
suite = "{LAB}"
limit = 12
seed = [0, 1, 2]
"""


MODEL_PLAN = f"""
[limits]
runs = 3
max-tokens = 300
[limits.servers]
"{{url}}" = 1
[[agents]]
agent = "vlm"
model = "{{model}}"
base-url = "{{url}}"
[[suites]]
suite = "{LAB}"
limit = 2
seed = [0, 1, 2]
"""


def played(place: Path) -> Counter[tuple[str, str, int]]:
    """How often each episode of each run was counted."""
    counts: Counter[tuple[str, str, int]] = Counter()
    for path in (place / "runs").glob("*/episodes.jsonl"):
        # The last line may be half written.
        for line in path.read_text(encoding="utf-8").split("\n")[:-1]:
            record = json.loads(line)
            counts[path.parent.name, record["task_id"], record["repeat"]] += 1
    return counts


def long_plan(place: Path) -> None:
    (place / "slow.py").write_text(SLOW_AGENT, encoding="utf-8")
    (place / "plan.toml").write_text(LONG, encoding="utf-8")


def test_a_plan_is_played_and_ends_with_one_table(place: Path, ask: Ask) -> None:
    ask("expert", "--suite", "babyai", "--tasks", "GoToObj", "--limit", "2", "--jobs", "1",
        "--out", "expert.jsonl")  # fmt: skip
    (place / "plan.toml").write_text(SMALL, encoding="utf-8")
    out, _ = finish(houseguest(place, "sweep", "plan.toml", "--json"))
    found = json.loads(out)
    assert [run["status"] for run in found["runs"]] == ["complete"] * 6
    success, differences, cost = found["leaderboard"]["sections"][0]["tables"]
    rates = {row["agent"]: row for row in success["rows"]}
    assert len(rates) == 2
    assert rates["expert"]["babyai"]["value"] == 1.0
    assert rates["expert"]["babyai"]["n"] == 4
    assert rates["random"]["partial"]["n"] == 2
    assert {row["agent"] for row in differences["rows"]} == {"expert"}
    assert {row["agent"]: row["episodes"] for row in cost["rows"]} == {"expert": 6, "random": 6}
    ask("verify", "runs", "--no-replay")
    # The same command plays nothing again, and a plan for more seeds plays those alone.
    before = played(place)
    ask("sweep", "plan.toml")
    assert played(place) == before
    (place / "plan.toml").write_text(SMALL.replace("[0, 1]", "[0, 1, 2]"), encoding="utf-8")
    dry, _ = ask("sweep", "plan.toml", "--dry-run", "--json")
    total = json.loads(dry)["total"]
    assert (total["runs"], total["episodes"]) == (8, 4)
    assert json.loads(dry)["runs"][-1]["from"] == "earlier runs of the agent"
    assert total["steps"] > 0


def test_ctrl_c_keeps_what_is_finished_and_the_same_command_resumes(place: Path) -> None:
    long_plan(place)
    sweep = houseguest(place, "sweep", "plan.toml")
    until(lambda: len(played(place)) >= 3)
    sweep.send_signal(signal.SIGINT)
    _, err = finish(sweep, 130)
    assert "Run the same command to resume" in err
    assert orphans(place) == []
    assert 3 <= len(played(place)) < 36
    out, _ = finish(houseguest(place, "sweep", "plan.toml", "--json"))
    assert {run["status"] for run in json.loads(out)["runs"]} == {"complete"}
    assert played(place) == Counter(dict.fromkeys(played(place), 1))
    assert len(played(place)) == 36


def test_after_kills_of_the_sweep_and_of_its_runs_each_episode_counts_once(place: Path) -> None:
    long_plan(place)
    rng = random.Random(7)
    for _ in range(3):
        kill_at_random(place, rng)
    # At once, while runs of the killed sweep may still be ending.
    out, _ = finish(houseguest(place, "sweep", "plan.toml", "--json"))
    assert {run["status"] for run in json.loads(out)["runs"]} == {"complete"}
    assert played(place) == Counter(dict.fromkeys(played(place), 1))
    assert len(played(place)) == 36
    for folder in find_runs(place / "runs"):
        assert read_run(folder).summary.complete


def kill_at_random(place: Path, rng: random.Random) -> None:
    """Starts the sweep; after its next episode kills it, or first the runs that it plays."""
    before = len(played(place))
    sweep = houseguest(place, "sweep", "plan.toml")
    until(lambda: len(played(place)) > before or sweep.poll() is not None)
    time.sleep(rng.uniform(0, 0.5))
    if rng.random() < 0.5:
        for pid in children(sweep.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(rng.uniform(0, 0.5))
    sweep.kill()
    sweep.communicate()


def children(pid: int) -> list[int]:
    """The runs that a sweep plays."""
    return [each for each in process_tree(pid) if parent_of(each) == pid]


def parent_of(pid: int) -> int:
    """The parent's process id; 0 if the process has ended."""
    try:
        # The name of the program, in brackets, may have blanks.
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def test_a_server_that_is_away_is_waited_for(place: Path) -> None:
    with ModelServer() as server:
        url = server.url
        server.stop()
        (place / "slow.py").write_text(SLOW_AGENT, encoding="utf-8")
        (place / "plan.toml").write_text(
            f'[limits]\nruns = 1\n[[agents]]\nagent = "vlm"\nmodel = "{MODEL}"\n'
            f'base-url = "{url}"\n[[agents]]\nagent = "cmd:python slow.py"\n'
            f'[[suites]]\nsuite = "{LAB}"\nlimit = 1\n',
            encoding="utf-8",
        )
        sweep = houseguest(place, "sweep", "plan.toml", "--json")
        # The run that needs no server is played meanwhile.
        until(lambda: len(played(place)) == 1)
        server.start()
        out, err = sweep.communicate(timeout=300)
    assert "Waiting for the model server" in err
    runs: list[dict[str, Any]] = json.loads(out)["runs"]
    assert [run["done"] for run in runs] == [1, 1]


def test_limits_hold_for_a_model_server_and_for_all_runs_together(place: Path) -> None:
    busy: list[int] = []

    def answer(call: Call) -> None:
        busy.append(1)
        most.append(len(busy))
        time.sleep(0.05)
        busy.pop()
        obliges(call)

    most: list[int] = []
    with ModelServer(answer) as server:
        text = MODEL_PLAN.format(url=server.url, model=MODEL)
        (place / "plan.toml").write_text(text, encoding="utf-8")
        out, err = finish(houseguest(place, "sweep", "plan.toml", "--json"), 1)
        found = json.loads(out)
        assert max(most) == 1
        assert "The budget of 300 tokens for all runs is spent" in err
        assert {run["status"] for run in found["runs"]} >= {"stopped"}
        assert sum(run["usage"]["input_tokens"] for run in found["runs"]) < 1000
        # A larger budget continues where this one ended.
        before = played(place)
        (place / "plan.toml").write_text(text.replace("= 300", "= 100000"), encoding="utf-8")
        out, _ = finish(houseguest(place, "sweep", "plan.toml", "--json"))
    assert {run["status"] for run in json.loads(out)["runs"]} == {"complete"}
    assert before < played(place)
    assert set(played(place).values()) == {1}


def test_a_second_ctrl_c_kills_the_runs(place: Path) -> None:
    long_plan(place)
    sweep = houseguest(place, "sweep", "plan.toml")
    until(lambda: len(played(place)) >= 1)
    sweep.send_signal(signal.SIGINT)
    assert sweep.stderr is not None
    for line in sweep.stderr:
        if "press Ctrl-C again to kill" in line:
            sweep.send_signal(signal.SIGINT)
            break
    finish(sweep, 130)
    until(lambda: orphans(place) == [])
    assert set(played(place).values()) == {1}


def test_init_writes_a_plan_that_can_be_played(place: Path, ask: Ask) -> None:
    said, _ = ask("init")
    assert "houseguest sweep plan.toml" in said
    dry, _ = ask("sweep", "plan.toml", "--dry-run", "--json")
    assert json.loads(dry)["total"]["episodes"] > 0
    before = (place / "plan.toml").read_text(encoding="utf-8")
    _, err = ask("init", code=2)
    assert "exists" in err
    assert (place / "plan.toml").read_text(encoding="utf-8") == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--shard", "3/2"], "not a part such as 1/4"),
        (["--only", "radnom"], "Did you mean 'random'?"),
    ],
)
def test_wrong_options_are_explained(place: Path, ask: Ask, words: list[str], said: str) -> None:
    ask("init")
    _, err = ask("sweep", "plan.toml", "--dry-run", *words, code=2)
    assert said in err
