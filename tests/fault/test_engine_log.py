"""A worker's log never grows without bound, and its tail is always at hand."""

from __future__ import annotations

from pathlib import Path

from env_service.processes.bounded_log import BoundedLog


def size(path: Path) -> int:
    return sum(each.stat().st_size for each in path.parent.iterdir())


def test_what_is_written_is_there(tmp_path: Path) -> None:
    log = BoundedLog(tmp_path / "deep" / "worker.log", 4096)
    log.write(b"one\n")
    log.write(b"two\n")
    log.close()
    log.close()
    assert (tmp_path / "deep" / "worker.log").read_bytes() == b"one\ntwo\n"


def test_a_second_process_appends(tmp_path: Path) -> None:
    for word in (b"first\n", b"second\n"):
        log = BoundedLog(tmp_path / "worker.log", 4096)
        log.write(word)
        log.close()
    assert (tmp_path / "worker.log").read_bytes() == b"first\nsecond\n"


def test_the_limit_holds_and_the_newest_stays(tmp_path: Path) -> None:
    path = tmp_path / "worker.log"
    log = BoundedLog(path, 4096)
    for number in range(1000):
        log.write(b"line %d\n" % number)
        assert size(path) <= 4096
    log.write(b"x" * 10_000)
    log.write(b"the end\n")
    log.close()
    assert size(path) <= 4096
    assert path.read_bytes().endswith(b"the end\n")


def test_the_tail_is_the_last_lines(tmp_path: Path) -> None:
    log = BoundedLog(tmp_path / "worker.log", 1024)
    for number in range(5000):
        log.write(b"line %d\n" % number)
    log.close()
    assert log.tail(2) == "line 4998\nline 4999"


def test_a_full_disk_costs_the_log_and_nothing_else(tmp_path: Path) -> None:
    log = BoundedLog(tmp_path / "worker.log", 1024)
    for path in tmp_path.iterdir():
        path.unlink()
    tmp_path.rmdir()
    for _ in range(100):
        log.write(b"words that cannot be rotated away\n")
    log.close()
    assert "log not written" in log.tail()


def test_a_late_word_to_a_closed_log_goes_to_no_file(tmp_path: Path) -> None:
    log = BoundedLog(tmp_path / "worker.log", 1024)
    log.close()
    log.close()
    log.write(b"too late" * 200)
    assert log.tail().endswith("too late")
    assert [(path.name, path.stat().st_size) for path in tmp_path.iterdir()] == [("worker.log", 0)]
