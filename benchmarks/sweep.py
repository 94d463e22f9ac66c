"""What a sweep costs beyond its runs, and whether kills make it count an episode twice.

    python -m benchmarks.sweep                # processor time: a sweep against its runs alone
    python -m benchmarks.sweep --kills 20     # kill -9 at random moments, then count the episodes

Processor time is that of all processes together, so a busy machine changes it little.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from env_service.processes.process_tree import process_tree

VICTIMS = ("its process group", "all of its processes", "its runs")
AGENT, SUITE, TASKS = "random", "babyai", "GoToObj"
PLAN = """
[defaults]
limit = {episodes}
seed = [{seeds}]
[[agents]]
agent = "{agent}"
[[suites]]
suite = "{suite}"
tasks = "{tasks}"
"""


def houseguest(*words: str) -> list[str]:
    """A command line."""
    return [sys.executable, "-m", "env_service", *words]


def write_plan(place: Path, runs: int, episodes: int) -> None:
    """Writes the plan: one run for each seed."""
    seeds = ", ".join(map(str, range(runs)))
    text = PLAN.format(episodes=episodes, seeds=seeds, agent=AGENT, suite=SUITE, tasks=TASKS)
    (place / "plan.toml").write_text(text, encoding="utf-8")


def spent() -> float:
    """Seconds of processor time of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(place: Path, runs: int, episodes: int) -> None:
    """Prints the processor time of the sweep over that of its runs alone."""
    write_plan(place, runs, episodes)
    began = spent()
    for seed in range(runs):
        words = ("run", "--suite", SUITE, "--tasks", TASKS, "--limit", str(episodes))
        more = ("--agent", AGENT, "--seed", str(seed), "--out", "alone", "--json")
        subprocess.run(houseguest(*words, *more), cwd=place, check=True, capture_output=True)
    alone = spent() - began
    began = spent()
    subprocess.run(
        houseguest("sweep", "plan.toml", "--json"), cwd=place, check=True, capture_output=True
    )
    sweep = spent() - began
    print(f"{runs} runs of {episodes} episodes: alone {alone:.1f} s, as a sweep {sweep:.1f} s")
    print(f"overhead {100 * (sweep / alone - 1):.1f} %")


def kill(place: Path, runs: int, episodes: int, kills: int, seed: int) -> None:
    """Kills the sweep with kill -9 again and again, then lets it finish and counts."""
    write_plan(place, runs, episodes)
    rng = random.Random(seed)
    for number in range(kills):
        sweep = subprocess.Popen(
            houseguest("sweep", "plan.toml"),
            cwd=place,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        wait_for_episode(place, sweep)
        time.sleep(rng.uniform(0, 2))
        ended = sweep.poll() is not None
        victim = rng.choice(VICTIMS)
        end(sweep, victim)
        if victim == "its runs":
            time.sleep(rng.uniform(0, 1))
            end(sweep, "its process group")
        sweep.wait()
        what = "it had ended" if ended else victim
        print(f"kill {number + 1} ({what}): {sum(counted(place).values())} episodes counted")
    subprocess.run(
        houseguest("sweep", "plan.toml", "--json"), cwd=place, check=True, capture_output=True
    )
    found = counted(place)
    twice = sum(count > 1 for count in found.values())
    print(f"{len(found)} of {runs * episodes} episodes counted, {twice} of them more than once")
    if twice or len(found) != runs * episodes:
        sys.exit(1)


def end(sweep: subprocess.Popen[bytes], victim: str) -> None:
    """Sends SIGKILL to the sweep's process group, to all of its processes, or to its runs."""
    family = [*process_tree(sweep.pid)]
    if victim == "its process group":
        with suppress(ProcessLookupError):
            os.killpg(sweep.pid, signal.SIGKILL)
        return
    for pid in family if victim == "all of its processes" else family[1:]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def wait_for_episode(place: Path, sweep: subprocess.Popen[bytes]) -> None:
    """Waits until another episode is counted, so that kills do not all hit the start."""
    before = sum(counted(place).values())
    while sweep.poll() is None and sum(counted(place).values()) == before:
        time.sleep(0.05)


def counted(place: Path) -> Counter[tuple[str, str, int]]:
    """How often each episode of each run was counted."""
    found: Counter[tuple[str, str, int]] = Counter()
    for path in (place / "runs").glob("*/episodes.jsonl"):
        for line in path.read_text(encoding="utf-8").split("\n")[:-1]:
            record = json.loads(line)
            found[path.parent.name, record["task_id"], record["repeat"]] += 1
    return found


def main() -> None:
    """Measures in an empty folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=24)
    parser.add_argument("--episodes", type=int, default=10)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if asked.kills:
            kill(Path(folder), asked.runs, asked.episodes, asked.kills, asked.seed)
        else:
            measure(Path(folder), asked.runs, asked.episodes)


if __name__ == "__main__":
    main()
