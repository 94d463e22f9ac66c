"""What LLM-BabyBench's questions cost over gRPC: episodes a second, CPU time each, memory.

    python -m benchmarks.babybench_run
    python -m benchmarks.babybench_run --repeats 2 --parallel 4 decompose

The agent `scripted` gives the expert's answers to the 320 questions of an evaluation, some times
over, by `houseguest run`. Episodes a second leave out what starting and ending a run takes: the
wall time of a run of few episodes is taken off.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.children import none_left
from benchmarks.process_family import Used, run_watched
from env_service.results.run_layout import EPISODES

SUITE = "babybench"
AIMS = {"predict": 150.0, "plan": 150.0, "decompose": 25.0}
"""Episodes a second on two cores, by task set."""

FEW = 4
"""Episodes of the run that only starts and ends."""

_COMMAND = "import sys; from env_service.cli.main import run; sys.exit(run(sys.argv[1:]))"


@none_left()
def main() -> None:
    """Plays each task set, and prints a line for it."""
    options = _arguments()
    print("task set    won            CPU/episode   episodes/s (aim)   peak PSS")
    for name in options.task_sets or AIMS:
        with TemporaryDirectory() as temporary:
            print(_line(name, Path(temporary), options), flush=True)


def _line(name: str, folder: Path, options: argparse.Namespace) -> str:
    selection = ["--suite", SUITE, "--task-set", name]
    script = folder / "expert.jsonl"
    _houseguest(["expert", *selection, "--out", str(script)])
    agent = ["--agent", "scripted", "--actions", str(script)]
    much = ["--repeats", str(options.repeats), "--parallel", str(options.parallel)]
    run = ["run", *selection, *agent, "--json", "--out", str(folder)]
    few = _houseguest([*run, "--limit", str(FEW), "--parallel", str(options.parallel)])
    used = _houseguest([*run, *much])
    records = _records(Path(json.loads(used.output)["folder"]))
    won = sum(bool(each["success"]) for each in records)
    return (
        f"{name:<12}{won:>5} of {len(records):<6}{1000 * used.cpu / len(records):>8.1f} ms"
        f"{(len(records) - FEW) / (used.wall - few.wall):>14.0f} ({AIMS[name]:.0f})"
        f"{used.peak / 2**20:>14.0f} MiB"
    )


def _records(folder: Path) -> list[dict[str, Any]]:
    text = (folder / EPISODES).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _houseguest(words: Sequence[str]) -> Used:
    used = run_watched(["-c", _COMMAND, *words])
    if used.status != 0:
        sys.exit(f"houseguest {words[0]} ended with status {used.status}")
    return used


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "task_sets", nargs="*", metavar="TASK_SET", help=f"{', '.join(AIMS)}; else all"
    )
    parser.add_argument("--repeats", type=int, default=8, help="how often each is asked")
    parser.add_argument("--parallel", type=int, default=4, help="sessions")
    return parser.parse_args()


if __name__ == "__main__":
    main()
