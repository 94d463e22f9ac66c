"""What a run leaves of its pictures, however it ends."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.command_line import Ask, done, finish, houseguest, orphans, run_folder, until

RUN = (
    *("run", "--suite", "babyai", "--set", "observation=picture", "--agent", "random"),
    *("--tasks", "GoToLocal", "--seed", "0", "--json"),
)


def pictures(place: Path, suffix: str) -> list[Path]:
    """The stored pictures with that suffix."""
    return list((place / "runs").glob(f"*/frames/*/*{suffix}"))


def problems(place: Path, ask: Ask) -> list[str]:
    """What verification has against the run."""
    out, _ = ask("verify", str(run_folder(place)), "--json")
    found: list[str] = json.loads(out)["problems"]
    return found


def test_a_finished_run_has_small_pictures_and_verifies(place: Path, ask: Ask) -> None:
    out, _ = finish(houseguest(place, *RUN, "--limit", "2", "--parallel", "2"))

    assert done(out)["summary"]["overall"]["n"] == 2
    packed = pictures(place, ".webp")
    assert len(packed) > 20
    assert pictures(place, ".ppm") == []
    # A raw picture is half a megabyte.
    assert max(path.stat().st_size for path in packed) < 20_000
    assert problems(place, ask) == []


def test_pictures_are_packed_during_the_run_and_after_a_kill(place: Path, ask: Ask) -> None:
    command = (*RUN, "--limit", "4")
    run = houseguest(place, *command)
    until(lambda: len(pictures(place, ".webp")) > 10)
    run.kill()
    run.communicate()
    until(lambda: not orphans(place))

    out, _ = finish(houseguest(place, *command))

    assert done(out)["summary"]["overall"]["n"] == 4
    assert pictures(place, ".ppm") == []
    assert problems(place, ask) == []
