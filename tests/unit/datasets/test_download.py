"""Large files: what breaks off goes on, and nothing half is taken for a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.datasets.download import CHUNK, TransferError, TransferPatience, download, text_of
from tests.support.build_server import PADDING, BuildServer

QUICK = TransferPatience(tries=2, wait=0.01, connecting=10, silence=30)
FILE = "big.zip"


def get(server: BuildServer, target: Path) -> list[tuple[int, int | None]]:
    """Downloads the file; returns what was told on the way."""
    told: list[tuple[int, int | None]] = []
    download(
        f"{server.url}/{FILE}",
        target,
        patience=QUICK,
        on_bytes=lambda done, total: told.append((done, total)),
    )
    return told


def test_a_file_arrives_whole_and_its_growth_is_told(tmp_path: Path) -> None:
    with BuildServer({FILE: PADDING}) as server:
        told = get(server, tmp_path / FILE)
    assert (tmp_path / FILE).read_bytes() == PADDING
    assert told[-1] == (len(PADDING), len(PADDING))
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_tries_that_get_on_go_on_where_the_last_one_was(tmp_path: Path) -> None:
    with BuildServer({FILE: PADDING}) as server:
        server.drops = [2 * CHUNK, 3 * CHUNK, CHUNK]
        get(server, tmp_path / FILE)
        assert server.ranges == [f"bytes={n * CHUNK}-" for n in (2, 5, 6)]
    assert (tmp_path / FILE).read_bytes() == PADDING


def test_a_later_call_goes_on_too(tmp_path: Path) -> None:
    with BuildServer({FILE: PADDING}) as server:
        server.drops = [2 * CHUNK, 0, 0]
        with pytest.raises(TransferError, match="2 tries"):
            get(server, tmp_path / FILE)
        assert not (tmp_path / FILE).exists()
        server.drops = []
        get(server, tmp_path / FILE)
        assert server.ranges[-1] == f"bytes={2 * CHUNK}-"
    assert (tmp_path / FILE).read_bytes() == PADDING


def test_another_version_of_the_file_is_begun_anew(tmp_path: Path) -> None:
    with BuildServer({FILE: PADDING}) as server:
        server.drops = [2 * CHUNK, 0, 0]
        with pytest.raises(TransferError):
            get(server, tmp_path / FILE)
        server.drops, server.tag, server.files[FILE] = [], '"two"', PADDING[::-1]
        get(server, tmp_path / FILE)
    assert (tmp_path / FILE).read_bytes() == PADDING[::-1]


def test_a_server_without_ranges_sends_it_all_again(tmp_path: Path) -> None:
    with BuildServer({FILE: PADDING}) as server:
        server.resumes, server.drops = False, [CHUNK]
        get(server, tmp_path / FILE)
    assert (tmp_path / FILE).read_bytes() == PADDING


def test_a_file_that_does_not_fit_the_disk_is_not_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = type("Usage", (), {"free": 1000})
    monkeypatch.setattr("env_service.datasets.download.shutil.disk_usage", lambda _: full)
    with (
        BuildServer({FILE: PADDING}) as server,
        pytest.raises(TransferError, match=r"524,288 bytes are needed .* 1,000 are free"),
    ):
        get(server, tmp_path / FILE)


def test_a_file_that_is_not_there_is_not_asked_for_again(tmp_path: Path) -> None:
    with BuildServer({}) as server, pytest.raises(TransferError, match=r"answered 404 Not Found$"):
        get(server, tmp_path / FILE)


def test_a_small_text_is_read() -> None:
    with BuildServer({"sum.sha256": b"abc  file\n"}) as server:
        assert text_of(f"{server.url}/sum.sha256", patience=QUICK) == "abc  file\n"
        with pytest.raises(TransferError, match="404"):
            text_of(f"{server.url}/other", patience=QUICK)
