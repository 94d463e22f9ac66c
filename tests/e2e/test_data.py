"""Data packs from a web server to a suite's hands, through the command line."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from env_service.cli.main import run
from env_service.datasets.folder import PackFolder
from env_service.datasets.pack import open_pack
from env_service.datasets.registry import PackDefinition, definition
from tests.support.command_line import ROOT, until
from tests.support.data import reference_data
from tests.support.pack_server import TOY_FILES, PackServer, use_toy

SCENE = "scenes/FloorPlan1.json"
SMALL = "scenes/FloorPlan2.json"
HOUSEGUEST = """\
import sys
from pathlib import Path
from env_service.datasets import registry
from tests.support.pack_server import packs_in
packs = packs_in(Path(sys.argv.pop(1)))
registry.installed = lambda _: packs
from env_service.cli.main import main
main()
"""


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> PackDefinition:
    return use_toy(monkeypatch, tmp_path)


@pytest.fixture
def server(toy: PackDefinition, monkeypatch: pytest.MonkeyPatch) -> Iterator[PackServer]:
    """Serves the toy pack, as the mirror that HOUSEGUEST_DATA_MIRROR names."""
    with PackServer.of(toy, TOY_FILES) as server:
        monkeypatch.setenv("HOUSEGUEST_DATA_MIRROR", server.url)
        yield server


def command(tmp_path: Path, *arguments: str) -> list[str]:
    """``houseguest data`` in a process of its own, with the registry of the test."""
    return [sys.executable, "-c", HOUSEGUEST, str(tmp_path / "registry"), "data", *arguments]


@contextmanager
def fetching(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A fetch of toy in a process of its own, killed in the end."""
    line = command(tmp_path, "fetch", "toy", "--yes")
    pipe = subprocess.PIPE
    with subprocess.Popen(line, cwd=ROOT, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def here(toy: PackDefinition) -> int:
    return len(PackFolder(toy).survey().held)


def test_from_nothing_to_a_suites_hands(
    toy: PackDefinition, server: PackServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["data", "fetch", "toy", "--yes", "--json"]) == 0
    fetched = json.loads(capsys.readouterr().out)
    assert fetched == {
        "name": "toy",
        "path": str(PackFolder(toy).path),
        "state": "complete",
        "fetched": 5,
        "failed": [],
        "untried": 0,
    }
    assert run(["data", "verify", "toy"]) == 0
    assert open_pack("toy").path(SCENE).read_bytes() == TOY_FILES[SCENE]


def test_damage_is_found_and_only_that_is_fetched_again(
    toy: PackDefinition, server: PackServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["data", "fetch", "toy", "--yes"]) == 0
    (PackFolder(toy).path / SMALL).write_bytes(b"[]")
    assert run(["data", "verify"]) == 1
    assert f"toy: corrupt: {SMALL}" in capsys.readouterr().err
    server.requests.clear()
    assert run(["data", "fetch", "toy", "--yes"]) == 0
    assert [path.rpartition("/")[2] for path in server.requests] == ["FloorPlan2.json"]
    assert run(["data", "verify"]) == 0


def test_files_that_cannot_be_had_are_named_and_the_rest_is_kept(
    toy: PackDefinition, server: PackServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.faults = {SCENE: ["wrong"], SMALL: [404]}
    assert run(["data", "fetch", "toy", "--yes"]) == 1
    out, err = capsys.readouterr()
    assert f"not fetched: {SCENE}: wrong bytes" in err
    assert f"not fetched: {SMALL}: 127.0.0.1" in err
    assert "houseguest data import toy DIR copies from a folder" in err
    assert "toy: partial 3 of 5" in out
    assert run(["data", "fetch", "toy", "--yes", "--json"]) == 0


def test_a_killed_fetch_goes_on_where_it_was(
    toy: PackDefinition, server: PackServer, tmp_path: Path
) -> None:
    server.faults[SCENE] = ["silent"]
    with fetching(tmp_path) as process:
        until(lambda: here(toy) == 4)
        until(lambda: any((PackFolder(toy).path / ".drafts").iterdir()))
        process.send_signal(signal.SIGKILL)
    assert not (PackFolder(toy).path / SCENE).exists()
    server.requests.clear()
    assert run(["data", "fetch", "toy", "--yes"]) == 0
    assert sum(server.requests.values()) == 1
    assert run(["data", "verify", "toy"]) == 0


def test_ctrl_c_keeps_what_is_there_though_the_server_is_silent(
    toy: PackDefinition, server: PackServer, tmp_path: Path
) -> None:
    server.faults[SCENE] = ["silent"]
    with fetching(tmp_path) as process:
        until(lambda: here(toy) == 4)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=180)
    assert process.returncode == 130, error
    assert (
        "Interrupted: 4 of 5 files are installed. Run the same command to get the others." in error
    )
    assert "Traceback" not in error
    assert run(["data", "fetch", "toy", "--yes"]) == 0


def test_a_second_fetch_is_told_of_the_first(
    toy: PackDefinition,
    server: PackServer,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    server.faults[SCENE] = ["silent"]
    with fetching(tmp_path) as process:
        until(lambda: here(toy) == 4)
        assert run(["data", "fetch", "toy", "--yes"]) == 1
        assert f"is being written by process {process.pid}" in capsys.readouterr().err


@pytest.mark.parametrize("answer", ["y", "n"])
def test_a_person_is_asked(
    toy: PackDefinition, server: PackServer, tmp_path: Path, answer: str
) -> None:
    ours, theirs = pty.openpty()
    line = command(tmp_path, "fetch", "toy")
    with subprocess.Popen(line, cwd=ROOT, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = read_until(ours, "[y/N]: ")
        assert "licence  MIT, copyright 2026 Someone" in shown
        assert not server.requests
        os.write(ours, f"{answer}\n".encode())
        shown = read_until(ours, None)
        process.wait(180)
    os.close(ours)
    agreed = answer == "y"
    assert (process.returncode == 0) == agreed, shown
    assert here(toy) == (5 if agreed else 0)
    assert ("Nothing was downloaded" in shown) != agreed


def read_until(terminal: int, wanted: str | None) -> str:
    """What a terminal shows until it shows ``wanted``, or to its end."""
    shown = b""
    while wanted is None or wanted.encode() not in shown:
        try:
            shown += os.read(terminal, 4096)
        except OSError:
            assert wanted is None, shown
            break
    return shown.decode()


@pytest.mark.data
def test_a_real_pack_is_fetched_as_it_is_pinned(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pack = definition("asgard")
    copy = reference_data("asgard")
    monkeypatch.setenv("HOUSEGUEST_DATA", str(tmp_path))
    files = {path: (copy / path).read_bytes() for path in pack.files}
    with PackServer.of(pack, files) as server:
        assert run(["data", "fetch", "asgard", "--yes", "--mirror", server.url]) == 0
    assert run(["data", "verify", "asgard"]) == 0
    plans = open_pack("asgard").require(["Generated/magt_benchmark/*/plan.json"])
    assert len(plans) == 108
    assert open_pack("asgard").describe().modified == ()
