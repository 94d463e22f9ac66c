"""``houseguest index`` as a user meets it, also while a run plays."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

from env_service.index.annotations import NewAnnotation, add_annotation
from env_service.index.store import FILE, Index
from tests.support.command_line import Ask, finish, houseguest, run_folder
from tests.support.indexed import assert_current, rows_of
from tests.support.made_run import made_text, write_run

SELECTION = ("--suite", "babybench", "--tasks", "predict", "--limit", "12", "--agent", "random")


def test_a_run_is_indexed_while_it_plays(place: Path) -> None:
    (place / "runs").mkdir()
    process = houseguest(place, "run", *SELECTION, "--json")
    with Index.open(place / "runs") as index:
        seen = set()
        while process.poll() is None:
            index.sync()
            with index.read() as read:
                seen |= {(run.status, run.final) for run in read.runs().rows}
            time.sleep(0.02)
        finish(process)
        assert_current(index)
        with index.read() as read:
            (run,) = read.runs().rows
    assert (run.status, run.final) == ("complete", 12)
    assert any(status == "running" for status, _ in seen)


def test_the_command_says_what_it_read(place: Path, ask: Ask) -> None:
    write_run(place / "runs", made_text("run-1", tasks=3))
    write_run(place / "runs", made_text("run-2", tasks=3))
    out, err = ask("index")
    assert out == (f"2 runs: 2 new, 0 changed, 0 vanished; read 6 episodes, 0 steps; runs/{FILE}\n")
    assert err.count("incomplete: ") == 2

    (place / "runs" / "run-1" / "manifest.json").write_text("{")
    shutil.rmtree(place / "runs" / "run-2")
    out, err = ask("index", code=1)
    assert "1 run: 0 new, 1 changed, 1 vanished" in out
    assert err.startswith("cannot be read: run-1: manifest.json: ")

    report = json.loads(ask("index", "--json", "--rebuild", code=1)[0])
    assert (report["runs"], report["new"]) == (1, ["run-1"])
    assert report["problems"][0]["run"] == "run-1"


def test_annotations_are_exported(place: Path, ask: Ask) -> None:
    write_run(place / "runs", made_text("run-1", tasks=3))
    with Index.open(place / "runs") as index:
        add_annotation(index, NewAnnotation("run-1", "ep-1", None, "odd", "look\nhere"))
    ask("index", "--export-annotations", "notes.csv")
    assert (place / "notes.csv").read_text().startswith("id,run,episode_id,step,tag,comment,")
    ask("index", "--export-annotations", "notes.json")
    (exported,) = json.loads((place / "notes.json").read_text())
    assert (exported["run"], exported["step"], exported["comment"]) == ("run-1", None, "look\nhere")
    assert "name such a file" in ask("index", "--export-annotations", "notes", code=2)[1]


def test_the_command_refuses_what_it_cannot_index(place: Path, ask: Ask) -> None:
    write_run(place / "runs", made_text("run-1", tasks=3))
    assert "name the folder that contains it" in ask("index", "runs/run-1", code=2)[1]
    assert "without --watch" in ask("index", "--watch", "--json", code=2)[0]
    assert "cannot hold an index" in ask("index", "--index", "mysql://x", code=1)[1]


def test_a_watching_command_follows_and_ends_by_ctrl_c(place: Path) -> None:
    runs = place / "runs"
    write_run(runs, made_text("run-1", tasks=3))
    process = houseguest(place, "index", "--watch", "--index", str(place / "index.sqlite3"))
    assert process.stdout is not None
    assert process.stdout.readline().startswith("1 run: 1 new")
    write_run(runs, made_text("run-2", tasks=3))
    assert process.stdout.readline().startswith("2 runs: 1 new")
    shutil.rmtree(runs / "run-1")
    assert "1 vanished" in process.stdout.readline()
    process.send_signal(2)
    finish(process)
    with Index.open(runs, str(place / "index.sqlite3")) as index:
        assert_current(index)
        assert len(rows_of(index)["runs"]) == 1
    assert run_folder(place).name == "run-2"
