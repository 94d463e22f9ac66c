"""Data sets as a user makes them: several processes, Ctrl-C, and the same command again."""

from __future__ import annotations

import json
import signal
from pathlib import Path

from tests.support.command_line import Ask, finish, houseguest, lines, orphans, until

OPTIONS = (
    *("babybench", "generate", "--task", "predict", "--levels", "GoToObjMaze,GoTo"),
    *("--seeds", "1-100"),
)


def test_interrupted_and_gone_on_with_it_comes_to_the_same_bytes(place: Path, ask: Ask) -> None:
    first = houseguest(place, *OPTIONS, "--jobs", "2", "--out", "set")
    shard = place / "set" / "unfinished" / "GoToObjMaze.jsonl"
    until(lambda: len(lines(shard)) >= 10)
    first.send_signal(signal.SIGINT)
    _, err = finish(first, code=130)
    assert "of 200 rows are kept in set; run the same command to resume" in err
    until(lambda: not orphans(place))
    assert not (place / "set" / "manifest.json").exists()

    out, _ = ask(*OPTIONS, "--jobs", "2", "--out", "set", "--json")
    assert json.loads(out)["rows"] == 200
    ask(*OPTIONS, "--jobs", "1", "--out", "other")
    files = {path.name: path.read_bytes() for path in (place / "set").iterdir()}
    assert sorted(files) == ["manifest.json", "predict.csv", "predict.jsonl"]
    assert files == {path.name: path.read_bytes() for path in (place / "other").iterdir()}
