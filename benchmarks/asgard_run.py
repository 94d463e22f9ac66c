"""What a run of AsgardBench costs: CPU time per step, wall time, memory, disk.

    python -m benchmarks.asgard_run --cache FOLDER
    python -m benchmarks.asgard_run --cache FOLDER --text-only
    python -m benchmarks.asgard_run --cache FOLDER --only 'coffee,FloorPlan12' --pixels 300

The data packs `asgard` and `ithor` have to be there (`houseguest data list`). The agent `scripted`
plays the expert's actions over gRPC, as a user would have it: `houseguest run`. The scripts are
kept in the cache folder, one file a condition; missing ones are made first, and their
time is printed separately. Memory is proportional set size (PSS).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.children import none_left
from benchmarks.process_family import Used, run_watched
from env_service.results.run_layout import EPISODES

SUITE, TASK_SET = "asgard", "official"

AIM_MINUTES = {False: 15.0, True: 2.0}
"""Minutes on two cores for the whole task set: with pictures, and in text only."""

AIM_GIB = 2.0
"""Memory of service, workers and agents together."""

_COMMAND = "import sys; from env_service.cli.main import run; sys.exit(run(sys.argv[1:]))"


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a run: episodes, those that were won, steps, bytes on disk."""

    episodes: int
    won: int
    steps: int
    disk: int


@none_left()
def main() -> None:
    """Makes the scripts, plays them, and prints what it took."""
    options = _arguments()
    options.cache.mkdir(parents=True, exist_ok=True)
    script = options.cache / f"{'text' if options.text_only else options.pixels}.jsonl"
    selection = _selection(options)
    if not options.scripts_made:
        expert = ["expert", *selection, "--out", str(script), "--jobs", str(options.parallel)]
        made = _houseguest(expert)
        print(f"scripts: {made.cpu:.0f} s CPU, {made.wall:.0f} s wall; kept in {script}\n")
    with TemporaryDirectory() as temporary:
        folder = options.out or Path(temporary)
        agent = ("--agent", str(options.agent), "--actions", str(script))
        command = ["run", *selection, *agent, "--parallel", str(options.parallel), "--json"]
        used = _houseguest([*command, "--fresh", "--out", str(folder)])
        played = _played(Path(json.loads(used.output)["folder"]))
    print("\n".join(_lines(used, played, text_only=options.text_only)))


def _houseguest(words: Sequence[str]) -> Used:
    used = run_watched(["-c", _COMMAND, *words])
    if used.status != 0:
        sys.exit(f"houseguest {words[0]} ended with status {used.status}")
    return used


def _selection(options: argparse.Namespace) -> list[str]:
    settings = {"picture": str(options.pixels)}
    if options.text_only:
        settings |= {"text_only": "on", "hand": "0", "previous_image": "none"}
    words = ["--suite", SUITE, "--task-set", TASK_SET]
    for name, value in settings.items():
        words += ["--set", f"{name}={value}"]
    if options.only:
        words += ["--tasks", ",".join(f"*{part}*" for part in options.only.split(","))]
    return words


def _played(folder: Path) -> Played:
    text = (folder / EPISODES).read_text(encoding="utf-8")
    records: list[dict[str, Any]] = [json.loads(line) for line in text.splitlines()]
    return Played(
        len(records),
        sum(bool(each["success"]) for each in records),
        sum(each["steps"] for each in records),
        sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file()),
    )


def _lines(used: Used, played: Played, *, text_only: bool) -> list[str]:
    each = 1000 * used.cpu / max(played.steps, 1)
    told = [
        f"CPU per step       {each:.0f} ms, starts of episodes and all processes included",
        f"CPU in all         {used.cpu:.1f} s",
        f"wall               {used.wall / 60:.2f} min"
        f" (aim for all tasks, two cores: {AIM_MINUTES[text_only]:.0f})",
        f"episodes, steps    {played.episodes} ({played.won} won), {played.steps}",
        f"steps per second   {played.steps / used.wall:.2f}",
        f"peak memory, PSS   {_mib(used.peak)} (aim: {AIM_GIB * 1024:.0f} MiB)",
        f"run folder         {played.disk / 2**20:.1f} MiB on disk",
        "",
        "process            CPU s   peak, together   peak of one",
    ]
    told += [
        f"{kind:<18}{used.cpu_of.get(kind, 0.0):>6.1f}"
        f"{_mib(used.peak_of[kind]):>17}{_mib(used.largest_of[kind]):>14}"
        for kind in sorted(used.peak_of)
    ]
    return told


def _mib(size: int) -> str:
    return f"{size / 2**20:.0f} MiB"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--cache", type=Path, required=True, help="where scripts are kept")
    parser.add_argument("--only", default="", help="parts of the tasks' names, with commas")
    parser.add_argument("--parallel", type=int, default=2, help="sessions, and expert's processes")
    parser.add_argument("--pixels", type=int, choices=(1024, 512, 300), default=1024)
    parser.add_argument("--text-only", action="store_true", help="no pictures at all")
    parser.add_argument("--agent", default="scripted", help="another agent that plays scripts")
    parser.add_argument("--out", type=Path, help="keep the run there; else it is thrown away")
    parser.add_argument(
        "--scripts-made", action="store_true", help="trust the cache: do not ask the expert at all"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
