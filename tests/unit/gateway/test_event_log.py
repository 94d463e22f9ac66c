"""The events of a run: few in memory, all of them told."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from env_service.gateway import event_log
from env_service.gateway.event_log import BATCH, RECENT, EventLog
from env_service.gateway.run_state import RunEvent, RunState

MANY = 3 * RECENT + BATCH // 2


def event(number: int) -> RunEvent:
    """Some event, unlike the others."""
    if number % 7 == 0:
        return RunEvent("state", float(number), state=RunState.RUNNING)
    return RunEvent("closed", number + 0.25, f"ep-{number}", "täsk", 2, True, "", number)


def filled(path: Path, count: int = MANY) -> EventLog:
    """A log of so many events."""
    log = EventLog(path)
    for number in range(count):
        log.append(event(number))
    return log


def told(log: EventLog, cursor: int) -> list[RunEvent]:
    """What a watcher hears who has seen ``cursor`` events."""

    async def listen() -> list[RunEvent]:
        heard, at = list[RunEvent](), cursor
        while events := await log.after(at):
            assert len(events) <= BATCH
            heard += events
            at += len(events)
        return heard

    return asyncio.run(listen())


@pytest.mark.parametrize("cursor", [0, 1, BATCH - 1, BATCH, RECENT + 3, MANY - 1, MANY, 10**19])
def test_a_watcher_hears_every_event_after_its_cursor(tmp_path: Path, cursor: int) -> None:
    log = filled(tmp_path / "events.jsonl")
    expected = [event(number) for number in range(min(cursor, MANY), MANY)]
    assert told(log, cursor) == expected
    log.shelve()
    assert told(log, cursor) == expected


def test_few_events_stay_in_memory(tmp_path: Path) -> None:
    log = filled(tmp_path / "events.jsonl")
    assert log.count == MANY
    assert len(log._recent) < RECENT + BATCH
    log.shelve()
    assert log._recent == []
    log.append(event(MANY))
    assert told(log, MANY) == [event(MANY)]


def test_a_log_replaces_that_of_an_earlier_process(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    filled(path).shelve()
    log = filled(path, 2 * BATCH)
    log.shelve()
    assert len(path.read_bytes().splitlines()) == 2 * BATCH
    assert told(log, 0) == [event(number) for number in range(2 * BATCH)]


def test_no_event_is_lost_where_the_file_cannot_be_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "logs"
    log = filled(folder / "events.jsonl")
    assert told(log, 0) == [event(number) for number in range(MANY)]
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    folder.mkdir()
    log.shelve()
    assert log._recent == []
    assert told(log, 0) == [event(number) for number in range(MANY)]


def test_a_batch_that_was_written_in_part_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "events.jsonl"
    log = filled(path, 2 * BATCH)
    log.shelve()
    with path.open("ab") as file:
        file.write(b'{"torn')
    monkeypatch.setattr(event_log, "RECENT", 0)
    for number in range(2 * BATCH, 4 * BATCH):
        log.append(event(number))
    assert told(log, 0) == [event(number) for number in range(4 * BATCH)]
