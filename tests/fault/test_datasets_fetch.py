"""Fetching a pack from a web server that does its worst."""

from __future__ import annotations

import re
import resource
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from env_service.datasets.download import Transfer, TransferError, TransferPatience
from env_service.datasets.errors import DataFolderError, DataPackBusyError
from env_service.datasets.fetch import FetchOptions, FetchReport, fetch, url_of
from env_service.datasets.folder import PackFolder
from env_service.datasets.registry import PackDefinition
from env_service.datasets.survey import FileState
from tests.support.command_line import until
from tests.support.pack_server import TOY_FILES, PackServer, use_toy, write_files

PLAN = "plans/mug [1]/plan.json"
SCENE = "scenes/FloorPlan1.json"
SMALL = "scenes/FloorPlan2.json"
QUICK = TransferPatience(tries=3, wait=0.01)
SHARP = replace(QUICK, silence=1.0)
"""For a server that falls silent; one that is merely slow may take longer."""


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> PackDefinition:
    return use_toy(monkeypatch, tmp_path)


@pytest.fixture
def server(toy: PackDefinition) -> Iterator[PackServer]:
    with PackServer.of(toy, TOY_FILES) as server:
        yield server


def get(toy: PackDefinition, server: PackServer, patience: TransferPatience = QUICK) -> FetchReport:
    return fetch(PackFolder(toy), FetchOptions(server.url, patience))


def patience_with(fault: int | str) -> TransferPatience:
    return SHARP if fault == "silent" else QUICK


def asked_for(server: PackServer, end: str) -> int:
    return sum(count for path, count in server.requests.items() if path.endswith(end))


def assert_whole(toy: PackDefinition) -> None:
    folder = PackFolder(toy)
    assert folder.survey(rehash=True).label == "complete"
    assert {path: (folder.path / path).read_bytes() for path in TOY_FILES} == TOY_FILES


def test_a_pack_is_fetched(toy: PackDefinition, server: PackServer) -> None:
    assert get(toy, server) == FetchReport(5, {}, 0)
    assert_whole(toy)
    assert set(server.requests.values()) == {1}
    assert all(agent.startswith("houseguest/") for agent in server.agents)
    assert not (PackFolder(toy).path / ".drafts").exists()


def test_only_what_is_not_right_is_fetched(toy: PackDefinition, server: PackServer) -> None:
    folder = PackFolder(toy)
    here = {PLAN: TOY_FILES[PLAN], SCENE: b"damaged", "scenes/unknown.json": b"ours"}
    write_files(folder.path, here)
    assert get(toy, server) == FetchReport(4, {}, 0)
    assert asked_for(server, PLAN) == 0
    assert_whole(toy)
    assert (folder.path / "scenes/unknown.json").read_bytes() == b"ours"
    assert get(toy, server) == FetchReport(0, {}, 0)
    assert sum(server.requests.values()) == 4


@pytest.mark.parametrize("fault", ["drop", "short", "silent", 500, 503, 429])
def test_what_fails_for_a_while_is_tried_again(
    toy: PackDefinition, server: PackServer, fault: int | str
) -> None:
    server.faults[SCENE] = [fault, fault]
    assert get(toy, server, patience_with(fault)) == FetchReport(5, {}, 0)
    assert asked_for(server, SCENE) == 3
    assert_whole(toy)


@pytest.mark.parametrize(
    ("fault", "tries", "why"),
    [
        ("drop", 3, r"the connection to 127.0.0.1:\d+ broke off \(3 tries\)"),
        ("short", 3, r"received 38,400 bytes instead of 76,800 \(3 tries\)"),
        ("silent", 3, r"127.0.0.1:\d+ stopped sending \(3 tries\)"),
        (500, 3, r"127.0.0.1:\d+ answered 500 Internal Server Error \(3 tries\)"),
        (429, 3, r"answered 429 Too Many Requests \(3 tries\)"),
        (404, 1, r"answered 404 Not Found$"),
        (403, 1, r"answered 403 Forbidden$"),
        ("wrong", 1, r"wrong bytes: their SHA-256 is [0-9a-f]{64}$"),
        ("long", 1, r"wrong bytes: more than 76,800$"),
    ],
)
def test_what_fails_for_good_is_named_and_left_out(
    toy: PackDefinition, server: PackServer, fault: int | str, tries: int, why: str
) -> None:
    server.faults[SCENE] = [fault] * 5
    report = get(toy, server, patience_with(fault))
    assert (report.fetched, report.untried) == (4, 0)
    assert report.failed.keys() == {SCENE}
    assert asked_for(server, SCENE) == tries
    assert re.search(why, report.failed[SCENE]), report.failed[SCENE]
    found = PackFolder(toy).survey()
    assert found.paths(FileState.MISSING) == (SCENE,)

    server.faults.clear()
    assert get(toy, server) == FetchReport(1, {}, 0)
    assert_whole(toy)


def test_wrong_bytes_leave_what_was_there(toy: PackDefinition, server: PackServer) -> None:
    folder = PackFolder(toy)
    write_files(folder.path, {SCENE: b"damaged, and the user's own affair"})
    server.faults[SCENE] = ["wrong"]
    assert get(toy, server).failed.keys() == {SCENE}
    assert (folder.path / SCENE).read_bytes() == b"damaged, and the user's own affair"


def test_a_slow_server_is_waited_for(toy: PackDefinition, server: PackServer) -> None:
    server.faults[SCENE] = ["slow"]
    # All of it takes longer than a single silence may.
    assert get(toy, server, replace(QUICK, silence=0.7)) == FetchReport(5, {}, 0)
    assert asked_for(server, SCENE) == 1


class Clock(threading.Event):
    """Waits for nothing, and keeps how long it should have waited."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.append(timeout or 0.0)
        return False


@pytest.mark.parametrize(
    ("fault", "asked", "waits"),
    [
        (500, "", [0.5, 1.0, 2.0, 4.0]),
        (429, "7", [7.0] * 4),
        (503, "3600", [60.0] * 4),
        (429, "Fri, 31 Dec 1999 23:59:59 GMT", [0.5, 1.0, 2.0, 4.0]),
        (404, "7", []),
    ],
)
def test_waits_grow_and_follow_what_the_server_asks_for(
    toy: PackDefinition, server: PackServer, fault: int, asked: str, waits: list[float]
) -> None:
    server.retry_after = asked
    server.faults[SCENE] = [fault] * 5
    clock = Clock()
    with PackFolder(toy).writing() as writer, pytest.raises(TransferError):
        Transfer(TransferPatience(), clock).get(
            url_of(toy, SCENE, server.url), toy.files[SCENE], writer.draft, writer.place
        )
    assert clock.waits == waits


def test_a_connection_that_cannot_be_trusted_is_not_tried_again(
    toy: PackDefinition, server: PackServer
) -> None:
    secure = server.url.replace("http:", "https:")
    report = fetch(PackFolder(toy), FetchOptions(secure, QUICK))
    assert re.match(r"no trusted connection to 127\.0\.0\.1:\d+: ", report.failed[SCENE])
    assert "tries" not in report.failed[SCENE]


def test_a_few_files_are_fetched_at_once(toy: PackDefinition, server: PackServer) -> None:
    server.gate = threading.Event()
    with in_background(lambda: get(toy, server)) as result:
        until(lambda: server.busiest == 4)
        server.gate.set()
    assert result == [FetchReport(5, {}, 0)]
    assert server.busiest == 4


@contextmanager
def in_background(work: Callable[[], FetchReport]) -> Iterator[list[FetchReport]]:
    """Runs something in a thread; its result is in the list afterwards."""
    result: list[FetchReport] = []
    thread = threading.Thread(target=lambda: result.append(work()))
    thread.start()
    try:
        yield result
    finally:
        thread.join()


def test_two_fetches_at_once_do_not_meet(toy: PackDefinition, server: PackServer) -> None:
    server.gate = threading.Event()
    with in_background(lambda: get(toy, server)) as result:
        until(lambda: server.busiest > 0)
        with pytest.raises(DataPackBusyError, match="is being written by process"):
            get(toy, server)
        server.gate.set()
    assert result == [FetchReport(5, {}, 0)]
    assert_whole(toy)


def test_a_server_that_has_nothing_is_soon_given_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, toy: PackDefinition
) -> None:
    monkeypatch.setattr("env_service.datasets.fetch.MOST_FAILURES", 2)
    with PackServer({}) as server:
        report = get(toy, server)
    assert len(report.failed) == 2
    assert (report.fetched, report.untried) == (0, 3)


def test_a_server_that_is_not_there_is_named(toy: PackDefinition, server: PackServer) -> None:
    with PackServer({}) as gone:
        pass
    report = get(toy, gone)
    assert f"no connection to {gone.url.removeprefix('http://')}: Connection refused" in str(
        report.failed[SCENE]
    )


def test_an_interruption_keeps_what_is_there_and_waits_for_nobody(
    toy: PackDefinition, server: PackServer
) -> None:
    server.faults[SCENE] = ["silent"]
    done = 0

    def interrupt() -> None:
        nonlocal done
        done += 1
        if done == 3:
            raise KeyboardInterrupt

    patient = TransferPatience(silence=60.0)
    with pytest.raises(KeyboardInterrupt):
        fetch(PackFolder(toy), FetchOptions(server.url, patient), interrupt)
    found = PackFolder(toy).survey()
    assert found.states[SCENE] is FileState.MISSING
    here = found.paths(FileState.INTACT)
    assert len(here) >= 3
    # The server wakes up; nobody listens any more.
    server.closing.set()
    assert get(toy, server) == FetchReport(5 - len(here), {}, 0)
    assert_whole(toy)


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """No file of this process can grow beyond ``size`` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_disk_that_fills_up_is_named_and_spoils_nothing(
    toy: PackDefinition, server: PackServer
) -> None:
    folder = PackFolder(toy)
    with full_disk(20_000), pytest.raises(DataFolderError, match="File too large") as caught:
        get(toy, server)
    assert "HOUSEGUEST_DATA" in str(caught.value)
    assert folder.survey().states[SCENE] is FileState.MISSING
    assert not folder.survey().paths(FileState.CORRUPT)
    get(toy, server)
    assert_whole(toy)


def test_no_room_is_seen_before_anything_is_fetched(
    toy: PackDefinition, server: PackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 1000})())
    with pytest.raises(DataFolderError, match=r"bytes are needed, but 1,000 are free"):
        get(toy, server)
    assert not server.requests


def test_a_file_where_packs_should_be_kept_is_named(
    toy: PackDefinition, server: PackServer, tmp_path: Path
) -> None:
    (tmp_path / "data").write_bytes(b"")
    assert PackFolder(toy).survey().label == "absent"
    with pytest.raises(DataFolderError, match=r"data/toy.*: Not a directory\. Data packs cannot"):
        get(toy, server)


def test_a_folder_where_a_file_of_the_pack_should_be_is_named(
    toy: PackDefinition, server: PackServer
) -> None:
    write_files(PackFolder(toy).path / SMALL, {"inside": b""})
    with pytest.raises(DataFolderError, match=r"FloorPlan2\.json: Is a directory"):
        get(toy, server)


def test_a_file_where_a_folder_of_the_pack_should_be_is_named(
    toy: PackDefinition, server: PackServer
) -> None:
    write_files(PackFolder(toy).path, {"plans": b"not a folder"})
    with pytest.raises(DataFolderError, match=r"plans.*: (File exists|Not a directory)"):
        get(toy, server)
