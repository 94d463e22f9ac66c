"""Whether results are the same before and after a change that must not change them.

    python -m benchmarks.same_results play before --houseguest OLD/.venv/bin/houseguest
    python -m benchmarks.same_results play after
    python -m benchmarks.same_results compare before after

``play`` lets the expert of every suite solve built-in tasks, plays them with the agent `random`
and with the expert's actions, and keeps what came of it as text: tasks, the expert's lines,
manifests, episodes, whole transcripts, summaries, verification, reports and their tables. What
differs between two runs of the same commit is left out: times of day, durations, random
identifiers, and the hashes and signatures that cover them; so is the protocol's revision.
``compare`` prints the first differences of each file, and exits with 1 where there is one. A side
takes about 20 minutes on two busy cores.
"""

from __future__ import annotations

import argparse
import csv
import difflib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

from benchmarks.children import none_left

_LEFT_OUT = {
    *("run_id", "episode_id", "session", "signature", "public_key", "created"),
    *("agent_seconds", "environment_seconds", "agent time", "world time"),
    *("after", "transcript_head"),
    # What was installed and hashed of an agent is another commit's, and so is the identity.
    *("agents", "identity", "hardware", "packages", "versions", "expert_seconds"),
    "protocol_revision",
}
"""Keys whose values differ between two runs of one commit, or name the commit."""

_MASKED = re.compile(
    r"\b(?:run|ep|s)-[0-9a-f]{16,24}\b|-[0-9a-f]{10}\b|\b[0-9a-f]{64}\b"
    r"|\d{4}-\d\d-\d\d(?:T[\d:+]+| [\d:]+)?|\b\d[\d.]* (?:s|ms|min)\b"
)
"""What the text of a report says of such values, durations among them."""

_SHOWN_DIFFERENCES = 12


@dataclass(frozen=True, slots=True)
class _Game:
    """What is played: ``houseguest run`` and ``expert`` take ``selection`` alike."""

    name: str
    selection: tuple[str, ...]


_GAMES = (
    _Game("asgard", ("--suite", "asgard", "--task-set", "builtin-6", "--set", "picture=300")),
    _Game(
        "asgard-text",
        ("--suite", "asgard", "--task-set", "builtin-6", "--condition", "text-only-simple"),
    ),
    _Game("alfred", ("--suite", "alfred", "--task-set", "builtin-7")),
    _Game(
        "alfred-steps",
        (
            *("--suite", "alfred", "--task-set", "builtin-7", "--set", "play=steps"),
            *("--set", "pictures=on", "--set", "feedback=detailed"),
        ),
    ),
    _Game("actplan", ("--suite", "actplan", "--task-set", "builtin-6")),
    _Game(
        "actplan-steps", ("--suite", "actplan", "--task-set", "builtin-6", "--set", "play=steps")
    ),
    _Game("babyai", ("--suite", "babyai", "--tasks", "*/2")),
    _Game("predict", ("--suite", "babybench", "--task-set", "predict", "--tasks", "*/2")),
    _Game("plan", ("--suite", "babybench", "--task-set", "plan", "--tasks", "*/2")),
    _Game("decompose", ("--suite", "babybench", "--task-set", "decompose", "--tasks", "*/2")),
    _Game("interactive", ("--suite", "babybench", "--task-set", "interactive", "--tasks", "*/2")),
)


@none_left()
def main() -> None:
    """Plays one side, or compares two."""
    options = _arguments()
    if options.command == "compare":
        sys.exit(_compare(options.before, options.after))
    if options.folder.exists():
        sys.exit(f"{options.folder} already exists: remove it, or name another")
    for game in _GAMES:
        if not options.only or game.name in options.only.split(","):
            print(game.name, flush=True)
            _play(game, options.houseguest, options.folder / game.name)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    play = commands.add_parser("play")
    play.add_argument("folder", type=Path)
    beside = Path(sys.executable).with_name("houseguest")
    play.add_argument("--houseguest", type=Path, default=beside, help="the command of a checkout")
    play.add_argument("--only", default="", help="names of games, joined by commas")
    compare = commands.add_parser("compare")
    compare.add_argument("before", type=Path)
    compare.add_argument("after", type=Path)
    return parser.parse_args()


def _play(game: _Game, houseguest: Path, folder: Path) -> None:
    """Plays a game, and keeps what came of it as text files in ``folder``."""
    folder.mkdir(parents=True)

    def command(*arguments: str, may_fail: bool = False) -> str:
        """Runs `houseguest` in the folder, so that the paths it prints are the same everywhere."""
        done = subprocess.run(
            [houseguest.absolute(), *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode not in ((0, 1) if may_fail else (0,)):
            sys.exit(f"houseguest {' '.join(arguments)}\n{done.stdout}{done.stderr}")
        return done.stdout

    tasks = takewhile(lambda word: word not in ("--set", "--condition"), game.selection)
    _write(folder / "tasks.txt", command("tasks", *tasks, "--json").splitlines())
    command("expert", *game.selection, "--out", "script.jsonl", may_fail=True)
    _keep(folder / "script.jsonl", folder / "expert.txt")
    for agent in ("random", "scripted"):
        named = (agent, "--actions", "script.jsonl") if agent == "scripted" else (agent,)
        command("run", *game.selection, "--agent", *named, "--out", agent, may_fail=True)
        (run,) = (folder / agent).iterdir()
        for name in ("manifest.json", "episodes.jsonl", "summary.json"):
            _keep(run / name, folder / f"{agent}-{Path(name).stem}.txt")
        transcripts = sorted(_lines(path) for path in (run / "transcripts").iterdir())
        _write(folder / f"{agent}-transcripts.txt", [line for each in transcripts for line in each])
        said = command("verify", f"{agent}/{run.name}", may_fail=True)
        said += command("report", agent, "--format", "text,csv", "--out", f"{agent}/report")
        tables = sorted((folder / agent / "report").rglob("*.csv"))
        # Apart, because a change of words leaves the numbers as they are.
        _write(folder / f"{agent}-report.txt", _steady(said))
        lines = [line for table in tables for line in _rows(table)]
        _write(folder / f"{agent}-tables.txt", lines)
        shutil.rmtree(folder / agent)
    (folder / "script.jsonl").unlink()


def _keep(source: Path, target: Path) -> None:
    lines = _lines(source)
    _write(target, sorted(lines) if source.name == "episodes.jsonl" else lines)


def _lines(path: Path) -> list[str]:
    """A file of JSON, one line a value, without what differs between runs of one commit."""
    text = path.read_text(encoding="utf-8")
    values = text.splitlines() if path.suffix == ".jsonl" else [text]
    return [json.dumps(_same(json.loads(value)), sort_keys=True) for value in values]


def _same(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _same(each) for key, each in value.items() if key not in _LEFT_OUT}
    if isinstance(value, list):
        return [_same(each) for each in value]
    return value


def _steady(text: str) -> list[str]:
    """Lines of a report without identifiers, dates and durations."""
    return [" ".join(_MASKED.sub("·", line).split()) for line in text.splitlines()]


def _rows(table: Path) -> list[str]:
    """A table's rows, sorted, without the columns that differ between runs of one commit."""
    with table.open(encoding="utf-8", newline="") as file:
        rows = [_same(row) for row in csv.DictReader(file)]
    return [table.name, *sorted(_MASKED.sub("·", json.dumps(row)) for row in rows)]


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _compare(before: Path, after: Path) -> int:
    """Prints what differs. The exit status: 1 where something does."""
    sides = (before, after)
    names = sorted({str(path.relative_to(each)) for each in sides for path in each.rglob("*.txt")})
    if not names:
        sys.exit(f"there is nothing in {before} and {after}: `play` fills them")
    different = 0
    for name in names:
        differences = list(islice(_differences(before / name, after / name), _SHOWN_DIFFERENCES))
        different += bool(differences)
        for line in differences:
            print(f"{name}: {line[:400]}")
    print(f"{len(names) - different} of {len(names)} files are the same")
    return int(different > 0)


def _differences(before: Path, after: Path) -> Iterator[str]:
    if before.is_file() and after.is_file() and before.read_bytes() == after.read_bytes():
        return
    old, new = (
        path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        for path in (before, after)
    )
    lines = difflib.unified_diff(old, new, lineterm="", n=0)
    yield from (line for line in lines if not line.startswith(("---", "+++", "@@")))


if __name__ == "__main__":
    main()
